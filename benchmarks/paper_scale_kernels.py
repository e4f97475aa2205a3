"""What the study `paper-scale` computes, without a workflow: prints processor seconds by kernel.

python -m benchmarks.paper_scale_kernels results/benchmarks/paper-scale/run/results 0 2

The last two numbers: of the series, largest first, every second one beginning with the first.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.diagnostics.gene_tables import gene_tables
from xnbflow.diagnostics.series_audit import audit
from xnbflow.evaluation.folds import folds_of_repeat
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import halves_table
from xnbflow.inference.label_test import label_test
from xnbflow.inference.random_genes import random_genes
from xnbflow.running.config import read_config
from xnbflow.running.project import default_configuration

ROOT = Path(__file__).parents[1]
STUDY = "paper-scale"


def tiny_series(n_per_class: int = 12) -> DataSet:
    """Return a series of two classes with features of every kind, to compile kernels on."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], n_per_class)
    shift = 2.0 * (labels == "b")
    values = np.vstack(
        [
            rng.normal(size=(6, len(labels))) + shift,
            rng.vonmises(0.0, 2.0, size=(2, len(labels))),
            rng.integers(0, 3, size=(2, len(labels))),
        ]
    )
    kinds = ["linear"] * 6 + ["angular"] * 2 + ["categorical"] * 2
    features = [f"feature{i}" for i in range(len(values))]
    samples = [f"sample{i}" for i in range(len(labels))]
    return DataSet(
        name="tiny", values=values, features=features, samples=samples, labels=labels, kinds=kinds
    )


def main(folder: Path, first: int, step: int) -> None:
    """Measure the kernels of each stage, for series of a folder."""
    config = default_configuration(ROOT)
    config |= {"run": [STUDY], "studies": {STUDY: config["studies"][STUDY]}}
    studies = read_config(config, ROOT / "workflow/schemas/config.schema.json")
    study = studies.studies[STUDY]
    tested = {name for _, name in studies.label_tests(study)}
    halved = {name for _, name in studies.halves(study)}
    defaults = studies.diagnostics
    tests = {
        "min_abs_r": defaults["min_abs_r"],
        "alpha": defaults["dependence_alpha"],
        "dof": defaults["dof"],
    }

    def measured(series: DataSet, n_splits: int) -> Counter[str]:
        """Return the seconds of each kernel, called as by the jobs of a series."""
        seconds: Counter[str] = Counter()

        def timed(kernel: str, compute: Callable[..., Any], *arguments: Any) -> Any:
            start = time.process_time()
            result = compute(*arguments)
            seconds[kernel] += time.process_time() - start
            return result

        folds = folds_of_repeat(series, n_splits, 0)
        timed("diagnose: tests", diagnose, series, tests)
        timed("genes: tables", gene_tables, series, study.design_of(series.name))
        timed("diagnose: audit", audit, series)
        timed("classify: label test", label_test, series)
        for name in study.classifiers:
            entry = studies.classifier(name, study.datasets[0])
            selected = timed("classify: folds", train, series, folds, entry)["selected"]
            if name in tested:
                timed("classify: random genes", random_genes, series, selected, folds)
            if name in halved:
                timed("classify: halves", halves_table, series, entry, study.halves)
        return seconds

    measured(tiny_series(), 2)  # compiles
    total: Counter[str] = Counter()
    files = list(folder.glob("*/series.parquet"))
    for path in sorted(files, key=lambda path: -path.stat().st_size)[first::step]:
        total += measured(DataSet.read(path), 10)
    print(json.dumps(total))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
