"""The sentences of the page of ``demo``, a line each, as a person reads them in a diff.

``python tests/demo_page.py`` runs the study and writes ``tests/pages/demo.txt`` again.
"""

import re
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from xnbflow.core.plugins import known_analyses
from xnbflow.report.page.blocks import Code
from xnbflow.report.sentences import RULE
from xnbflow.report.study_page import _sections_of, read_record
from xnbflow.report.texts import texts_of

GOLDEN = Path(__file__).parent / "pages/demo.txt"
#: Fields of blocks that are texts for readers, in the order of the page.
_TEXTS = (
    "title", "lead", "text", "short_reason", "verdict", "badge", "label", "note", "meaning",
    "features_heading", "features_rest", "rest", "warning", "next_step", "caption",
)  # fmt: skip
#: Fields with further blocks, or with texts by name.
_PARTS = (
    "tiles", "warnings", "facts", "details", "lines", "cards", "figure", "figures", "blocks",
)  # fmt: skip
#: Numbers differ in their last digits between processors.
_NUMBER = re.compile(r"[+−-]?\d(?:[\d,.]*\d)?(?:e[+-]?\d+)?%?")
#: Numbered names of one kind, as many as the data have.
_LIST = re.compile(r"(\w+ \w*#)(?:, \1| and \1)+")
#: Where a line ends: after a sentence.
_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z“])")
#: The length from which a constant text is replaced within another one, too.
_LONG = 60


def sentences_of_demo(root):
    """Return the sentences of the page of the finished study in the folder ``root``.

    Each is written once, where it is first. A long text of the library's ``texts.toml`` is replaced
    by its name there, such as ``[verdicts.rule]``, a number by ``#``, and a list has one item.
    """
    lines = {}
    for section in _sections_of(read_record("demo", known_analyses(), root=root)):
        lines[f"== {section.id}"] = None
        for line in _texts(section, 0):
            text = line.lstrip()
            indent = " " * (len(line) - len(text))
            for name, constant in _constant_texts().items():
                text = text.replace(constant, f"[{name}]")
            text = _LIST.sub(r"\1, …", _NUMBER.sub("#", text))
            first, *others = _SENTENCE.split(text)
            lines[f"{indent}{first}"] = None
            lines |= dict.fromkeys(f"{indent}    {sentence}" for sentence in others)
    return "".join(f"{line}\n" for line in lines)


@cache
def _constant_texts():
    """Return the long texts that no section completes, by name: of ``texts.toml``, and the rule."""
    source = files("xnbflow.report").joinpath("texts.toml").read_text(encoding="utf-8")
    texts = {"verdicts.rule": RULE}
    for section in tomllib.loads(source):
        for name, text in texts_of(section).items():
            if len(text) >= _LONG and "{" not in text:
                texts[f"{section}.{name}"] = text
    return texts


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


if __name__ == "__main__":
    from integration.test_shipped_studies import run

    with tempfile.TemporaryDirectory() as folder:
        run("demo", Path(folder))
        GOLDEN.write_text(sentences_of_demo(Path(folder)), encoding="utf-8")
