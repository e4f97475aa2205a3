"""The cite works in words, as BibTeX and as CSL JSON, from files ``references.yaml``.

A text cites by keys, as in pandoc: ``@demsar2006`` becomes "Demšar (2006)" and ``[@demsar2006;
@holm1979]`` "(Demšar 2006; Holm 1979)".
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from xnbflow.core.plugins import PAPERS
from xnbflow.core.yaml_text import parse_yaml
from xnbflow.report.numbers import join_words

#: Authors that a citation names; of more it names the first.
_MOST_NAMED = 3
_BRACKETS = re.compile(r"\[(@[\w-]+(?:; @[\w-]+)*)\]")
_KEY = re.compile(r"(?<![\w.])@([\w-]*\w)")
#: By the field that a work has: its type for BibTeX and for CSL.
_KINDS = {
    "journal": ("article", "article-journal"),
    "booktitle": ("inproceedings", "paper-conference"),
    "publisher": ("book", "book"),
    "title": ("misc", "article"),
}
_CSL = {"journal": "container-title", "booktitle": "container-title", "doi": "DOI", "csl": "type"}
_CSL |= {name: name for name in ("id", "title", "volume", "issue", "page", "note", "publisher")}
_SPECIAL = {ord(char): f"\\{char}" for char in "&%$#_{}"} | {ord("\\"): "\\textbackslash{}"}


@cache
def references() -> Mapping[str, Mapping[str, Any]]:
    """Return every work by its key; authors as a list, and what lists of literature need.

    The works are in ``references.yaml`` beside this module, and in the folders of papers.
    """
    works: dict[str, dict[str, Any]] = {}
    for path in (Path(__file__).with_name("references.yaml"), *PAPERS.glob("*/references.yaml")):
        works |= parse_yaml(path.read_text(encoding="utf-8"))
    return {key: _complete_work(key, work) for key, work in sorted(works.items())}


def _complete_work(key: str, work: dict[str, Any]) -> dict[str, Any]:
    """Return a work with the fields that lists of literature need."""
    authors = work["author"].split("; ")
    places = ("journal", "booktitle", "publisher", "archive")
    bibtex, csl = next(_KINDS[field] for field in _KINDS if field in work)
    families = [name.partition(",")[0] for name in authors]
    short = f"{families[0]} and others" if len(authors) > _MOST_NAMED else join_words(families)
    return {
        **work,
        "id": key,
        "author": authors,
        "place": next((work[field] for field in places if field in work), None),
        "bibtex": bibtex,
        "csl": csl,
        "initials": [re.sub(r"(?<=, )(.+)", _initials, name) for name in authors],
        "short": short,
    }


def _initials(first_names: re.Match[str]) -> str:
    return " ".join(f"{name[0]}." for name in first_names[1].split())


def cited_keys(text: str) -> list[str]:
    """Return the keys that a text cites, sorted.

    Examples
    --------
    >>> cited_keys("ranks [@demsar2006; @holm1979], after @demsar2006; a@b.org")
    ['demsar2006', 'holm1979']
    """
    return sorted({key for key in _KEY.findall(text) if key in references()})


def in_words(text: str) -> str:
    """Return a text with its citations in words.

    Examples
    --------
    >>> in_words("as in @holm1979, Eq. 2 [@demsar2006]")
    'as in Holm (1979), Eq. 2 (Demšar 2006)'
    """

    def cite(key: str, form: str) -> str:
        work = references().get(key)
        year = work and work.get("year", "n.d.")
        return form.format(work["short"], year) if work else f"@{key}"

    def in_brackets(citations: re.Match[str]) -> str:
        works = [cite(key, "{} {}") for key in _KEY.findall(citations[1])]
        return f"({'; '.join(works)})"

    def in_sentence(citation: re.Match[str]) -> str:
        return cite(citation[1], "{} ({})")

    return _KEY.sub(in_sentence, _BRACKETS.sub(in_brackets, text))


def in_latex(text: str) -> str:
    r"""Return a text as LaTeX, its citations as commands of natbib.

    Examples
    --------
    >>> print(in_latex("5 % of A_b [@demsar2006]"))
    5 \% of A\_b \citep{demsar2006}
    """
    parts = re.split(r"(\[@[^\]]*\]|(?<![\w.])@[\w-]*\w)", text)
    for i, phrase in enumerate(parts):
        if cited_keys(phrase):
            command = "citep" if phrase.startswith("[") else "citet"
            parts[i] = f"\\{command}{{{','.join(_KEY.findall(phrase))}}}"
        else:
            parts[i] = phrase.translate(_SPECIAL)
    return "".join(parts)


def csl_json(keys: Iterable[str]) -> str:
    """Return references as CSL JSON, which Zotero, Word and pandoc read."""
    items = []
    for work in (references()[key] for key in keys):
        item = {csl_name: work[name] for name, csl_name in _CSL.items() if name in work}
        if "year" in work:
            item["issued"] = {"date-parts": [[work["year"]]]}
        names = [name.partition(", ") for name in work["author"]]
        authors = []
        for family, _, first_names in names:
            person = {"family": family, "given": first_names}
            authors.append(person if first_names else {"literal": family})
        item["author"] = authors
        items.append(item)
    return json.dumps(items, indent=1, ensure_ascii=False)
