"""Raw files: opened whether gzipped or not, and refused where they are no data."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isal.isal_zlib import IsalError

from xnbflow.data.errors import InputError
from xnbflow.data.sources.guarded import GuardedStream, Unpacked

__all__ = ["checksums", "is_cut_text", "open_raw", "what_is_wrong"]

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error, IsalError)
_HEAD, _BUFFER = 512, 1 << 20
_ZIPPED = frozenset({".xlsx", ".xlsm", ".xlsb", ".ods"})  # workbooks are ZIP archives


@contextmanager
def open_raw(path: str | Path) -> Iterator["io.BufferedReader[Any]"]:
    """Open a file for reading its bytes, decompressed where it is gzipped.

    Parameters
    ----------
    path : path
        A plain or gzipped file; which of both is seen from its content, and a name in ``.gz``
        must keep its promise.

    Yields
    ------
    binary file
        Its errors of decompression are told as `InputError`.

    Raises
    ------
    InputError
        If the file does not exist, is empty, is an HTML page or an archive, is broken gzip, or
        unpacks to many times what data do; while it is read, if a line has no end.
    """
    path = Path(path)
    if wrong := what_is_wrong(path):
        msg = f"{path} {wrong}"
        raise InputError(msg)
    try:
        if _starts_with(path, _GZIP):
            raw: io.RawIOBase = Unpacked(path)
        else:
            raw = path.open("rb", buffering=0)
        with GuardedStream(path, raw, _BUFFER) as stream:
            yield stream
    except _BROKEN_GZIP as error:
        msg = f"{path} {_told(error)}"
        raise InputError(msg) from error


def what_is_wrong(path: str | Path) -> str | None:
    """Say why a file cannot be data: absent, empty, HTML, an archive, broken or no gzip."""
    path = Path(path)
    if not path.is_file():
        return "does not exist or is not a file; correct the path or put the file there"
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if head.startswith(_GZIP):
        try:
            with gzip.open(path) as packed:
                head = packed.read(_HEAD)
        except _BROKEN_GZIP as error:
            return _told(error)
    elif path.suffix == ".gz" and head:
        return "is named .gz but is not gzipped; rename it, or get it again"
    if head.startswith(_ZIP) and path.suffix.lower() in _ZIPPED:
        return None
    return _what_no_data_starts_with(head)


def _what_no_data_starts_with(head: bytes) -> str | None:
    if not head.strip():
        return "is empty; get it again"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start in (b"<", b"{"):
        kind = "a web page (HTML)" if start == b"<" else "a server's answer (JSON)"
        return (
            f"is {kind}, not data: an error or log-in page was saved under the data's name; get "
            "the data itself"
        )
    if head.startswith(_ZIP):
        return "is a ZIP archive; unpack it and name the data file itself"
    return None


def checksums(path: str | Path) -> tuple[str, ...]:
    """Return a file's SHA-256 in hexadecimal, and if it is gzipped that of what it holds, too.

    Raises
    ------
    InputError
        If it is gzipped and broken.
    """
    path = Path(path)
    with path.open("rb") as stream:
        packed = hashlib.file_digest(stream, "sha256").hexdigest()
    if not _starts_with(path, _GZIP):
        return (packed,)
    with open_raw(path) as stream:
        return packed, hashlib.file_digest(stream, "sha256").hexdigest()


def is_cut_text(path: str | Path) -> bool:
    """Whether a plain file is text whose last line has no end: it may have been cut there.

    A gzipped file that was cut is broken, and needs no such guess.
    """
    with Path(path).open("rb") as stream:
        head = stream.read(_HEAD)
        stream.seek(-1, io.SEEK_END)
        last = stream.read()
    is_text = b"\0" not in head and not head.startswith((_GZIP, b"PAR1"))
    return is_text and last not in b"\r\n"


def _starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(magic)) == magic


def _told(error: Exception) -> str:
    return f"is broken or truncated gzip ({error}); delete it and get it again"
