"""The numbers of the authors' script beside ours: its folds, and its three classifiers.

The repository that the XNB paper names has a script of mid-2024. It draws the folds by
scikit-learn's ``StratifiedKFold(n_splits, shuffle=True, random_state=0)`` from the rows of the file
in their order, and compares naive Bayes, XNB, and FS+NB: Gaussian naive Bayes on the union of the
features that XNB selects from the training samples of the fold. Its number of variables, #VAR, is
the mean over classes, then over folds.

The XNB of the script differs from the paper's: bandwidths are Scott's, and a density that
underflows at every point of the grid is uniform (the latter until 23 July 2024). Both versions are
computed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import scikit_learn_folds
from xnbflow.naive_bayes.gaussian_nb import GaussianNB
from xnbflow.naive_bayes.xnb import XNB
from xnbflow.papers.xnb_paper.published import SEED, printed_script

#: Parameters of `XNB`: those of the paper's text and Table 2, and those of the script.
VERSIONS: dict[str, dict[str, Any]] = {
    "paper": {},
    "script": {"bandwidth": "scott", "underflow": "uniform"},
}


def script_table(series: Mapping[str, DataSet]) -> pd.DataFrame:
    """Return the numbers of the script's folds and their means, for the series of the script.

    Parameters
    ----------
    series : mapping of str to DataSet
        Series by id, of which those that the script prints numbers of are used.

    Returns
    -------
    DataFrame
        The table ``script``: a row for each series, version, fold and quantity, with the printed
        number where there is one. Means over folds have the fold 0.
    """
    printed = printed_script()
    rows: list[dict[str, Any]] = []
    for (name, n_splits), _ in printed.groupby(["accession", "splits"], sort=False):
        if name in series:
            rows += _fold_rows(series[name], int(n_splits))
    columns = ["dataset", "splits", "fold", "version", "quantity", "ours"]
    ours = pd.DataFrame(rows, columns=columns)
    keys = ["dataset", "splits", "quantity"]
    means = ours.groupby(["dataset", "splits", "version", "quantity"], sort=False)["ours"].mean()
    table = pd.concat([means.reset_index().assign(fold=0), ours], ignore_index=True)
    return table[columns].merge(printed, on=[*keys, "fold"], how="left")


def _fold_rows(data: DataSet, n_splits: int) -> list[dict[str, Any]]:
    """Return the quantities of each of the script's folds, numbered from 1, and version."""
    X = pd.DataFrame(data.values.T, columns=data.features, copy=False)
    y = data.labels
    drawn = scikit_learn_folds(data, n_splits, 1, seed=SEED).set_index("sample")["fold"]
    fold_of_sample = drawn.loc[data.samples].to_numpy()
    rows = []
    for fold in range(n_splits):
        train = fold_of_sample != fold
        nb_accuracy = GaussianNB().fit(X[train], y[train]).score(X[~train], y[~train])
        for version, parameters in VERSIONS.items():
            xnb = XNB(**parameters).fit(X[train], y[train])
            union = np.unique(np.concatenate(xnb.columns_))
            fs_nb = GaussianNB().fit(X.loc[train].iloc[:, union], y[train])
            numbers_of_features = [len(features) for features in xnb.columns_]
            quantities = {
                "nb_accuracy": nb_accuracy,
                "xnb_accuracy": xnb.score(X[~train], y[~train]),
                "fs_nb_accuracy": fs_nb.score(X.loc[~train].iloc[:, union], y[~train]),
                "xnb_features_per_class": float(np.mean(numbers_of_features)),
            }
            for quantity, value in quantities.items():
                rows.append(
                    {
                        "dataset": data.name,
                        "splits": n_splits,
                        "fold": fold + 1,
                        "version": version,
                        "quantity": quantity,
                        "ours": value,
                    }
                )
    return rows
