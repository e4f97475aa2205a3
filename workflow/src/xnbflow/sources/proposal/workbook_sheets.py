"""Which sheet of a workbook has the values, and which describes the samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.sources.formats.cell_texts import is_missing, is_text
from xnbflow.sources.formats.opening import read_raw_table
from xnbflow.sources.formats.workbook import sheet_names

#: Least number of samples that two sheets share, and their least share of the names in a column.
_LEAST_SHARED = 3
_LEAST_SHARE = 0.5
#: Most sheets that are read.
_MOST_SHEETS = 20


@dataclass(frozen=True)
class Sheet:
    """A sheet: its header and its rows, as texts."""

    name: str
    header: list[str]
    rows: list[list[str]]

    @property
    def n_numbers(self) -> int:
        """Number of cells, beside the first column, that are numbers."""
        cells = (cell for row in self.rows for cell in row[1:])
        return sum(not is_missing(cell) and not is_text(cell) for cell in cells)


def read_workbook_sheets(path: Path, options: Mapping[str, str]) -> list[Sheet]:
    """Read the sheets of a workbook that are tables."""
    sheets = []
    for name in sheet_names(path)[:_MOST_SHEETS]:
        try:
            table = read_raw_table(path, {**options, "sheet": name})
            rows = table.first_rows(len(table))
            sheets.append(Sheet(name, table.header, rows))
        except InputError:  # a sheet of texts, or an empty one, is no table
            continue
    return sheets


def propose_sheets(path: Path, options: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return the options of a workbook of several sheets, and a sentence that names its sheets.

    The sheet with the most numbers has the values; of the others, the one that shares the most
    names with its rows or columns describes the samples.
    """
    if "sheet" in options or len(sheet_names(path)) < 2:
        return {}, ""
    sheets = read_workbook_sheets(path, options)
    values = max(sheets, key=lambda sheet: sheet.n_numbers, default=None)
    if values is None or not values.n_numbers:
        return {}, ""
    proposed = {"sheet": values.name}
    others = [sheet for sheet in sheets if sheet is not values]
    text = f"Of the sheets {quoted(values.name)} has the values"
    description = None
    if "phenotype" not in options:
        row_names = [row[0] for row in values.rows]
        description = describing_sheet(others, [*values.header, *row_names])
    if description is not None:
        sheet = description.sheet
        proposed |= {"phenotype": str(path), "phenotype_sheet": sheet.name}
        if description.column != sheet.header[0]:
            proposed["phenotype_id"] = description.column
        text += (
            f" (sheet=), and {quoted(sheet.name)} describes "
            f"{counted(description.n_shared, 'sample')} of it (phenotype_sheet=)"
        )
        others = [other for other in others if other is not sheet]
    if others:
        text += f"; not used: {listed([other.name for other in others])}"
    return proposed, f"{text}."


class Description(NamedTuple):
    """A sheet that describes samples, its column of their names, and their number."""

    sheet: Sheet
    column: str
    n_shared: int


def describing_sheet(sheets: Sequence[Sheet], names: Sequence[str]) -> Description | None:
    """Return the sheet that describes most of the samples of some names.

    One of its columns has distinct names, of which half and at least three are among those. The
    result is None if there is no such sheet.
    """
    wanted = set(filter(None, names))
    best: Description | None = None
    for sheet in sheets:
        if len(sheet.header) < 2:  # a list of names describes nothing
            continue
        for place, column in enumerate(sheet.header):
            cells = [row[place] for row in sheet.rows if row[place]]
            if not column or len(set(cells)) < len(cells):
                continue
            n_shared = len(wanted.intersection(cells))
            is_enough = n_shared >= max(_LEAST_SHARED, _LEAST_SHARE * len(cells))
            if is_enough and (best is None or n_shared > best.n_shared):
                best = Description(sheet, column, n_shared)
    return best


def phenotype_sheet(path: Path, names: Sequence[str]) -> dict[str, str]:
    """Return the options that name the sheet of a phenotype workbook with samples of some names."""
    if len(sheet_names(path)) < 2:
        return {}
    description = describing_sheet(read_workbook_sheets(path, {}), names)
    if description is None:
        return {}
    return {"phenotype_sheet": description.sheet.name, "phenotype_id": description.column}
