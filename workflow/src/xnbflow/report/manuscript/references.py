"""The cited works in words and as BibTeX, from files ``references.yaml``.

A text cites by keys, as in pandoc: ``@demsar2006`` becomes "Demšar (2006)" and ``[@demsar2006;
@holm1979]`` "(Demšar 2006; Holm 1979)".
"""

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
#: By the field that a work has: its type in BibTeX.
_TYPES = {
    "journal": "article",
    "booktitle": "inproceedings",
    "publisher": "book",
    "title": "misc",
}
#: The fields of an entry of BibTeX after author and title, with their names in ``references.yaml``.
_FIELDS = {
    "journal": "journal",
    "booktitle": "booktitle",
    "publisher": "publisher",
    "volume": "volume",
    "number": "issue",
    "eprint": "eprint",
    "archiveprefix": "archive",
    "year": "year",
    "doi": "doi",
    "note": "note",
    "pages": "page",
}


@cache
def references() -> Mapping[str, Mapping[str, Any]]:
    """Return every work by its key, with its authors as a list and its type in BibTeX.

    The works are in ``references.yaml`` beside this module, and in the folders of papers.
    """
    works: dict[str, dict[str, Any]] = {}
    for path in (Path(__file__).with_name("references.yaml"), *PAPERS.glob("*/references.yaml")):
        works |= parse_yaml(path.read_text(encoding="utf-8"))
    return {key: _complete_work(key, work) for key, work in sorted(works.items())}


def _complete_work(key: str, work: dict[str, Any]) -> dict[str, Any]:
    """Return a work with its key, its type, the list of its authors and a short form of these."""
    authors = work["author"].split("; ")
    families = [name.partition(",")[0] for name in authors]
    short = join_words(families)
    if len(authors) > _MOST_NAMED:
        short = f"{families[0]} and others"
    return {
        **work,
        "id": key,
        "author": authors,
        "bibtex": next(_TYPES[field] for field in _TYPES if field in work),
        "short": short,
    }


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


def bibtex(keys: Iterable[str]) -> str:
    """Return works as entries of BibTeX.

    Examples
    --------
    >>> print(bibtex(["brier1950"]))
    @article{brier1950,
      author = {Brier, Glenn W.},
      title = {{Verification of forecasts expressed in terms of probability}},
      journal = {Monthly Weather Review},
      volume = {78},
      number = {1},
      year = {1950},
      pages = {1--3},
    }
    """
    entries = []
    for key in keys:
        work = references()[key]
        lines = [
            f"@{work['bibtex']}{{{key},",
            f"  author = {{{' and '.join(work['author'])}}},",
            f"  title = {{{{{work['title']}}}}},",
        ]
        for name, field in _FIELDS.items():
            if field not in work:
                continue
            value = str(work[field])
            if field == "page":
                value = value.replace("-", "--")
            lines.append(f"  {name} = {{{value}}},")
        entries.append("\n".join([*lines, "}"]))
    return "\n\n".join(entries)
