"""Entry of the source of data sets that several papers use, and the keys of such sources."""

from xnbflow.core.entries import Schema, Source, whole

_FILE: Schema = {
    "type": "string",
    "pattern": r"^(?!.*(^|/)\.\.?(/|$))[^/\\\x00-\x1f][^\\\x00-\x1f]{0,199}(?<!/)$",
    "description": "the path of a file below the base URLs",
}
#: Keys of a source with a raw file below the base URLs, from which rows may be drawn.
SAMPLE: dict[str, Schema] = {"file": _FILE, "rows": whole(1), "seed": whole(0)}

UCI = Source(name="uci", module="xnbflow.papers.common.uci", keys=SAMPLE, served=True)
