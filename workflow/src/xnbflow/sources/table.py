"""A user's table in any format, with samples in rows or columns."""

from contextlib import nullcontext
from pathlib import Path

from xnbflow.core.errors import about_file
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.workbook import about_sheets
from xnbflow.sources.infer.table_roles import infer
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.series.inferred_keys import TransformInference
from xnbflow.sources.series.steps import series_of_table
from xnbflow.sources.table_files import TableTexts, fetch_phenotype, fetch_table, read_texts


def load(dataset: DatasetEntry, downloads: Downloads) -> DataSet:
    """Get a table from its path or URL, and read it by the keys of its entry."""
    path = fetch_table(downloads, dataset.location, dataset.id, dataset.sha256)
    phenotype = fetch_phenotype(dataset, downloads) if dataset.phenotype else None
    texts = read_texts(path, dataset, phenotype)
    with about_file(texts.table.path):
        return series_of_texts(texts)


def read_table(
    path: str | Path,
    dataset: DatasetEntry,
    *,
    phenotype: Path | None = None,
    are_intensities: bool = False,
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
        - the keys of `xnbflow.sources.series.steps.series_of_table`.

        All other features are linear.
    phenotype : path, optional
        The local file that ``phenotype`` names; by default it is the path in the entry.
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
    path = Path(path)
    if phenotype is None and dataset.phenotype:
        phenotype = Path(dataset.phenotype)
    with about_file(path):
        texts = read_texts(path, dataset, phenotype)
        return series_of_texts(texts, are_intensities=are_intensities)


def series_of_texts(
    texts: TableTexts,
    *,
    are_intensities: bool = False,
    infer_transform: TransformInference | None = None,
) -> DataSet:
    """Return the series of a table that was read as text, by the keys of its entry.

    The texts are removed from memory as they are converted. The other arguments are those of
    `series_of_table`.
    """
    with about_sheets(texts.table) if texts.table.sheets else nullcontext():
        table_roles = infer(texts.table, texts.entry, texts.phenotype)
    return series_of_table(
        table_roles.table,
        table_roles.roles,
        table_roles.entry,
        table_roles.phenotype,
        are_intensities=are_intensities,
        infer_transform=infer_transform,
    )
