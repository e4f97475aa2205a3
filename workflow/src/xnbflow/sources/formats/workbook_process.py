"""Read a sheet of a workbook in a separate process with limited memory.

The arguments are the workbook, a number of bytes, and the sheet's name (the first sheet without).
The names of all sheets and the rows are written to the standard output as JSON: numbers that are
finite as numbers, all else as text.
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
    rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
    cells = [list(map(_plain, row)) for row in rows]
    sys.stdout.write(json.dumps((book.sheet_names, cells), allow_nan=False))


def _plain(cell: Any) -> float | str:
    """Return a cell as JSON keeps it."""
    return cell if isinstance(cell, float) and math.isfinite(cell) else str(cell)


if __name__ == "__main__":
    write_rows()
