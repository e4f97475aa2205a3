"""The texts of a page, a line each, as a person reads them in a diff.

``python tests/page_texts.py`` writes ``tests/unit/report/page_texts.txt`` again after a change of a
sentence; the diff shows what readers of the page will see.
"""

import re
import tempfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from xnbflow.report.page.blocks import Code

GOLDEN = Path(__file__).parent / "unit/report/page_texts.txt"
#: Fields of blocks that are texts for readers, in the order of the page.
_TEXTS = (
    "title", "lead", "text", "short", "verdict", "badge", "label", "note", "meaning", "of", "rest",
    "warning", "next_step", "caption",
)  # fmt: skip
#: Fields with further blocks, or with texts by name.
_PARTS = (
    "tiles", "warnings", "facts", "details", "lines", "cards", "figure", "figures", "blocks",
)  # fmt: skip
#: Names of features and numbers, which differ between processors and data.
_NUMBER = re.compile(r"[+−-]?\d(?:[\d,.]*\d)?(?:e[+-]?\d+)?%?")


def texts_of_page(sections):
    """Return the texts of sections, each once; every number is ``#``."""
    lines = {}
    for section in sections:
        lines[f"== {section.id}"] = None
        for line in _texts(section, 0):
            lines[_NUMBER.sub("#", line)] = None
    return "".join(f"{line}\n" for line in lines)


def _texts(part, depth):
    """Yield the texts of a block, and those of the blocks in it, one level deeper."""
    indent = "  " * depth
    if isinstance(part, str):
        yield f"{indent}{part}"
    elif isinstance(part, Mapping):
        for name, value in part.items():
            yield f"{indent}{name}: {value}"
    elif is_dataclass(part):
        names = [field.name for field in fields(part)]
        for name in _TEXTS:
            is_file = isinstance(part, Code) and name == "text"  # references, configuration
            if name in names and getattr(part, name) and not is_file:
                yield f"{indent}{type(part).__name__}.{name}: {getattr(part, name)}"
        for name in _PARTS:
            if name in names and getattr(part, name):
                yield from _texts(getattr(part, name), depth + 1)
    elif isinstance(part, (list, tuple)):
        for nested in part:
            yield from _texts(nested, depth)


def small_page():
    """Return the texts of the page of the small study."""
    from report_study import write_study

    from xnbflow.report.study_page import sections_of

    with tempfile.TemporaryDirectory() as folder:
        p_values = {("alpha", "xnb"): 0.03}
        results = write_study(Path(folder), p_values=p_values, failed=(), warned=("nb",))
        return texts_of_page(sections_of(results))


if __name__ == "__main__":
    GOLDEN.write_text(small_page(), encoding="utf-8")
