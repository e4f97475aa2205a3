"""Keys that a series needs so that the reader accepts it, inferred from its values.

The table was read when its layout was recognised. Its roles and its steps are those of the reader
(`xnbflow.sources.table`); between the steps it is inferred what the following one needs.
"""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

from xnbflow.core.errors import about_file
from xnbflow.core.nouns import either, listed
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note, NoteWarning
from xnbflow.sources.acquire import acquire, check_shape, notes_on_constants
from xnbflow.sources.annotation import fetch_annotation
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.column_options import set_aside
from xnbflow.sources.series.missing_values import propose_missing
from xnbflow.sources.series.plausibility import suggested_group
from xnbflow.sources.series.raw_series import RawSeries
from xnbflow.sources.series.scale_recognition import of_other_scale
from xnbflow.sources.series.sequencing import BARCODE_PATIENT, NAME_PATIENT
from xnbflow.sources.series.steps import finish
from xnbflow.sources.table import fetch_table, read_raw_series, with_phenotype_file


@dataclass(frozen=True)
class ProposedSeries:
    """A series, the entry by which it was read, and sentences on proposed keys."""

    series: DataSet
    entry: DatasetEntry
    remarks: list[str]


@dataclass
class InferredKeys:
    """The keys that are inferred between the steps of `xnbflow.sources.series.steps.finish`.

    Attributes
    ----------
    keys : dict
        The keys by their fields of the entry.
    remarks : list of str
        Sentences on them.
    """

    keys: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def of_samples(self, series: RawSeries, dataset: DatasetEntry) -> DatasetEntry:
        """Return the entry with the patients in the names of samples as groups.

        They are those of TCGA's barcodes, or what the names have beside the class.
        """
        metadata = series.sample_metadata
        columns = [name for name in (BARCODE_PATIENT, NAME_PATIENT) if name in metadata]
        group = suggested_group(metadata[columns], series.labels)
        if group is None or dataset.group:
            return dataset
        names = "barcodes" if group == BARCODE_PATIENT else "names"
        self.remarks.append(
            f"The proposal is group: {group}: the {names} of {len(series.samples)} samples name "
            f"{metadata[group].nunique()} patients."
        )
        self.keys["group"] = group
        return replace(dataset, group=group)

    def of_values(self, series: RawSeries, dataset: DatasetEntry) -> DatasetEntry:
        """Return the entry with imputation, or with fewer features if many values are missing."""
        if dataset.missing:
            return dataset
        missing, remark = propose_missing(series.values)
        if missing is None:
            return dataset
        self.remarks.append(remark)
        self.keys["missing"] = missing
        return replace(dataset, missing=missing)

    def of_names(self, series: RawSeries, dataset: DatasetEntry) -> DatasetEntry:  # noqa: ARG002
        """Return the entry that keeps the row of largest mean of those with one name."""
        if dataset.duplicates:
            return dataset
        self.keys["duplicates"] = "max_mean"
        return replace(dataset, duplicates="max_mean")


def propose_series(
    entry: DatasetEntry, downloads: Downloads, raw: RawTable | None = None
) -> ProposedSeries:
    """Return the series of a table, with the keys without which it cannot be used.

    The patients in the names of samples are the groups. Missing values are imputed in the training
    folds, of rows with one name the row of largest mean is kept, and features of another scale
    become phenotype. The table is read unless it was read before (``raw``).
    """
    # The keys of the entry, with the local paths of its files.
    local = with_phenotype_file(entry, downloads) if entry.phenotype else entry
    if entry.annotation:
        local = fetch_annotation(local, downloads)
    path = fetch_table(downloads, entry.location, entry.id, entry.sha256)
    inferred = InferredKeys()
    with about_file(path):
        raw_series, local = read_raw_series(path, local, raw)
        series = finish(raw_series, local, inferred)
    entry = replace(entry, **inferred.keys)
    check_shape(entry, series)
    remarks = list(inferred.remarks)
    if "duplicates" in inferred.keys:  # what became of the repeated names is in a note
        notes = [note for note in series.notes if _has_code(note, "names repeat")]
        remarks += [f"The proposal is duplicates: max_mean: {note}." for note in notes[:1]]

    # Single features of another scale, such as an age among logarithms, are read again as texts.
    has_settled_features = (
        bool(entry.features or entry.collapse or entry.duplicates)
        or suffix_of(entry.location) == ".h5ad"
    )
    lone: list[str] = []
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
    else:
        for note in [*series.notes, *notes_on_constants(series)]:
            warnings.warn(NoteWarning(series.name, note), stacklevel=2)

    # Samples that only the table or only the phenotype file has.
    for note in series.notes:
        if _has_code(note, "without phenotype") or _has_code(note, "phenotype only"):
            remarks.append(f"{note[0].upper()}{note[1:]}.")
    return ProposedSeries(series, entry, remarks)


def _has_code(note: str, code: str) -> bool:
    """Return whether a note of the reader has a code."""
    return isinstance(note, Note) and note.code == code
