"""Text in lines and cells as a table: its header, then its rows by blocks of megabytes.

Rows that are as they should be are read together. Where one is not, its block is read cell by cell,
so that the error names the cell.
"""

import codecs
import csv
import io
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.sources.blocks import Block, Columns, row_block
from xnbflow.data.sources.dialects import Dialect
from xnbflow.data.sources.guarded import refuse_too_wide
from xnbflow.data.sources.row_reader import RowReader
from xnbflow.data.sources.text_lines import joined_lines, numbered_lines, read_rows, whole_lines

__all__ = ["DelimitedText"]

_BLOCK_BYTES = 2_000_000
_SNIFFED_LINES = 5


class DelimitedText:
    """A table in lines, its header read, the rest to be read by blocks.

    Parameters
    ----------
    path : path
        For errors.
    stream : binary file
        At its beginning, or at the line of the header.
    dialect : Dialect or callable
        How to read it, or what says so given the path and the first lines.
    first_line : int, default=1
        The number of the header's line.
    advice : callable, optional
        Given a cell that is no number, what to do about it.
    end : bytes, optional
        How the line starts before which the table ends.

    Attributes
    ----------
    header : list of str
        Names of columns, one for each cell of a row; the first is empty where it has none.
    dialect : Dialect
    ended : bool
        Whether a line has been found that ends the table.
    """

    unit = "line"

    def __init__(
        self,
        path: str | Path,
        stream: io.BufferedIOBase,
        dialect: "Dialect | Callable[[list[bytes]], Dialect]",
        *,
        first_line: int = 1,
        advice: Callable[[str], str] = lambda _: "correct it",
        end: bytes | None = None,
    ) -> None:
        self.path, self.stream, self.advice, self.end = path, stream, advice, end
        self.ended = False
        self._line = first_line
        head = list(itertools.islice(whole_lines(stream), _SNIFFED_LINES))
        if head and first_line == 1:
            head[0] = head[0].removeprefix(codecs.BOM_UTF8)
        if _begins_with_a_comment(head):
            self._line += head.pop(0).count(b"\n")
        self.dialect = dialect if isinstance(dialect, Dialect) else dialect(head)
        data = self._cut(b"".join(head))
        self._refuse_cut_off(data)
        head = data.splitlines(keepends=True)
        while head and not head[0].strip():
            self._line += 1
            head.pop(0)
        for line in head:
            refuse_too_wide(path, line, self.dialect.separator.encode())
        rows = self._csv(joined_lines(head), self._line)
        self.header = rows[0] if rows else []
        if _leaves_out_the_row_names_name(rows):
            self.header = ["", *self.header]
        head = joined_lines(head)
        self._line += head[0].count(b"\n") if head else 0
        self._head = b"".join(head[1:])

    def blocks(self, columns: Columns) -> Iterator[Block]:
        """Yield the rows below the header.

        Raises
        ------
        InputError
            If a row has too few or too many cells, or a cell is no number.
        """
        read = RowReader(columns, self.dialect)
        data, self._head = self._head, b""
        while data or not self.ended:
            self._refuse_cut_off(data)
            if data.isspace():
                self._line += data.count(b"\n")
            elif data:
                yield self._block(data, columns, read)
            if self.ended:
                return
            data = read_rows(self.stream, _BLOCK_BYTES)
            if not data:
                return
            data = self._cut(data)

    def _refuse_cut_off(self, data: bytes) -> None:
        """Refuse a table with a known end whose last row breaks off."""
        if self.end is not None and not self.ended and data and not data.endswith(b"\n"):
            msg = (
                f"{self.path} ends within a row, before {self.end.decode()}: it is cut off; delete "
                "it and get it again"
            )
            raise InputError(msg)

    def _cut(self, data: bytes) -> bytes:
        """Return what stands before the line that ends the table."""
        if self.end is None or self.ended:
            return data
        place = 0 if data.startswith(self.end) else data.find(b"\n" + self.end) + 1
        self.ended = place > 0 or data.startswith(self.end)
        return data[:place] if self.ended else data

    def _block(self, data: bytes, columns: Columns, read: RowReader) -> Block:
        first, n_breaks = self._line, data.count(b"\n")
        self._line += n_breaks
        if columns.special is None or not columns.special.may_be_in(data):
            n_rows = n_breaks + (not data.endswith(b"\n"))
            if (found := read(data, n_rows)) is not None:
                return Block(list(range(first, first + n_rows)), *found)
        lines, special = self._set_apart(numbered_lines(data, first), columns)
        found = read(b"".join(line for _, line in lines), len(lines))
        if found is None:
            rows = [(number, self._row(line, number)) for number, line in lines]
            where, decimal = f"{self.path}, ", self.dialect.decimal
            found = row_block(rows, columns, where, self.unit, self.advice, decimal)
        return Block([number for number, _ in lines], *found, special)

    def _row(self, line: bytes, number: int) -> list[str]:
        """Return the cells of a row, as many as the header has."""
        separator = self.dialect.separator
        if b'"' in line:
            cells = self._csv([line], number)[0]
            self._refuse_width(len(cells), number)
            return cells
        self._refuse_width(line.count(separator.encode()) + 1, number)
        return self._decoded(line, number).rstrip("\r\n").split(separator)

    def _refuse_width(self, n_cells: int, number: int) -> None:
        if n_cells != len(self.header):
            msg = (
                f"{self.path}, line {number}: {counted(n_cells, 'cell')}, but the header has "
                f"{len(self.header)}; correct the line, or get the file again if it ends there"
            )
            raise InputError(msg)

    def _set_apart(
        self, lines: list[tuple[int, bytes]], columns: Columns
    ) -> tuple[list[tuple[int, bytes]], list[tuple[int, list[str]]]]:
        """Return rows of numbers as lines, and the others as cells."""
        if columns.special is None:
            return lines, []
        kept, special = [], []
        for number, line in lines:
            name = self._name(line, number, columns.key)
            if name is not None and columns.special(name):
                special.append((number, [cell.strip() for cell in self._row(line, number)]))
            else:
                kept.append((number, line))
        return kept, special

    def _name(self, line: bytes, number: int, key: int) -> str | None:
        """Return a row's name; None where it has too few cells for one."""
        separator = self.dialect.separator.encode()
        if b'"' not in line:
            cells = line.split(separator, key + 1)
        else:
            start = line.split(separator, 1)[0] if key == 0 else b""
            if start.count(b'"') == 2 and start.startswith(b'"'):
                return start.strip(b'" \r\n').decode(errors="replace")
            return next((c for c in self._csv([line], number)[0][key : key + 1]), None)
        return cells[key].decode(errors="replace").strip() if len(cells) > key else None

    def _csv(self, lines: list[bytes], number: int) -> list[list[str]]:
        """Split lines with their quotes; blank ones are left out."""
        text = [self._decoded(line, number) for line in lines]
        limit = csv.field_size_limit(max(1 << 17, *(len(line) + 1 for line in text), 1))
        reader = csv.reader(text, delimiter=self.dialect.separator, strict=True)
        try:
            return [[cell.strip() for cell in cells] for cells in reader if cells]
        except csv.Error as error:
            line = number + reader.line_num - 1
            msg = f"{self.path}, line {line}: not valid CSV ({error}); correct the quotes"
            raise InputError(msg) from error
        finally:
            csv.field_size_limit(limit)

    def _decoded(self, line: bytes, number: int) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            msg = f"{self.path}, line {number}: not UTF-8 text; save the file as UTF-8"
            raise InputError(msg) from error


def _leaves_out_the_row_names_name(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether each row has one cell more than the header, as R's write.table writes.

    Rows that merely end with a separator have, too, but their last cells are empty.
    """
    below = rows[1:]
    longer = bool(below) and all(len(row) == len(rows[0]) + 1 for row in below)
    return longer and any(row[-1] for row in below)


def _begins_with_a_comment(head: list[bytes]) -> bool:
    """Return whether the first line only says what made the table, as featureCounts' does."""
    return len(head) > 1 and head[0].startswith(b"# ") and b"\t" not in head[0] and b"\t" in head[1]
