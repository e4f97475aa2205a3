"""Every source that the sheet of data sets can name, an entry each; a package can add its own.

It is read whenever the Snakefile is: nothing numerical is imported here.
"""

from collections.abc import Mapping
from functools import cache

from xnbflow.entries import Source
from xnbflow.plugins import with_plugins

__all__ = ["SOURCES", "known_sources"]

_WHOLE = {"pattern": "^[0-9]{1,18}$", "description": "a whole number"}
_NAMES = {"description": "names, separated by commas"}
_FILE = {
    "pattern": r"^(?!.*(^|/)\.\.?(/|$))[^/\\\x00-\x1f][^\\\x00-\x1f]{0,199}(?<!/)$",
    "description": "the path of a file below the base URLs",
}
_SAMPLE = {"file": _FILE, "rows": _WHOLE, "seed": _WHOLE}

_OWN = (
    Source("cumida", "xnbflow.sources.cumida", {"features_tolerance": _WHOLE}),
    Source(
        "table",
        "xnbflow.sources.table",
        {
            "angular": _NAMES,
            "categorical": _NAMES,
            "drop": _NAMES,
            "separator": {
                "enum": ["comma", "tab", "semicolon", "space", "pipe"],
                "description": "comma, tab, semicolon, space or pipe",
            },
        },
        needs=("location", "label"),
    ),
    Source("bundled", "xnbflow.sources.bundled"),
    Source(
        "simulate",
        "xnbflow.sources.simulate",
        {"seed": _WHOLE},
        needs=("samples", "features", "classes"),
    ),
    Source("uci", "xnbflow.sources.uci", _SAMPLE),
    Source("angular", "xnbflow.sources.angular", _SAMPLE),
)

#: The sources of this package by name.
SOURCES = {source.name: source for source in _OWN}


@cache
def known_sources() -> Mapping[str, Source]:
    """Return every source by name: those of this package, and those that other packages add."""
    return with_plugins("xnbflow.sources", Source, SOURCES)
