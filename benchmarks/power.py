"""Power and size of the verdict in unequal and small designs, beside the label test alone.

`python -m benchmarks.power 100` draws 100 studies of each design (`conclusions.shifted`: 10 of 500
genes are shifted by the effect; five folds) and counts how often

* the label test alone has p <= .025 (20 draws of folds, as in a study),
* the rule before supports the result: lower limit at n / 2 (n / 2.5 for `csnb_cv`) above chance,
  and the test of means alone,
* the rule now does: lower limit at n / 1.75 above chance, and the test of means and spread.

Rows are appended to results/benchmarks/power.tsv as they finish; further words select designs, as
`16+4`. Effect 0 has the size.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.conclusions import shifted

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.estimates import pooled_performance
from xnbflow.inference.intervals import inflation_of
from xnbflow.inference.label_test import label_test
from xnbflow.inference.verdicts import LabelTest, verdict

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "power.tsv"
SPLITS = 5
#: Draws of folds of the classifier.
REPEATS = 1
#: Most permutations of the label test (4,999 in studies): near its level they cost power.
PERMUTATIONS = 499
#: Classifier, sizes of the classes, effect.
DESIGNS: tuple[tuple[str, tuple[int, int], float], ...] = (
    ("nb", (20, 20), 0.8),
    ("nb", (16, 4), 2.0),
    ("nb", (40, 8), 1.2),
    ("nb", (10, 10), 1.5),
    ("csnb_cv", (16, 4), 2.0),
    ("csnb_cv", (32, 8), 1.2),
    ("csnb_cv", (40, 8), 1.2),
    ("nb", (20, 20), 0.0),
    ("nb", (16, 4), 0.0),
    ("csnb_cv", (16, 4), 0.0),
    ("csnb_cv", (32, 8), 0.0),
)
#: Naive Bayes of the table, and the recommended classifier.
ENTRIES = {"nb": {"method": "csnb"}, "csnb_cv": {"method": "csnb_cv"}}
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL: dict[str, object] = {}
SMALL_WORDS = ("1", "16+4")


def decisions(series: DataSet, method: str) -> dict[str, bool]:
    """Return what the label test, the rule before and the rule now decide on a study."""
    entry = resolved(ENTRIES[method])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = train(series, draw_folds(series, SPLITS, REPEATS), entry, explain=False)
        test = label_test(series, n_permutations=PERMUTATIONS).iloc[0]
    measured = pooled_performance(tables["predictions"], series, inflation_of(entry))
    means_reject = test["means_p"] <= ONE_SIDED_LEVEL
    level = verdict(measured, LabelTest(float(test["p_value"]))).level
    return {
        "label test": bool(test["p_value"] <= ONE_SIDED_LEVEL),
        "before": bool(means_reject and measured.strict_lower > measured.chance),
        "now": level != "not supported",
        "interval now": measured.balanced_accuracy.lower > measured.chance,
    }


def main(words: list[str]) -> None:
    """Measure the designs and append their rows to the file."""
    n_studies = int(words[0]) if words else 100
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    for method, sizes, effect in DESIGNS:
        title = f"{sizes[0]}+{sizes[1]}"
        if words[1:] and title not in words[1:]:
            continue
        start = time.process_time()
        studies = [decisions(shifted(seed, sizes, effect), method) for seed in range(n_studies)]
        shares = pd.DataFrame(studies).mean().round(3).to_dict()
        largest_error = np.sqrt(max(share * (1 - share) for share in shares.values()) / n_studies)
        row = {"classifier": method, "samples": title, "effect": effect, "studies": n_studies}
        row |= shares | {"largest error": round(largest_error, 3)}
        frame = pd.DataFrame([row | {"seconds": round(time.process_time() - start, 1)}])
        frame.to_csv(RESULTS, sep="\t", mode="a", header=not RESULTS.exists(), index=False)
        print(frame.to_string(index=False, header=False), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
