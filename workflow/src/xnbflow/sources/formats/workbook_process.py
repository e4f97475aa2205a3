"""Read a sheet of a workbook in a separate process with limited memory.

The arguments are the workbook, a number of bytes, and the sheet's name (the first sheet without).
The names of all sheets, the rows, and cells that are merged down a column are written to the
standard output as JSON: numbers that are finite as numbers, all else as text.
"""

import json
import math
import resource
import sys
from typing import Any

import python_calamine

__all__: list[str] = []

#: Code of the exit of a process whose workbook has no sheet of the name.
NO_SUCH_SHEET = 3


def write_rows() -> None:
    """Write the rows, or the reason of a failure to the standard error stream."""
    path, memory, *sheet = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    book = python_calamine.CalamineWorkbook.from_path(path)
    if not book.sheet_names:
        sys.exit("it has no sheets")
    (name,) = sheet or book.sheet_names[:1]
    if name not in book.sheet_names:
        sys.stderr.write(f"it has no sheet {name!r}; it has {', '.join(book.sheet_names)}\n")
        sys.exit(NO_SUCH_SHEET)
    table = book.get_sheet_by_name(name)
    rows = table.to_python(skip_empty_area=True)
    cells = [list(map(_plain, row)) for row in rows]
    merged = _merged_down(table)
    sys.stdout.write(json.dumps((book.sheet_names, cells, merged), allow_nan=False))


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


def _plain(cell: Any) -> float | str:
    """Return a cell as JSON keeps it."""
    return cell if isinstance(cell, float) and math.isfinite(cell) else str(cell)


if __name__ == "__main__":
    write_rows()
