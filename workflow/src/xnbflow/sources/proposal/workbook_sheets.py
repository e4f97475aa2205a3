"""Which sheet of a workbook has the values, and which describes the samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_missing, is_text
from xnbflow.sources.formats.opening import read_text_table
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import sheet_names
from xnbflow.sources.infer.label import NO_CLASS, class_score

#: Least number of samples that a sheet of descriptions shares with the sheet of values.
_LEAST_SAMPLES = 3
#: Least share of the names in a column that are samples, so that the column names samples.
_LEAST_SHARE = 0.5
#: Least number of columns that two sheets of values of the same samples or features share.
_LEAST_VALUES = 5
#: Most sheets that are read.
_MOST_SHEETS = 20


@dataclass(frozen=True)
class Sheet:
    """A sheet: its header and its rows, as texts, and the table that they are."""

    name: str
    header: list[str]
    rows: list[list[str]]
    table: TextTable | None = None

    @property
    def n_numbers(self) -> int:
        """Number of cells that are numbers, without the first column."""
        cells = (cell for row in self.rows for cell in row[1:])
        return sum(not is_missing(cell) and not is_text(cell) for cell in cells)


class ProposedSheets(NamedTuple):
    """The sheets of a workbook: keys of the entry, a sentence, and the tables that were read.

    ``values`` is the sheet of the values, ``samples`` the sheet that describes the samples. A table
    is None if no sheet was chosen, or if it is read by other keys.
    """

    keys: dict[str, str]
    sentence: str = ""
    values: TextTable | None = None
    samples: TextTable | None = None


def propose_sheets(path: Path, entry: DatasetEntry) -> ProposedSheets:
    """Return the keys of a workbook of several sheets, and a sentence that names its sheets.

    The sheet with the most numbers has the values. Of the others, one that shares names with its
    rows or columns describes the samples (`_find_sample_sheet`).
    """
    if entry.sheet or len(sheet_names(path)) < 2:
        return ProposedSheets({})
    sheets = read_workbook_sheets(path, entry.reading)
    values_sheet = max(sheets, key=lambda sheet: sheet.n_numbers, default=None)
    if values_sheet is None or not values_sheet.n_numbers:
        return ProposedSheets({})
    proposed = {"sheet": values_sheet.name}
    other_sheets = [sheet for sheet in sheets if sheet is not values_sheet]

    # The sheet that describes the samples, unless the user names a phenotype file.
    sample_sheet = None
    if not entry.phenotype:
        row_names = [row[0] for row in values_sheet.rows]
        sample_sheet = _find_sample_sheet(
            other_sheets,
            [*values_sheet.header, *row_names],
            most_samples=min(len(values_sheet.header), len(row_names)),
        )
    if sample_sheet is not None:
        sheet = sample_sheet.sheet
        proposed |= {"phenotype": str(path), "phenotype_sheet": sheet.name}
        if sample_sheet.name_column != sheet.header[0]:
            proposed["phenotype_id"] = sample_sheet.name_column
        other_sheets = [other for other in other_sheets if other is not sheet]

    # The sentence on the sheets.
    description = ""
    if sample_sheet is not None:
        n_samples = counted(sample_sheet.n_samples, "sample")
        description = (
            f" (sheet), and {quoted(sample_sheet.sheet.name)} describes {n_samples} of it "
            "(phenotype.sheet)"
        )
    unused = ""
    if other_sheets:
        unused = f"; not used: {listed([other.name for other in other_sheets])}"
    sentence = f"Of the sheets {quoted(values_sheet.name)} has the values{description}{unused}."
    # The keys of the values do not apply to the sheet of the samples.
    has_keys_of_values = entry.header is not None or entry.decimal is not None
    samples = None
    if sample_sheet is not None and not has_keys_of_values:
        samples = sample_sheet.sheet.table
    return ProposedSheets(proposed, sentence, values_sheet.table, samples)


def read_workbook_sheets(path: Path, reading: Mapping[str, Any]) -> list[Sheet]:
    """Read the sheets of a workbook that are tables."""
    sheets = []
    for name in sheet_names(path)[:_MOST_SHEETS]:
        try:
            table = read_text_table(path, {**reading, "sheet": name})
            sheets.append(Sheet(name, table.header, table.first_rows(len(table)), table))
        except InputError:  # the reader refuses a sheet of sentences, and an empty one
            continue
    return sheets


class SampleSheet(NamedTuple):
    """A sheet that describes samples, its column of their names, and their number."""

    sheet: Sheet
    name_column: str
    n_samples: int


def _find_sample_sheet(
    sheets: Sequence[Sheet], names: Sequence[str], *, most_samples: int | None = None
) -> SampleSheet | None:
    """Return the sheet that describes the samples with some names; None if there is no such sheet.

    One of its columns has distinct names, of which half and at least three are among ``names``. A
    sheet with a column that looks like classes is preferred, then the one that shares the most
    names.

    Two kinds of sheets share names as well, and describe no samples. Of other values of the same
    samples and features, such as the raw ones beside the normalised ones, most columns (and at
    least five) have a name among ``names``. Results and annotation of genes have no classes; they
    are recognised where they share more than ``most_samples`` names, the length of the shorter side
    of the values.
    """
    sample_names = set(filter(None, names))
    best: SampleSheet | None = None
    best_rank = (False, 0)
    for sheet in sheets:
        if len(sheet.header) < 2:  # a list of names describes nothing
            continue
        n_same_columns = len(sample_names.intersection(sheet.header))
        if n_same_columns >= max(_LEAST_VALUES, len(sheet.header) / 2):
            continue
        columns = dict(zip(sheet.header, zip(*sheet.rows, strict=True), strict=False))
        has_classes = any(class_score(name, cells) > NO_CLASS for name, cells in columns.items())
        for column, cells in columns.items():
            present = list(filter(None, cells))
            if not column or len(set(present)) < len(present):
                continue
            n_shared = len(sample_names.intersection(present))
            if n_shared < max(_LEAST_SAMPLES, _LEAST_SHARE * len(present)):
                continue
            if not has_classes and most_samples is not None and n_shared > most_samples:
                continue
            if (has_classes, n_shared) > best_rank:
                best = SampleSheet(sheet, column, n_shared)
                best_rank = (has_classes, n_shared)
    return best


def phenotype_sheet(path: Path, names: Sequence[str]) -> ProposedSheets:
    """Return the fields that name the sheet of a phenotype workbook with samples of some names."""
    if len(sheet_names(path)) < 2:
        return ProposedSheets({})
    sample_sheet = _find_sample_sheet(read_workbook_sheets(path, {}), names)
    if sample_sheet is None:
        return ProposedSheets({})
    keys = {"phenotype_sheet": sample_sheet.sheet.name, "phenotype_id": sample_sheet.name_column}
    return ProposedSheets(keys, samples=sample_sheet.sheet.table)
