"""Annotation of GEO's platforms: from a probe to its gene's symbol and identifier.

A platform's file may have gigabytes of sequences and Gene Ontology terms; it is read line by line,
and only the columns and probes that are wanted stay in memory.
"""

import gzip
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.sources.files import open_raw

__all__ = ["annotation_path", "read_annotation", "standard_names"]

#: What the columns are called, in small letters without spaces and underscores, best first.
_ALIASES = {
    "symbol": ("genesymbol", "symbol", "genesymbols", "ilmngene", "hgncsymbol", "identifier"),
    "gene_id": ("geneid", "entrezgeneid", "entrezid", "entrezgene", "locuslinkid"),
}
_BEGIN, _END = "!platform_table_begin", "!platform_table_end"
_EMPTY = frozenset({"", "---", "--", "na", "n/a", "null", "none", "--control", "control"})


def annotation_path(platform: str) -> str:
    """Return where a platform's annotation stands below GEO's base URL.

    Examples
    --------
    >>> annotation_path("GPL97"), annotation_path("GPL13158")
    ('platforms/GPLnnn/GPL97/annot/GPL97.annot.gz', \
'platforms/GPL13nnn/GPL13158/annot/GPL13158.annot.gz')
    """
    thousand = platform[:-3] if len(platform) > 6 else "GPL"
    return f"platforms/{thousand}nnn/{platform}/annot/{platform}.annot.gz"


def standard_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of features whose columns of symbols and identifiers have standard names.

    Examples
    --------
    >>> standard_names(pd.DataFrame({"Gene Symbol": ["TP53"], "note": ["x"]})).columns.tolist()
    ['symbol', 'note']
    """
    renamed = {}
    for standard, aliases in _ALIASES.items():
        places = {_plain(name): name for name in reversed(list(table.columns))}
        found = next((places[alias] for alias in aliases if alias in places), None)
        if found is not None and standard not in table:
            renamed[found] = standard
    reserved = {name: f"{name}_" for name in ("feature", "kind", "values") if name in table}
    return table.rename(columns=renamed | reserved)


def read_annotation(path: str | Path, features: Sequence[str]) -> tuple[pd.DataFrame, str | None]:
    """Read symbols and gene identifiers of some probes.

    Parameters
    ----------
    path : path
        ``GPL97.annot.gz``, a platform's SOFT file or full table, or any tab-separated text whose
        first column holds the probes and whose header names a column of symbols.
    features : sequence of str
        The probes.

    Returns
    -------
    table : DataFrame of str, one row per feature
        ``symbol`` and ``gene_id`` (where the file has it); empty where a probe has none. Several
        genes of a probe are separated by ``///``.
    platform : str or None
        The platform that the file says to be of.

    Raises
    ------
    InputError
        If the file has no column of symbols, is cut off, or knows none of the probes.
    """
    path = Path(path)
    row_of = {str(feature): row for row, feature in enumerate(features)}
    with open_raw(path) as stream:
        lines = _text_lines(path, stream)
        platform, header, marked = _header(path, lines)
        places = _places(path, header)
        columns = {name: np.full(len(row_of), "", dtype=object) for name in places}
        found, ended = set(), False
        for line in lines:
            if line.startswith(_END):
                ended = True
                break
            cells = line.rstrip("\r\n").split("\t")
            row = row_of.get(cells[0].strip().strip('"'))
            if row is None or row in found:
                continue
            found.add(row)
            for name, place in places.items():
                columns[name][row] = _gene(cells[place]) if place < len(cells) else ""
    if marked and not ended:
        msg = f"{path} ends before {_END}: it is cut off; get it again"
        raise InputError(msg)
    if not found:
        msg = (
            f"{path} knows none of the {counted(len(row_of), 'feature')} (the first is "
            f"{next(iter(row_of), '')!r}); it annotates "
            f"{platform or 'another platform'}. Name the annotation of the series' own platform"
        )
        raise InputError(msg)
    return pd.DataFrame(columns), platform


def _text_lines(path: Path, stream: io.BufferedIOBase) -> Iterator[str]:
    try:
        for line in stream:
            yield line.decode("utf-8", errors="replace")
    except (gzip.BadGzipFile, EOFError) as error:
        msg = f"{path} is broken or truncated gzip ({error}); delete it and get it again"
        raise InputError(msg) from error


def _header(path: Path, lines: Iterator[str]) -> tuple[str | None, list[str], bool]:
    platform, marked = None, False
    for line in lines:
        text = line.strip()
        if match := re.match(
            r"(?:!Annotation_platform|\^PLATFORM|!Platform_geo_accession)\s*=\s*(\S+)", text
        ):
            platform = match.group(1)
        if text == _BEGIN:
            marked = True
        elif text and not text.startswith(("!", "^", "#")):
            return platform, [cell.strip().strip('"') for cell in text.split("\t")], marked
    msg = f"{path} has no table of probes; name a platform's annotation, say GPL97.annot.gz"
    raise InputError(msg)


def _places(path: Path, header: Sequence[str]) -> dict[str, int]:
    plain = [_plain(name) for name in header]
    places = {
        standard: next(plain.index(alias) for alias in aliases if alias in plain)
        for standard, aliases in _ALIASES.items()
        if set(aliases) & set(plain[1:])
    }
    if "symbol" not in places:
        msg = (
            f"{path}: no column of gene symbols among {', '.join(header[:12])}; name one "
            "'Gene symbol'"
        )
        raise InputError(msg)
    return places


def _plain(name: str) -> str:
    return re.sub(r"[\s_.]+", "", str(name)).lower()


def _gene(cell: str) -> str:
    """Return the genes of a cell, each once, separated by ``///``."""
    parts = (part.strip().strip('"').strip() for part in re.split(r"///", cell))
    return "///".join(dict.fromkeys(p for p in parts if p.lower() not in _EMPTY))
