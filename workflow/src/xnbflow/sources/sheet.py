"""The sheet of data sets, ``config/datasets.tsv``: one validated, typed row per data set.

It is read whenever the Snakefile is parsed, in every cluster job; hence only the standard library.
"""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from xnbflow.errors import InputError
from xnbflow.sources.files import local_path

__all__ = ["COLUMNS", "SOURCES", "DataSet", "is_accession", "read_sheet", "sheet_text"]

#: The sheet's columns, in order; those after `_REQUIRED` may be left out.
COLUMNS = (
    "id",
    "source",
    "location",
    "sha256",
    "samples",
    "features",
    "classes",
    "label",
    "id_column",
    "orientation",
    "options",
)

_REQUIRED = ("id", "source")

#: Options of the sources that read a file of somebody's own (`xnbflow.sources.assembly`).
_OF_FILES = frozenset(
    {"duplicates", "group", "literal", "map", "missing", "regex", "transform", "unlabelled"}
)

#: Each source and the options its rows may have.
SOURCES = {
    "cumida": frozenset({"features_tolerance"}),
    "geo": _OF_FILES | {"annotation", "collapse"},
    "table": _OF_FILES
    | {"angular", "categorical", "decimal", "drop", "features", "matrix", "phenotype"}
    | {"phenotype_id", "separator", "sheet"},
    "bundled": frozenset(),
    "simulate": frozenset({"seed"}),
    "uci": frozenset({"file", "rows", "seed"}),
    "angular": frozenset({"file", "rows", "seed"}),
}

ORIENTATIONS = ("rows", "columns")

_WHOLE_NUMBERS = frozenset({"features_tolerance", "rows", "seed"})

_ACCESSION = re.compile(r"GDS\d+|GSE\d+(-GPL\d+)?")
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class DataSet:
    """A row of the sheet.

    Attributes
    ----------
    id : str
        Names the data set in the configuration and in file names.
    source : str
        One of `SOURCES`.
    location : str
        Where in the source: ``Brain/GSE50161`` (cumida), an accession, path or URL (geo), a path or
        URL (table), a name (bundled, uci, angular), nothing (simulate).
    sha256 : str or None
        Checksum of the file, or of what it holds uncompressed.
    samples, features, classes : int or None
        The expected shape; for simulate the shape to make.
    label, id_column : str or None
        For table: the column of class labels, and that of sample names (row numbers without). For
        geo, the label is ``title``, ``characteristics:diagnosis`` and the like.
    orientation : {"rows", "columns"}
        For table: whether a sample is a row or a column.
    options : dict of str to str
        Further settings of the source, from ``key=value;key=value``.
    """

    id: str
    source: str
    location: str = ""
    sha256: str | None = None
    samples: int | None = None
    features: int | None = None
    classes: int | None = None
    label: str | None = None
    id_column: str | None = None
    orientation: str = "rows"
    options: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def local_file(self) -> Path | None:
        """The user's own file, if the data set is a local one: a workflow can see it change."""
        return self.local_files.get("location")

    @property
    def local_files(self) -> dict[str, Path]:
        """All of the user's own files: by ``location``, or the name of the option."""
        named = {key: self.options.get(key, "") for key in ("phenotype", "annotation")}
        if self.source == "table" or (self.source == "geo" and not is_accession(self.location)):
            named["location"] = self.location
        if re.fullmatch(r"GPL\d+|none", named["annotation"]):
            named.pop("annotation")
        found = {key: local_path(text) for key, text in named.items() if text}
        return {key: path for key, path in found.items() if path is not None}

    def with_files(self, files: Mapping[str, str]) -> "DataSet":
        """Return the row with its own files (as `local_files` names them) found elsewhere."""
        files = dict(files)
        location = files.pop("location", self.location)
        return replace(self, location=location, options={**self.options, **files})

    def names(self, option: str) -> list[str]:
        """Return an option's comma-separated values; none where it is not set."""
        return [name.strip() for name in self.options.get(option, "").split(",") if name.strip()]


def is_accession(location: str) -> bool:
    """Return whether a location is GEO's accession of a series or a data set.

    Examples
    --------
    >>> is_accession("GSE781-GPL96"), is_accession("GSE781_series_matrix.txt.gz")
    (True, False)
    """
    return _ACCESSION.fullmatch(location) is not None


def read_sheet(path: str | Path) -> dict[str, DataSet]:
    r"""Read and validate the sheet of data sets.

    Parameters
    ----------
    path : path
        A tab-separated file with columns of `COLUMNS`, in any order; only ``id`` and ``source``
        are required, the others are empty where the sheet lacks them. Lines that start with ``#``
        are comments.

    Returns
    -------
    dict of str to DataSet
        The data sets by id, in the sheet's order.

    Raises
    ------
    InputError
        If a column is unknown or missing, or a cell is not valid; the message names the line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "datasets.tsv")
    ...     _ = path.write_text("id\tsource\tlocation\tsamples\nwine\tbundled\twine\t178\n")
    ...     sheet = read_sheet(path)
    >>> sheet["wine"].source, sheet["wine"].samples
    ('bundled', 178)
    """
    path = Path(path)
    rows = _rows(path)
    _check_columns(path, rows)
    sheet: dict[str, DataSet] = {}
    for line, cells in rows[1:]:
        where = f"{path}, line {line}"
        if len(cells) != len(rows[0][1]):
            msg = (
                f"{where}: {len(cells)} cells, but the header has {len(rows[0][1])}; "
                "separate cells by one tab each and keep empty ones"
            )
            raise InputError(msg)
        given = dict(zip(rows[0][1], cells, strict=True))
        dataset = _dataset(dict.fromkeys(COLUMNS, "") | given, where)
        if dataset.id in sheet:
            msg = f"{where}: id {dataset.id!r} occurs before; ids must be unique"
            raise InputError(msg)
        sheet[dataset.id] = dataset
    return sheet


def sheet_text(datasets: Iterable[DataSet]) -> str:
    r"""Return data sets as the text of a sheet, with every column.

    Examples
    --------
    >>> sheet_text([DataSet("wine", "bundled", "wine")]).splitlines()[1].split("\t")[:4]
    ['wine', 'bundled', 'wine', '']
    """
    rows = [COLUMNS, *(_cells(dataset) for dataset in datasets)]
    return "".join("\t".join(cells) + "\n" for cells in rows)


def _cells(dataset: DataSet) -> list[str]:
    values = vars(dataset) | {"options": ";".join(f"{k}={v}" for k, v in dataset.options.items())}
    return ["" if values[column] is None else str(values[column]) for column in COLUMNS]


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return the numbered lines of the file, split into cells, without comments."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        msg = f"{path} does not exist; it is a sheet of data sets (`sheets` in the configuration)"
        raise InputError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 text ({error.reason}); save the sheet as UTF-8"
        raise InputError(msg) from error
    lines = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    rows = [(number, [cell.strip() for cell in cells]) for number, cells in enumerate(lines, 1)]
    rows = [(number, cells) for number, cells in rows if any(cells) and cells[0][:1] != "#"]
    if not rows:
        msg = f"{path} is empty; its header has the columns {', '.join(COLUMNS)}"
        raise InputError(msg)
    return rows


def _check_columns(path: Path, rows: list[tuple[int, list[str]]]) -> None:
    line, header = rows[0]
    wrong = [f"unknown column {name!r}" for name in header if name not in COLUMNS]
    wrong += [f"missing column {name!r}" for name in _REQUIRED if name not in header]
    wrong += [f"repeated column {name!r}" for name in COLUMNS if header.count(name) > 1]
    if wrong:
        msg = (
            f"{path}, line {line}: {'; '.join(wrong)}. "
            f"The columns are {', '.join(COLUMNS)}, separated by tabs; only "
            f"{' and '.join(_REQUIRED)} must be there"
        )
        raise InputError(msg)


def _dataset(cells: dict[str, str], where: str) -> DataSet:
    """Validate one row."""
    if not _ID.fullmatch(cells["id"]):
        msg = (
            f"{where}: id {cells['id']!r} cannot name a file; use letters, digits and . _ - only, "
            "and do not start with a dot"
        )
        raise InputError(msg)
    where = f"{where} ({cells['id']})"
    source = _one_of(cells["source"], SOURCES, "source", where)
    sha256 = cells["sha256"].lower() or None
    if sha256 and not _SHA256.fullmatch(sha256):
        msg = (
            f"{where}: sha256 {cells['sha256']!r} is not 64 hexadecimal digits; correct or empty it"
        )
        raise InputError(msg)
    dataset = DataSet(
        cells["id"],
        source,
        cells["location"],
        sha256,
        *(_count(cells[key], key, where) for key in ("samples", "features", "classes")),
        cells["label"] or None,
        cells["id_column"] or None,
        _one_of(cells["orientation"] or "rows", ORIENTATIONS, "orientation", where),
        _options(cells["options"], source, where),
    )
    _check_needs(dataset, where)
    return dataset


def _check_needs(dataset: DataSet, where: str) -> None:
    """Refuse a row without what its source needs."""
    needs = {"simulate": ("samples", "features", "classes")}
    needs |= dict.fromkeys(("geo", "table"), ("location", "label"))
    for key in needs.get(dataset.source, ("location",)):
        if not getattr(dataset, key):
            msg = f"{where}: {key} is empty; source {dataset.source!r} needs it"
            raise InputError(msg)


def _one_of(value: str, known: dict | tuple, key: str, where: str) -> str:
    if value not in known:
        msg = f"{where}: unknown {key} {value!r}; use one of {', '.join(known)}"
        raise InputError(msg)
    return value


def _count(text: str, key: str, where: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        msg = f"{where}: {key} {text!r} is not a positive whole number; correct or empty it"
        raise InputError(msg)
    return int(text)


def _options(text: str, source: str, where: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            msg = f"{where}: option {part!r} is not of the form key=value; separate options by ;"
            raise InputError(msg)
        if key not in SOURCES[source] or key in options:
            what = "repeated" if key in options else "unknown"
            known = ", ".join(sorted(SOURCES[source])) or "none"
            msg = f"{where}: {what} option {key!r}; source {source!r} knows {known}"
            raise InputError(msg)
        if key in _WHOLE_NUMBERS and not (value.isascii() and value.isdigit()):
            msg = f"{where}: option {key} {value!r} is not a whole number; correct it"
            raise InputError(msg)
        options[key] = value
    return options
