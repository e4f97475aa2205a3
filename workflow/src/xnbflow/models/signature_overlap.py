"""Overlap of the features that two cohorts select."""

import numpy as np
import pandas as pd
import scipy  # scipy.stats, half a second, is imported where it is used

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.fitting import filled
from xnbflow.preprocessing.selection.class_features import pair_distances
from xnbflow.tables.contract import VALIDATION_TABLES
from xnbflow.tables.storage import table_of


def greatest_distances(series: DataSet) -> np.ndarray:
    """Return each feature's greatest Hellinger distance of two classes, shape (n_features,)."""
    classes, codes = np.unique(series.labels, return_inverse=True)
    return pair_distances(filled(series).values, codes, len(classes)).max(axis=0)


def compare_signatures(
    first: pd.DataFrame, second: pd.DataFrame, train: DataSet, test: DataSet
) -> pd.DataFrame:
    """Return the agreement of two cohorts' signatures, class by class.

    Parameters
    ----------
    first, second : DataFrame
        Signatures fitted on either cohort, see `signature_table`.
    train, test : DataSet
        The cohorts, with the same features (`matched`).

    Returns
    -------
    DataFrame
        One row per class: ``class``, ``size_first``, ``size_second``, ``shared``, ``genes`` (the
        shared ones, by spaces), ``same_direction`` (of the shared ones), ``rank_correlation``
        (Spearman's, of all features' greatest distances between classes in either cohort; it is the
        same for all classes).
    """
    rho = scipy.stats.spearmanr(greatest_distances(train), greatest_distances(test)).statistic
    rows = []
    for label in dict.fromkeys([*first["class"], *second["class"]]):
        one, two = (
            table[table["class"] == label].set_index("feature")["direction"]
            for table in (first, second)
        )
        shared = one.index.intersection(two.index)
        row = {"class": label, "size_first": len(one), "size_second": len(two)}
        row |= {"shared": len(shared), "genes": " ".join(shared)}
        alike = int((one[shared] == two[shared]).sum())
        rows.append(row | {"same_direction": alike, "rank_correlation": rho})
    pair = ("model", "train", "test", "match", "harmonise")
    return table_of(rows, VALIDATION_TABLES["signatures"], without=pair)
