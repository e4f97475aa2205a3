"""A table of one's own: CSV, TSV or Parquet, samples in rows or columns, features of any kind."""

import codecs
import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.errors import InputError
from xnbflow.series import Series
from xnbflow.sources.cells import category_codes, is_missing, parse_numbers
from xnbflow.sources.dataset import DataSet
from xnbflow.sources.download import Downloads
from xnbflow.sources.files import open_raw

__all__ = ["load", "read_table"]

_PERIODS = {"degrees": 360.0, "radians": 2 * math.pi}
_SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " ", "pipe": "|"}
_PARQUET = frozenset({".parquet", ".pq"})
_TABS = frozenset({".tsv", ".tab", ".txt"})
_WORKBOOKS = frozenset({".xlsx", ".xlsm", ".xls", ".ods"})
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class _Grid:
    """The text of a table, turned so that features are rows; the labels are one of them."""

    samples: list[str]
    sample_places: list[str]
    features: list[str]
    feature_places: list[str]
    cells: list[Sequence[str]]


def load(dataset: DataSet, downloads: Downloads) -> Series:
    """Get a table from its path or URL, and read it as its row of the sheet says."""
    _refuse_workbook(dataset.location)
    suffixes = "".join(Path(urlsplit(dataset.location).path).suffixes[-2:])
    path = downloads.fetch_location(
        "table", dataset.location, name=dataset.id + suffixes, sha256=dataset.sha256
    )
    return read_table(path, dataset)


def read_table(path: str | Path, dataset: DataSet) -> Series:
    r"""Read a table.

    Parameters
    ----------
    path : path
        CSV (comma), TSV (``.tsv``, ``.tab``, ``.txt``; tabs) or Parquet, plain or gzipped, with a
        header.
    dataset : DataSet
        Where samples stand in rows, ``label`` and ``id_column`` name columns, and without the
        latter samples are called 0, 1, ...; where they stand in columns, ``label`` names the row
        of labels, and ``id_column`` the column of row names (the first without). Its options:

        - ``angular=wind:degrees,hour:24``: angles with their unit, ``degrees``, ``radians`` or
          the period; they become radians.
        - ``categorical=sex,stage``: categories, which become codes 0, 1, ... in the order of the
          numbers if all are numbers, else of the alphabet.
        - ``drop=note``: what is no feature.
        - ``separator=semicolon``: another separator (comma, tab, semicolon, space, pipe).

        Names may be patterns with ``*`` and ``?``. All other features are linear.

    Returns
    -------
    Series

    Raises
    ------
    InputError
        If something in the file or the options is wrong; the message says where.

    Examples
    --------
    >>> import tempfile
    >>> row = DataSet("toy", "table", label="site", options={"angular": "wind:degrees"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("site,wind,speed\nnorth,90,3\nsouth,180,5\n")
    ...     series = read_table(path, row)
    >>> series.features.tolist(), series.kinds.tolist(), series.values.round(2).tolist()
    (['wind', 'speed'], ['angular', 'linear'], [[1.57, 3.14], [3.0, 5.0]])
    """
    path = Path(path)
    _refuse_workbook(str(path))
    turn = _samples_in_rows if dataset.orientation == "rows" else _samples_in_columns
    with open_raw(path) as stream:
        if _suffix(path) in _PARQUET:
            numbered = list(_parquet_rows(path, stream))
        else:
            separator = _separator(path, dataset)
            numbered = list(_text_rows(path, stream, separator))
    if len(numbered) < 2:
        msg = f"{path} has nothing below its header; get it again"
        raise InputError(msg)
    return _series(path, dataset, turn(path, dataset, *numbered))


def _samples_in_rows(
    path: Path, dataset: DataSet, header: tuple[str, list[str]], *rows: tuple[str, list[str]]
) -> _Grid:
    names = header[1]
    columns = list(zip(*(cells for _, cells in rows), strict=True))
    places = list(range(len(names)))
    samples: Sequence[str] = [str(number) for number in range(len(rows))]
    if dataset.id_column:
        key = _position(path, names, dataset.id_column, "id_column")
        samples = columns[key]
        places.remove(key)
    _refuse_idle_patterns(path, dataset, "drop", names)
    return _Grid(
        samples,
        [where for where, _ in rows],
        [names[place] for place in places],
        [f"column {place + 1} ({names[place]!r})" for place in places],
        [columns[place] for place in places],
    )


def _samples_in_columns(
    path: Path, dataset: DataSet, header: tuple[str, list[str]], *rows: tuple[str, list[str]]
) -> _Grid:
    names = header[1]
    key = _position(path, names, dataset.id_column or names[0], "id_column")
    features = [cells[key] for _, cells in rows]
    _refuse_idle_patterns(path, dataset, "drop", [*names, *features])
    drop = dataset.names("drop")
    places = [
        place for place, name in enumerate(names) if place != key and not _matches(name, drop)
    ]
    return _Grid(
        [names[place] for place in places],
        [f"column {place + 1} ({names[place]!r})" for place in places],
        features,
        [f"{where} ({name!r})" for (where, _), name in zip(rows, features, strict=True)],
        [[cells[place] for place in places] for _, cells in rows],
    )


def _series(path: Path, dataset: DataSet, grid: _Grid) -> Series:
    """Make numbers of a table's text, each feature by its kind."""
    label = _position(path, grid.features, dataset.label, "label")
    drop = dataset.names("drop")
    used = [
        place
        for place, name in enumerate(grid.features)
        if place != label and not _matches(name, drop)
    ]
    features = [grid.features[place] for place in used]
    _refuse_bad_names(path, "feature", features, [grid.feature_places[place] for place in used])
    _refuse_bad_names(path, "sample", grid.samples, grid.sample_places)
    for option in ("angular", "categorical"):
        _refuse_idle_patterns(path, dataset, option, features)
    kinds = [_kind(dataset, name) for name in features]
    values = np.empty((len(used), len(grid.samples)))
    for row, (place, (kind, factor)) in enumerate(zip(used, kinds, strict=True)):
        where = f"{path}, {grid.feature_places[place]}"
        if kind == "categorical":
            values[row] = category_codes(_filled(grid.cells[place], grid.sample_places, where))
        else:
            numbers = parse_numbers(grid.cells[place], grid.sample_places, where, _advice)
            values[row] = numbers * factor
    where = f"{path}, {grid.feature_places[label]}"
    labels = _filled(grid.cells[label], grid.sample_places, where)
    return Series(dataset.id, values, features, grid.samples, labels, [kind for kind, _ in kinds])


def _kind(dataset: DataSet, name: str) -> tuple[str, float]:
    """Return a feature's kind, and the factor that makes radians of an angle."""
    for text in dataset.names("angular"):
        pattern, period = _period(dataset, text)
        if _matches(name, [pattern]):
            return "angular", 2 * math.pi / period
    return "categorical" if _matches(name, dataset.names("categorical")) else "linear", 1.0


def _text_rows(
    path: Path, stream: io.BufferedIOBase, separator: str
) -> Iterator[tuple[str, list[str]]]:
    """Return where each line stands and its cells, as many as in the header."""
    text = codecs.iterdecode(stream, "utf-8-sig")
    reader = csv.reader(text, delimiter=separator, strict=True)
    width = None
    try:
        for cells in reader:
            if not cells:
                continue
            if width is None:
                _refuse_single_cell(path, cells, separator)
                width = len(cells)
            if len(cells) != width:
                msg = (
                    f"{path}, line {reader.line_num}: {len(cells)} cells, but the header has "
                    f"{width}; correct the line, or get the file again if it ends there"
                )
                raise InputError(msg)
            yield f"line {reader.line_num}", [cell.strip() for cell in cells]
    except UnicodeDecodeError as error:
        msg = f"{path}, below line {reader.line_num}: not UTF-8 text; save the file as UTF-8"
        raise InputError(msg) from error
    except csv.Error as error:
        msg = f"{path}, line {reader.line_num}: not valid CSV ({error}); correct the quotes"
        raise InputError(msg) from error


def _refuse_workbook(location: str) -> None:
    if Path(urlsplit(location).path).suffix.lower() in _WORKBOOKS:
        msg = (
            f"{location} is a workbook; save its sheet as CSV, with decimal points, and name that "
            "file in the sheet of data sets"
        )
        raise InputError(msg)


def _refuse_single_cell(path: Path, header: Sequence[str], separator: str) -> None:
    """Refuse a header that another separator may divide; no table has a single column."""
    if len(header) > 1:
        return
    known = {name: text for name, text in _SEPARATORS.items() if text != separator}
    possible = [name for name, text in known.items() if text in header[0]] or list(known)
    msg = (
        f"{path}: its header is the single cell {header[0][:60]!r}; if cells are separated by "
        f"{' or '.join(possible)}, say so in the sheet's options: "
        f"{' or '.join(f'separator={name}' for name in possible)}"
    )
    raise InputError(msg)


def _advice(cell: str) -> str:
    """Return what to do about a cell of a linear or angular feature that is no finite number."""
    if _DECIMAL_COMMA.fullmatch(cell):
        return "this looks like a decimal comma: save it with decimal points"
    if is_missing(cell) or cell.strip("+-").lower() in {"inf", "infinity"}:
        return (
            "fill it in, remove the sample, or list the feature under drop= in the sheet's options"
        )
    return "correct it, or list the feature under categorical= or drop= in the sheet's options"


def _parquet_rows(path: Path, stream: io.BufferedIOBase) -> Iterator[tuple[str, list[str]]]:
    """Return the column names and the rows as text; of a number the shortest that is exact."""
    try:
        table = pq.read_table(pa.BufferReader(stream.read()))
    except pa.ArrowInvalid as error:
        msg = f"{path} is not a Parquet file ({error}); correct its name, or get it again"
        raise InputError(msg) from error
    yield "the header", [name.strip() for name in table.column_names]
    columns = [column.to_pylist() for column in table.columns]
    for number, cells in enumerate(zip(*columns, strict=True), 1):
        yield f"row {number}", ["" if cell is None else str(cell).strip() for cell in cells]


def _separator(path: Path, dataset: DataSet) -> str:
    name = dataset.options.get("separator", "tab" if _suffix(path) in _TABS else "comma")
    if name not in _SEPARATORS:
        msg = (
            f"data set {dataset.id}: unknown separator {name!r} in the sheet's options; "
            f"use one of {', '.join(_SEPARATORS)}"
        )
        raise InputError(msg)
    return _SEPARATORS[name]


def _period(dataset: DataSet, text: str) -> tuple[str, float]:
    """Split ``name:unit`` into the name and the period."""
    name, _, unit = text.rpartition(":")
    try:
        period = _PERIODS.get(unit) or float(unit)
    except ValueError:
        period = 0.0
    if not name or not 0 < period < math.inf:
        msg = (
            f"data set {dataset.id}: the sheet's option angular has {text!r}; write name:degrees, "
            "name:radians or name:<period>, say hour:24"
        )
        raise InputError(msg)
    return name, period


def _position(path: Path, names: Sequence[str], name: str, key: str) -> int:
    if name in names:
        return names.index(name)
    msg = (
        f"{path}: there is no {name!r}, which the sheet's {key} names; there are {_some(names)}. "
        f"Correct {key}, or the orientation or separator, in the sheet"
    )
    raise InputError(msg)


def _refuse_idle_patterns(path: Path, dataset: DataSet, option: str, names: Sequence[str]) -> None:
    for text in dataset.names(option):
        pattern = _period(dataset, text)[0] if option == "angular" else text
        if not any(_matches(name, [pattern]) for name in names):
            msg = (
                f"{path}: the sheet's option {option} has {pattern!r}, but nothing is called so; "
                f"there are {_some(names)}. Correct the option"
            )
            raise InputError(msg)


def _refuse_bad_names(path: Path, what: str, names: Sequence[str], places: Sequence[str]) -> None:
    if not names:
        msg = f"{path}: there are no {what}s; check label, id_column, orientation and drop"
        raise InputError(msg)
    first: dict[str, str] = {}
    for name, place in zip(names, places, strict=True):
        if not name:
            msg = f"{path}, {place}: the {what} has no name; name it, or drop it"
            raise InputError(msg)
        if name in first:
            msg = (
                f"{path}, {place}: {what} name {name!r} stands in {first[name]}, too; "
                f"make {what} names unique"
            )
            raise InputError(msg)
        first[name] = place


def _filled(cells: Sequence[str], places: Sequence[str], where: str) -> Sequence[str]:
    for cell, place in zip(cells, places, strict=True):
        if not cell:
            msg = f"{where}, {place}: empty; fill it in, or remove the sample"
            raise InputError(msg)
    return cells


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f", ... ({len(names)} in all)" if len(names) > 8 else "")


def _suffix(path: Path) -> str:
    """Return the suffix in lower case, that before ``.gz`` if there is one."""
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return inner.suffix.lower()
