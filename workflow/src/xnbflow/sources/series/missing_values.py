"""Missing values of features: refused, imputed in the training folds, or dropped."""

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import row_slices
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.series.features import Features
from xnbflow.sources.series.samples import Samples
from xnbflow.sources.series.scales import MissingSetting

#: Largest share of missing values at which all are imputed; at a larger share features with many
#: missing values are dropped.
MOST_IMPUTED = 0.1
#: Share of the samples; features that lack more of them are dropped by the proposal.
_MOST_LACKING = 0.3


def propose_missing(values: np.ndarray) -> tuple[MissingSetting | None, str]:
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
    missing: MissingSetting = "impute"
    if share > MOST_IMPUTED:
        missing = {"drop_features": _MOST_LACKING}
    text = f"The proposal is missing: {flow_yaml(missing)}: {share:.1%} of the values are missing."
    return missing, text


def settle_missing(
    values: np.ndarray,
    features: Features,
    samples: Samples,
    *,
    table: TextTable,
    entry: DatasetEntry,
    notes: list[str],
) -> tuple[np.ndarray, Features]:
    """Return ``values`` (n_features, n_samples) and features that remain by the key ``missing``.

    The key is ``refuse``, ``impute``, ``drop_features`` (all with a missing value) or
    ``{drop_features: 0.2}`` (features that lack more than this share of the values). Features
    without any value are always dropped. Errors and notes list the features by the number of
    missing values; an error has the place of the first in the ``table``.
    """
    where = f"data set {entry.id}: {table.path}"
    rule = entry.missing or "refuse"
    n_features, n_samples = values.shape
    n_missing = np.empty(n_features, dtype=np.intp)
    for rows in row_slices(values.shape):
        n_missing[rows] = np.isnan(values[rows]).sum(axis=1)
    affected = np.flatnonzero(n_missing)
    if not len(affected):
        return values, features
    worst = affected[np.argsort(-n_missing[affected], kind="stable")]
    n_values = int(n_missing.sum())
    names = [f"{str(features.names[i])!r} ({n_missing[i]})" for i in worst]
    text = (
        f"{counted(n_values, 'value', 'is', 'are')} missing, in {len(affected)} of "
        f"{counted(n_features, 'feature')} (of {counted(n_samples, 'sample')} each): "
        f"{listed(names)}"
    )
    if rule == "refuse":
        feature = int(affected[0])
        sample = int(np.argmax(np.isnan(values[feature])))
        place_of_feature = table.place_of_variable(int(features.places[feature]))
        place_of_sample = table.place_of_sample(int(samples.places[sample]))
        msg = (
            f"{where}: {text}, the first in {place_of_feature}, {place_of_sample}. Fill them in, "
            "or set missing: impute (in the training folds), drop_features, or "
            "{drop_features: 0.2} (and impute the rest)"
        )
        raise InputError(msg, key="missing")

    # Which features are dropped: those without any value, and those that lack too many.
    largest_share = 1.0 if rule == "impute" else 0.0
    if isinstance(rule, dict):
        largest_share = rule["drop_features"]
    is_dropped = (n_missing > largest_share * n_samples) | (n_missing == n_samples)
    n_dropped = int(is_dropped.sum())
    if n_dropped == n_features:
        msg = f"{where}: {text}; no feature is left. Fill some in, or drop fewer"
        raise InputError(msg, key="missing")

    # What was done, and what remains.
    notes.append(f"missing values: {text}")
    if n_dropped:
        notes.append(
            f"{counted(n_dropped, 'feature', 'was', 'were')} dropped for "
            f"{either(n_dropped, 'its', 'their')} missing values"
        )
        kept = np.flatnonzero(~is_dropped)
        values = values[kept]
        features = features.take(kept)
    n_remaining = int(n_missing[~is_dropped].sum())
    if n_remaining:
        n_incomplete = int((n_missing[~is_dropped] > 0).sum())
        notes.append(
            f"{counted(n_remaining, 'missing value')} of {counted(n_incomplete, 'feature')} "
            f"{either(n_remaining, 'remains', 'remain')}, to be imputed in the training folds"
        )
    return values, features
