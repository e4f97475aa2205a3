"""Streams that end what would fill the memory: lines without end, and gzip bombs."""

import io
from pathlib import Path
from typing import Any, BinaryIO

from isal import igzip

from xnbflow.data.errors import InputError

__all__ = ["LONGEST_LINE", "GuardedStream", "Unpacked", "refuse_bomb", "refuse_too_wide"]

#: A header of ten million probes fits.
LONGEST_LINE = 1 << 28
#: Tables of numbers shrink five to ten times, tables of zeros some hundred times; DEFLATE's most is
#: 1,032.
_MOST_RATIO = 250
_HARMLESS = 1 << 26
_MOST_COLUMNS = 20_000_000


class GuardedStream(io.BufferedReader):
    """A file opened for reading, whose lines have a longest length.

    Parameters
    ----------
    path : path
        For errors.
    raw : raw binary file
    buffer_size : int
    """

    def __init__(self, path: str | Path, raw: io.RawIOBase, buffer_size: int) -> None:
        super().__init__(raw, buffer_size)
        self._path = path

    def readline(self, size: int | None = -1) -> bytes:
        """Read a line.

        Raises
        ------
        InputError
            If it is longer than `LONGEST_LINE`.
        """
        if size is not None and 0 <= size <= LONGEST_LINE:
            return super().readline(size)
        line = super().readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            msg = (
                f"{self._path} has a line of more than {LONGEST_LINE >> 20} MiB: it is no table of "
                "text with a line for each row; get it again, or write it with line breaks"
            )
            raise InputError(msg)
        return line


class Unpacked(io.RawIOBase):
    """What a gzipped file holds, refused where it grows beyond what data do.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self._path = path
        self._packed: BinaryIO = Path(path).open("rb")  # noqa: SIM115 (closed in `close`)
        self._stream = igzip.IGzipFile(fileobj=self._packed)  # three times as fast as gzip
        self._size = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes."""
        count = self._stream.readinto(buffer)
        self._size += count
        refuse_bomb(self._path, self._packed.tell(), self._size)
        return count

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        self._packed.close()
        super().close()


def refuse_bomb(path: str | Path, packed: int, unpacked: int) -> None:
    """Refuse a file that unpacks to more than data do.

    Parameters
    ----------
    path : path
        For the error.
    packed, unpacked : int
        Bytes, as far as it has been read.

    Raises
    ------
    InputError
        If it is many times as large unpacked, and large.
    """
    if unpacked > _HARMLESS and unpacked > _MOST_RATIO * packed:
        msg = (
            f"{path} unpacks to more than {_MOST_RATIO} times its size, as no table of numbers "
            "does; if it is data nevertheless, unpack it yourself and name the unpacked file"
        )
        raise InputError(msg)


def refuse_too_wide(path: str | Path, line: bytes, separator: bytes) -> None:
    """Refuse a line of more cells than any series has, before each becomes an object.

    Raises
    ------
    InputError
        If it has more than twenty million.
    """
    n_cells = line.count(separator) + 1
    if n_cells > _MOST_COLUMNS:
        msg = f"{path} has a line of {n_cells:,} cells: no series is so wide; get it again"
        raise InputError(msg)
