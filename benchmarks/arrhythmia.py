"""Search the readings of Arrhythmia in the directional paper: `python -m benchmarks.arrhythmia`.

The paper prints four accuracies for Arrhythmia (Table 1) and does not describe which of the 279
columns it uses (Table 6 has 253, Table 2 uses 174 with 685 parameters), nor what it does with
missing values. Each reading is a rule for the columns, a treatment of missing values and a protocol
of selection; this program measures the four accuracies of each and how near they come. It needs
`uci/arrhythmia.data.gz` in the folder XNBFLOW_DATA (or ../shared/data), and takes some minutes. The
table is written to results/benchmarks/arrhythmia.tsv.
"""

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_val_score

from xnbflow.naive_bayes import HybridNB, SelectiveNB, VonMisesNB
from xnbflow.papers.common.uci import ARRHYTHMIA
from xnbflow.papers.directional.mutual_information import mutual_information

DATA = Path(os.environ.get("XNBFLOW_DATA", Path(__file__).parents[2] / "shared" / "data"))
RESULTS = Path(__file__).parents[1] / "results" / "benchmarks"
N_RUNS = 10
PAPER = {"vMNB": 76.52, "GNB": 76.47, "SelvMNB": 78.19, "SelGNB": 78.17}

ANGULAR = [name for name in ARRHYTHMIA if name.endswith("_angle")]
DISCRETE = ["sex", *(name for name in ARRHYTHMIA if "_ragged_" in name or "_diphasic_" in name)]
LINEAR = [name for name in ARRHYTHMIA if name not in {*ANGULAR, *DISCRETE}]


@dataclass(frozen=True, kw_only=True)
class ColumnRule:
    """Which columns are used.

    A column is used if at least ``least`` samples (or at least so many of each class, if
    ``each_class``) differ from its commonest value. ``all_discrete`` columns may be used without.
    """

    name: str
    least: int
    each_class: bool = False
    all_discrete: bool = False


RULES = [
    ColumnRule(name="1% differ, all discrete: Table 6's counts", least=5, all_discrete=True),
    ColumnRule(name="not constant", least=1),
    ColumnRule(name="not constant within a class", least=1, each_class=True),
    ColumnRule(name="3 of each class differ: 6 discrete, as Table 2", least=3, each_class=True),
    ColumnRule(name="5 of each class differ", least=5, each_class=True),
    ColumnRule(name="11 differ", least=11),
]
#: The angle of the J point (84% missing), and rows or values that are missing.
TREATMENTS = {
    "means": {"with_j": True, "complete_rows": False},
    "means, without the J angle": {"with_j": False, "complete_rows": False},
    "complete rows, without the J angle": {"with_j": False, "complete_rows": True},
}


def read() -> pd.DataFrame:
    """Return the 430 electrocardiograms with an angle of the P wave (Table 6)."""
    frame = pd.read_csv(DATA / "uci/arrhythmia.data.gz", header=None, na_values="?")
    frame.columns = [*ARRHYTHMIA, "class"]
    return frame[frame["P_angle"].notna()].reset_index(drop=True)


def n_differing(values: pd.Series) -> int:
    """Return how many values differ from the commonest."""
    present = values.dropna()
    return int((present != present.mode()[0]).sum())


def used_columns(frame: pd.DataFrame, rule: ColumnRule) -> list[str]:
    """Return the linear and discrete columns that a rule uses."""
    is_normal = frame["class"] == 1
    groups = [is_normal, ~is_normal] if rule.each_class else [is_normal | True]
    names = []
    for name in LINEAR + DISCRETE:
        differing = min(n_differing(frame.loc[group, name]) for group in groups)
        if differing >= rule.least or (rule.all_discrete and name in DISCRETE):
            names.append(name)
    return names


def prepare(
    frame: pd.DataFrame, names: list[str], *, complete_rows: bool
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the features, angles in radians and categories as codes, and whether normal."""
    if complete_rows:
        frame = frame[frame[names].notna().all(axis=1)]
    features = frame[names].astype(float)
    for name in names:
        if name in ANGULAR:
            radians = np.deg2rad(features[name])
            mean = np.arctan2(np.sin(radians).mean(), np.cos(radians).mean())
            features[name] = radians.fillna(mean)
        elif name in DISCRETE:
            features[name] = np.unique(features[name], return_inverse=True)[1]
        else:
            features[name] = features[name].fillna(features[name].mean())
    return features, (frame["class"] == 1).to_numpy()


def classifiers(names: list[str]) -> dict[str, HybridNB | VonMisesNB]:
    """Return vMNB and GNB for the columns."""
    angular = [name for name in names if name in ANGULAR]
    linear = [name for name in names if name in LINEAR]
    discrete = [name for name in names if name in DISCRETE]
    gaussian = [
        ("continuous", "gaussian", angular + linear),
        ("discrete", "categorical", discrete),
    ]
    return {
        "vMNB": VonMisesNB(angular=angular, categorical=discrete),
        "GNB": HybridNB(gaussian),
    }


def nested_accuracies(features: pd.DataFrame, is_normal: np.ndarray) -> dict[str, float]:
    """Return the four accuracies in per cent; features are selected within training folds."""
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=N_RUNS, random_state=0)
    accuracies = {}
    for name, classifier in classifiers(list(features)).items():
        plain = cross_val_score(classifier, features, is_normal, cv=cv)
        selective = cross_val_score(SelectiveNB(classifier), features, is_normal, cv=cv)
        accuracies[name] = 100 * plain.mean()
        accuracies[f"Sel{name}"] = 100 * selective.mean()
    return accuracies


def leaking_accuracies(features: pd.DataFrame, is_normal: np.ndarray) -> dict[str, float]:
    """Return the same with a selection that has seen the test samples.

    The ranking is that of the complete data, and the prefix the one that is most accurate on the
    folds by which it is judged: the figure that a wrapper reports when it is run on complete data.
    """
    values = features.to_numpy().T
    accuracies = {}
    for name, classifier in classifiers(list(features)).items():
        complete = clone(classifier).fit(features, is_normal)
        information = mutual_information(complete, values, is_normal.astype(int))
        order = np.argsort(-information, kind="stable")
        plain = []
        best = []
        for run in range(N_RUNS):
            folds = StratifiedKFold(10, shuffle=True, random_state=run)
            correct = np.zeros(len(order))
            for training, test in folds.split(features, is_normal):
                fitted = clone(classifier).fit(features.iloc[training], is_normal[training])
                terms = fitted.term_log_densities(values[:, test])[order]
                joint = np.cumsum(terms, axis=0) + fitted.class_log_prior_[:, None]
                predicted = fitted.classes_[joint.argmax(axis=1)]
                correct += (predicted == is_normal[test]).sum(axis=1)
            plain.append(correct[-1])
            best.append(correct.max())
        accuracies[name] = 100 * np.mean(plain) / len(is_normal)
        accuracies[f"Sel{name}"] = 100 * np.mean(best) / len(is_normal)
    return accuracies


def search() -> pd.DataFrame:
    """Return a row per reading: its counts, accuracies and largest difference from the paper's."""
    frame = read()
    rows = []
    for rule in RULES:
        columns = used_columns(frame, rule)
        for treatment, options in TREATMENTS.items():
            angles = [name for name in ANGULAR if options["with_j"] or name != "J_angle"]
            names = angles + columns
            features, is_normal = prepare(frame, names, complete_rows=options["complete_rows"])
            for protocol, measure in (
                ("within training folds", nested_accuracies),
                ("on all samples", leaking_accuracies),
            ):
                accuracies = measure(features, is_normal)
                differences = [abs(accuracies[name] - printed) for name, printed in PAPER.items()]
                rows.append(
                    {
                        "columns": rule.name,
                        "missing values": treatment,
                        "selection": protocol,
                        "rows": len(features),
                        "angular": len(angles),
                        "linear": sum(name in LINEAR for name in columns),
                        "discrete": sum(name in DISCRETE for name in columns),
                        **accuracies,
                        "largest difference": max(differences),
                    }
                )
    return pd.DataFrame(rows).sort_values("largest difference", kind="stable")


def main(_words: list[str]) -> None:
    """Measure all readings, print their table, and write it to results/benchmarks."""
    warnings.filterwarnings("ignore", "[0-9]+ of [0-9]+ features")
    table = search()
    RESULTS.mkdir(parents=True, exist_ok=True)
    table.to_csv(RESULTS / "arrhythmia.tsv", sep="\t", index=False, float_format="%.2f")
    print(table.to_string(index=False, float_format="{:.2f}".format))


if __name__ == "__main__":
    main(sys.argv[1:])
