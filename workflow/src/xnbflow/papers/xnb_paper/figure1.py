"""The numbers of the XNB paper's Figure 1 beside ours, in its fold and over many folds.

The figure shows one fold without its number. By the authors' script the folds are scikit-learn's
with the seed 0, and the ninth is the only one with the figure's two accuracies. Each printed number
is beside ours in this fold, and in the distribution over the folds of several other repeats, which
shows how much depends on the fold. The left half of the figure is a selection that is not
class-specific: every class with the union of all features.
"""

from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import folds_of_repeat, scikit_learn_folds
from xnbflow.naive_bayes.gaussian_nb import GaussianNB
from xnbflow.naive_bayes.xnb import XNB
from xnbflow.papers.xnb_paper.published import (
    FIGURE_FEATURES,
    FIGURE_FOLD,
    FIGURE_MEAN,
    FIGURE_NB_ACCURACY,
    FIGURE_UNION,
    FIGURE_XNB_ACCURACY,
    MEDULLOBLASTOMA_PROBES,
    SEED,
)

_SPLITS = 10
_PROBES = "medulloblastoma_probes"

#: The printed numbers by quantity; the paper prints none of a class-independent classifier.
PRINTED = {
    "union": FIGURE_UNION,
    **{f"features of {label}": number for label, number in FIGURE_FEATURES.items()},
    "features_per_class": FIGURE_MEAN,
    _PROBES: len(MEDULLOBLASTOMA_PROBES),
    "nb_accuracy": FIGURE_NB_ACCURACY,
    "xnb_accuracy": FIGURE_XNB_ACCURACY,
    "union_accuracy": np.nan,
}


def figure_numbers(data: DataSet, repeats: int) -> pd.DataFrame:
    """Return a row for each number of Figure 1: the printed one, and ours over folds.

    Parameters
    ----------
    data : DataSet
        The series GSE50161. A class of another name has no row.
    repeats : int
        Number of stratified ten-fold cross-validations.
    """
    drawn = scikit_learn_folds(data, _SPLITS, 1, seed=SEED).set_index("sample")["fold"]
    of_figure = _fold_quantities(data, drawn.loc[data.samples].to_numpy() != FIGURE_FOLD - 1)
    folds = []
    for repeat in range(repeats):
        drawn = folds_of_repeat(data, _SPLITS, repeat).set_index("sample")["fold"]
        fold_of = drawn.loc[data.samples].to_numpy()
        folds += [_fold_quantities(data, fold_of != fold) for fold in range(_SPLITS)]
    ours = pd.DataFrame(folds)
    rows = []
    for quantity, printed in PRINTED.items():
        if quantity not in ours:
            continue
        values = ours[quantity]
        rows.append(
            {
                "dataset": data.name,
                "quantity": quantity,
                "paper": printed,
                "same_fold": of_figure[quantity],
                "ours": values.mean(),
                "least": values.min(),
                "most": values.max(),
                "percentile": percentile_of(printed, values.round(3).to_numpy()),
                "n_folds": len(values),
            }
        )
    return pd.DataFrame(rows)


def figure_features(data: DataSet) -> pd.DataFrame:
    """Return the features of each class in the fold of Figure 1, by their rank.

    ``printed`` is whether the text below the figure lists the probe, which it does for those of
    medulloblastoma.
    """
    drawn = scikit_learn_folds(data, _SPLITS, 1, seed=SEED).set_index("sample")["fold"]
    train = drawn.loc[data.samples].to_numpy() != FIGURE_FOLD - 1
    X = pd.DataFrame(data.values.T, columns=data.features, copy=False)
    xnb = XNB().fit(X[train], data.labels[train])
    rows = []
    for label, features in xnb.selected_features_.items():
        for rank, feature in enumerate(features, 1):
            is_printed = label == "medulloblastoma" and feature in MEDULLOBLASTOMA_PROBES
            rows.append(
                {
                    "dataset": data.name,
                    "class": label,
                    "rank": rank,
                    "feature": feature,
                    "printed": is_printed,
                }
            )
    return pd.DataFrame(rows, columns=["dataset", "class", "rank", "feature", "printed"])


def _fold_quantities(data: DataSet, train: np.ndarray) -> dict[str, Any]:
    """Return the quantities of one fold, whose training samples the mask has."""
    X = pd.DataFrame(data.values.T, columns=data.features, copy=False)
    y = data.labels
    test = ~train
    xnb = XNB().fit(X[train], y[train])
    shared = XNB(class_independent=True).fit(X[train], y[train])
    selected = xnb.selected_features_
    counts = {f"features of {label}": len(features) for label, features in selected.items()}
    quantities = {
        **counts,
        "union": len(shared.columns_[0]),
        "features_per_class": np.mean(list(counts.values())),
        "nb_accuracy": GaussianNB().fit(X[train], y[train]).score(X[test], y[test]),
        "xnb_accuracy": xnb.score(X[test], y[test]),
        "union_accuracy": shared.score(X[test], y[test]),
    }
    if "medulloblastoma" in selected:
        probes = set(MEDULLOBLASTOMA_PROBES) & set(selected["medulloblastoma"])
        quantities[_PROBES] = len(probes)
    return quantities


def percentile_of(printed: float, values: np.ndarray) -> float:
    """Return the percentile of a printed number among ours, ties half; missing without one.

    Examples
    --------
    >>> percentile_of(2.0, np.array([1.0, 2.0, 3.0, 4.0]))
    37.5
    """
    if np.isnan(printed):
        return np.nan
    return float(100 * ((values < printed).mean() + (values == printed).mean() / 2))
