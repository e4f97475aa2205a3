"""The texts of pages, a line each, as a person reads them in a diff.

``python tests/page_texts.py`` writes ``tests/unit/report/page_texts.txt`` again after a change of a
sentence; the diff shows what readers of the page will see. With names of shipped studies, or
``all``, it runs them on their tiny files and writes their texts to ``tests/pages``.
"""

import difflib
import re
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from toys import HOSTILE

from xnbflow.core.plugins import known_analyses
from xnbflow.report.page.blocks import Code
from xnbflow.report.study_page import read_record, sections_of
from xnbflow.report.texts import texts_of

GOLDEN = Path(__file__).parent / "unit/report/page_texts.txt"
#: The texts of each shipped study; the folder's README describes them.
STUDY_TEXTS = Path(__file__).parent / "pages"
#: Fields of blocks that are texts for readers, in the order of the page.
_TEXTS = (
    "title", "lead", "text", "short_reason", "verdict", "badge", "label", "note", "meaning",
    "features_heading", "features_rest", "rest", "warning", "next_step", "caption",
)  # fmt: skip
#: Fields with further blocks, or with texts by name.
_PARTS = (
    "tiles", "warnings", "facts", "details", "lines", "cards", "figure", "figures", "blocks",
)  # fmt: skip
#: Names of features and numbers, which differ between processors and data.
_NUMBER = re.compile(r"[+−-]?\d(?:[\d,.]*\d)?(?:e[+-]?\d+)?%?")
#: Names of features, samples and classes in the tiny files of the shipped studies.
_NAME = re.compile("|".join([*map(re.escape, sorted(HOSTILE, key=len, reverse=True)), r"\d+_at"]))
#: Part of the name of a downloaded file, by its address, which has another port in each run.
_DIGEST = re.compile(r"(?<=-)[0-9a-f]{8}(?=\.)")
#: Where a file came from, if another job of the run had downloaded it; which one does is chance.
_EARLIER = re.compile(r", downloaded earlier from [^\s,;]+(?=[.,;])")
#: Names, or numbered names of one kind, as many as the data have.
_LIST = re.compile(r"(‹name›|\w+ \w*#)(?:, \1| and \1)+")
#: Where a line ends: after a sentence.
_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z“])")
#: The length from which a constant text is replaced within another one, too.
_LONG = 60


def texts_of_page(sections):
    """Return the texts of sections, each once; every number is ``#``."""
    lines = {}
    for section in sections:
        lines[f"== {section.id}"] = None
        for line in _texts(section, 0):
            lines[_NUMBER.sub("#", line)] = None
    return "".join(f"{line}\n" for line in lines)


def texts_of_study(root, study):
    """Return the sentences of the page of a finished study in the folder ``root``."""
    return sentences_of_page(sections_of(read_record(study, known_analyses(), root=root)))


def sentences_of_page(sections):
    """Return the sentences of sections, each once, as far as they depend on the study.

    A long text of ``texts.toml`` is replaced by its name there, such as ``[verdicts.rule]``; a name
    of a tiny file is ``‹name›``, a number ``#``, and a list of either has one item.
    """
    lines = {}
    for section in sections:
        lines[f"== {section.id}"] = None
        for line in _texts(section, 0):
            text = line.lstrip()
            indent = " " * (len(line) - len(text))
            for name, constant in _constant_texts().items():
                text = text.replace(constant, f"[{name}]")
            text = _EARLIER.sub("", text)
            text = _NUMBER.sub("#", _NAME.sub("‹name›", _DIGEST.sub("#", text)))
            first, *others = _SENTENCE.split(_LIST.sub(r"\1, …", text))
            lines[f"{indent}{first}"] = None
            lines |= dict.fromkeys(f"{indent}    {sentence}" for sentence in others)
    return "".join(f"{line}\n" for line in lines)


@cache
def _constant_texts():
    """Return the long texts of ``texts.toml`` that no section completes, by their names."""
    source = files("xnbflow.report").joinpath("texts.toml").read_text(encoding="utf-8")
    texts = {}
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


def small_page():
    """Return the texts of the page of the small study."""
    from report_study import write_study

    with tempfile.TemporaryDirectory() as folder:
        p_values = {("alpha", "xnb"): 0.03}
        results = write_study(Path(folder), p_values=p_values, failed=(), warned=("nb",))
        return texts_of_page(sections_of(results))


def changed_lines(path, texts):
    """Return the differences of texts from a golden file, and the command that writes it again."""
    expected = path.read_text(encoding="utf-8").splitlines()
    actual = texts.splitlines()
    lines = list(difflib.unified_diff(expected, actual, path.name, "page", n=0, lineterm=""))
    study = "" if path == GOLDEN else f" {path.stem}"
    return "\n".join([f"after reading: python tests/page_texts.py{study}", *lines]) if lines else ""


def golden_path(study):
    """Return the file with the texts of a shipped study."""
    return STUDY_TEXTS / f"{study}.txt"


def write_texts_of_studies(studies):
    """Run shipped studies on their tiny files, and write the texts of their pages."""
    from integration.test_shipped_studies import STUDIES, run

    for study in STUDIES if studies == ["all"] else studies:
        with tempfile.TemporaryDirectory() as folder:
            run(study, Path(folder))
            texts = texts_of_study(Path(folder), study)
            golden_path(study).write_text(texts, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:]:
        write_texts_of_studies(sys.argv[1:])
    else:
        GOLDEN.write_text(small_page(), encoding="utf-8")
