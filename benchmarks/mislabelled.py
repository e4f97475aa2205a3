"""How many exchanged labels a study finds, and how many right ones it doubts.

``python -m benchmarks.mislabelled [STUDIES]`` exchanges 5 % of the labels of simulated studies of
two classes, and prints the table of docs/methods/verdicts-evidence.md: of 20, 40 and 100 samples,
and of two strengths, the shift of 15 of 500 genes in standard deviations.
"""

import sys
import warnings
from functools import partial

import numpy as np
import pandas as pd
from benchmarks.simulated_studies import CLASSIFIERS, Design, cross_validated, drawn
from sklearn.ensemble import RandomForestClassifier

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.keyed_tables import Key
from xnbflow.inference.estimates import estimates, pooled_performance
from xnbflow.inference.intervals import CROSS_VALIDATED
from xnbflow.studies import sample_errors
from xnbflow.tables.contract import STUDY_TABLES

SIZES = (20, 40, 100)
STRENGTHS = (1.0, 2.0)
SHARE = 0.05
FOLDS = 5
#: The audit of a study without genes of the sex chromosomes.
NO_FINDINGS = pd.DataFrame(columns=STUDY_TABLES["audit"].fixed)
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL = {"SIZES": (20,), "STRENGTHS": (2.0,)}
SMALL_WORDS = ("1",)
#: Those of the study that `xnbflow study` proposes.
NAMES = ("csnb_cv", "nb", "forest")


def predictions(values: np.ndarray, codes: np.ndarray, seed: int) -> dict[Key, pd.DataFrame]:
    """Return the held-out predictions of each classifier as the workflow's tables."""
    tables = {}
    for name in NAMES:
        _, claims = cross_validated(name, values, codes, groups=None, splits=FOLDS, seed=seed)
        logs = np.log(np.maximum(claims, 1e-300))
        table = pd.DataFrame(logs, columns=["log_posterior.0", "log_posterior.1"])
        table.insert(0, "repeat", 0)
        table.insert(1, "fold", 0)
        table.insert(2, "sample", [f"s{i}" for i in range(len(codes))])
        table.insert(3, "true", codes.astype(str))
        table.insert(4, "predicted", claims.argmax(axis=1).astype(str))
        tables["d", "f", name] = table
    return tables


def doubted(n: int, effect: float, seed: int) -> tuple[set[str], set[str]]:
    """Return the samples whose labels were exchanged, and those that are doubted."""
    values, codes = drawn(Design(n=n, effect=effect), seed)
    exchanged = np.random.default_rng(seed).choice(n, max(1, round(SHARE * n)), replace=False)
    codes[exchanged] = 1 - codes[exchanged]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = predictions(values, codes, seed)
    names = np.array([f"s{i}" for i in range(n)])
    features = np.array([f"f{i}" for i in range(values.shape[1])])
    headers = {"d": DataSet("d", values.T, features, names, codes.astype(str))}
    performances = {}
    for key, table in tables.items():
        performances[key] = pooled_performance(table, headers["d"], CROSS_VALIDATED, 1)
    estimates_of_set = estimates(performances, headers, dict.fromkeys(performances, 0))
    rows = sample_errors.suspects(sample_errors.samples(tables, estimates_of_set), NO_FINDINGS)
    return {f"s{i}" for i in exchanged}, set(rows["sample"])


def main(words: list[str]) -> None:
    """Print a row of the table for each design; the first word is the number of studies."""
    studies = int(next(iter(words), 30))
    CLASSIFIERS["forest"] = partial(RandomForestClassifier, n_estimators=200, random_state=0)
    print("| samples | strength | exchanged | found | right labels | doubted |")
    print("|---|---|---|---|---|---|")
    for n in SIZES:
        for effect in STRENGTHS:
            pairs = [doubted(n, effect, seed) for seed in range(studies)]
            exchanged = sum(len(wrong) for wrong, _ in pairs)
            hits = sum(len(wrong & rows) for wrong, rows in pairs)
            alarms = sum(len(rows - wrong) for wrong, rows in pairs)
            right = n * studies - exchanged
            print(
                f"| {n} | {effect:g} | {exchanged} | {hits / exchanged:.0%} | {right} | "
                f"{alarms / right:.1%} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
