"""The files of a table entry as text: the table, and the phenotype beside it."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from xnbflow.core.errors import about_file
from xnbflow.sources.dataset_entry import DatasetEntry, is_accession, local_path
from xnbflow.sources.formats.gct import as_gct
from xnbflow.sources.formats.opening import read_text_table, suffix_of
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.geo import fetch_accession
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.series.phenotype import PhenotypeFile, read_phenotype_file

#: Endings of formats that declare whether samples are rows or columns.
DECLARING_FORMATS = frozenset({".gct", ".h5ad"})


@dataclass(frozen=True, kw_only=True)
class TableTexts:
    """A table and its phenotype file as they are, each cell as text with its place.

    Attributes
    ----------
    table : TextTable
        The table.
    entry : DatasetEntry
        Its entry, as the format of the file completes it.
    phenotype : PhenotypeFile, optional
        The file that ``phenotype`` names.
    remarks : tuple of str
        The reasons of keys of reading that were inferred, as sentences.
    """

    table: TextTable
    entry: DatasetEntry
    phenotype: PhenotypeFile | None = None
    remarks: tuple[str, ...] = ()


def read_texts(path: Path, dataset: DatasetEntry, phenotype: Path | None = None) -> TableTexts:
    """Read a table by the keys of its entry, and its phenotype file; both paths are local."""
    if suffix_of(path) in DECLARING_FORMATS:
        dataset = with_keys_of_format(path, dataset)
    phenotype_file = None
    if phenotype is not None:
        phenotype_file = read_phenotype_file(phenotype, dataset, path)
    table = read_text_table(path, dataset.reading)
    return TableTexts(table=table, entry=dataset, phenotype=phenotype_file)


def with_keys_of_format(path: Path, dataset: DatasetEntry) -> DatasetEntry:
    """Return the entry with what GCT and AnnData declare: whether samples are rows or columns."""
    if suffix_of(path) == ".h5ad":
        from xnbflow.sources.formats.h5ad import as_anndata  # noqa: PLC0415 - an extra

        return as_anndata(dataset)
    with about_file(path):
        return as_gct(path, dataset)


def fetch_table(downloads: Downloads, location: str, name: str, sha256: str | None = None) -> Path:
    """Return the local path of a table, or of its phenotype; one at a URL is downloaded."""
    path = local_path(location)
    if path is not None and sha256 is None:
        return path  # its reader finds what is wrong within it
    name += "".join(Path(urlsplit(location).path).suffixes[-2:])
    return downloads.fetch_location("table", location, name=name, sha256=sha256)


def fetch_phenotype(dataset: DatasetEntry, downloads: Downloads) -> Path:
    """Return the local path of the phenotype that the entry names, which may be in GEO."""
    location = dataset.phenotype or ""
    if is_accession(location):
        return fetch_accession(dataset.id, location, downloads)
    return fetch_table(downloads, location, f"{dataset.id}-phenotype")
