"""Entries of the sources in the sheet of data sets; a package can add its own.

The Snakefile reads it in every job: nothing numerical is imported here.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from xnbflow.core.entries import Source
from xnbflow.core.plugins import with_plugins
from xnbflow.sources.series.scales import Transform

#: GEO's accession of a series or a data set.
ACCESSION = r"GDS\d+|GSE\d+(-GPL\d+)?"

#: The schema of an option that is a whole number.
WHOLE = {"pattern": "^[0-9]{1,18}$", "description": "a whole number"}
_NAMES = {"description": "names, separated by commas"}

_FORMAT: dict[str, Any] = {"enum": ["csv", "arff"], "description": "csv or arff"}
_SEPARATOR = {
    "enum": ["comma", "tab", "semicolon", "space", "pipe"],
    "description": "comma, tab, semicolon, space or pipe",
}
_ANY = {"maxLength": 5000, "description": "text of at most 5,000 characters"}
#: Options of the sources that read a user's file (`xnbflow.sources.series.steps`).
_OF_FILES: dict[str, dict[str, Any]] = {
    "batch": _ANY,
    "annotation": _ANY,
    "controls": {"enum": ["drop", "keep"], "description": "drop or keep"},
    "collapse": {
        "enum": ["none", "max_mean", "median"],
        "description": "none, max_mean or median",
    },
    "duplicates": {
        "enum": ["refuse", "max_mean", "mean", "rename"],
        "description": "refuse, max_mean, mean or rename",
    },
    "group": _ANY,
    "literal": _NAMES,
    "map": _ANY,
    "missing": {
        "pattern": r"^(refuse|impute|drop_features(:(0?\.[0-9]+|[01](\.0*)?))?)$",
        "description": "refuse, impute, drop_features or drop_features:0.2 (a share)",
    },
    "phenotype_columns": _NAMES,
    "regex": _ANY,
    "scale": {"enum": ["log2", "ln"], "description": "log2 or ln"},
    "transform": {
        "enum": [transform.value for transform in Transform],
        "description": "none, log2, log2p1, log_cpm or tmm",
    },
    "unlabelled": {"enum": ["refuse", "drop", "ignore"], "description": "refuse or drop"},
}

#: Options of names of rows and columns (`xnbflow.sources.roles`).
_OF_NAMES: dict[str, dict[str, Any]] = dict.fromkeys(
    ("angular", "categorical", "drop", "features"), _NAMES
)

#: Values of the option ``annotation`` that are not files.
_PLATFORM = r"GPL\d+|none"

_OWN = (
    Source(
        name="cumida",
        module="xnbflow.sources.cumida",
        options={"features_tolerance": WHOLE, "format": _FORMAT}
        | {
            key: _OF_FILES[key]
            for key in ("annotation", "collapse", "literal", "map", "transform", "unlabelled")
        },
        files={"annotation": _PLATFORM},
    ),
    Source(
        name="microarray",
        module="xnbflow.sources.microarray",
        options={"features_tolerance": WHOLE}
        | {
            key: _OF_FILES[key]
            for key in ("annotation", "collapse", "literal", "map", "transform", "unlabelled")
        },
        files={"annotation": _PLATFORM},
        unserved={".*": "{location}.csv"},
    ),
    Source(
        name="geo",
        module="xnbflow.sources.geo",
        options=_OF_FILES | _OF_NAMES,
        needs=("location", "label"),
        files={"location": ACCESSION, "annotation": _PLATFORM},
    ),
    Source(
        name="table",
        module="xnbflow.sources.table",
        options=_OF_FILES
        | _OF_NAMES
        | {
            "decimal": {"enum": ["point", "comma"], "description": "point or comma"},
            "encoding": {"enum": ["utf-8", "cp1252"], "description": "utf-8 or cp1252"},
            "header": {
                "pattern": "^[1-9][0-9]?$",
                "description": "the number of the header's line",
            },
            "matrix": _ANY,
            "phenotype": _ANY,
            "phenotype_id": _ANY,
            "phenotype_sheet": _ANY,
            "separator": _SEPARATOR,
            "sheet": _ANY,
        },
        needs=("location", "label"),
        files={"location": "", "phenotype": ACCESSION, "annotation": _PLATFORM},
    ),
    Source(name="bundled", module="xnbflow.sources.bundled"),
    Source(
        name="simulate",
        module="xnbflow.sources.simulate",
        options={
            "batches": {"pattern": "^[1-9]$", "description": "a whole number from 1 to 9"},
            "cohort": WHOLE,
            "scale": _OF_FILES["scale"],
            "seed": WHOLE,
        },
        needs=("samples", "features", "classes"),
    ),
)

#: The sources of this package by name.
SOURCES = {source.name: source for source in _OWN}


@cache
def known_sources() -> Mapping[str, Source]:
    """Return every source by name: those of the core, of papers and of other packages."""
    return with_plugins("xnbflow.sources", Source, SOURCES)
