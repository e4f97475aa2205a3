"""Entry of the source of data sets that several papers use, and the options of such sources."""

from xnbflow.core.entries import Source
from xnbflow.sources.registry import WHOLE

_FILE = {
    "pattern": r"^(?!.*(^|/)\.\.?(/|$))[^/\\\x00-\x1f][^\\\x00-\x1f]{0,199}(?<!/)$",
    "description": "the path of a file below the base URLs",
}
#: Options of a source with a raw file below the base URLs, from which rows may be drawn.
SAMPLE = {"file": _FILE, "rows": WHOLE, "seed": WHOLE}

UCI = Source(name="uci", module="xnbflow.papers.common.uci", options=SAMPLE)
