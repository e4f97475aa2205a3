"""The works that are cited: in words, as BibTeX and as CSL JSON, all from ``references.yaml``.

A text cites by keys: ``@demsar2006`` becomes "Demšar (2006)" and ``[@demsar2006; @holm1979]``
"(Demšar 2006; Holm 1979)", as pandoc reads them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

__all__ = ["bibtex", "cited_keys", "csl_json", "in_latex", "in_words", "listed", "references"]

#: Citations in brackets, and those that are part of a sentence.
_BRACKETS = re.compile(r"\[(@[\w-]+(?:; @[\w-]+)*)\]")
_KEY = re.compile(r"(?<![\w.])@([\w-]*\w)")
_CSL = {"journal": "container-title", "booktitle": "container-title", "doi": "DOI"}
_SPECIAL = {char: f"\\{char}" for char in "&%$#_{}"} | {
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\\": "\\textbackslash{}",
}


@cache
def references() -> Mapping[str, Mapping[str, Any]]:
    """Return every work by its key."""
    text = files(__package__).joinpath("references.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Any]] = yaml.safe_load(text)
    return found


def cited_keys(text: str) -> list[str]:
    """Return the keys that a text cites, sorted.

    Examples
    --------
    >>> cited_keys("ranks [@demsar2006; @holm1979], after @demsar2006; a@b.org")
    ['demsar2006', 'holm1979']
    """
    return sorted({key for key in _KEY.findall(text) if key in references()})


def _authors(key: str) -> list[tuple[str, str]]:
    parts = [name.partition(", ") for name in references()[key]["author"].split("; ")]
    return [(family, given) for family, _, given in parts]


def _short(key: str) -> str:
    """Return the authors of a work as a sentence names them.

    Examples
    --------
    >>> _short("demsar2006"), _short("benjamini1995"), _short("numpy")
    ('Demšar', 'Benjamini and Hochberg', 'Harris and others')
    """
    names = [family for family, _ in _authors(key)]
    if len(names) > 3:
        return f"{names[0]} and others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _year(key: str) -> str:
    return str(references()[key].get("year", "no date"))


def in_words(text: str) -> str:
    """Return a text with its citations in words.

    Examples
    --------
    >>> in_words("as in @holm1979, Eq. 2 [@demsar2006]")
    'as in Holm (1979), Eq. 2 (Demšar 2006)'
    """

    def bracketed(found: re.Match[str]) -> str:
        works = [f"{_short(key)} {_year(key)}" for key in _KEY.findall(found[1])]
        return f"({'; '.join(works)})"

    def named(found: re.Match[str]) -> str:
        key = found[1]
        return f"{_short(key)} ({_year(key)})" if key in references() else found[0]

    return _KEY.sub(named, _BRACKETS.sub(bracketed, text))


def in_latex(text: str) -> str:
    r"""Return a text as LaTeX, its citations as commands of natbib.

    Examples
    --------
    >>> print(in_latex("5 % of A_b [@demsar2006]"))
    5 \% of A\_b \citep{demsar2006}
    """

    def escaped(plain: str) -> str:
        return "".join(_SPECIAL.get(char, char) for char in plain)

    parts = re.split(r"(\[@[^\]]*\]|(?<![\w.])@[\w-]*\w)", text)
    done = []
    for part in parts:
        keys = cited_keys(part) if "@" in part else []
        command = "citep" if part.startswith("[") else "citet"
        done.append(f"\\{command}{{{','.join(_KEY.findall(part))}}}" if keys else escaped(part))
    return "".join(done)


def listed(keys: Iterable[str]) -> list[str]:
    """Return the references of a list of literature, in words.

    Examples
    --------
    >>> listed(["holm1979"])[0]
    'Holm, S. A simple sequentially rejective multiple test procedure. Scandinavian Journal of \
Statistics 6(2), 65-70, 1979.'
    """
    lines = []
    for key in keys:
        work = references()[key]
        names = [
            f"{family}, {' '.join(f'{part[0]}.' for part in given.split())}" if given else family
            for family, given in _authors(key)
        ]
        place = work.get("journal") or work.get("booktitle") or work.get("publisher", "")
        place = place or " ".join(filter(None, [work.get("archive"), work.get("number")]))
        volume = f" {work['volume']}" if "volume" in work else ""
        volume += f"({work['issue']})" if "issue" in work else ""
        page = [str(work["page"])] if "page" in work else []
        where = ", ".join([*filter(None, [f"{place}{volume}", *page]), _year(key)])
        doi = f" https://doi.org/{work['doi']}" if "doi" in work else ""
        note = f" [{work['note']}]" if "note" in work else ""
        lines.append(f"{'; '.join(names).rstrip('.')}. {work['title']}. {where}.{doi}{note}")
    return lines


def bibtex(keys: Iterable[str]) -> str:
    """Return references as BibTeX."""
    entries = []
    for key in keys:
        work = dict(references()[key])
        kind = _kind(work)[0]
        names = [", ".join(filter(None, name)) for name in _authors(key)]
        work["author"] = " and ".join(names)
        work["title"] = f"{{{work['title']}}}"
        work["pages"] = str(work.pop("page", "")).replace("-", "--")
        for ours, theirs in (("issue", "number"), ("archive", "archiveprefix")):
            if ours in work:
                work[theirs] = work.pop(ours)
        if work.get("archiveprefix"):
            work["eprint"] = work.pop("number")
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in work.items() if value)
        entries.append(f"@{kind}{{{key},\n{fields}}}\n")
    return "\n".join(entries)


def csl_json(keys: Iterable[str]) -> str:
    """Return references as CSL JSON, which Zotero, Word and pandoc read."""
    items = []
    for key in keys:
        work = references()[key]
        item = {_CSL.get(name, name): value for name, value in work.items()}
        item |= {"id": key, "type": _kind(work)[1]}
        if "year" in work:
            item["issued"] = {"date-parts": [[work["year"]]]}
        item["author"] = [
            {"family": family, "given": given} if given else {"literal": family}
            for family, given in _authors(key)
        ]
        items.append({name: value for name, value in item.items() if name != "year"})
    return json.dumps(items, indent=1, ensure_ascii=False) + "\n"


def _kind(work: Mapping[str, Any]) -> tuple[str, str]:
    """Return the type of a work for BibTeX and for CSL."""
    kinds = {
        "journal": ("article", "article-journal"),
        "booktitle": ("inproceedings", "paper-conference"),
        "publisher": ("book", "book"),
    }
    found = (kinds[name] for name in kinds if name in work)
    return next(found, ("misc", "article"))
