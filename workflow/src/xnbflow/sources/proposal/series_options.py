"""Keys that a series needs so that the reader accepts it.

The reader decides: a series is read by the proposed entry, and the reader's refusals (by their
codes) and notes show the keys that are lacking.
"""

from dataclasses import dataclass, replace
from typing import Any

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.column_options import set_aside
from xnbflow.sources.proposal.scale import MOST_IMPUTED
from xnbflow.sources.series.merging import REPEATED_FEATURES
from xnbflow.sources.series.missing_values import MISSING_VALUES
from xnbflow.sources.series.plausibility import suggested_group
from xnbflow.sources.series.scale_recognition import of_other_scale
from xnbflow.sources.series.sequencing import (
    BARCODE_PATIENT,
    NAME_PATIENT,
)


@dataclass(frozen=True)
class ProposedSeries:
    """A series, the entry by which it was read, and sentences on proposed keys."""

    series: DataSet
    entry: DatasetEntry
    remarks: list[str]


def read_series(entry: DatasetEntry, downloads: Downloads) -> ProposedSeries:
    """Read the series, with the keys without which it cannot be used.

    Of rows with one name the row of largest mean is kept, missing values are imputed in the
    training folds, and features of another scale become phenotype.
    """
    proposed = _read_with_needed_options(entry, downloads)
    series = proposed.series
    entry = proposed.entry
    remarks = list(proposed.remarks)

    # Single features of another scale, such as an age among logarithms.
    has_settled_features = (
        bool(entry.features or entry.collapse or entry.duplicates)
        or suffix_of(entry.location) == ".h5ad"
    )
    if not has_settled_features and (series.kinds == "linear").all():
        lone = series.features[of_other_scale(series.values)].tolist()
        if lone:
            entry = set_aside(entry, lone)
            series = acquire(entry, downloads=downloads.folder)
            remarks.append(
                f"{listed(lone)} {either(len(lone), 'has', 'have')} another scale than the "
                f"features, and {either(len(lone), 'is', 'are')} proposed as phenotype, not as "
                "features (phenotype.columns)."
            )

    # Samples that only the table or only the phenotype file has.
    codes = {"without phenotype", "phenotype only"}
    notes = [note for note in series.notes if isinstance(note, Note) and note.code in codes]
    remarks += [f"{note[0].upper()}{note[1:]}." for note in notes]
    return ProposedSeries(series, entry, remarks)


def _read_with_needed_options(entry: DatasetEntry, downloads: Downloads) -> ProposedSeries:
    """Read a series; each refusal that a key prevents adds this key to the entry.

    These are the refusals of missing values and of repeated names. Other refusals are raised.
    """
    remarks: list[str] = []
    was_refused = False
    while True:
        try:
            series = acquire(entry, downloads=downloads.folder)
            break
        except InputError as error:
            was_refused = True
            if error.code == MISSING_VALUES.code and not entry.missing:
                share = error.fields["share"]
                missing: Any = "impute" if share <= MOST_IMPUTED else {"drop_features": 0.3}
                entry = replace(entry, missing=missing)
                remarks.append(
                    f"The proposal is missing: {flow_yaml(missing)}: {share:.1%} of the values "
                    "are missing."
                )
            elif error.code == REPEATED_FEATURES.code and not entry.duplicates:
                entry = replace(entry, duplicates="max_mean")
            else:
                raise

    # What became of the repeated names is in a note of the reader.
    if was_refused and entry.duplicates == "max_mean":
        for note in series.notes:
            if isinstance(note, Note) and note.code == "names repeat":
                remarks.append(f"The proposal is duplicates: max_mean: {note}.")
                break
    return ProposedSeries(series, entry, remarks)


def group_by_patients(proposed: ProposedSeries, downloads: Downloads) -> ProposedSeries:
    """Return the series grouped by the patients in the names of samples, if samples share some.

    They are those of TCGA's barcodes, or what the names have beside the class.
    """
    series = proposed.series
    metadata = series.sample_metadata
    if metadata is None or proposed.entry.group:
        return proposed
    columns = [name for name in (BARCODE_PATIENT, NAME_PATIENT) if name in metadata]
    group = suggested_group(metadata[columns], series.labels)
    if group is None:
        return proposed
    entry = replace(proposed.entry, group=group)
    n_patients = metadata[group].nunique()
    names = "barcodes" if group == BARCODE_PATIENT else "names"
    remark = (
        f"The proposal is group: {group}: the {names} of {series.n_samples} samples name "
        f"{n_patients} patients."
    )
    grouped = acquire(entry, downloads=downloads.folder)
    return ProposedSeries(grouped, entry, [*proposed.remarks, remark])
