"""Options that a series needs so that the reader accepts it.

The reader decides: a series is read by the proposed row, and the reader's refusals (by their codes)
and notes show the options that are lacking.
"""

from dataclasses import replace

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
from xnbflow.sources.series.plausibility import (
    lone_features,
    suggested_group,
)
from xnbflow.sources.series.sequencing import (
    BARCODE_PATIENT,
)
from xnbflow.sources.sheet import SheetRow


def read_series(sheet_row: SheetRow, downloads: Downloads) -> tuple[DataSet, SheetRow, list[str]]:
    """Read the series; return the row with options without which it cannot be used, and remarks.

    Repeated names keep the row of largest mean, missing values are imputed in the training folds,
    and features of another scale become phenotype.
    """
    remarks: list[str] = []
    try:
        series = acquire(sheet_row, downloads=downloads.folder)
    except InputError:
        sheet_row, series, remarks = _read_again(sheet_row, downloads)
    is_settled = bool({"features", "collapse"} & sheet_row.options.keys())
    is_settled |= suffix_of(sheet_row.location) == ".h5ad" or "duplicates" in sheet_row.options
    if not is_settled and (series.kinds == "linear").all():
        lone = lone_features(series.values, series.features)
        if lone:
            sheet_row = set_aside(sheet_row, lone)
            series = acquire(sheet_row, downloads=downloads.folder)
            remarks.append(
                f"{listed(lone)} {either(len(lone), 'has', 'have')} another scale than the "
                f"features, and {either(len(lone), 'is', 'are')} proposed as phenotype, not as "
                "features (phenotype_columns=)."
            )
    codes = {"without phenotype", "phenotype only"}
    absent = [note for note in series.notes if isinstance(note, Note) and note.code in codes]
    remarks += [f"{note[0].upper()}{note[1:]}." for note in absent]
    return series, sheet_row, remarks


def _read_again(sheet_row: SheetRow, downloads: Downloads) -> tuple[SheetRow, DataSet, list[str]]:
    """Read a refused series with the options that permit repeated names and missing values."""
    remarks: list[str] = []
    while True:
        try:
            series = acquire(sheet_row, downloads=downloads.folder)
            break
        except InputError as error:
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
    repeated = [
        note for note in series.notes if isinstance(note, Note) and note.code == "names repeat"
    ]
    if repeated and sheet_row.options.get("duplicates") == "max_mean":
        remarks.append(f"The proposal is duplicates=max_mean: {repeated[0]}.")
    return sheet_row, series, remarks


def with_patients(
    series: DataSet, sheet_row: SheetRow, downloads: Downloads
) -> tuple[DataSet, SheetRow, list[str]]:
    """Return the series grouped by the patients in TCGA's barcodes, where samples share some."""
    metadata = series.sample_metadata
    if metadata is None or BARCODE_PATIENT not in metadata or "group" in sheet_row.options:
        return series, sheet_row, []
    if suggested_group(metadata[[BARCODE_PATIENT]], series.labels) is None:
        return series, sheet_row, []
    sheet_row = replace(sheet_row, options=sheet_row.options | {"group": BARCODE_PATIENT})
    series = acquire(sheet_row, downloads=downloads.folder)
    n_patients = metadata[BARCODE_PATIENT].nunique()
    remark = (
        f"The proposal is group={BARCODE_PATIENT}: the barcodes of {series.n_samples} samples name "
        f"{n_patients} patients."
    )
    return series, sheet_row, [remark]
