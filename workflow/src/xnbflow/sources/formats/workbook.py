"""A workbook of a spreadsheet program as a table, read by python-calamine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.data.note import Note
from xnbflow.sources.formats.cell_texts import text_of_cell
from xnbflow.sources.formats.files import fault_of, first_bytes, format_of
from xnbflow.sources.formats.header_rows import (
    HEAD_ROWS,
    chosen_header,
    fill_forward,
    find_header,
    move_corner_name,
)
from xnbflow.sources.formats.text_table import TextTable, other_width
from xnbflow.sources.formats.used_range import DELETE_UNUSED, refuse_stray_cell

#: Endings of workbooks.
WORKBOOKS = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})

#: The word for a row in messages.
_UNIT = "row"


def sheet_names(path: Path) -> list[str]:
    """Return the names of a workbook's sheets in their order, hidden ones after the others."""
    with _open_workbook(path) as book:
        sheets = sorted(
            book.sheets_metadata, key=lambda sheet: sheet.visible != type(sheet.visible).Visible
        )
        return [sheet.name for sheet in sheets]


def read_workbook(
    path: Path, *, sheet: str | None, decimal: str | None = None, header_line: int | None = None
) -> TextTable:
    """Read a sheet of a workbook, the first one if it is not named.

    Titles above the header are recognised, or ``header_line`` is the number of the header's row. A
    row of conditions is the first row below the header, named by its number. A row that repeats the
    header is left out with a note.
    """
    sheets, rows, merged = _workbook_rows(path, sheet)
    notes: list[str] = []
    if sheet is None and len(sheets) > 1:
        first, *others = map(repr, sheets)
        note = Note(
            f"the first sheet, {first}, was read",
            advice=f"the key sheet names another one: {listed(others)}",
        )
        notes.append(note)
    numbered = [(number, row) for number, row in enumerate(rows, 1) if not all(map(_is_blank, row))]
    header, below, titles = _content_of_sheet(path, numbered, header_line)
    if n_filled := _fill_merged(below, merged):
        notes.append(f"{counted(n_filled, 'cell')} below merged ones got their text")
    if titles and header_line is None:
        note = Note(
            f"{counted(len(titles), 'title row', 'was', 'were')} left out above the header "
            f"({quoted(titles[0])})",
            advice="the key header names another row as the header",
        )
        notes.append(note)
    kept_rows: list[str | list[Any]] = []
    row_numbers = []
    for number, cells in below:
        if len(cells) != len(header):
            raise other_width(path, f"{_UNIT} {number}", len(cells), len(header))
        if cells[0] == header[0] and list(map(text_of_cell, cells)) == header:
            notes.append(f"row {number} repeats the header and was left out")
            continue
        kept_rows.append(cells)
        row_numbers.append(number)
    return TextTable(
        path=path,
        header=header,
        rows=kept_rows,
        lines=row_numbers,
        unit=_UNIT,
        decimal=decimal or ".",
        notes=notes,
        sheets=sheets if sheet is None else [],
        has_number_cells=True,
    )


def _is_blank(cell: Any) -> bool:
    """Return whether a cell has no value, or spaces alone."""
    return isinstance(cell, str) and not cell.strip()


def _fill_merged(rows: list[tuple[int, list[Any]]], merged: list[list[int]]) -> int:
    """Fill cells that are merged down a column, in place; return the number of filled cells.

    ``merged`` is described by `_WorkbookRows`; the rows of a header are left as they are.
    """
    row_of_number = dict(rows)
    n_filled = 0
    for first_row, last_row, first_column, last_column in merged:
        top = row_of_number.get(first_row + 1)
        if top is None:
            continue
        for number in range(first_row + 2, last_row + 2):
            cells = row_of_number.get(number, [])
            for column in range(first_column, min(last_column + 1, len(cells))):
                if _is_blank(cells[column]):
                    cells[column] = top[first_column]
                    n_filled += 1
    return n_filled


class _SheetContent(NamedTuple):
    """The header of a sheet, the rows below it with their numbers, and the titles above it."""

    header: list[str]
    rows: list[tuple[int, list[Any]]]
    titles: list[str]


def _content_of_sheet(
    path: Path, rows: list[tuple[int, list[Any]]], header_line: int | None
) -> _SheetContent:
    """Return the header, the rows and the titles among the rows of a sheet.

    A row of conditions becomes the first row below the header. A name in several lines of its cell
    becomes one line.
    """
    first_rows = [
        (number, [text_of_cell(cell) for cell in row]) for number, row in rows[:HEAD_ROWS]
    ]
    header_rows = find_header([row for _, row in first_rows])
    if header_line is not None:
        header_rows = chosen_header(path, first_rows, header_line)
    titles = [next(cell for cell in row if cell) for _, row in first_rows[: header_rows.first]]
    header = first_rows[header_rows.header][1] if rows else []
    rows_below = rows[header_rows.first_below :]
    if header_rows.conditions is not None:
        number, cells = first_rows[header_rows.conditions]
        if header_rows.conditions < header_rows.header:
            header, cells = move_corner_name(header, cells)
        rows_below.insert(0, (number, fill_forward(cells, f"{_UNIT} {number}")))
    header = [name.replace("\n", " ") for name in header]
    return _SheetContent(header, rows_below, titles)


@contextmanager
def about_sheets(table: TextTable) -> Iterator[None]:
    """Let errors name the other sheets of a workbook, too, if the first of several was read."""
    try:
        yield
    except InputError as error:
        if len(table.sheets) < 2:
            raise
        first, *others = table.sheets
        msg = (
            f"{error}. This is the first sheet, {first!r}; to read another, set sheet: "
            f"{', '.join(map(repr, others[:8]))}"
        )
        raise InputError(msg, file=error.file, key="sheet") from error


class _WorkbookRows(NamedTuple):
    """The names of all sheets of a workbook, and the rows of one of them.

    ``merged`` has the first and last row and the first and last column of each block of merged
    cells.
    """

    sheets: list[str]
    rows: list[list[Any]]
    merged: list[list[int]]


def _workbook_rows(path: Path, sheet: str | None) -> _WorkbookRows:
    """Read a sheet, the first one if it is not named."""
    with _open_workbook(path) as book:
        names = book.sheet_names
        if not names:
            msg = f"{path} cannot be read as a workbook (it has no sheets); save it anew, or as CSV"
            raise InputError(msg, file=str(path))
        if sheet is not None and sheet not in names:
            reason = f"it has no sheet {sheet!r}; it has {', '.join(names)}"
            reason = quoted(reason, 200)[1:-1]
            msg = f"{path} cannot be read as a workbook ({reason}); save it anew, or as CSV"
            raise InputError(msg, file=str(path), key="sheet")
        name = names[0] if sheet is None else sheet
        refuse_stray_cell(path, name)
        table = book.get_sheet_by_name(name)
        rows = table.to_python(skip_empty_area=True)
        return _WorkbookRows(sheets=names, rows=rows, merged=_merged_down(table))


@contextmanager
def _open_workbook(path: Path) -> Iterator[Any]:
    """Open a workbook by python-calamine; its errors name the file and what to do."""
    if fault := fault_of(path):
        raise fault
    try:
        import python_calamine  # noqa: PLC0415  few tables are workbooks
    except ImportError as error:
        msg = f"{path} is a workbook; to read it, install python-calamine, or save it as CSV"
        raise InputError(msg, file=str(path)) from error
    try:
        yield python_calamine.CalamineWorkbook.from_path(path)
    except python_calamine.CalamineError as error:
        head = first_bytes(path)
        if format_of(head) is None and b"\0" not in head:
            msg = (
                f"{path} is text, not a workbook, although its name ends in {path.suffix}; let the "
                "name end in .txt"
            )
            raise InputError(msg, file=str(path)) from error
        reason = quoted(str(error), 200)[1:-1]
        remedy = "save it anew, or as CSV"
        if "cell limit" in reason.lower():  # of .ods, whose sheets are all read when it is opened
            remedy = f"a used cell may be far from the table. {DELETE_UNUSED}"
        msg = f"{path} cannot be read as a workbook ({reason}); {remedy}"
        raise InputError(msg, file=str(path)) from error


def _merged_down(table: Any) -> list[list[int]]:
    """Return the cells that are merged over several rows, as first and last row and column.

    They are counted from the first cell that is not empty. Formats other than .xls and .xlsx have
    none, as far as the library reads them.
    """
    top, left = table.start or (0, 0)
    merged = []
    for (first_row, first_column), (last_row, last_column) in table.merged_cell_ranges or ():
        if last_row > first_row >= top and first_column >= left:
            columns = [first_column - left, last_column - left]
            merged.append([first_row - top, last_row - top, *columns])
    return merged
