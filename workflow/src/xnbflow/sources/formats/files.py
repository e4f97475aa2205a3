"""Raw files: opened whether gzipped or not, and refused if they are not data.

Formats other than tables are recognised by their first bytes.
"""

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isal import igzip
from isal.isal_zlib import IsalError

from xnbflow.core.errors import InputError, about_file

#: Exceptions of damaged gzip files.
BROKEN_GZIP = (gzip.BadGzipFile, EOFError, zlib.error, IsalError)
#: The first bytes of gzip files and of ZIP archives.
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
#: Bytes by which the format of a file is recognised.
HEAD_BYTES = 4096
#: Bytes that are read at once.
_BUFFER = 1 << 20
#: Endings of workbooks that are ZIP archives.
_ZIPPED = frozenset({".xlsx", ".xlsm", ".xlsb", ".ods"})

#: The formats of GEO, as `format_of` returns them.
GEO_FORMATS = ("series matrix", "SOFT")
#: Beginnings of lines of a series matrix, and of SOFT files of GEO.
_SERIES_MATRIX = (b"!Series_", b"!Sample_", b"!series_matrix_table_begin")
_SOFT = (b"^DATABASE", b"^DATASET", b"^SERIES", b"^SAMPLE", b"^PLATFORM", b"^Annotation")
#: The first bytes of each format, but those of GEO and of what is never data.
_SIGNATURES = {
    "HDF5": (b"\x89HDF\r\n\x1a\n",),
    "Parquet": (b"PAR1",),
    "old Excel": (b"\xd0\xcf\x11\xe0",),
    "ZIP": (_ZIP,),
    "R data": (b"RDX2", b"RDX3", b"RDA2", b"RDA3", b"X\n\x00\x00\x00", b"A\n2\n", b"A\n3\n"),
    "CEL": (b"[CEL]", b"@\x00\x00\x00", b"\x3b\x01\x00\x00\x00"),
    "IDAT": (b"IDAT",),
    "GCT": (b"#1.2", b"#1.3"),
    "PDF": (b"%PDF",),
    "MATLAB": (b"MATLAB 5.0", b"MATLAB 7.3"),
    "NumPy": (b"\x93NUMPY",),
    "Matrix Market": (b"%%MatrixMarket",),
    "Feather": (b"ARROW1",),
    "bzip2": tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)),
    "xz": (b"\xfd7zXZ\x00",),
    "Zstandard": (b"\x28\xb5\x2f\xfd",),
    "SPSS": (b"$FL2", b"$FL3"),
    "JSON records": (b"[{", b"[\n", b"[\r\n"),
}
#: What a file is that has no data, whatever reads it.
_NO_DATA = {
    "empty": "is empty; get it again",
    "HTML": (
        "is a web page (HTML), not data: an error or log-in page was saved under the data's name; "
        "get the data itself"
    ),
    "JSON": (
        "is a server's answer (JSON), not data: an error or log-in page was saved under the data's "
        "name; get the data itself"
    ),
    "ZIP": "is a ZIP archive; unpack it and name the data file itself",
}
_UNPACK = "unpack it, or compress it as .gz"
#: What a file is that has data, but no text in lines and cells, and what to do with it.
_WAY_OUT = {
    "series matrix": (
        "a GEO series matrix",
        "use source geo, and name the file as its location",
    ),
    "SOFT": ("a SOFT file of GEO", "use source geo, and name the file as its location"),
    "HDF5": (
        "an HDF5 file",
        "if it is AnnData, let its name end in .h5ad, else export a table",
    ),
    "Parquet": ("a Parquet file", "let its name end in .parquet"),
    "old Excel": ("an Excel workbook", "let its name end in .xls"),
    "R data": (
        "a file of R (save or saveRDS)",
        "write the matrix with write.csv in R",
    ),
    "CEL": (
        "an Affymetrix CEL file of one sample",
        "normalise all samples' files (for example by affy::rma in R) and write one table",
    ),
    "IDAT": (
        "an Illumina IDAT file of one sample",
        "preprocess all samples and write one table",
    ),
    "GCT": ("a GCT file", "let its name end in .gct"),
    "PDF": ("a PDF document", "get the data themselves"),
    "MATLAB": ("a MATLAB file", "write the matrix with writematrix in MATLAB"),
    "NumPy": (
        "a NumPy array, without names",
        "write a table with names of samples and features",
    ),
    "Matrix Market": (
        "a sparse matrix without names",
        "make an .h5ad file of it (AnnData)",
    ),
    "Feather": ("a Feather file", "write it as Parquet"),
    "bzip2": ("compressed by bzip2", _UNPACK),
    "xz": ("compressed by xz", _UNPACK),
    "Zstandard": ("compressed by Zstandard", _UNPACK),
    "SPSS": ("a file of SPSS", "export a table as CSV"),
    "JSON records": ("a JSON file", "write its records as a table, for example as CSV"),
}


@contextmanager
def open_raw(path: str | Path, *, is_delimited: bool = False) -> Iterator["io.BufferedReader[Any]"]:
    """Open a file for reading its bytes, decompressed where its content is gzipped.

    Files that are not data are refused (`fault_of`), and broken gzip during reading. A file that
    ``is_delimited``, text in lines and cells, is refused if it begins as one of another format.
    """
    path = Path(path)
    with about_file(path):
        if not path.is_file():
            raise _absent(path)
        try:
            with path.open("rb", buffering=0) as file:
                is_gzip = file.read(len(_GZIP)) == _GZIP
                file.seek(0)
                raw: Any = igzip.IGzipFile(fileobj=file) if is_gzip else file  # faster than gzip
                with io.BufferedReader(raw, _BUFFER) as stream:
                    file_format = format_of(stream.peek(HEAD_BYTES)[:HEAD_BYTES])
                    fault = None
                    if file_format is not None or (path.suffix == ".gz" and not is_gzip):
                        fault = _fault(
                            path, path, file_format, is_gzip=is_gzip, is_delimited=is_delimited
                        )
                    if fault is not None:
                        raise fault
                    yield stream
        except BROKEN_GZIP as error:
            msg = f"{path} is broken or truncated gzip ({error}); delete it and get it again"
            raise InputError(msg, file=str(path)) from error


def text_lines(path: str | Path, stream: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a text; one with a NUL byte is refused."""
    for line in stream:
        if b"\0" in line:
            raise has_nul(path)
        yield line


def has_nul(path: str | Path) -> InputError:
    """Return the refusal of a text with a NUL byte, which NumPy cuts off from the end of a name."""
    msg = f"{path} has a NUL byte and is not text; get it again, or save it as UTF-8"
    return InputError(msg, file=str(path))


def fault_of(path: str | Path, name: str | Path | None = None) -> InputError | None:
    """Return why a file cannot be data: absent, empty, HTML, an archive, broken or not gzip.

    The ``name`` of the file in the message is by default its path.
    """
    path = Path(path)
    name = path if name is None else name
    if not path.is_file():
        return _absent(name)
    head = first_bytes(path)
    is_gzip = head.startswith(_GZIP)
    try:
        if is_gzip:
            with gzip.open(path) as packed:
                head = packed.read(HEAD_BYTES)
    except BROKEN_GZIP as error:
        msg = f"{name} is broken or truncated gzip ({error}); delete it and get it again"
        return InputError(msg, file=str(name))
    return _fault(path, name, format_of(head), is_gzip=is_gzip)


def _absent(name: str | Path) -> InputError:
    msg = f"{name} does not exist or is not a file; correct the path or put the file there"
    return InputError(msg, file=str(name))


def _fault(
    path: Path,
    name: str | Path,
    file_format: str | None,
    *,
    is_gzip: bool,
    is_delimited: bool = False,
) -> InputError | None:
    """Return why a file of a format cannot be read; see `open_raw`."""
    if path.suffix == ".gz" and not is_gzip and file_format != "empty":
        fault = f"{name} is named .gz but is not gzipped; rename it, or get it again"
        return InputError(fault, file=str(name))
    is_workbook = file_format == "ZIP" and path.suffix.lower() in _ZIPPED
    if file_format in _NO_DATA and not is_workbook:
        return InputError(f"{name} {_NO_DATA[file_format]}", file=str(name))
    if is_delimited and file_format in _WAY_OUT:
        kind, remedy = _WAY_OUT[file_format]
        return InputError(f"{name} is {kind}: {remedy}", file=str(name), remedy=remedy)
    return None


def format_of(head: bytes) -> str | None:
    r"""Return the format by a file's first bytes; None for text and unknown formats.

    Examples
    --------
    >>> format_of(b'!Series_title\t"x"'), format_of(b"<!DOCTYPE html>"), format_of(b"id,g1")
    ('series matrix', 'HTML', None)
    """
    for name, starts in _SIGNATURES.items():
        if head.startswith(starts):
            return name
    if not head.strip():
        return "empty"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start in (b"<", b"{"):
        return "HTML" if start == b"<" else "JSON"
    lines = [line.lstrip(b'\xef\xbb\xbf "') for line in head.splitlines()]
    first = next((line for line in lines if line), b"")
    if first.startswith(_SERIES_MATRIX):
        return "series matrix"
    return "SOFT" if first.startswith(_SOFT) else None


def checksums(path: str | Path) -> tuple[str, ...]:
    """Return the SHA-256 of a file in hexadecimal, and of its contents if it is gzipped."""
    path = Path(path)
    with path.open("rb") as stream:
        packed = hashlib.file_digest(stream, "sha256").hexdigest()
    if not first_bytes(path).startswith(_GZIP):
        return (packed,)
    with open_raw(path) as stream:
        return packed, hashlib.file_digest(stream, "sha256").hexdigest()


def is_cut_text(path: str | Path) -> bool:
    """Return whether a plain file is text without a final line break: it may have been cut.

    A gzipped file that was cut is broken, so this check is not needed.
    """
    head = first_bytes(path)
    with Path(path).open("rb") as stream:
        stream.seek(-1, io.SEEK_END)
        last = stream.read()
    is_text = b"\0" not in head and not head.startswith((_GZIP, b"PAR1"))
    return is_text and last not in b"\r\n"


def first_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file by which its format is recognised."""
    with Path(path).open("rb") as stream:
        return stream.read(HEAD_BYTES)
