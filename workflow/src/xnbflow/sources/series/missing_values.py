"""Missing values of features: refused, imputed in the training folds, or dropped."""

from dataclasses import replace
from typing import Any

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import row_slices
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.raw_series import RawSeries

#: Largest share of missing values at which all are imputed; at a larger share features with many
#: missing values are dropped.
MOST_IMPUTED = 0.1
#: Share of the samples; features that lack more of them are dropped by the proposal.
_MOST_LACKING = 0.3


def propose_missing(values: np.ndarray) -> tuple[Any, str]:
    """Return the key ``missing`` for values that lack some, and a sentence; None without any.

    Examples
    --------
    >>> propose_missing(np.array([[1.0, np.nan], [2.0, 3.0]]))
    ({'drop_features': 0.3}, 'The proposal is missing: {drop_features: 0.3}: 25.0% of the values \
are missing.')
    """
    share = float(np.isnan(values).mean())
    if not share:
        return None, ""
    missing: Any = "impute" if share <= MOST_IMPUTED else {"drop_features": _MOST_LACKING}
    return missing, (
        f"The proposal is missing: {flow_yaml(missing)}: {share:.1%} of the values are missing."
    )


def settle_missing(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Drop features with missing values, and record whether values remain to be imputed.

    The key ``missing`` is ``refuse``, ``impute``, ``drop_features`` (all with a missing value) or
    ``{drop_features: 0.2}`` (features that lack more than this share of the values). Features
    without any value are always dropped. Errors and notes list the features by the number of
    missing values.
    """
    rule = dataset.missing or "refuse"
    n_features, n_samples = series.values.shape
    n_missing = np.empty(n_features, dtype=np.intp)
    for rows in row_slices(series.values.shape):
        n_missing[rows] = np.isnan(series.values[rows]).sum(axis=1)
    affected = np.flatnonzero(n_missing)
    if not len(affected):
        return series
    worst = affected[np.argsort(-n_missing[affected], kind="stable")]
    n_values = int(n_missing.sum())
    names = [f"{str(series.features[i])!r} ({n_missing[i]})" for i in worst]
    text = (
        f"{counted(n_values, 'value', 'is', 'are')} missing, in {len(affected)} of "
        f"{counted(n_features, 'feature')} (of {counted(n_samples, 'sample')} each): "
        f"{listed(names)}"
    )
    if rule == "refuse":
        feature = int(affected[0])
        place = series.place_of(feature, int(np.argmax(np.isnan(series.values[feature]))))
        first = f", the first in {place}" if place else ""
        msg = (
            f"{series.where}: {text}{first}. Fill them in, or set missing: impute (in the "
            "training folds), drop_features, or {drop_features: 0.2} (and impute the rest)"
        )
        raise InputError(msg, key="missing")
    largest_share = 1.0 if rule == "impute" else 0.0
    if isinstance(rule, dict):
        largest_share = rule["drop_features"]
    dropped = (n_missing > largest_share * n_samples) | (n_missing == n_samples)
    notes = [f"missing values: {text}"]
    if dropped.all():
        msg = f"{series.where}: {text}; no feature is left. Fill some in, or drop fewer"
        raise InputError(msg, key="missing")
    if dropped.any():
        notes.append(
            f"{counted(dropped.sum(), 'feature', 'was', 'were')} dropped for "
            f"{either(dropped.sum(), 'its', 'their')} missing values"
        )
        series = series.with_features(np.flatnonzero(~dropped))
    n_remaining = int(n_missing[~dropped].sum())
    if n_remaining:
        n_features = int((n_missing[~dropped] > 0).sum())
        notes.append(
            f"{counted(n_remaining, 'missing value')} of {counted(n_features, 'feature')} "
            f"{either(n_remaining, 'remains', 'remain')}, to be imputed in the training folds"
        )
    return replace(series, missing=n_remaining > 0).with_notes(notes)
