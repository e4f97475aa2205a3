"""A data set as the configuration describes it: a typed entry of ``datasets``, and its checks.

The Snakefile reads it, also where only Snakemake is installed: nothing numerical is imported.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import yaml

from xnbflow.core.entries import Source
from xnbflow.core.errors import InputError, did_you_mean, quoted
from xnbflow.core.nouns import either, listed
from xnbflow.core.schemas import check
from xnbflow.core.study import Design
from xnbflow.core.terms import column_of_term
from xnbflow.sources.registry import ACCESSION, entry_schema, known_sources
from xnbflow.sources.series.scales import MissingSetting, TransformSetting

#: The label of a table whose classes are parts of its samples' names.
SAMPLE_NAMES = "sample names"

#: Ids of data sets: they name folders.
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,59}")

#: The keys of the mapping ``phenotype`` that name its place.
PLACES_OF_PHENOTYPE = ("file", "url", "accession")

#: The place of a key for a message: its file and line, or no text.
Locate = Callable[[Sequence[Any]], str]


@dataclass(frozen=True)
class NamePattern:
    """Names with the wildcards ``*`` and ``?``, ``{pattern: "*_at"}`` in the configuration.

    A list of names cannot select the ten thousand probes of a table of 20,000 columns.
    """

    pattern: str


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The shape that a data set must have; None where any number is accepted.

    ``features_tolerance`` is by how many features a series may differ. For simulated data it is
    the shape that is drawn.
    """

    samples: int | None = None
    features: int | None = None
    classes: int | None = None
    features_tolerance: int = 0


@dataclass(frozen=True)
class DatasetEntry:
    """An entry of ``datasets`` in the configuration. A field is unset if it is None or empty.

    Attributes
    ----------
    id : str
        The key of the entry; it names the data set in studies and in file names.
    source : str
        One of `xnbflow.sources.registry.known_sources`.
    location : str
        What the entry has under ``file``, ``url``, ``accession`` or ``name``, by its source; empty
        for simulated data.
    sha256 : str or None
        Checksum of the file, or of its uncompressed contents.
    shape : Shape
        The expected numbers of samples, features and classes.
    samples : {"rows", "columns"}
        Whether a sample is a row or a column of a table.
    label : str or None
        The column of class labels, a field of GEO such as ``characteristics:diagnosis``, or
        `SAMPLE_NAMES`.
    label_classes : tuple of str
        The classes that are searched in the texts of the label (``label: {classes: ...}``).
    label_pattern : str or None
        A regular expression that finds the class in these texts (``label: {pattern: ...}``).
    id_column : str or None
        The column of sample names (key ``id``); with samples in columns, that of feature names.
    phenotype : str or None
        A table of the samples' columns: a file, a URL or an accession of GEO.
    phenotype_sheet, phenotype_id : str or None
        Its sheet in a workbook, and its column of sample names.
    phenotype_columns : tuple of str
        Columns that describe samples, and are no features (``phenotype: {columns: ...}``).
    group, batch : str or None
        The column of what samples share, such as patients, and of batches.
    drop, features, categorical : tuple of str or NamePattern
        Columns to leave out, the only features, and features that are categories.
    angular : dict of str to str or number
        Features that are angles: ``degrees``, ``radians``, or the period.
    map : dict of str to str
        The label of each text; other samples are left out.
    literal : tuple of str
        Words that are labels although they look like missing values.
    unlabelled : str or None
        ``refuse`` (the default) or ``drop`` samples without a label; ``ignore`` for prediction.
    transform : str or dict or None
        The logarithm that is taken of the values: a name, or ``{log2: {floor: 20}}`` of values that
        are raised to 20 before.
    scale : str or None
        The logarithm that was taken before.
    missing : str or dict or None
        ``refuse`` (the default), ``impute``, ``drop_features``, or ``{drop_features: share}``.
    annotation : str or None
        Gene symbols: a platform of GEO, a file, a URL, or ``none``.
    controls, collapse, duplicates : str or None
        What becomes of control probes, of several probes of a gene, and of repeated names.
    reference : str or None
        The class with which others are compared, unless the design of a study names another.
    separator, decimal, encoding, sheet, matrix : str or None
        How a file is read.
    header : int or None
        The line of the header in a text file.
    options : dict
        Further keys of the source, such as the ``seed`` of simulated data.

    Examples
    --------
    >>> DatasetEntry("mine", "table", "mine.csv", label="type", transform="log2").settings()
    {'source': 'table', 'file': 'mine.csv', 'label': 'type', 'transform': 'log2'}
    """

    id: str
    source: str
    location: str = ""
    sha256: str | None = None
    _: KW_ONLY
    shape: Shape = Shape()
    samples: str = "rows"
    label: str | None = None
    label_classes: tuple[str, ...] = ()
    label_pattern: str | None = None
    id_column: str | None = None
    phenotype: str | None = None
    phenotype_sheet: str | None = None
    phenotype_id: str | None = None
    phenotype_columns: tuple[str, ...] = ()
    group: str | None = None
    batch: str | None = None
    drop: tuple[str | NamePattern, ...] = ()
    features: tuple[str | NamePattern, ...] = ()
    categorical: tuple[str | NamePattern, ...] = ()
    angular: dict[str, str | float] = field(default_factory=dict, hash=False)
    map: dict[str, str] = field(default_factory=dict, hash=False)
    literal: tuple[str, ...] = ()
    unlabelled: str | None = None
    transform: TransformSetting | None = field(default=None, hash=False)
    scale: str | None = None
    missing: MissingSetting | None = field(default=None, hash=False)
    annotation: str | None = None
    controls: str | None = None
    collapse: str | None = None
    duplicates: str | None = None
    reference: str | None = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: int | None = None
    sheet: str | None = None
    matrix: str | None = None
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def with_defaults(self, **values: Any) -> "DatasetEntry":
        """Return the entry with values for those fields that are unset.

        Examples
        --------
        >>> entry = DatasetEntry("x", "table", "x.csv", transform="log2")
        >>> entry = entry.with_defaults(transform="tmm", missing="impute")
        >>> entry.transform, entry.missing
        ('log2', 'impute')
        """
        unset = {name: value for name, value in values.items() if not getattr(self, name)}
        return replace(self, **unset)

    @property
    def transform_name(self) -> str:
        """The name of the transform; empty without one.

        Examples
        --------
        >>> entry = DatasetEntry("x", "table", "x.csv", transform={"log2": {"floor": 20}})
        >>> entry.transform_name, entry.transform_floor
        ('log2', 20)
        """
        if isinstance(self.transform, dict):
            return next(iter(self.transform))
        return self.transform or ""

    @property
    def transform_floor(self) -> float | None:
        """The value to which smaller ones are raised before logarithms are taken."""
        if isinstance(self.transform, dict):
            return self.transform[self.transform_name]["floor"]
        return None

    @property
    def reading(self) -> dict[str, Any]:
        """The keys by which a file is opened as a table, where they are set.

        ``columns`` are the columns of the samples that the entry names; an AnnData file may have
        many others.
        """
        keys = ("separator", "decimal", "encoding", "header", "sheet", "matrix")
        values: dict[str, Any] = {key: getattr(self, key) for key in keys}
        values["columns"] = [*self.phenotype_columns, *filter(None, [self.batch])]
        return {key: value for key, value in values.items() if value}

    @property
    def local_files(self) -> dict[str, Path]:
        """The user's own files by the field that names each; they are inputs of the rules.

        The source's entry lists the fields that may name files
        (`xnbflow.core.entries.Source.files`).
        """
        files = {}
        for name, no_file in known_sources()[self.source].files.items():
            value = self.options.get(name, getattr(self, name, None))
            if not value or re.fullmatch(no_file, value):
                continue
            path = local_path(value)
            if path is not None:
                files[name] = path
        return files

    def key_of_file(self, name: str) -> str:
        """Return the key of the configuration that a field of `local_files` has there.

        Examples
        --------
        >>> DatasetEntry("x", "table", "x.csv").key_of_file("location")
        'file'
        """
        places = known_sources()[self.source].places
        return place_key(self.location, places) if name == "location" and places else name

    def with_files(self, files: Mapping[str, str]) -> "DatasetEntry":
        """Return the entry with other paths of its own files (see `local_files`)."""
        fields_with_files: dict[str, Any] = {}
        options = dict(self.options)
        for name, path in files.items():
            if name in self.options:
                options[name] = location_of_path(path)
            else:
                fields_with_files[name] = location_of_path(path)
        return replace(self, **fields_with_files, options=options)

    def settings(self) -> dict[str, Any]:
        """Return the entry as the configuration has it; `read_entry` reads it back.

        Examples
        --------
        >>> DatasetEntry("x", "table", "x.csv", label="type", drop=("note",)).settings()
        {'source': 'table', 'file': 'x.csv', 'label': 'type', 'drop': ['note']}
        """
        phenotype: dict[str, Any] = {}
        if self.phenotype:
            phenotype[place_key(self.phenotype, PLACES_OF_PHENOTYPE)] = self.phenotype
        phenotype |= {
            "sheet": self.phenotype_sheet,
            "id": self.phenotype_id,
            "columns": self.phenotype_columns,
        }
        label: Any = self.label  # the name of a column, or a mapping
        if label and (self.label_classes or self.label_pattern or label == SAMPLE_NAMES):
            label = {
                "from" if label == SAMPLE_NAMES else "column": label,
                "classes": self.label_classes,
                "pattern": self.label_pattern,
            }
        places = known_sources()[self.source].places
        settings: dict[str, Any] = {"source": self.source}
        if places and self.location:
            settings[place_key(self.location, places)] = self.location
        settings |= {
            "sha256": self.sha256,
            "samples": "columns" if self.samples == "columns" else None,
            "label": label,
            "id": self.id_column,
            "phenotype": phenotype,
        }
        written_fields = {
            *("id", "source", "location", "sha256", "samples", "label", "label_classes"),
            *("label_pattern", "id_column", "shape", "options"),
        }
        for entry in fields(self):
            if entry.name not in written_fields and not entry.name.startswith("phenotype"):
                settings[entry.name] = getattr(self, entry.name)
        settings |= self.options
        shape = {key: number for key, number in vars(self.shape).items() if number}
        return _set_values({**settings, "shape": shape})


def _set_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are set, neither None nor empty, as YAML has them."""
    set_values: dict[str, Any] = {}
    for key, value in values.items():
        plain = value
        if isinstance(value, tuple):
            plain = [
                {"pattern": item.pattern} if isinstance(item, NamePattern) else item
                for item in value
            ]
        elif isinstance(value, Mapping):
            plain = _set_values(value) if key in ("label", "phenotype") else dict(value)
        if plain not in (None, "", [], {}):
            set_values[key] = plain
    return set_values


def place_key(location: str, places: Sequence[str]) -> str:
    """Return the key, of those that a source has for places, under which a location is written.

    Examples
    --------
    >>> place_key("GSE4107", ("accession", "file", "url")), place_key("wine", ("name",))
    ('accession', 'name')
    """
    if "url" in places and "://" in location:
        return "url"
    if "accession" in places and is_accession(location):
        return "accession"
    return "file" if "file" in places else places[0]


def matching(names: Iterable[str], items: Sequence[str | NamePattern]) -> set[str]:
    """Return the names that are among some items, or match a pattern among them.

    Examples
    --------
    >>> matching(["a_at", "b"], [NamePattern("*_at")]), matching(["a_at", "b"], ["*_at", "b"])
    ({'a_at'}, {'b'})
    """
    plain = {item for item in items if not isinstance(item, NamePattern)}
    patterns = [item.pattern for item in items if isinstance(item, NamePattern)]
    return {
        name
        for name in names
        if name in plain or any(fnmatchcase(name, pattern) for pattern in patterns)
    }


def read_entry(
    dataset: str,
    settings: Any,
    where: str = "",
    *,
    locate: Locate | None = None,
    is_complete: bool = True,
) -> DatasetEntry:
    """Check an entry of the configuration, and return it with its types.

    Parameters
    ----------
    dataset : str
        Its key.
    settings : mapping
        The value, as read from YAML.
    where : str
        The place of the entry in messages; by default its keys in the configuration.
    locate : callable, optional
        Returns the file and line of a key for a message; the keys are those below the entry.
    is_complete : bool
        Whether the keys that the source needs must be there; a command proposes a label.

    Raises
    ------
    InputError
        If a key is unknown or lacking, or a value is not valid; the message names the key.

    Examples
    --------
    >>> entry = read_entry("x", {"source": "table", "file": "x.csv", "label": "type"})
    >>> entry.location, entry.label
    ('x.csv', 'type')
    >>> read_entry("x", {"source": "table", "file": "x.csv", "labl": "type"})
    Traceback (most recent call last):
      ...
    xnbflow.core.errors.InputError: ...datasets.x: unknown key 'labl'; did you mean 'label'?
    """
    where = where or f"configuration, datasets.{dataset}"
    located = locate or (lambda _: "")
    if not isinstance(dataset, str) or not _ID.fullmatch(dataset):
        msg = (
            f"{where}{located([])}: {quoted(dataset)} cannot name a data set; use at most 60 "
            "letters, digits and . _ -, no dot first"
        )
        raise InputError(msg, key="datasets")
    source = _source_of(settings, where, located)
    if "group" in source.keys:
        refuse_design(settings, f"{where}{located([])}", dataset)
    check(settings, entry_schema(source, is_complete=is_complete), where, located)

    values: dict[str, Any] = {}
    options: dict[str, Any] = {}
    location = ""
    known_fields = {entry.name for entry in fields(DatasetEntry)}
    for key, value in settings.items():
        if key == "source":
            continue
        if key in source.places:
            location = value
        elif key == "label":
            values |= _label_fields(value, f"{where}, label{located(['label'])}")
        elif key == "id":
            values["id_column"] = value
        elif key == "phenotype":
            values |= _phenotype_fields(value, f"{where}, phenotype{located(['phenotype'])}")
        elif key == "shape":
            values["shape"] = Shape(**value)
        elif key == "sha256":
            values["sha256"] = value.lower()
        elif key in known_fields:
            values[key] = _typed(value)
        else:
            options[key] = value
    entry = DatasetEntry(dataset, source.name, location, options=options, **values)
    _refuse_wrong_places(entry, source.places, where, located)
    for key in ("group", "batch"):
        if isinstance(settings.get("label"), str) and getattr(entry, key) == entry.label:
            msg = (
                f"{where}, {key}{located([key])}: {quoted(entry.label)} is the label; name "
                f"another column by {key}, or remove it"
            )
            raise InputError(msg, key=key)
    return entry


def _source_of(settings: Any, where: str, locate: Locate) -> Source:
    """Return the source that an entry names."""
    sources = known_sources()
    if not isinstance(settings, Mapping) or "source" not in settings:
        msg = (
            f"{where}{locate([])}: give a mapping with the key source: one of {', '.join(sources)}"
        )
        raise InputError(msg, key="source")
    name = settings["source"]
    if not isinstance(name, str) or name not in sources:
        msg = (
            f"{where}, source{locate(['source'])}: unknown source {quoted(name)}; use one of "
            f"{', '.join(sources)}{did_you_mean(str(name), sources)}"
        )
        raise InputError(msg, key="source")
    return sources[name]


def _typed(value: Any) -> Any:
    """Return a value of YAML as that of a field: lists are tuples of names and patterns."""
    if isinstance(value, list):
        return tuple(
            NamePattern(item["pattern"]) if isinstance(item, Mapping) else item for item in value
        )
    return dict(value) if isinstance(value, Mapping) else value


def _label_fields(value: Any, where: str) -> dict[str, Any]:
    """Return the fields that the key ``label`` sets."""
    if isinstance(value, str):
        return {"label": value}
    if "classes" in value and "pattern" in value:
        msg = f"{where}: classes and pattern both find the class in a text; keep one of them"
        raise InputError(msg, key="label")
    return {
        "label": value.get("column", value.get("from")),
        "label_classes": tuple(value.get("classes", ())),
        "label_pattern": value.get("pattern"),
    }


def _phenotype_fields(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the fields that the key ``phenotype`` sets."""
    places = [key for key in PLACES_OF_PHENOTYPE if key in value]
    if len(places) > 1:
        msg = f"{where}: {places[0]} and {places[1]} are two places; keep one of them"
        raise InputError(msg, key="phenotype")
    located = ("sheet", "id")
    if not places and (lost := [key for key in located if key in value]):
        msg = (
            f"{where}: {lost[0]} belongs to a file of its own; name that by file, url or accession"
        )
        raise InputError(msg, key="phenotype")
    return {
        "phenotype": value[places[0]] if places else None,
        "phenotype_sheet": value.get("sheet"),
        "phenotype_id": value.get("id"),
        "phenotype_columns": tuple(value.get("columns", ())),
    }


def _refuse_wrong_places(
    entry: DatasetEntry, places: Sequence[str], where: str, locate: Locate
) -> None:
    """Refuse locations that can be neither a path nor a URL."""
    if not places:
        return
    candidates = {place_key(entry.location, places): entry.location}
    candidates |= {"phenotype": entry.phenotype or "", "annotation": entry.annotation or ""}
    for key, location in candidates.items():
        if fault := wrong_location(location):
            msg = (
                f"{where}, {key}{locate([key])}: {quoted(location)} cannot be used: "
                f"{fault.reason}; {fault.remedy}"
            )
            raise InputError(msg, key=key)


def refuse_design(settings: Mapping[str, Any], where: str, dataset: str = "mine") -> None:
    """Refuse keys that are part of the design of a study, with the lines to write there."""
    moved = {key: value for key, value in settings.items() if key in KEYS_OF_DESIGN}
    if not moved:
        return
    lines = yaml.safe_dump(
        {"design": {dataset: moved}},
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=10_000,
    )
    columns = [column_of_term(term) for term in moved.get("adjust", ()) if isinstance(term, str)]
    hint = ""
    if columns:
        hint = (
            "\n A table keeps the columns to adjust for where its entry has "
            f"phenotype: {{columns: [{', '.join(columns)}]}}."
        )
    indented = "".join(f"      {line}\n" for line in lines.splitlines()).rstrip()
    msg = (
        f"{where}: {listed(list(moved))} {either(len(moved), 'is', 'are')} part of the design of "
        f"a study. Remove {either(len(moved), 'it', 'them')}, and write under the study:\n"
        f"{indented}{hint}"
    )
    raise InputError(msg, key=next(iter(moved)))


#: Keys of the design of a study that an entry does not have.
KEYS_OF_DESIGN = tuple(entry.name for entry in fields(Design) if entry.name != "reference")


def is_accession(location: str) -> bool:
    """Return whether a location is GEO's accession of a series or a data set.

    Examples
    --------
    >>> is_accession("GSE781-GPL96"), is_accession("GSE781_series_matrix.txt.gz")
    (True, False)
    """
    return re.fullmatch(ACCESSION, location) is not None


def location_of_path(path: str | Path) -> str:
    """Return the location of a file of this machine: one with the name of an accession is ./GSE5.

    Examples
    --------
    >>> location_of_path("data/a.csv"), location_of_path("GSE5")
    ('data/a.csv', './GSE5')
    """
    return f"./{path}" if is_accession(str(path)) else str(path)


def location_of_argument(text: str) -> str:
    """Return the location that a user names in a command: a file, if it exists, or an accession."""
    return location_of_path(text) if is_accession(text) and Path(text).is_file() else text


def local_path(location: str) -> Path | None:
    """Return the path of a location, ``file://`` or plain; None for any other URL.

    Raises
    ------
    InputError
        If there is no such home as the path begins with, or a URL cannot be parsed.
    """
    try:
        if location.startswith("file:"):
            return Path(unquote(urlsplit(location).path))
        return None if "://" in location else Path(location).expanduser()
    except RuntimeError as error:
        msg = f"{quoted(location)}: there is no such home ({error}); write the whole path"
        raise InputError(msg) from error
    except ValueError as error:
        msg = f"{quoted(location)} is no URL ({error}); correct it"
        raise InputError(msg) from error


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
        host = "" if path is not None else urlsplit(location).hostname
    except InputError as error:
        if isinstance(error.__cause__, RuntimeError):
            reason = f"there is no such home ({error.__cause__})"
            return LocationFault(reason, "write the whole path")
        return LocationFault(f"it is no URL ({error.__cause__})", "correct it")
    except ValueError as error:
        return LocationFault(f"it is no URL ({error})", "correct it")
    fault = None
    if path is None and not host:
        fault = LocationFault("the URL has no host", "correct it")
    elif path is not None and any(len(part.encode()) > 255 for part in path.parts):
        fault = LocationFault("a name in it has more than 255 bytes", "shorten it")
    elif path is not None and set("{}").intersection(location):
        fault = LocationFault("Snakemake reads braces as wildcards", "rename the file")
    return fault
