"""What keeping a patient's samples on one side of a fold changes: `python -m benchmarks.grouping`.

GSE6956C (folder XNBFLOW_DATA, or ../shared/data, subfolder geo): tumour and normal tissue of the
same eight patients. Accuracy in four folds, means and standard deviations over ten repeats, of two
labels: the tissue, of which each patient has both, and one that is dealt to patients at random, of
which each has one, so that nothing but knowing the patient can tell it.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.table import read_table

DATA = Path(os.environ.get("XNBFLOW_DATA", Path(__file__).parents[2] / "shared" / "data")) / "geo"
N_SPLITS = 4
N_REPEATS = 10
CLASSIFIERS = {
    "gaussian_nb": {"method": "gaussian_nb"},
    "csnb": {"method": "csnb"},
    "svm": {
        "steps": [
            {"method": "sklearn.preprocessing.StandardScaler"},
            {"method": "sklearn.svm.LinearSVC", "params": {"max_iter": 100_000}},
        ]
    },
}


def paired() -> DataSet:
    """Return the cohort with its patients as groups."""
    options = {
        "drop": ("type",),
        "group": "patient",
        "phenotype": str(DATA / "GSE6956C_phenotype.tsv"),
    }
    row = DatasetEntry("GSE6956C", "table", label="diagnosis", id_column="samples", **options)
    return read_table(DATA / "GSE6956C.csv.gz", row)


def dealt(series: DataSet, seed: int) -> DataSet:
    """Return the series with one of two labels dealt to each patient, to equally many."""
    patients, place = np.unique(series.groups, return_inverse=True)
    codes = np.random.default_rng(seed).permutation(len(patients)) % 2
    return replace(series, labels=np.array(["one", "other"])[codes[place]])


def accuracy(series: DataSet, entry: dict, repeat: int) -> float:
    """Return the share of right predictions of one repeat."""
    folds = draw_folds(series, N_SPLITS, N_REPEATS)
    tested = train(series, folds[folds["repeat"] == repeat], resolved(entry))["predictions"]
    return float((tested["true"] == tested["predicted"]).mean())


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Yield label, classifier, and accuracy without and with groups."""
    tissue = paired()
    for label in ("tissue (both of each patient)", "dealt at random (one per patient)"):
        for name, entry in CLASSIFIERS.items():
            tested = []
            for grouped in (False, True):
                accuracies = []
                for repeat in range(N_REPEATS):
                    series = tissue if label.startswith("tissue") else dealt(tissue, repeat)
                    series = series if grouped else replace(series, groups=None)
                    accuracies.append(accuracy(series, entry, repeat))
                tested.append(f"{np.mean(accuracies):.2f} ± {np.std(accuracies, ddof=1):.2f}")
            yield label, name, *tested


def main(_words: list[str]) -> None:
    """Print the table."""
    table = pd.DataFrame(rows(), columns=["label", "classifier", "without group", "with group"])
    print(table.to_string(index=False))


if __name__ == "__main__":
    main(sys.argv[1:])
