"""Annotation of features: from a probe to its gene's symbol, identifiers and chromosome.

A platform's file may have gigabytes of sequences and Gene Ontology terms; it is read line by line,
and only the columns and probes that are wanted stay in memory.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.nouns import counted, either
from xnbflow.sources.downloads import Downloads
from xnbflow.sources.files import open_raw
from xnbflow.sources.sheet import SheetRow, local_path
from xnbflow.sources.table_formats import WORKBOOKS, open_table, suffix_of

#: Where NCBI serves GEO.
BASE_URLS = ("https://ftp.ncbi.nlm.nih.gov/geo",)

#: Names of the columns, in small letters without spaces and underscores, best first.
_ALIASES = {
    "symbol": (
        "genesymbol",
        "symbol",
        "genesymbols",
        "ilmngene",
        "hgncsymbol",
        "identifier",
        "genename",
        "geneshortname",
        "externalgenename",
    ),
    "entrez_id": ("geneid", "entrezgeneid", "entrezid", "entrezgene", "locuslinkid"),
    "ensembl_gene_id": ("ensemblgeneid", "ensemblid", "ensembl", "ensemblgene", "ensg", "geneid"),
    "chromosome": ("chromosomelocation", "chromosomallocation", "chromosome", "cytoband", "chr"),
}
#: Forms of identifiers: a column of that name may hold others, for example of transcripts.
_FORMS = {
    "entrez_id": re.compile(r"\d+"),
    "ensembl_gene_id": re.compile(r"ENS[A-Z]*G\d+(\.\d+)?"),
}
_PLATFORM = re.compile(r"(?:!Annotation_platform|\^PLATFORM|!Platform_geo_accession)\s*=\s*(\S+)")
_BEGIN, _END = "!platform_table_begin", "!platform_table_end"
_EMPTY = frozenset({"", "---", "--", "na", "n/a", "null", "none", "--control", "control"})


def fetch_annotation(dataset: SheetRow, downloads: Downloads) -> SheetRow:
    """Get the annotation that the row names by a platform or a URL; return the row with its path.

    For a platform without an annotation at GEO the table that its maker submitted is used; if that
    has no symbols, there is a warning, and features get none.
    """
    annotation = dataset.options.get("annotation", "none")
    try:
        if re.fullmatch(r"GPL\d+", annotation):
            path = _platform_file(annotation, downloads)
            if "symbol" not in _columns_of(path):
                msg = (
                    f"data set {dataset.id}: neither an annotation nor the submitted table of "
                    f"{annotation} at GEO has gene symbols; name a table of your own by annotation="
                )
                warnings.warn(msg, UserWarning, stacklevel=2)
                return replace(dataset, options=dataset.options | {"annotation": "none"})
        elif "://" in annotation:
            path = downloads.fetch_location("geo", annotation, name=f"{dataset.id}-annotation")
        else:
            return dataset
    except InputError as error:
        msg = (
            f"data set {dataset.id}, annotation={annotation}: {error}\nName a table of your own, "
            "with features in the first column and a column 'symbol', or set annotation=none to "
            "have features without symbols"
        )
        raise InputError(msg, file=error.file, key="annotation") from error
    return replace(dataset, options=dataset.options | {"annotation": str(path)})


def has_annotation(platform: str, downloads: Downloads) -> bool:
    """Return whether a platform's file is here or at GEO, of which only the head is read."""
    for path in _paths(platform):
        with suppress(InputError), downloads.open_head("geo", path, default=BASE_URLS):
            return True
    return (downloads.folder / "geo" / f"{platform}.soft").is_file()


def _paths(platform: str) -> tuple[str, str]:
    """Return where GEO has the annotation of a platform, and its SOFT file."""
    folder = f"platforms/{platform[:-3] if len(platform) > 6 else 'GPL'}nnn/{platform}"
    return f"{folder}/annot/{platform}.annot.gz", f"{folder}/soft/{platform}_family.soft.gz"


def _platform_file(platform: str, downloads: Downloads) -> Path:
    """Get GEO's annotation of a platform, or the table of its SOFT file if there is none."""
    own, (annotation, soft) = downloads.folder / "geo" / f"{platform}.soft", _paths(platform)
    if own.is_file():
        return own
    try:
        return downloads.fetch("geo", annotation, default=BASE_URLS)
    except InputError as missing:
        try:
            with downloads.open_head("geo", soft, default=BASE_URLS) as (_, stream):
                write_atomically(own, lambda part: part.write_bytes(b"".join(_first_table(stream))))
        except InputError as error:
            msg = f"{missing}\n{error}"
            raise InputError(msg, file=error.file) from error
    return own


def _first_table(stream: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines up to the end of the platform's table; those of all its samples follow."""
    for line in stream:
        yield line
        if line.startswith(_END.encode()):
            return


def _columns_of(path: Path) -> dict[str, int]:
    """Return the columns of symbols and identifiers of an annotation."""
    with about_file(path), _opened(path) as (_, header, *_):
        return _places(["", *header[1:]])


def annotated(
    dataset: SheetRow, features: Sequence[str], platforms: str, notes: list[str]
) -> pd.DataFrame | None:
    """Return symbols (identifiers, chromosomes) of features as the row's annotation has them.

    The option ``annotation`` is a path or ``none``. The number of features with a symbol is added
    to the notes, and a difference from the ``platforms`` (separated by spaces).
    """
    option = dataset.options.get("annotation", "none")
    if option == "none":
        return None
    table, platform = read_annotation(local_path(option) or option, features)
    if platform and platforms and platform not in platforms.split():
        notes.append(f"the annotation is of {platform}, the series of {platforms}")
    count = int((table["symbol"] != "").sum())
    have = either(count, "has", "have")
    notes.append(f"{count} of {len(features)} features {have} a symbol in the annotation")
    return table


def standard_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of features whose columns of symbols and identifiers have standard names.

    Examples
    --------
    >>> standard_names(pd.DataFrame({"Gene Symbol": ["TP53"], "note": ["x"]})).columns.tolist()
    ['symbol', 'note']
    """
    places = _places(list(table.columns))
    place = places.get("symbol")
    if place is not None and table.iloc[:, place].str.contains(r"\w \w", regex=True).mean() > 0.5:
        del places["symbol"]  # descriptions, as GENE_NAME of Agilent has
    renamed = {
        table.columns[place]: standard
        for standard, place in places.items()
        if standard not in table and any(_genes(standard, str(c)) for c in table.iloc[:, place])
    }
    reserved = {name: f"{name}_" for name in ("feature", "kind", "values") if name in table}
    return table.rename(columns=renamed | reserved)


def read_annotation(path: str | Path, features: Sequence[str]) -> tuple[pd.DataFrame, str | None]:
    """Read symbols and gene identifiers of some probes, and the platform that the file names.

    The file is ``GPL97.annot.gz``, a platform's SOFT file or full table, or any table (text
    separated by tabs, CSV, a workbook, Parquet) whose first column holds the probes and whose
    header names a column of symbols. The table has a
    row per feature, ``symbol`` and, where the file has them, ``entrez_id``, ``ensembl_gene_id`` and
    ``chromosome``, empty where a probe has none; several of a probe are separated by ``///``.
    """
    path = Path(path)
    row_of = {str(feature): row for row, feature in enumerate(features)}
    annotated_rows = set()
    ended = False
    with about_file(path), _opened(path) as (platform, header, marked, rows):
        places = _places(["", *header[1:]])
        if "symbol" not in places:
            msg = (
                f"{path}: no column of gene symbols among {quoted(', '.join(header[:12]), 200)}; "
                "name one 'Gene symbol'"
            )
            raise InputError(msg)
        columns = {name: np.full(len(row_of), "", dtype=object) for name in places}
        for cells in rows:
            if cells[0].startswith(_END):
                ended = True
                break
            row = row_of.get(cells[0].strip().strip('"'))
            if row is not None and row not in annotated_rows:
                annotated_rows.add(row)
                for name, place in places.items():
                    columns[name][row] = _genes(name, cells[place]) if place < len(cells) else ""
        if marked and not ended:
            msg = f"{path} ends before {_END}: it is cut off; get it again"
            raise InputError(msg)
        if not annotated_rows:
            msg = (
                f"{path} has none of the {counted(len(row_of), 'feature')} (the first is "
                f"{next(iter(row_of), '')!r}); it annotates {platform or 'another platform'}. Name "
                "the annotation of the series' own platform"
            )
            raise InputError(msg)
    table = pd.DataFrame(columns)
    used = [name for name in table if name == "symbol" or (table[name] != "").any()]
    return table[used], platform


@contextmanager
def _opened(
    path: Path,
) -> Iterator[tuple[str | None, list[str], bool, Iterator[Sequence[str]]]]:
    """Yield the platform, the names of columns, whether the end is marked, and the rows."""
    if suffix_of(path) in {".csv", ".parquet", *WORKBOOKS}:
        with open_table(path, {}) as table:
            cells = (cells for _, cells, _ in table.divided_rows(len(table.header)))
            yield None, table.header, False, cells
        return
    with open_raw(path) as stream:
        lines = (line.decode("utf-8", errors="replace") for line in stream)
        rows = (line.rstrip("\r\n").split("\t") for line in lines)
        yield (*_header(path, lines), rows)


def _header(path: Path, lines: Iterator[str]) -> tuple[str | None, list[str], bool]:
    """Return the platform, the names of columns, and whether the end of the table is marked."""
    platform, marked = None, False
    for line in lines:
        text = line.strip()
        if match := _PLATFORM.match(text):
            platform = match.group(1)
        marked |= text == _BEGIN
        if text and not text.startswith(("!", "^", "#")):
            return platform, [cell.strip().strip('"') for cell in text.split("\t")], marked
    msg = f"{path} has no table of probes; name a platform's annotation, as GPL97.annot.gz"
    raise InputError(msg)


def _places(names: Sequence[str]) -> dict[str, int]:
    """Return the positions of the columns of symbols and identifiers."""
    plain = [re.sub(r"[\s_.]+", "", str(name)).lower() for name in names]
    return {
        standard: next(plain.index(alias) for alias in aliases if alias in plain)
        for standard, aliases in _ALIASES.items()
        if set(aliases) & set(plain)
    }


def _genes(name: str, cell: str) -> str:
    """Return the genes of a cell of a column, each once, separated by ``///``."""
    parts = (part.strip().strip('"').strip() for part in cell.split("///"))
    form = _FORMS.get(name)
    genes = [part for part in parts if part.lower() not in _EMPTY]
    if form is not None:
        genes = [gene for gene in genes if form.fullmatch(gene)]
    return "///".join(dict.fromkeys(genes))
