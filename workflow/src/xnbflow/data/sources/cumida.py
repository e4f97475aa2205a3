"""CuMiDa's microarray series: download, a fast exact reader of their CSV files, and a writer.

CuMiDa (Feltes et al., J. Comput. Biol. 26, 2019) serves one CSV file per series, with one row per
sample: ``samples,type,<probe>,...``, 50 to 150 MB of decimals with up to 17 digits. Such rows are
too wide for CSV readers that think in columns; cells are therefore read as *one* long column by
Arrow's converter, which rounds exactly as ``float`` does, and laid out feature by feature.
"""

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xnbflow.data.atomic import atomic
from xnbflow.data.counts import counted
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.sources.blocks import Columns
from xnbflow.data.sources.cell_texts import parse_numbers
from xnbflow.data.sources.dialects import Dialect
from xnbflow.data.sources.download import Downloads
from xnbflow.data.sources.files import open_raw
from xnbflow.data.sources.growing import GrowingColumns
from xnbflow.data.sources.guarded import refuse_too_wide
from xnbflow.data.sources.row_reader import RowReader
from xnbflow.data.sources.sheet_row import SheetRow

__all__ = ["BASE_URLS", "load", "read_cumida_csv", "write_cumida_csv"]

#: Where CuMiDa has been served, the present address first.
BASE_URLS = (
    "https://sbcb.inf.ufrgs.br/data/cumida/Genes",
    "http://sbcb.inf.ufrgs.br/carbm/static/cumida/Genes",
)

_LOCATION = re.compile(r"([A-Za-z0-9_-]+)/([A-Za-z0-9_-]+)")
_BLOCK_BYTES = 2_000_000


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get a series whose location is ``<Type>/<GSE>``, say ``Brain/GSE50161``.

    Raises
    ------
    InputError
        If the location is not of that form, or the file cannot be had or read.
    """
    match = _LOCATION.fullmatch(dataset.location)
    if not match:
        msg = (
            f"data set {dataset.id}: location {dataset.location!r} is not <Type>/<series>, "
            "say Brain/GSE50161"
        )
        raise InputError(msg)
    kind, series = match.groups()
    path = downloads.fetch(
        "cumida",
        f"{kind}/{series}/{kind}_{series}.csv",
        default=BASE_URLS,
        sha256=dataset.sha256,
    )
    return read_cumida_csv(path, dataset.id)


def read_cumida_csv(path: str | Path, name: str) -> DataSet:
    r"""Read a file in CuMiDa's layout, ``samples,type,<feature>,...`` with one row per sample.

    Every number is the double nearest to its decimal text, as ``float`` gives it. Features whose
    names repeat (GSE26304 has RefSeq accessions of several probes) get the suffixes ``.1``,
    ``.2``, ... from the second on, with a warning; pandas names them so, too.

    Parameters
    ----------
    path : path
        A CSV file, plain or gzipped.
    name : str
        The data set's id.

    Returns
    -------
    DataSet

    Raises
    ------
    InputError
        If something in the file is wrong; the message names line and column.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("samples,type,g1,g2\na,tumour,1.5,2\nb,normal,0.1,4e-1\n")
    ...     series = read_cumida_csv(path, "toy")
    >>> series.values.tolist(), series.labels.tolist()
    ([[1.5, 0.1], [2.0, 0.4]], ['tumour', 'normal'])
    """
    path = Path(path)
    with open_raw(path) as stream:
        columns = _read_header(path, stream.readline())
        read = RowReader(Columns(columns, (0, 1), tuple(range(2, len(columns)))), Dialect(","))
        heads: list[tuple[int, str, str]] = []
        values = GrowingColumns(len(columns) - 2)
        for lines in _blocks(stream, len(columns)):
            block_heads, block = _read_block(path, columns, read, lines)
            heads += block_heads
            values.append(block)
    if not heads:
        msg = f"{path} has a header but no samples; get it again"
        raise InputError(msg)
    _warn_of_missing_line_break(path, lines[-1][1])
    samples = _unique_samples(path, heads)
    labels = [label for _, _, label in heads]
    return DataSet(name, values.finished(), _unique_features(path, columns[2:]), samples, labels)


def write_cumida_csv(series: DataSet, path: str | Path) -> None:
    """Write a series as a CSV file in CuMiDa's layout; the file appears whole or not at all.

    Parameters
    ----------
    series : DataSet
        What to write. Numbers are written with as many digits as reading them back needs.
    path : path
        Where to write. Missing folders are made.

    Examples
    --------
    >>> import tempfile
    >>> series = DataSet("toy", [[0.1, 2.0]], ["g1"], ["a", "b"], ["tumour", "normal"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_cumida_csv(series, Path(folder, "toy.csv"))
    ...     print(Path(folder, "toy.csv").read_text())
    samples,type,g1
    a,tumour,0.1
    b,normal,2
    <BLANKLINE>
    """
    with atomic(path) as part, part.open("wb") as file:
        file.write(_csv_line(["samples", "type", *series.features]))
        for sample, label, values in zip(
            series.samples, series.labels, series.values.T, strict=True
        ):
            cells = pc.cast(pa.array(np.ascontiguousarray(values)), pa.string())
            row = pa.ListArray.from_arrays([0, len(cells)], cells)
            file.write(_csv_line([sample, label])[:-1] + b",")
            file.write(pc.binary_join(row, ",")[0].as_buffer())
            file.write(b"\n")


def _csv_line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _read_header(path: Path, line: bytes) -> list[str]:
    refuse_too_wide(path, line, b",")
    columns = _cells(path, 1, line.removeprefix(b"\xef\xbb\xbf"))
    if columns[:2] != ["samples", "type"]:
        starts = ", ".join(repr(column) for column in columns[:3])
        msg = (
            f"{path}, line 1: no label column: the header starts with {starts}, a CuMiDa file "
            "with 'samples', 'type'. Use source 'table' and name the columns there"
        )
        raise InputError(msg)
    if len(columns) == 2:
        msg = f"{path}, line 1: the header names no features; get the file again"
        raise InputError(msg)
    if "" in columns:
        msg = f"{path}, line 1: column {columns.index('') + 1} has no name; name or remove it"
        raise InputError(msg)
    return columns


def _cells(path: Path, number: int, line: bytes) -> list[str]:
    """Split a line as CSV, with its quotes."""
    try:
        text = line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        msg = f"{path}, line {number}: not UTF-8 text ({error.reason}); save the file as UTF-8"
        raise InputError(msg) from error
    try:
        return [cell.strip() for cell in next(csv.reader([text]), [])]
    except csv.Error as error:
        msg = f"{path}, line {number}: not valid CSV ({error}); look for a quote without its pair"
        raise InputError(msg) from error


def _blocks(stream: io.BufferedIOBase, n_columns: int) -> Iterator[list[tuple[int, bytes]]]:
    """Return the numbered lines below the header, some megabytes at a time."""
    number = 2
    while data := stream.read(_BLOCK_BYTES):
        data += stream.readline()
        if not data.isspace():
            yield _until_too_short(enumerate(io.BytesIO(data), number), n_columns)
        number += data.count(b"\n")


def _until_too_short(lines: Iterable[tuple[int, bytes]], n_columns: int) -> list[tuple[int, bytes]]:
    """Return lines that are not blank, up to the first that cannot hold so many cells."""
    found = []
    for number, line in lines:
        if not line.isspace():
            found.append((number, line))
            if len(line) < n_columns:
                break
    return found


def _read_block(
    path: Path, columns: Sequence[str], read: RowReader, lines: Sequence[tuple[int, bytes]]
) -> tuple[list[tuple[int, str, str]], np.ndarray]:
    """Return (line, sample, label) of each line, and the values (n_lines, n_features)."""
    found = read(b"".join(line for _, line in lines), len(lines))
    if found is None or np.isnan(found[1]).any():
        rows = [_checked_row(path, columns, number, line) for number, line in lines]
        values = np.stack([row[2] for row in rows])
        names = [(row[0], row[1]) for row in rows]
    else:
        (samples, labels), values = found
        names = list(zip(samples, labels, strict=True))
    heads = [(number, *pair) for (number, _), pair in zip(lines, names, strict=True)]
    for number, sample, label in heads:
        if not sample or not label:
            what = "type (the label)" if sample else "samples (the sample's name)"
            msg = f"{path}, line {number}, column {what}: empty; fill it in or remove the line"
            raise InputError(msg)
    return heads, values


def _checked_row(
    path: Path, columns: Sequence[str], number: int, line: bytes
) -> tuple[str, str, np.ndarray]:
    """Read a line cell by cell, and say which cell is wrong and why."""
    refuse_too_wide(path, line, b",")
    cells = _cells(path, number, line)
    if len(cells) != len(columns):
        end = "" if line.endswith(b"\n") else ", and the file ends there"
        msg = (
            f"{path}, line {number}: {counted(len(cells), 'cell')}, but the header has "
            f"{len(columns)}{end}; "
            f"{'get the whole file again' if end else 'correct the line'}"
        )
        raise InputError(msg)
    where = f"{path}, line {number} (sample {cells[0]!r})"
    names = (f"column {name!r}" for name in columns[2:])
    return cells[0], cells[1], parse_numbers(cells[2:], names, where)


def _unique_samples(path: Path, heads: Sequence[tuple[int, str, str]]) -> list[str]:
    first: dict[str, int] = {}
    for number, sample, _ in heads:
        if sample in first:
            msg = (
                f"{path}, line {number}: sample name {sample!r} stands on line {first[sample]}, "
                "too; make sample names unique"
            )
            raise InputError(msg)
        first[sample] = number
    return list(first)


def _unique_features(path: Path, names: Sequence[str]) -> list[str]:
    """Add ``.1``, ``.2``, ... to the second, third, ... feature of a name."""
    if len(set(names)) == len(names):
        return list(names)
    taken, seen = set(names), set[str]()
    copies: Counter[str] = Counter()
    unique = []
    for name in names:
        new = name
        while name in seen and new in taken:
            copies[name] += 1
            new = f"{name}.{copies[name]}"
        seen.add(name)
        taken.add(new)
        unique.append(new)
    msg = (
        f"{path}: {counted(len(copies), 'feature name', 'occurs', 'occur')} more than once (say "
        f"{next(iter(copies))!r}); "
        "all but the first of each got the suffix .1, .2, ..."
    )
    warnings.warn(msg, UserWarning, stacklevel=3)
    return unique


def _warn_of_missing_line_break(path: Path, line: bytes) -> None:
    if not line.endswith(b"\n"):
        msg = (
            f"{path} does not end with a line break; if the file was cut off within its last "
            "number, that number is wrong. Compare its size or checksum with the original"
        )
        warnings.warn(msg, UserWarning, stacklevel=3)
