"""Annotation of features: from a probe to its gene's symbol, identifiers and chromosome.

A platform's file may have gigabytes of sequences and Gene Ontology terms; it is read line by line,
and only the columns and probes that are wanted stay in memory.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.nouns import counted
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.files import open_raw, text_lines
from xnbflow.sources.formats.opening import read_text_table, suffix_of
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.platforms import recognise_platform

#: Where NCBI serves GEO.
GEO_URLS = ("https://ftp.ncbi.nlm.nih.gov/geo",)

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
        "geneassignment",
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
#: A gene in a column ``gene_assignment``: accession, symbol, title and more.
_ASSIGNMENT = re.compile(r"\S+ // (\S+)( // .*)?")
#: The line of a file that names its platform.
_PLATFORM = re.compile(r"(?:!Annotation_platform|\^PLATFORM|!Platform_geo_accession)\s*=\s*(\S+)")
#: The lines before and after the table of a platform.
_BEGIN = "!platform_table_begin"
_END = "!platform_table_end"
#: Texts of a probe without a gene, in small letters.
_EMPTY = frozenset({"", "---", "--", "na", "n/a", "null", "none", "--control", "control"})


def fetch_annotation(dataset: DatasetEntry, downloads: Downloads) -> DatasetEntry:
    """Get the annotation that the entry names by a platform or a URL; return it with the path.

    For a platform without an annotation at GEO the table that its maker submitted is used; if that
    has no symbols, there is a warning, and features get none.
    """
    annotation = dataset.annotation or "none"
    try:
        if re.fullmatch(r"GPL\d+", annotation):
            path = _platform_file(annotation, downloads)
            with about_file(path), _open_annotation(path) as table:
                has_symbols = "symbol" in table.places
            if not has_symbols:
                msg = (
                    f"data set {dataset.id}: neither an annotation nor the submitted table of "
                    f"{annotation} at GEO has gene symbols; name a table of your own by "
                    "annotation"
                )
                warnings.warn(msg, UserWarning, stacklevel=2)
                return replace(dataset, annotation="none")
        elif "://" in annotation:
            path = downloads.fetch_location("geo", annotation, name=f"{dataset.id}-annotation")
        else:
            return dataset
    except InputError as error:
        msg = (
            f"data set {dataset.id}, annotation {annotation}: {error}\nName a table of your own, "
            "with features in the first column and a column 'symbol', or set annotation: none "
            "to have features without symbols"
        )
        raise InputError(msg, file=error.file, key="annotation") from error
    return replace(dataset, annotation=str(path))


def has_annotation(platform: str, downloads: Downloads) -> bool:
    """Return whether a platform's file is here or at GEO, of which only the head is read."""
    for path in _paths(platform):
        with suppress(InputError), downloads.open_head("geo", path, default=GEO_URLS):
            return True
    return (downloads.folder / "geo" / f"{platform}.soft").is_file()


def propose_annotation(
    dataset: DatasetEntry, series: DataSet, downloads: Downloads
) -> tuple[DatasetEntry, list[str]]:
    """Return the entry with the ``annotation`` of its array, and a sentence about it.

    A series with gene symbols, or with this key, and features that are no probes of a known array
    have no proposal. Where the annotation cannot be had, the entry is unchanged, and the sentence
    contains what to add.
    """
    if dataset.annotation:
        return dataset, []
    if series.feature_metadata is not None and "symbol" in series.feature_metadata:
        return dataset, []
    platform = recognise_platform(list(series.features))
    if platform is None:
        return dataset, []
    accession = platform.accession
    if has_annotation(accession, downloads):
        sentence = (
            f"The features are probes of {platform.name}. The proposal is annotation: {accession}: "
            f"the run downloads their gene symbols from GEO (about {platform.megabytes:g} MB)."
        )
        dataset = replace(dataset, annotation=accession)
        return dataset, [sentence]
    sentence = (
        f"WITHOUT GENE SYMBOLS: the features are probes of {platform.name}, but no file of "
        f"{accession} can be had from here; the study will run on probes. For symbols add "
        f"annotation: {accession} where GEO can be reached (about {platform.megabytes:g} MB), or "
        "annotation: FILE, a table of probes and symbols."
    )
    return dataset, [sentence]


def _paths(platform: str) -> tuple[str, str]:
    """Return where GEO has the annotation of a platform, and its SOFT file."""
    folder = f"platforms/{platform[:-3] if len(platform) > 6 else 'GPL'}nnn/{platform}"
    return f"{folder}/annot/{platform}.annot.gz", f"{folder}/soft/{platform}_family.soft.gz"


def _platform_file(platform: str, downloads: Downloads) -> Path:
    """Get GEO's annotation of a platform, or the table of its SOFT file if there is none."""
    submitted_table = downloads.folder / "geo" / f"{platform}.soft"
    if submitted_table.is_file():
        return submitted_table
    annotation, soft_file = _paths(platform)
    try:
        return downloads.fetch("geo", annotation, default=GEO_URLS)
    except InputError as missing:
        try:
            with downloads.open_head("geo", soft_file, default=GEO_URLS) as (_, stream):
                content = b"".join(_first_table(stream))
                write_atomically(submitted_table, lambda path: path.write_bytes(content))
        except InputError as error:
            msg = f"{missing}\n{error}"
            raise InputError(msg, file=error.file) from error
    return submitted_table


def _first_table(stream: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines up to the end of the platform's table; the tables of samples follow it."""
    for line in stream:
        yield line
        if line.startswith(_END.encode()):
            return


def standard_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of features whose columns of symbols and identifiers have standard names.

    Examples
    --------
    >>> standard_names(pd.DataFrame({"Gene Symbol": ["TP53"], "note": ["x"]})).columns.tolist()
    ['symbol', 'note']
    """
    places = _standard_places(list(table.columns))
    if "symbol" in places:
        has_words = table.iloc[:, places["symbol"]].str.contains(r"\w \w", regex=True)
        if has_words.mean() > 0.5:  # descriptions, as GENE_NAME of Agilent has
            del places["symbol"]
    new_names = {}
    for standard, position in places.items():
        has_genes = any(_join_genes(standard, str(cell)) for cell in table.iloc[:, position])
        if standard not in table and has_genes:
            new_names[table.columns[position]] = standard
    for name in ("feature", "kind", "values"):  # columns that a data set has itself
        if name in table:
            new_names[name] = f"{name}_"
    return table.rename(columns=new_names)


def read_annotation(path: str | Path, features: Sequence[str]) -> tuple[pd.DataFrame, str | None]:
    """Read symbols and gene identifiers of some probes, and the platform that the file names.

    The file is ``GPL97.annot.gz``, a platform's SOFT file or full table, or any table (text
    separated by tabs, CSV, a workbook, Parquet) whose first column holds the probes and whose
    header names a column of symbols. The table has a
    row per feature, ``symbol`` and, where the file has them, ``entrez_id``, ``ensembl_gene_id`` and
    ``chromosome``, empty where a probe has none; several of a probe are separated by ``///``.
    """
    path = Path(path)
    row_of_feature = {str(feature): row for row, feature in enumerate(features)}
    with about_file(path), _open_annotation(path) as annotation:
        if "symbol" not in annotation.places:
            names = quoted(", ".join(annotation.header[:12]), 200)
            msg = f"{path}: no column of gene symbols among {names}; name one 'Gene symbol'"
            raise InputError(msg, file=str(path))
        table = _fill_annotation(path, annotation, row_of_feature)
    used = [name for name in table if name == "symbol" or (table[name] != "").any()]
    return table[used], annotation.platform


@dataclass(frozen=True, kw_only=True)
class _Annotation:
    """An annotation that is open for reading.

    Attributes
    ----------
    platform : str or None
        The accession that the file names.
    header : list of str
        Names of the columns; the first column has the probes.
    is_marked : bool
        Whether the end of the table is a line `_END`, so that a cut file is recognised.
    rows : iterator
        The cells of each row, which may be fewer than the header has.
    """

    platform: str | None
    header: list[str]
    is_marked: bool
    rows: Iterator[Sequence[str]]

    @property
    def places(self) -> dict[str, int]:
        """Positions of symbols and identifiers, by standard name; the probes are none."""
        return _standard_places(["", *self.header[1:]])


def _fill_annotation(
    path: Path, annotation: _Annotation, row_of_feature: Mapping[str, int]
) -> pd.DataFrame:
    """Return a row for each feature, by the first row of the annotation that has its name."""
    places = annotation.places
    columns = {name: np.full(len(row_of_feature), "", dtype=object) for name in places}
    annotated_rows: set[int] = set()
    has_ended = False
    for cells in annotation.rows:
        if cells[0].startswith(_END):
            has_ended = True
            break
        row = row_of_feature.get(cells[0].strip().strip('"'))
        if row is None or row in annotated_rows:
            continue
        annotated_rows.add(row)
        for name, position in places.items():
            has_cell = position < len(cells)
            columns[name][row] = _join_genes(name, cells[position]) if has_cell else ""
    if annotation.is_marked and not has_ended:
        msg = f"{path} ends before {_END}: it is cut off; get it again"
        raise InputError(msg, file=str(path))
    if not annotated_rows:
        first = next(iter(row_of_feature), "")
        platform = annotation.platform or "another platform"
        msg = (
            f"{path} has none of the {counted(len(row_of_feature), 'feature')} (the first is "
            f"{quoted(first)}); it annotates {platform}. Name the annotation of the series' own "
            "platform"
        )
        raise InputError(msg, file=str(path))
    return pd.DataFrame(columns)


@contextmanager
def _open_annotation(path: Path) -> Iterator[_Annotation]:
    """Open an annotation of GEO, or a table as annotation."""
    if suffix_of(path) in {".csv", ".parquet", *WORKBOOKS}:
        table = read_text_table(path, {})
        rows = map(table.cells, range(len(table)))
        yield _Annotation(platform=None, header=table.header, is_marked=False, rows=rows)
        return
    with open_raw(path) as stream:
        lines = (line.decode("utf-8", errors="replace") for line in text_lines(path, stream))
        yield _read_geo_header(path, lines)


def _read_geo_header(path: Path, lines: Iterator[str]) -> _Annotation:
    """Read an annotation up to its header; the rows below it are read later from the lines."""
    platform = None
    is_marked = False
    for line in lines:
        text = line.strip()
        if match := _PLATFORM.match(text):
            platform = match.group(1)
        if text == _BEGIN:
            is_marked = True
        if text and not text.startswith(("!", "^", "#")):
            return _Annotation(
                platform=platform,
                header=[cell.strip().strip('"') for cell in text.split("\t")],
                is_marked=is_marked,
                rows=(row.rstrip("\r\n").split("\t") for row in lines),
            )
    msg = f"{path} has no table of probes; name a platform's annotation, as GPL97.annot.gz"
    raise InputError(msg, file=str(path))


def _standard_places(names: Sequence[str]) -> dict[str, int]:
    """Return the positions of the columns of symbols and identifiers, by their standard names."""
    plain = [re.sub(r"[\s_.]+", "", str(name)).lower() for name in names]
    places = {}
    for standard, aliases in _ALIASES.items():
        present = [alias for alias in aliases if alias in plain]
        if present:
            places[standard] = plain.index(present[0])
    return places


def names_of_gene_columns(names: Sequence[str]) -> set[str]:
    """Return the names of the columns that have symbols and identifiers of genes.

    Examples
    --------
    >>> names_of_gene_columns(["S1_Detection", "Gene Symbol", "S2_Detection"])
    {'Gene Symbol'}
    """
    return {names[position] for position in _standard_places(names).values()}


def _join_genes(name: str, cell: str) -> str:
    """Return the genes of a cell of the column ``name``, each once, separated by ``///``.

    Examples
    --------
    >>> _join_genes("symbol", "TP53 /// WRAP53 /// TP53"), _join_genes("symbol", "---")
    ('TP53///WRAP53', '')
    >>> _join_genes("ensembl_gene_id", "ENST00000269305 /// ENSG00000141510")
    'ENSG00000141510'

    A column ``gene_assignment`` of Affymetrix has the symbol after the accession:

    >>> _join_genes("symbol", "NM_000546 // TP53 // tumor protein p53 // 17p13.1 // 7157")
    'TP53'
    """
    texts = [text.strip().strip('"').strip() for text in cell.split("///")]
    if name == "symbol":
        texts = [_ASSIGNMENT.sub(r"\1", text) for text in texts]
    genes = [text for text in texts if text.lower() not in _EMPTY]
    form = _FORMS.get(name)
    if form is not None:
        genes = [gene for gene in genes if form.fullmatch(gene)]
    return "///".join(dict.fromkeys(genes))
