"""Overlap of the features that two cohorts select, compared with permuted labels."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.base import clone

from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.fitting import filled, fit_grouped, frame_for
from xnbflow.evaluation.methods import resolved, unlabelled
from xnbflow.evaluation.selected import feature_use
from xnbflow.inference.permutation import permuted
from xnbflow.models.trained import unfitted
from xnbflow.preprocessing.selection.class_features import pair_distances
from xnbflow.tables.contract import VALIDATION_TABLES
from xnbflow.tables.storage import table_of

__all__ = ["compare_signatures", "greatest_distances", "permuted_selections"]


def greatest_distances(series: DataSet) -> np.ndarray:
    """Return each feature's greatest Hellinger distance of two classes, shape (n_features,)."""
    classes, codes = np.unique(series.labels, return_inverse=True)
    return pair_distances(filled(series).values, codes, len(classes)).max(axis=0)


def permuted_selections(
    series: DataSet, entry: Mapping[str, Any], n_permutations: int = 39
) -> list[dict[str, set[str]]]:
    """Return the features that a classifier selects for each class with permuted labels.

    Permuted labels keep the correlations of the features, so that lists overlap as far as those of
    cohorts without information do: the hypergeometric distribution takes features as independent,
    and its p-values are far too small. The least p is 1 / (n_permutations + 1).
    """
    estimator = unfitted(series, resolved(unlabelled(entry)), "final")
    frame, rng = (
        frame_for(estimator, series),
        np.random.default_rng(derive_seed(series.name, "overlap")),
    )
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_permutations):
            labels = permuted(series.labels, series.groups, rng)
            model = fit_grouped(clone(estimator), frame, labels, series.groups)
            rows = feature_use(model, frame, explain=False).selected
            sets = {} if rows is None else rows.groupby("class")["feature"].agg(set).to_dict()
            found.append(sets)
    return found


def compare_signatures(
    first: pd.DataFrame,
    second: pd.DataFrame,
    train: DataSet,
    test: DataSet,
    chance: Sequence[Mapping[str, Collection[str]]] = (),
) -> pd.DataFrame:
    """Return the agreement of two cohorts' signatures, class by class.

    Parameters
    ----------
    first, second : DataFrame
        Signatures fitted on either cohort, see `signature_table`.
    train, test : DataSet
        The cohorts, with the same features (`matched`).
    chance : list of mapping
        Features selected for each class with permuted labels of the second cohort, see
        `permuted_selections`.

    Returns
    -------
    DataFrame
        One row per class: ``class``, ``size_first``, ``size_second``, ``shared``, ``genes`` (the
        shared ones, by spaces), ``expected`` (features shared by chance, the mean over
        permutations), ``p`` (of at least so many; both missing without permutations),
        ``same_direction`` (of the shared ones), ``rank_correlation`` (Spearman's, of all
        features' greatest distances between classes in either cohort; it is the same for all
        classes).

    References
    ----------
    B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Statistical
    Applications in Genetics and Molecular Biology 9 (2010), 39.
    """
    rho = spearmanr(greatest_distances(train), greatest_distances(test)).statistic
    rows = []
    for label in dict.fromkeys([*first["class"], *second["class"]]):
        one, two = (
            table[table["class"] == label].set_index("feature")["direction"]
            for table in (first, second)
        )
        shared = one.index.intersection(two.index)
        counts = np.array([len(one.index.intersection(list(c.get(label, ())))) for c in chance])
        expected = counts.mean() if len(counts) else np.nan
        p = (np.sum(counts >= len(shared)) + 1) / (len(counts) + 1) if len(counts) else np.nan
        row = {"class": label, "size_first": len(one), "size_second": len(two)}
        row |= {"shared": len(shared), "genes": " ".join(shared), "expected": expected, "p": p}
        alike = int((one[shared] == two[shared]).sum())
        rows.append(row | {"same_direction": alike, "rank_correlation": rho})
    pair = ("model", "train", "test", "match", "harmonise")
    return table_of(rows, VALIDATION_TABLES["signatures"], without=pair)
