"""Which sheet of a workbook has the values, and which describes the samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.sources.cell_texts import is_missing, is_text
from xnbflow.sources.table_formats import open_table, sheet_names

#: Least number of samples that two sheets share, and their least share of the shorter sheet.
_LEAST_SHARED, _LEAST_SHARE = 3, 0.5
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


def read_sheets(path: Path, options: Mapping[str, str]) -> list[Sheet]:
    """Read the sheets of a workbook that are tables."""
    sheets = []
    for name in sheet_names(path)[:_MOST_SHEETS]:
        try:
            with open_table(path, {**options, "sheet": name}) as table:
                rows = [list(cells) for _, cells in table.rows()]
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
    sheets = read_sheets(path, options)
    values = max(sheets, key=lambda sheet: sheet.n_numbers, default=None)
    if values is None or not values.n_numbers:
        return {}, ""
    proposed = {"sheet": values.name}
    others = [sheet for sheet in sheets if sheet is not values]
    text = f"Of the sheets {quoted(values.name)} has the values"
    described = None
    if "phenotype" not in options:
        described = describing_sheet(others, [*values.header, *(row[0] for row in values.rows)])
    if described is not None:
        sheet, column, n_shared = described
        proposed |= {"phenotype": str(path), "phenotype_sheet": sheet.name}
        if column != sheet.header[0]:
            proposed["phenotype_id"] = column
        text += (
            f" (sheet=), and {quoted(sheet.name)} describes {counted(n_shared, 'sample')} of it "
            "(phenotype_sheet=)"
        )
        others = [other for other in others if other is not sheet]
    if others:
        text += f"; not used: {listed([other.name for other in others])}"
    return proposed, f"{text}."


def describing_sheet(
    sheets: Sequence[Sheet], names: Sequence[str]
) -> tuple[Sheet, str, int] | None:
    """Return the sheet that describes samples of some names, its column of them, and their number.

    The result is None where no column shares half of its names with them.
    """
    wanted = set(filter(None, names))
    best: tuple[Sheet, str, int] | None = None
    for sheet in sheets:
        for place, column in enumerate(sheet.header):
            cells = [row[place] for row in sheet.rows if row[place]]
            shared = len(wanted.intersection(cells))
            if len(set(cells)) < len(cells) or len(sheet.header) < 2 or not column:
                continue
            most = 0 if best is None else best[2]
            if shared >= max(_LEAST_SHARED, _LEAST_SHARE * len(cells)) and shared > most:
                best = (sheet, column, shared)
    return best


def phenotype_sheet(path: Path, names: Sequence[str]) -> dict[str, str]:
    """Return the options that name the sheet of a phenotype workbook with samples of some names."""
    if len(sheet_names(path)) < 2:
        return {}
    described = describing_sheet(read_sheets(path, {}), names)
    return (
        {}
        if described is None
        else {"phenotype_sheet": described[0].name, "phenotype_id": described[1]}
    )
