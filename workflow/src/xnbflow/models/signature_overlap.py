"""Overlap of the features that two cohorts select."""

import numpy as np
import pandas as pd
import scipy  # scipy.stats, half a second, is imported where it is used

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.fitting import filled
from xnbflow.preprocessing.selection.class_features import pair_distances
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of

#: Columns of the group ``validation`` that name a pair of cohorts.
PAIR_COLUMNS = ("model", "train", "test", "match", "harmonise")


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

    Examples
    --------
    >>> from xnbflow.models.trained import fit_model
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat(["normal", "tumour"], 20)
    >>> cohorts = []
    >>> for name in ("one", "two"):
    ...     values = rng.normal(8.0, 1.0, (6, 40))
    ...     values[0] += 4.0 * (labels == "tumour")
    ...     samples = [f"{name}{i}" for i in range(40)]
    ...     cohorts.append(DataSet(name, values, list("abcdef"), samples, labels))
    >>> entry = {"method": "csnb", "params": {"n_features": 1}}
    >>> first, second = (fit_model(cohort, entry).signature for cohort in cohorts)
    >>> compare_signatures(first, second, *cohorts)[["class", "shared", "genes"]]
        class  shared genes
    0  normal       1     a
    1  tumour       1     a
    """
    rank_correlation = scipy.stats.spearmanr(
        greatest_distances(train), greatest_distances(test)
    ).statistic
    rows = []
    for label in dict.fromkeys([*first["class"], *second["class"]]):
        first_directions = _directions(first, label)
        second_directions = _directions(second, label)
        shared = first_directions.index.intersection(second_directions.index)
        same_direction = first_directions[shared] == second_directions[shared]
        rows.append(
            {
                "class": label,
                "size_first": len(first_directions),
                "size_second": len(second_directions),
                "shared": len(shared),
                "genes": " ".join(shared),
                "same_direction": int(same_direction.sum()),
                "rank_correlation": rank_correlation,
            }
        )
    return table_of(rows, GROUPS["cohorts"].tables["signatures"], without=PAIR_COLUMNS)


def _directions(signature: pd.DataFrame, label: str) -> pd.Series:
    """Return the directions of a class's features, by feature."""
    return signature[signature["class"] == label].set_index("feature")["direction"]
