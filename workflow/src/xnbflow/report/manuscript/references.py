"""The cited works in words, as BibTeX and as CSL JSON, from files ``references.yaml``.

A text cites by keys, as in pandoc: ``@demsar2006`` becomes "Demšar (2006)" and ``[@demsar2006;
@holm1979]`` "(Demšar 2006; Holm 1979)".
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from xnbflow.core.plugins import PAPERS

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

    They are those of ``references.yaml`` beside this module, and of the folders of papers.
    """
    works: dict[str, dict[str, Any]] = {}
    for path in (Path(__file__).with_name("references.yaml"), *PAPERS.glob("*/references.yaml")):
        works |= yaml.safe_load(path.read_text(encoding="utf-8"))
    works = dict(sorted(works.items()))
    for key, work in works.items():
        names = work["author"] = work["author"].split("; ")
        work["id"], work["place"] = key, work.get("journal", work.get("booktitle"))
        work["place"] = work["place"] or work.get("publisher") or work.get("archive")
        work["bibtex"], work["csl"] = next(_KINDS[field] for field in _KINDS if field in work)
        work["initials"] = [re.sub(r"(?<=, )(.+)", _initials, name) for name in names]
        families = [name.partition(",")[0] for name in names]
        several = " and ".join(filter(None, [", ".join(families[:-1]), families[-1]]))
        work["short"] = several if len(names) < 4 else f"{families[0]} and others"
    return works


def _initials(given: re.Match[str]) -> str:
    return " ".join(f"{name[0]}." for name in given[1].split())


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

    def cited(key: str, form: str) -> str:
        work = references().get(key)
        year = work and work.get("year", "n.d.")
        return form.format(work["short"], year) if work else f"@{key}"

    def bracketed(found: re.Match[str]) -> str:
        return f"({'; '.join(cited(key, '{} {}') for key in _KEY.findall(found[1]))})"

    return _KEY.sub(lambda found: cited(found[1], "{} ({})"), _BRACKETS.sub(bracketed, text))


def in_latex(text: str) -> str:
    r"""Return a text as LaTeX, its citations as commands of natbib.

    Examples
    --------
    >>> print(in_latex("5 % of A_b [@demsar2006]"))
    5 \% of A\_b \citep{demsar2006}
    """
    parts = re.split(r"(\[@[^\]]*\]|(?<![\w.])@[\w-]*\w)", text)
    for i, part in enumerate(parts):
        keys, command = _KEY.findall(part), "citep" if part.startswith("[") else "citet"
        known = keys and cited_keys(part)
        parts[i] = f"\\{command}{{{','.join(keys)}}}" if known else part.translate(_SPECIAL)
    return "".join(parts)


def csl_json(keys: Iterable[str]) -> str:
    """Return references as CSL JSON, which Zotero, Word and pandoc read."""
    items = []
    for work in (references()[key] for key in keys):
        item = {theirs: work[ours] for ours, theirs in _CSL.items() if ours in work}
        if "year" in work:
            item["issued"] = {"date-parts": [[work["year"]]]}
        names = [name.partition(", ") for name in work["author"]]
        item["author"] = [
            {"family": family, "given": given} if given else {"literal": family}
            for family, _, given in names
        ]
        items.append(item)
    return json.dumps(items, indent=1, ensure_ascii=False)
