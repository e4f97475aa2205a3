"""Read a sheet of a workbook in a process of its own, of so much memory and no more.

The arguments are the workbook, a number of bytes, and the sheet's name (the first sheet without).
The names of all sheets and the rows are written to the standard output.
"""

import pickle
import resource
import sys

import python_calamine

__all__: list[str] = []


def main() -> None:
    """Write the rows, or say on the standard error stream why there are none."""
    path, memory, *sheet = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    book = python_calamine.CalamineWorkbook.from_path(path)
    name = next(iter(sheet or book.sheet_names), "")
    if name not in book.sheet_names:
        sys.exit(f"it has no sheet {name!r}; it has {', '.join(book.sheet_names)}")
    rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
    sys.stdout.buffer.write(pickle.dumps((book.sheet_names, rows)))


if __name__ == "__main__":
    main()
