"""A job of *genes*: the comparisons of single features of a data set, by the design of a study."""

from pathlib import Path

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.gene_tables import TEXTS, gene_tables
from xnbflow.tables.contract import GENE_TABLES
from xnbflow.tables.storage import write_parquet, write_tsv


def compare_features(
    series: Path,
    design: Design,
    *,
    folder: Path,
) -> None:
    """Write the comparisons of the features of a series into a folder.

    See `xnbflow.diagnostics.gene_tables.gene_tables`.
    """
    tables = gene_tables(DataSet.read(series), design)
    for name, table in tables.items():
        write_parquet(table, folder / f"{name}.parquet", GENE_TABLES[name])
    for name in TEXTS:
        write_tsv(tables[name], folder / f"{name}.tsv", GENE_TABLES[name])
