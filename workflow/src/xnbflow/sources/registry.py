"""The sources of data sets, and the keys of their entries; a package can add its own sources.

The Snakefile reads it in every job: nothing numerical is imported here.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from xnbflow.core.entries import Schema, Source, choice, number, whole
from xnbflow.core.plugins import with_plugins
from xnbflow.sources.series.scales import Transform

#: GEO's accession of a series or a data set.
ACCESSION = r"GDS\d+|GSE\d+(-GPL\d+)?"

#: A name of a column, a class or a file. YAML reads 1, no and 2024-01-02 without quotes otherwise.
NAME: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 5000,
    "pattern": r"^[^\x00-\x1f]*$",
    "description": "a text (in quotes if YAML reads it as a number, a date, or yes or no)",
}
#: A list of names.
NAMES: Schema = {"type": "array", "items": NAME, "uniqueItems": True, "minItems": 1}


def _either(mapping: Schema, other: Schema) -> Schema:
    """Return the schema of a mapping or of another value; errors are those of the one that fits."""
    return {"if": {"type": "object"}, "then": mapping, "else": other}


def _keys(properties: dict[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a mapping with these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": list(required),
        "description": f"a mapping with the keys {', '.join(properties)}",
    }


_NAMES_OR_PATTERNS: Schema = {
    "type": "array",
    "items": {
        **_either(_keys({"pattern": NAME}, required=("pattern",)), NAME),
        "description": "a name, or {pattern: '*_at'}",
    },
    "uniqueItems": True,
    "minItems": 1,
}
_COUNT = whole(1, 10**12)
_PARTS_OF_LABEL = _keys(
    {"column": NAME, "from": choice("sample names"), "classes": NAMES, "pattern": NAME}
)
_COLUMN_OR_NAMES = {"oneOf": [{"required": ["column"]}, {"required": ["from"]}]}
_LABEL = _either({**_PARTS_OF_LABEL, **_COLUMN_OR_NAMES}, NAME)
#: The label of a table for which a column is still to be chosen.
_PARTIAL_LABEL = _either(_PARTS_OF_LABEL, NAME)
_SHAPE = _keys(
    {
        "samples": _COUNT,
        "features": _COUNT,
        "classes": _COUNT,
        "features_tolerance": whole(0, 10**6),
    }
)

#: The keys that may name the place of a data set; `Source.places` has those of a source.
_PLACES: dict[str, Schema] = {
    "file": {
        **NAME,
        "pattern": r"^(?!(https?|ftp|sftp|s3|gs):)[^\x00-\x1f]*$",
        "description": "the path of a file (an address on the internet has the key url)",
    },
    "url": {**NAME, "pattern": "^[A-Za-z]+:", "description": "a URL, as https://example.org/x.csv"},
    "accession": {
        **NAME,
        "pattern": f"^({ACCESSION})$",
        "description": "an accession of GEO, as GSE4107, GSE781-GPL96 or GDS507",
    },
    "name": NAME,
}

#: The keys of every source.
_COMMON: dict[str, Schema] = {
    "source": NAME,
    "sha256": {
        "type": "string",
        "pattern": "^[0-9a-fA-F]{64}$",
        "description": "64 hexadecimal digits",
    },
    "shape": _SHAPE,
    "reference": NAME,
}

#: The keys of sources of tables (`xnbflow.sources.series.steps`), which CuMiDa's files have.
_OF_TABLES: dict[str, Schema] = {
    "annotation": NAME,
    "collapse": choice("none", "max_mean", "median"),
    "literal": NAMES,
    "map": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": NAME,
        "additionalProperties": NAME,
        "description": "a mapping from texts to labels, as {gbm: tumour, ctrl: normal}",
    },
    "transform": _either(
        _keys({"log2": _keys({"floor": number(above=0)}, required=("floor",))}, ("log2",)),
        {
            "enum": [transform.value for transform in Transform],
            "description": f"{', '.join(Transform)}, or {{log2: {{floor: 20}}}}",
        },
    ),
    "unlabelled": choice("refuse", "drop", "ignore"),
}
#: The keys of the sources that read a user's file.
_OF_FILES: dict[str, Schema] = {
    **_OF_TABLES,
    "label": _LABEL,
    "phenotype": _keys(
        {
            "file": _PLACES["file"],
            "url": _PLACES["url"],
            "accession": _PLACES["accession"],
            "sheet": NAME,
            "id": NAME,
            "columns": NAMES,
        }
    ),
    "group": NAME,
    "batch": NAME,
    "drop": _NAMES_OR_PATTERNS,
    "features": _NAMES_OR_PATTERNS,
    "categorical": _NAMES_OR_PATTERNS,
    "angular": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "anyOf": [choice("degrees", "radians"), number(above=0)],
            "description": "degrees, radians, or the period, a number above 0",
        },
        "description": "a mapping from features to their unit, as {hour: 24, wind: degrees}",
    },
    "scale": choice("log2", "ln", "log10"),
    "missing": _either(
        _keys({"drop_features": number(least=0, most=1)}, required=("drop_features",)),
        {
            "enum": ["refuse", "impute", "drop_features"],
            "description": "refuse, impute, drop_features, or {drop_features: 0.2} (a share)",
        },
    ),
    "controls": choice("drop", "keep"),
    "duplicates": choice("refuse", "max_mean", "mean", "rename"),
}

#: Values of ``annotation`` that are not files.
_PLATFORM = r"GPL\d+|none"

_OWN = (
    Source(
        name="cumida",
        module="xnbflow.sources.cumida",
        keys={**_OF_TABLES, "format": choice("csv", "arff")},
        files={"annotation": _PLATFORM},
        served=True,
    ),
    Source(
        name="microarray",
        module="xnbflow.sources.microarray",
        keys=_OF_TABLES,
        files={"annotation": _PLATFORM},
        unserved={".*": "{location}.csv"},
    ),
    Source(
        name="geo",
        module="xnbflow.sources.geo",
        keys=_OF_FILES,
        places=("accession", "file", "url"),
        needs=("label",),
        files={"location": ACCESSION, "annotation": _PLATFORM},
    ),
    Source(
        name="table",
        module="xnbflow.sources.table",
        keys={
            **_OF_FILES,
            "samples": choice("rows", "columns"),
            "id": NAME,
            "separator": choice("comma", "tab", "semicolon", "space", "pipe"),
            "decimal": choice("point", "comma"),
            "encoding": choice("utf-8", "cp1252"),
            "header": whole(1, 99),
            "sheet": NAME,
            "matrix": NAME,
        },
        places=("file", "url"),
        needs=("label",),
        files={"location": "", "phenotype": ACCESSION, "annotation": _PLATFORM},
    ),
    Source(name="bundled", module="xnbflow.sources.bundled"),
    Source(
        name="simulate",
        module="xnbflow.sources.simulate",
        keys={
            "shape": {**_SHAPE, "required": ["samples", "features", "classes"]},
            "batches": whole(1, 9),
            "cohort": whole(0),
            "scale": choice("log2", "ln", "log10"),
            "seed": whole(0),
        },
        places=(),
        needs=("shape",),
    ),
)

#: The sources of this package by name.
_SOURCES = {source.name: source for source in _OWN}


@cache
def known_sources() -> Mapping[str, Source]:
    """Return every source by name: those of the core, of papers and of other packages."""
    return with_plugins("xnbflow.sources", Source, _SOURCES)


def is_entry_key(key: str | None) -> bool:
    """Return whether a key describes a data set, apart from its source and its place.

    Examples
    --------
    >>> [is_entry_key(key) for key in ("label", "phenotype.id", "source", "folds")]
    [True, True, False, False]
    """
    name = (key or "").partition(".")[0]
    keys = set(_COMMON).union(*(source.keys for source in known_sources().values()))
    return name in keys - {"source"}


def entry_schema(source: Source, *, is_complete: bool = True) -> Schema:
    """Return the JSON schema of an entry of ``datasets`` with this source.

    An entry that is not complete may lack keys that the source needs, which a command proposes.

    Examples
    --------
    >>> schema = entry_schema(_SOURCES["bundled"])
    >>> list(schema["properties"]), schema["required"]
    (['source', 'name', 'sha256', 'shape', 'reference'], ['source', 'name'])
    """
    properties: dict[str, Any] = {"source": _COMMON["source"]}
    properties |= {place: _PLACES[place] for place in source.places}
    properties |= _COMMON
    properties |= source.keys
    schema: Schema = {
        "type": "object",
        "properties": properties,
        # before the required keys: a misspelt key is named as it is written
        "additionalProperties": False,
        "required": ["source", *(source.needs if is_complete else ())],
    }
    if not is_complete and "label" in source.keys:
        properties["label"] = _PARTIAL_LABEL
    if len(source.places) == 1:
        schema["required"].insert(1, source.places[0])
    elif source.places:
        schema["oneOf"] = [{"required": [place]} for place in source.places]
    return schema
