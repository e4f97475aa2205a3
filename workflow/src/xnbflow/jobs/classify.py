"""A job of *classify*: classifiers of a data set and scheme of folds."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xnbflow.core.progress import track
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import scheme_folds
from xnbflow.evaluation.training import train
from xnbflow.inference.random_genes import random_genes
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import write_stacked

if TYPE_CHECKING:
    import pandas as pd


def train_classifiers(
    series: Path,
    *,
    scheme: Mapping[str, Any],
    folds_file: Path | None,
    downloads: Mapping[str, Any],
    entries: Mapping[str, Mapping[str, Any]],
    random_gene_classifiers: Collection[str],
    folder: Path,
) -> None:
    """Draw the folds, train the classifiers of a job on them, and write the tables of all.

    Parameters
    ----------
    series : Path
    scheme, folds_file, downloads
        The scheme of folds, the user's file of predefined ones, and how a file is downloaded; see
        `xnbflow.evaluation.folds_file.scheme_folds`.
    entries : mapping of str to mapping
        The configuration of each classifier by id.
    random_gene_classifiers : collection of str
        The classifiers whose features are compared with random ones.
    folder : Path
        The folder of the job. A table has the rows of all classifiers.
    """
    data = DataSet.read(series)
    folds = scheme_folds(data, scheme, folds_file, downloads)
    schemas = GROUPS["training"].tables
    training: dict[str, dict[str, pd.DataFrame]] = {table: {} for table in schemas}
    for name, entry in track(entries.items(), "classifiers"):
        tables = train(data, folds, entry)
        for table, frame in tables.items():
            training[table][name] = frame
        if name in random_gene_classifiers:
            training["random_genes"][name] = random_genes(data, tables["selected"], folds)
    for table, schema in schemas.items():
        write_stacked(training[table], folder / f"{table}.parquet", schema)
