"""The sheet of data sets, ``config/datasets.tsv``: one validated, typed row per data set.

The Snakefile reads it, also where only Snakemake is installed: nothing numerical is imported.
"""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import yaml

from xnbflow.core.entries import Source
from xnbflow.core.errors import InputError, about_file, did_you_mean, quoted
from xnbflow.core.refusals import Refusal
from xnbflow.core.study import OPTIONS_OF_DESIGN, design_settings
from xnbflow.core.terms import column_of_term
from xnbflow.sources.registry import ACCESSION, known_sources

#: The sheet's columns, in order.
SHEET_COLUMNS = (
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
_COUNT = {"pattern": "^(0*[1-9][0-9]{0,11})?$", "description": "a positive whole number"}
_TEXT = {"maxLength": 500, "description": "text of at most 500 characters"}

#: What separates names and options, and what patterns of names contain.
_RESERVED_IN_NAMES = re.compile(r"[%,;=*?\[\]]")

#: The valid cells of any row.
_CELLS: dict[str, dict[str, Any]] = {
    "id": {
        "pattern": r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,59}$",
        "description": "a name of a file: at most 60 letters, digits and . _ -, no dot first",
    },
    "source": {},
    "location": {"pattern": r"^[^\x00-\x1f]*$", **_TEXT},
    "sha256": {"pattern": "^([0-9a-fA-F]{64})?$", "description": "64 hexadecimal digits"},
    "samples": _COUNT,
    "features": _COUNT,
    "classes": _COUNT,
    "label": _TEXT,
    "id_column": _TEXT,
    "orientation": {"enum": ["", "rows", "columns"], "description": "rows or columns"},
    "options": {"maxLength": 20_000, "description": "text of at most 20,000 characters"},
}


@dataclass(frozen=True)
class SheetRow:
    """A row of the sheet.

    Attributes
    ----------
    id : str
        Names the data set in the configuration and in file names.
    source : str
        One of `xnbflow.sources.registry.known_sources`.
    location : str
        Place in the source: ``Brain/GSE50161`` (cumida), an accession, path or URL (geo), a path or
        URL (table), a name (bundled, uci, angular), empty (simulate).
    sha256 : str or None
        Checksum of the file, or of its uncompressed contents.
    samples, features, classes : int or None
        The expected shape; for simulate the shape of the simulated data.
    label, id_column : str or None
        For table: the column of class labels, and the column of sample names (by default samples
        are numbered). For geo, the label is ``title``, ``characteristics:diagnosis`` and the like.
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
    def local_files(self) -> dict[str, Path]:
        """The user's own files, by ``location`` or the option that names each.

        They are inputs of the workflow's rules. The source's entry lists the fields that may name
        files (`xnbflow.core.entries.Source.files`).
        """
        cells = {"location": self.location, **self.options}
        files = {}
        for key, no_file in known_sources()[self.source].files.items():
            cell = cells.get(key)
            if not cell or re.fullmatch(no_file, cell):
                continue
            path = local_path(cell)
            if path is not None:
                files[key] = path
        return files

    def with_files(self, files: Mapping[str, str]) -> "SheetRow":
        """Return the row with other paths of its own files (see `local_files`)."""
        files = dict(files)
        location = files.pop("location", self.location)
        return replace(self, location=location, options={**self.options, **files})

    @property
    def origin(self) -> dict[str, Any]:
        """What a model keeps of the row, so that another table of the same form is read alike."""
        return {
            "location": self.location,
            "label": self.label or "",
            "id_column": self.id_column or "",
            "orientation": self.orientation,
            "options": [f"{key}={value}" for key, value in self.options.items()],
        }

    def names(self, option: str) -> list[str]:
        """Return an option's comma-separated values; none where it is not set.

        ``%2C`` in a value is a comma, and so on (see `escape_name`).
        """
        texts = self.options.get(option, "").split(",")
        return [unquote(text.strip()) for text in texts if text.strip()]


def escape_name(name: str) -> str:
    """Return a name of a column with its separators and wildcards percent-encoded.

    Examples
    --------
    >>> escape_name("site, ward [id]")
    'site%2C ward %5Bid%5D'
    """
    return _RESERVED_IN_NAMES.sub(lambda match: f"%{ord(match[0]):02X}", name)


_WRONG_COLUMNS = Refusal(
    code="sheet.wrong-columns",
    sentence=(
        "{path}, line {line}: {faults}. The columns are {columns}, separated by tabs; only "
        "{required} must be there"
    ),
)

_OTHER_WIDTH = Refusal(
    code="sheet.other-width",
    sentence=(
        "{where}: {n_cells:#cell}, but the header has {width}; separate cells by one tab each"
        " and keep empty ones"
    ),
)

_REPEATED_ID = Refusal(
    code="sheet.repeated-id",
    sentence="{where}: id {id!r} occurs before; ids must be unique",
    key="id",
)


_NO_SHEET = Refusal(
    code="sheet.no-sheet",
    sentence=(
        "{path} does not exist; it is a sheet of data sets: correct `sheets` in the configuration"
    ),
)

_UNREADABLE = Refusal(
    code="sheet.unreadable",
    sentence="{name} cannot be read ({reason}); give a sheet saved as UTF-8 text",
)

_EMPTY = Refusal(
    code="sheet.empty",
    sentence="{path} is empty; its header has the columns {columns}",
)


def read_sheet(path: str | Path) -> dict[str, SheetRow]:
    r"""Read and validate the sheet of data sets.

    Parameters
    ----------
    path : path
        A tab-separated file with columns of `SHEET_COLUMNS`, in any order; only ``id`` and
        ``source`` are required, the others are empty where the sheet lacks them. Lines that start
        with ``#`` are comments.

    Returns
    -------
    dict of str to SheetRow
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
    with about_file(path):
        try:
            text = path.read_text(encoding="utf-8-sig")
            lines = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
            rows = [
                (number, [cell.strip() for cell in cells]) for number, cells in enumerate(lines, 1)
            ]
        except FileNotFoundError as error:
            raise _NO_SHEET.error(path=path) from error
        except (OSError, ValueError, csv.Error) as error:  # a binary file is a UnicodeDecodeError
            why = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
            raise _UNREADABLE.error(name=quoted(str(path), 120), reason=why) from error
        numbered_rows = [
            (number, cells) for number, cells in rows if any(cells) and cells[0][:1] != "#"
        ]
        if not numbered_rows:
            raise _EMPTY.error(path=path, columns=", ".join(SHEET_COLUMNS))
        (line, header), *rows = numbered_rows
        wrong = [
            f"unknown column {quoted(name, 30)}" for name in header if name not in SHEET_COLUMNS
        ]
        wrong += [f"missing column {name!r}" for name in _REQUIRED if name not in header]
        wrong += [f"repeated column {name!r}" for name in SHEET_COLUMNS if header.count(name) > 1]
        if wrong:
            raise _WRONG_COLUMNS.error(
                path=path,
                line=line,
                faults="; ".join(wrong[:2]),
                columns=", ".join(SHEET_COLUMNS),
                required=" and ".join(_REQUIRED),
            )
        sheet: dict[str, SheetRow] = {}
        for line, cells in rows:
            where = f"{path}, line {line}"
            if len(cells) != len(header):
                raise _OTHER_WIDTH.error(where=where, n_cells=len(cells), width=len(header))
            filled_cells = dict(zip(header, cells, strict=True))
            dataset = _parse_row(dict.fromkeys(SHEET_COLUMNS, "") | filled_cells, where)
            if dataset.id in sheet:
                raise _REPEATED_ID.error(where=where, id=dataset.id)
            sheet[dataset.id] = dataset
        return sheet


def sheet_text(datasets: Iterable[SheetRow]) -> str:
    r"""Return data sets as the text of a sheet, with every column.

    Examples
    --------
    >>> sheet_text([SheetRow("wine", "bundled", "wine")]).splitlines()[1].split("\t")[:4]
    ['wine', 'bundled', 'wine', '']
    """
    rows: list[tuple[str, ...]] = [SHEET_COLUMNS]
    for dataset in datasets:
        options = ";".join(f"{key}={value}" for key, value in dataset.options.items())
        values = vars(dataset) | {"options": options}
        rows.append(tuple("" if values[key] is None else str(values[key]) for key in SHEET_COLUMNS))
    return "".join("\t".join(cells) + "\n" for cells in rows)


_UNKNOWN_SOURCE = Refusal(
    code="sheet.unknown-source",
    sentence="{where}: unknown source {source!r}; use one of {sources}{similar}",
    key="source",
)

_EMPTY_CELL = Refusal(
    code="sheet.empty-cell",
    sentence="{where}: {key} is empty; source {source!r} needs it. Fill it in",
)

_WRONG_LOCATION = Refusal(
    code="sheet.wrong-location",
    sentence="{where}: location {location!r} cannot be used: {reason}; {remedy}",
    key="location",
)

_WRONG_FILE_OPTION = Refusal(
    code="sheet.wrong-file-option",
    sentence="{where}: option {option} {location!r} cannot be used: {reason}; {remedy}",
)


def _parse_row(cells: dict[str, str], where: str) -> SheetRow:
    """Validate one row."""
    _refuse(cells, {"id": _CELLS["id"]}, where)
    where = f"{where} ({cells['id']})"
    sources = known_sources()
    if cells["source"] not in sources:
        raise _UNKNOWN_SOURCE.error(
            where=where,
            source=cells["source"],
            sources=", ".join(sources),
            similar=did_you_mean(cells["source"], sources),
        )
    source = sources[cells["source"]]
    for key in source.needs:
        if not cells[key]:
            raise _EMPTY_CELL.error(where=where, key=key, source=source.name)
    _refuse(cells, _CELLS, where)
    if fault := wrong_location(cells["location"]):
        raise _WRONG_LOCATION.error(
            where=where, location=cells["location"], reason=fault.reason, remedy=fault.remedy
        )
    options = _parse_options(cells["options"], source, where, cells["id"])
    for key in source.files.keys() & options.keys():
        if fault := wrong_location(options[key]):
            raise _WRONG_FILE_OPTION.error(
                where=where,
                option=key,
                location=options[key],
                reason=fault.reason,
                remedy=fault.remedy,
                key=key,
            )
    shape = ("samples", "features", "classes")
    counts = {key: int(cells[key]) if cells[key] else None for key in shape}
    return SheetRow(
        cells["id"],
        source.name,
        cells["location"],
        cells["sha256"].lower() or None,
        **counts,
        label=cells["label"] or None,
        id_column=cells["id_column"] or None,
        orientation=cells["orientation"] or "rows",
        options=options,
    )


_DESIGN = Refusal(
    code="sheet.design",
    sentence=(
        "{where}: {options:list} {n_options:is|are} part of the design of a study. Remove "
        "{n_options:it|them}, and write in the configuration, under the study:\n{design}{hint}"
    ),
)


def refuse_design(options: Mapping[str, str], where: str, dataset: str = "mine") -> None:
    """Refuse options that are part of the design of a study, with the lines to write there."""
    moved = {key: value for key, value in options.items() if key in OPTIONS_OF_DESIGN}
    if not moved:
        return
    lines = yaml.safe_dump(
        {"design": {dataset: design_settings(moved)}},
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=10_000,
    )
    columns = list(map(column_of_term, design_settings(moved).get("adjust", ())))
    hint = ""
    if columns:
        hint = (
            "\n A table keeps the columns to adjust for where the sheet has "
            f"phenotype_columns={','.join(columns)}."
        )
    raise _DESIGN.error(
        where=where,
        options=[f"option {key}" for key in moved],
        n_options=len(moved),
        design=indent(lines, "      ").rstrip(),
        hint=hint,
        key=next(iter(moved)),
    )


def reader_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return options without options of a design; columns to adjust for describe samples.

    Model files of earlier versions have options of the design among the options of their table.

    Examples
    --------
    >>> reader_options({"map": "a:b", "adjust": "factor(plate)", "trend": "yes"})
    {'map': 'a:b', 'phenotype_columns': 'plate'}
    """
    kept = {key: value for key, value in options.items() if key not in OPTIONS_OF_DESIGN}
    design = {key: value for key, value in options.items() if key in OPTIONS_OF_DESIGN}
    columns = [name for name in kept.get("phenotype_columns", "").split(",") if name]
    columns += map(column_of_term, design_settings(design).get("adjust", ()))
    if columns:
        kept["phenotype_columns"] = ",".join(dict.fromkeys(columns))
    return kept


_WRONG_CELL = Refusal(
    code="sheet.wrong-cell",
    sentence="{where}: {kind}{key} {cell!r} is not {description}; correct it",
)


def _refuse(
    cells: Mapping[str, str], schemas: Mapping[str, Mapping[str, Any]], where: str, what: str = ""
) -> None:
    """Raise an `InputError` for the first cell that its schema forbids."""
    for key, cell in cells.items():
        schema = schemas.get(key, {})
        is_listed = cell in schema.get("enum", [cell])
        is_short = len(cell) <= schema.get("maxLength", 1e9)
        if not (is_listed and is_short and re.search(schema.get("pattern", ""), cell)):
            raise _WRONG_CELL.error(
                where=where,
                kind=what,
                key=key,
                cell=cell,
                description=schema.get("description", "allowed"),
            )


def check_options(dataset: SheetRow) -> None:
    """Refuse invalid options of a row that was not read from a sheet."""
    schemas = known_sources()[dataset.source].options
    _refuse(dataset.options, schemas, f"data set {dataset.id}", "option ")


def is_accession(location: str) -> bool:
    """Return whether a location is GEO's accession of a series or a data set.

    Examples
    --------
    >>> is_accession("GSE781-GPL96"), is_accession("GSE781_series_matrix.txt.gz")
    (True, False)
    """
    return re.fullmatch(ACCESSION, location) is not None


_NO_HOME = Refusal(
    code="sheet.no-home",
    sentence="{location!r}: there is no such home ({error}); {remedy}",
)

_NO_URL = Refusal(
    code="sheet.no-url",
    sentence="{location!r} is no URL ({error}); {remedy}",
)


def local_path(location: str) -> Path | None:
    """Return the path of a location, ``file://`` or plain; None for any other URL."""
    try:
        if location.startswith("file:"):
            return Path(unquote(urlsplit(location).path))
        return None if "://" in location else Path(location).expanduser()
    except RuntimeError as error:
        remedy = "write the whole path"
        raise _NO_HOME.error(location=location, error=error, remedy=remedy) from error
    except ValueError as error:
        raise _NO_URL.error(location=location, error=error, remedy="correct it") from error


class LocationFault(NamedTuple):
    """Why a location can be neither a path nor a URL, as a clause, and what to do."""

    reason: str
    remedy: str


def wrong_location(location: str) -> LocationFault | None:
    """Return why a location can be neither a path nor a URL; None where it can.

    Examples
    --------
    >>> wrong_location("a.csv"), wrong_location("http:///a.csv").reason
    (None, 'the URL has no host')
    """
    if location.startswith("data:"):
        return LocationFault(
            "data URLs are not supported", "write the data to a file, and name that"
        )
    try:
        path = local_path(location)
        host = path is not None or urlsplit(location).hostname
    except InputError as error:
        problem = "there is no such home" if error.code == _NO_HOME.code else "it is no URL"
        return LocationFault(f"{problem} ({error.fields['error']})", str(error.remedy))
    except ValueError as error:
        return LocationFault(f"it is no URL ({error})", "correct it")
    if path is not None and any(len(part.encode()) > 255 for part in path.parts):
        return LocationFault("a name in it has more than 255 bytes", "shorten it")
    if path is not None and set("{}").intersection(location):
        return LocationFault("Snakemake reads braces as wildcards", "rename the file")
    return None if host else LocationFault("the URL has no host", "correct it")


_NO_KEY = Refusal(
    code="sheet.no-key",
    sentence="{where}: option {entry!r} is not of the form key=value; separate by ;",
)

_UNKNOWN_OPTION = Refusal(
    code="sheet.unknown-option",
    sentence="{where}: {fault} option {option!r}; source {source!r} has {options}. Correct it",
)


def _parse_options(text: str, source: Source, where: str, dataset: str) -> dict[str, str]:
    """Return the options of a cell, ``key=value;key=value``, each valid by its schema.

    Options of sources that read a user's file were options of the design, too.
    """
    schemas = source.options
    options: dict[str, str] = {}
    accepted = {*schemas, *(OPTIONS_OF_DESIGN if "group" in schemas else ())}
    for entry in map(str.strip, text.split(";")):
        if not entry:
            continue
        key, _, value = map(str.strip, entry.partition("="))
        if not value:
            raise _NO_KEY.error(where=where, entry=entry)
        if key not in accepted or key in options:
            fault = "repeated" if key in options else "unknown"
            names = ", ".join(sorted(schemas)) or "none"
            raise _UNKNOWN_OPTION.error(
                where=where, fault=fault, option=key, source=source.name, options=names, key=key
            )
        options[key] = value
    if not options.keys().isdisjoint(OPTIONS_OF_DESIGN):
        refuse_design(options, where, dataset)
    _refuse(options, schemas, where, "option ")
    return options
