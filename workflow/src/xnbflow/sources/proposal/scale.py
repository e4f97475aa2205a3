"""The scale of the values, and the transform that is proposed for them."""

from pathlib import Path
from typing import Any

import numpy as np

from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.platforms import are_probes
from xnbflow.sources.series.intensities import proposed_floor, refuse_no_counts
from xnbflow.sources.series.missing_values import MOST_IMPUTED
from xnbflow.sources.series.scale_recognition import note_on_cycles, scale_of
from xnbflow.sources.series.scales import (
    PROPOSED_COUNT_TRANSFORM,
    PROPOSED_TRANSFORMS,
    RecognisedScale,
    Transform,
)

#: Least number of features of an array; no scale is proposed for smaller tables.
_LEAST_FEATURES = 500

#: Bounds of the largest logarithm of intensities to base 2. Scanners have 16 bits: their largest
#: logarithm is 16 to base 2, and 11.1 to base e, which is below the bounds; counts of reads of a
#: gene reach four millions.
_LARGEST_LOG2 = (11.2, 22.5)
#: Largest size of a log ratio to base 2, and of the median of all.
_LARGEST_RATIO = 20.0
_LARGEST_CENTRE = 1.0
#: Features that were not standardised differ in their deviations by at least this factor.
_LEAST_VARIETY = 1.5


def proposed_logarithm(
    values: np.ndarray, samples: np.ndarray, name: str = "", *, are_probes: bool = False
) -> tuple[dict[str, Any], str]:
    """Return the key ``transform`` for values, shape (n_features, n_samples), and why.

    The ``name`` of the file may name the unit of the values, which ``are_probes`` of an array have
    not. Where intensities are 0 or below, the logarithm has a floor (`proposed_floor`).

    Examples
    --------
    >>> proposed_logarithm(np.array([[20.0, 300.0, 9000.5]]), np.arange(3))[0]
    {'transform': 'log2'}
    """
    recognised, note = scale_of(values, samples, name, are_probes=are_probes)
    reason = str(note)
    transform = PROPOSED_TRANSFORMS.get(recognised)
    if recognised is RecognisedScale.INTENSITIES:
        share = float(np.mean(values[values >= 0] == 0))
        missing: Any = "impute" if share <= MOST_IMPUTED else {"drop_features": 0.5}
        return {"transform": Transform.LOG2.value, "missing": missing}, (
            f" Proposed are transform: log2 and missing: {flow_yaml(missing)}: {reason}."
        )
    if transform is Transform.LOG2 and np.fmin.reduce(values, axis=None) <= 0:
        with_floor = {"log2": {"floor": proposed_floor(values)}}
        return {"transform": with_floor}, (
            f" The proposal is transform: {flow_yaml(with_floor)}: {reason}; some values are 0 or "
            "below, which have no logarithm, and become the floor with all smaller ones."
        )
    if transform:
        return {"transform": transform.value}, f" The proposal is transform: {transform}: {reason}."
    if recognised is RecognisedScale.LOGARITHMS:
        return {}, ""
    return {}, f" No transform is proposed: {reason}."


def propose_scale(entry: DatasetEntry, series: DataSet) -> tuple[DatasetEntry, str]:
    """Return the entry with ``transform`` or ``scale``, and a sentence."""
    if entry.scale or entry.transform:
        return entry, ""
    name = Path(entry.location).name
    cycles = note_on_cycles(
        series.values, file_name=name, features=series.features, samples=series.samples
    )
    if cycles:
        return entry, f" {str(cycles)[0].upper()}{str(cycles)[1:]}."
    if series.n_features < _LEAST_FEATURES:
        return entry, ""
    has_probes = are_probes(series.features)
    option, reason = proposed_logarithm(series.values, series.samples, name, are_probes=has_probes)
    if not option and not reason and _are_log2(series.values):
        option = {"scale": "log2"}
        reason = (
            " The proposal is scale: log2: the values are as logarithms of intensities to base 2."
        )
    if option.get("transform") == PROPOSED_COUNT_TRANSFORM:
        refuse_no_counts(f"data set {entry.id}: {name}", series.values, series.samples)
    return entry.with_defaults(**option), reason


def _are_log2(values: np.ndarray) -> bool:
    """Return whether logarithms (n_features, n_samples) have the base 2, by their values.

    Intensities and counts have a largest value that only base 2 has. Log ratios are around 0; they
    are taken to base 2 everywhere, but values that were standardised feature by feature are none.
    Other values with large negative numbers are centred or of any base.
    """
    lowest = np.nanmin(values)
    largest = np.nanmax(values)
    if lowest > -largest / 2:
        return bool(_LARGEST_LOG2[0] < largest < _LARGEST_LOG2[1])
    deviations = np.nanstd(values, axis=1)
    low, high = np.quantile(deviations, [0.1, 0.9])
    is_standardised = high < _LEAST_VARIETY * low
    is_centred = abs(np.nanmedian(values)) < _LARGEST_CENTRE
    is_in_bounds = max(-lowest, largest) < _LARGEST_RATIO
    return bool(is_centred and is_in_bounds and not is_standardised)
