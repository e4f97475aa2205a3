"""What a page tells of one classifier on one data set beyond its figures: tables of a folder."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from xnbflow.evaluation.dependence_groups import dependent_groups, dependent_pairs
from xnbflow.evaluation.densities import class_densities, telling_features
from xnbflow.evaluation.evidence import class_priors, relative_evidence
from xnbflow.evaluation.profiles import class_distances, feature_profiles, feature_values
from xnbflow.series import Series

__all__ = ["describe"]

#: Features whose densities are drawn: per class, and in all.
_PER_CLASS, _MOST = 4, 12
#: Features looked at for dependence: those selected most often.
_MOST_DEPENDENT = 200


def describe(
    series: Series,
    entry: Mapping[str, Any],
    trained: Mapping[str, pd.DataFrame],
    cut: float | None,
) -> dict[str, pd.DataFrame]:
    """Return the tables of `xnbflow.contract.DESCRIPTION_TABLES`.

    Parameters
    ----------
    series : Series
        The data set.
    entry : mapping
        The classifier's configuration.
    trained : mapping of str to DataFrame
        What its training jobs wrote: ``predictions``, ``selected``, ``distances``,
        ``explanations``.
    cut : float or None
        The |r| above which features count as dependent given the class; None if no one looked.

    Returns
    -------
    dict of str to DataFrame
        Empty tables for a classifier that does not select.
    """
    selected = trained["selected"]
    ranked = _ranked(selected)
    shown = telling_features(ranked, _PER_CLASS, _MOST)
    told = ranked["feature"].drop_duplicates().head(_MOST_DEPENDENT).tolist()
    pairs = dependent_pairs(series, told if cut is not None else [], cut or 1.0)
    groups = dict(zip(told, dependent_groups(pairs, told), strict=True))
    profiles = feature_profiles(series, ranked)
    return {
        "profiles": profiles.assign(
            dependence_group=profiles["feature"].map(groups).fillna("").astype(str)
        ),
        "class_distances": class_distances(trained["distances"]),
        "dependent_pairs": pairs,
        "densities": class_densities(series, shown, entry),
        "values": feature_values(series, shown),
        "priors": class_priors(series, trained["predictions"]),
        "evidence": relative_evidence(
            series, trained["predictions"], trained["explanations"], entry
        ),
    }


def _ranked(selected: pd.DataFrame) -> pd.DataFrame:
    """Return how often each feature was selected for each class, most often first.

    ``frequency`` counts folds: it only orders here, the study's table ``selection`` tells shares.
    """
    groups = selected.groupby(["class", "feature"], sort=True)
    counts = groups.agg(frequency=("rank", "size"), mean_rank=("rank", "mean")).reset_index()
    return counts.sort_values(
        ["frequency", "mean_rank", "class", "feature"],
        ascending=[False, True, True, True],
        ignore_index=True,
    )
