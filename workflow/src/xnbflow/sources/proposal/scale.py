"""The transform or the scale that is proposed for the values of a table."""

from dataclasses import dataclass
from pathlib import Path

from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.intensities import refuse_no_counts
from xnbflow.sources.series.scale_recognition import ScaleOfValues, recognise_scale
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM


@dataclass(frozen=True)
class ProposedScale:
    """An entry with ``transform`` or ``scale``, a sentence on it, and the recognised scale.

    The sentence is empty if nothing is proposed, and the scale None if the entry had one.
    """

    entry: DatasetEntry
    sentence: str = ""
    scale: ScaleOfValues | None = None


def propose_scale(entry: DatasetEntry, series: DataSet) -> ProposedScale:
    """Return the entry of a series with ``transform`` or ``scale``, by its values."""
    if entry.scale or entry.transform:
        return ProposedScale(entry)
    name = Path(entry.location).name
    recognised = recognise_scale(
        series.values,
        samples=series.samples,
        features=series.features,
        file_name=name,
        is_array=entry.source == "geo",
    )
    if recognised.transform == PROPOSED_COUNT_TRANSFORM:
        refuse_no_counts(f"data set {entry.id}: {name}", series.values, series.samples)
    entry = entry.with_defaults(**recognised.settings())
    return ProposedScale(entry, recognised.sentence(), recognised)
