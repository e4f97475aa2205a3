"""Options that a series needs so that the reader accepts it.

The reader decides: a series is read by the proposed row, and the reader's refusals (by their codes)
and notes show the options that are lacking.
"""

from dataclasses import dataclass, replace

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import either, listed
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note
from xnbflow.sources.acquire import acquire
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
)
from xnbflow.sources.sheet import SheetRow


@dataclass(frozen=True)
class ProposedSeries:
    """A series, the row of the sheet by which it was read, and sentences on proposed options."""

    series: DataSet
    sheet_row: SheetRow
    remarks: list[str]


def read_series(sheet_row: SheetRow, downloads: Downloads) -> ProposedSeries:
    """Read the series, with the options without which it cannot be used.

    Of rows with one name the row of largest mean is kept, missing values are imputed in the
    training folds, and features of another scale become phenotype.
    """
    proposed = _read_with_needed_options(sheet_row, downloads)
    series = proposed.series
    sheet_row = proposed.sheet_row
    remarks = list(proposed.remarks)

    # Single features of another scale, such as an age among logarithms.
    has_settled_features = (
        bool({"features", "collapse", "duplicates"} & sheet_row.options.keys())
        or suffix_of(sheet_row.location) == ".h5ad"
    )
    if not has_settled_features and (series.kinds == "linear").all():
        lone = series.features[of_other_scale(series.values)].tolist()
        if lone:
            sheet_row = set_aside(sheet_row, lone)
            series = acquire(sheet_row, downloads=downloads.folder)
            remarks.append(
                f"{listed(lone)} {either(len(lone), 'has', 'have')} another scale than the "
                f"features, and {either(len(lone), 'is', 'are')} proposed as phenotype, not as "
                "features (phenotype_columns=)."
            )

    # Samples that only the table or only the phenotype file has.
    codes = {"without phenotype", "phenotype only"}
    notes = [note for note in series.notes if isinstance(note, Note) and note.code in codes]
    remarks += [f"{note[0].upper()}{note[1:]}." for note in notes]
    return ProposedSeries(series, sheet_row, remarks)


def _read_with_needed_options(sheet_row: SheetRow, downloads: Downloads) -> ProposedSeries:
    """Read a series; each refusal that an option prevents adds this option to the row.

    These are the refusals of missing values and of repeated names. Other refusals are raised.
    """
    remarks: list[str] = []
    was_refused = False
    while True:
        try:
            series = acquire(sheet_row, downloads=downloads.folder)
            break
        except InputError as error:
            was_refused = True
            if error.code == MISSING_VALUES.code and "missing" not in sheet_row.options:
                share = error.fields["share"]
                option = {"missing": "impute" if share <= MOST_IMPUTED else "drop_features:0.3"}
                remarks.append(
                    f"The proposal is missing={option['missing']}: {share:.1%} of the values are "
                    "missing."
                )
            elif error.code == REPEATED_FEATURES.code and "duplicates" not in sheet_row.options:
                option = {"duplicates": "max_mean"}
            else:
                raise
        sheet_row = replace(sheet_row, options=sheet_row.options | option)

    # What became of the repeated names is in a note of the reader.
    if was_refused and sheet_row.options.get("duplicates") == "max_mean":
        for note in series.notes:
            if isinstance(note, Note) and note.code == "names repeat":
                remarks.append(f"The proposal is duplicates=max_mean: {note}.")
                break
    return ProposedSeries(series, sheet_row, remarks)


def group_by_patients(proposed: ProposedSeries, downloads: Downloads) -> ProposedSeries:
    """Return the series grouped by the patients in TCGA's barcodes, if samples share some."""
    series = proposed.series
    sheet_row = proposed.sheet_row
    metadata = series.sample_metadata
    if metadata is None or BARCODE_PATIENT not in metadata or "group" in sheet_row.options:
        return proposed
    if suggested_group(metadata[[BARCODE_PATIENT]], series.labels) is None:
        return proposed
    sheet_row = replace(sheet_row, options=sheet_row.options | {"group": BARCODE_PATIENT})
    series = acquire(sheet_row, downloads=downloads.folder)
    n_patients = metadata[BARCODE_PATIENT].nunique()
    remark = (
        f"The proposal is group={BARCODE_PATIENT}: the barcodes of {series.n_samples} samples name "
        f"{n_patients} patients."
    )
    return ProposedSeries(series, sheet_row, [*proposed.remarks, remark])
