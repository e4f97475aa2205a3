"""Sheets of workbooks (.xlsx, .xls, .ods), read by python-calamine."""

import datetime
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.sources.blocks import Block, Columns, row_blocks
from xnbflow.data.sources.guarded import refuse_bomb

__all__ = ["WORKBOOKS", "Workbook"]

WORKBOOKS = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})


class Workbook:
    """A sheet of a workbook as a table.

    Parameters
    ----------
    path : path
        The workbook.
    sheet : str, optional
        The sheet's name; the first one without.
    advice : callable
        As in `DelimitedText`.

    Attributes
    ----------
    header : list of str
    notes : list of str
        Names that Excel has made dates of.
    """

    unit = "row"

    def __init__(self, path: Path, sheet: str | None, advice: Callable[[str], str]) -> None:
        self.path, self.advice = path, advice
        rows = _rows(path, sheet)
        while rows and not any(cell != "" for cell in rows[0]):
            rows.pop(0)
        self._rows = [[_text(cell) for cell in row] for row in rows]
        self.header = self._rows.pop(0) if self._rows else []
        dates = [
            _text(cell)
            for cell in [*(rows[0] if rows else []), *(row[0] for row in rows if row)]
            if isinstance(cell, datetime.date | datetime.datetime)
        ]
        self.notes = []
        if dates:
            self.notes.append(
                f"{counted(len(dates), 'name', 'is a date', 'are dates')} "
                f"({', '.join(dates[:5])}): Excel makes dates of gene "
                "symbols such as SEPT2 and MARCH1; correct them"
            )

    def blocks(self, columns: Columns) -> Iterator[Block]:
        """Yield the rows below the header; see `DelimitedText.blocks`."""
        numbered = ((n, row) for n, row in enumerate(self._rows, 2) if any(row))
        yield from row_blocks(self.path, numbered, columns, self.unit, self.advice)


def _rows(path: Path, sheet: str | None) -> list[list[Any]]:
    try:
        import python_calamine  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = f"{path} is a workbook; to read it, install python-calamine, or save it as CSV"
        raise InputError(msg) from error
    if zipfile.is_zipfile(path):  # of ODF and of Excel since 2007
        with zipfile.ZipFile(path) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
        refuse_bomb(path, path.stat().st_size, unpacked)
    try:
        book = python_calamine.CalamineWorkbook.from_path(path)
        name = book.sheet_names[0] if sheet is None else sheet
        if name not in book.sheet_names:
            msg = f"{path} has no sheet {name!r}; it has {', '.join(book.sheet_names)}"
            raise InputError(msg)
        return book.get_sheet_by_name(name).to_python(skip_empty_area=True)
    except python_calamine.CalamineError as error:
        msg = f"{path} cannot be read as a workbook ({error}); save it anew, or as CSV"
        raise InputError(msg) from error


def _text(cell: Any) -> str:
    """Return a cell as text: of a number the shortest that is exact, whole ones without ``.0``."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell).strip()
