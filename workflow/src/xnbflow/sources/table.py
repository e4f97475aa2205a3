"""A user's table in any format, with samples in rows or columns."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from xnbflow.core.errors import InputError, about_file
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry, is_accession
from xnbflow.sources.formats.gct import as_gct, read_classes
from xnbflow.sources.formats.opening import read_raw_table, suffix_of
from xnbflow.sources.formats.program_exports import MOST_LONG_COLUMNS, refuse_long
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import with_sheets
from xnbflow.sources.geo import fetch_accession
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.roles import assign_roles, kept_columns, turn
from xnbflow.sources.series.contents import series_of_table
from xnbflow.sources.series.phenotype import (
    PhenotypeText,
    phenotype_of_text,
    read_phenotype,
    refuse_glued,
)
from xnbflow.sources.series.raw_series import RawSeries
from xnbflow.sources.series.steps import finish


def fetch_table(downloads: Downloads, location: str, name: str, sha256: str | None = None) -> Path:
    """Return the local path of a table, or of its phenotype; one at a URL is downloaded."""
    name += "".join(Path(urlsplit(location).path).suffixes[-2:])
    return downloads.fetch_location("table", location, name=name, sha256=sha256)


def load(
    dataset: DatasetEntry,
    downloads: Downloads,
    *,
    raw: TextTable | None = None,
    phenotype_text: PhenotypeText | None = None,
) -> DataSet:
    """Get a table from its path or URL, and read it by the keys of its entry.

    Its text, and that of its phenotype file, are not read again if they were read before.
    """
    if dataset.phenotype:
        dataset = with_phenotype_file(dataset, downloads)
    path = fetch_table(downloads, dataset.location, dataset.id, dataset.sha256)
    with about_file(path):
        series, dataset = read_raw_series(path, dataset, raw, phenotype_text)
        return finish(series, dataset)


def with_phenotype_file(dataset: DatasetEntry, downloads: Downloads) -> DatasetEntry:
    """Return the entry with the local path of its phenotype, which may be at a URL or in GEO."""
    location = dataset.phenotype
    if not location:
        return dataset
    if is_accession(location):
        path = fetch_accession(dataset.id, location, downloads)
    else:
        path = fetch_table(downloads, location, f"{dataset.id}-phenotype")
    return replace(dataset, phenotype=str(path))


def read_table(
    path: str | Path, dataset: DatasetEntry, *, are_intensities: bool = False
) -> DataSet:
    r"""Read a table.

    Parameters
    ----------
    path : path
        CSV (comma), TSV (``.tsv``, ``.tab``, ``.txt``; tabs), plain or gzipped, as R's write.csv
        and write.table write it, too; a workbook (``.xlsx``, ``.xls``, ``.ods``), ``.arff``,
        Parquet or AnnData's ``.h5ad``. It has a header.
    dataset : DatasetEntry
        With samples in rows, ``label`` and ``id`` name columns, and without the latter samples are
        called by the first column if that has no name, else 0, 1, ...; with samples in columns,
        ``label`` names the row of labels, and ``id`` the column of row names (the first without).
        Further keys:

        - ``angular: {wind: degrees, hour: 24}``: angles with their unit, ``degrees``, ``radians``
          or the period; they become radians.
        - ``categorical: [sex, stage]``: categories, which become codes 0, 1, ... in the order of
          the numbers if all are numbers, else of the alphabet.
        - ``batch: plate``, ``phenotype: {columns: [age, sex]}``: columns of the samples'
          phenotype, which are not features.
        - ``drop: [note]``: columns to leave out, also of the phenotype; with samples in columns
          those beside the samples still annotate the features. ``features: [{pattern: "*_at"}]``:
          the only features.
        - ``separator: semicolon`` (comma, tab, semicolon, space, pipe), ``decimal: comma``,
          ``sheet: Sheet2`` of a workbook, ``header: 3``: the line of the header, where a title
          above it is not recognised.
        - ``phenotype: {file: pheno.tsv}``: another table, a row per sample, for label, group and
          other columns; its column of sample names is its ``id``, or the first, and its sheet in a
          workbook ``sheet``. Or a series matrix, or ``{accession: GSE4107}``, for ``label`` and
          ``group`` as of source geo; its sample names are accessions (GSM...), or ``id: title``.
          Of a table in GCT it may be a ``.cls`` file, which gives the label ``class``.
        - ``matrix: X`` (or ``raw``, ``layers:counts``) of an ``.h5ad`` file.
        - the keys of `xnbflow.sources.series.steps.finish`.

        All other features are linear.
    are_intensities : bool, default=False
        Whether the values are known to be of arrays: a note is added where they are not logged.

    Returns
    -------
    DataSet

    Examples
    --------
    >>> import tempfile
    >>> entry = DatasetEntry("toy", "table", label="site", angular={"wind": "degrees"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("site,wind,speed\nnorth,90,3\nsouth,180,5\n")
    ...     series = read_table(path, entry)
    >>> series.features.tolist(), series.kinds.tolist(), series.values.round(2).tolist()
    (['wind', 'speed'], ['angular', 'linear'], [[1.57, 3.14], [3.0, 5.0]])
    """
    with about_file(path):
        series, dataset = read_raw_series(path, dataset)
        return finish(replace(series, note_unlogged=are_intensities), dataset)


def read_raw_series(
    path: str | Path,
    dataset: DatasetEntry,
    raw: TextTable | None = None,
    phenotype_text: PhenotypeText | None = None,
    *,
    release: bool = True,
) -> tuple[RawSeries, DatasetEntry]:
    """Return a table with its roles as a raw series, and the entry as its format completes it.

    Parameters
    ----------
    path : path
        The table.
    dataset : DatasetEntry
        Its entry.
    raw : TextTable, optional
        The table if it was read before by the same keys.
    phenotype_text : TextTable or GeoHead, optional
        The phenotype file if it was read before.
    release : bool
        Whether its texts are removed from memory as they are converted.
    """
    path = Path(path)
    if suffix_of(path) == ".h5ad":
        from xnbflow.sources.formats.h5ad import as_anndata  # noqa: PLC0415 - an extra

        dataset = as_anndata(dataset)
    if suffix_of(path) == ".gct":
        dataset = as_gct(path, dataset)
    with about_file(path):
        phenotype = None
        location = dataset.phenotype or ""
        if location and suffix_of(location) == ".cls":
            phenotype = read_classes(Path(location), path)
        elif phenotype_text is not None:
            phenotype = phenotype_of_text(Path(location), phenotype_text, dataset)
        elif location:
            phenotype = read_phenotype(location, dataset)
        if raw is None:
            raw = read_raw_table(path, dataset.reading)
        if not raw.header:
            raise InputError(f"{path} has no header; get it again")
        if raw.is_header_short and phenotype is not None:
            refuse_glued(path, raw.header, phenotype)
        try:
            if len(raw.header) <= MOST_LONG_COLUMNS and not raw.described:
                refuse_long(raw, dataset.label)
            table = turn(raw, dataset)
            roles = assign_roles(table, dataset, phenotype)
            if not len(raw):
                raise InputError(f"{path} has no rows below its header; get it again")
            kept = None if phenotype is None else kept_columns(phenotype, dataset)
            series = series_of_table(table, roles, dataset, kept, release=release)
        except InputError as error:
            if len(raw.sheets) > 1:
                raise with_sheets(error, raw) from error
            raise
        return series, dataset
