"""Processor seconds of the stages of a study by the number of classes, on one thread.

``python benchmarks/class_stages.py SAMPLES FEATURES CLASSES`` prints them as JSON. Each stage runs
once on a small series before, which loads or compiles its kernels.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable

import numba

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.genes import class_comparisons
from xnbflow.diagnostics.series_audit import audit
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import halves_table
from xnbflow.inference.label_test import label_test
from xnbflow.sources.simulate import simulate_series

_CSNB = {"method": "xnbflow.naive_bayes.ClassSpecificNB"}
_CSNB_CV = {"method": "xnbflow.naive_bayes.ClassSpecificNBCV"}

#: What each stage computes of a series.
STAGES: dict[str, Callable[[DataSet], object]] = {
    "two folds of ClassSpecificNB": lambda series: train(series, draw_folds(series, 2, 1), _CSNB),
    "a pair of halves of ClassSpecificNBCV": lambda series: halves_table(series, _CSNB_CV, 1),
    "label test, labels and one permutation": lambda series: label_test(
        series, n_permutations=1, n_draws=1
    ),
    "comparisons of genes": lambda series: class_comparisons(series.values, series, Design()),
    "audit": audit,
}


def seconds_of_stages(n_samples: int, n_features: int, n_classes: int) -> dict[str, float]:
    """Return the processor seconds of each stage on a simulated series."""
    small, _ = simulate_series("small", 40, 200, 3, seed=1)
    series, _ = simulate_series("many", n_samples, n_features, n_classes, seed=1)
    seconds = {}
    for stage, compute in STAGES.items():
        compute(small)
        before = time.process_time()
        compute(series)
        seconds[stage] = time.process_time() - before
    return seconds


if __name__ == "__main__":
    numba.set_num_threads(1)
    warnings.simplefilter("ignore")
    print(json.dumps(seconds_of_stages(*map(int, sys.argv[1:]))))
