"""A job of the stage *classify*: classifiers of a data set and scheme of folds."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import scheme_folds
from xnbflow.evaluation.training import train
from xnbflow.inference.random_genes import random_genes
from xnbflow.tables.contract import FOLDS_TABLE, GROUPS, TRAINING_TABLES
from xnbflow.tables.storage import digest_of_file, write_parquet, write_stacked

if TYPE_CHECKING:
    import pandas as pd


def classify(
    files: Any,
    params: Any,
    outputs: Any,
    downloads: Mapping[str, Any],
    check_code: Callable[[], None],
) -> None:
    """Draw the folds, train the classifiers of a job on them, and write the tables of all.

    Parameters
    ----------
    files
        The rule's inputs: the ``series``, and the files of ``given`` folds.
    params
        The ``scheme`` of folds; ``entries``, the configuration of each classifier by id;
        ``tested``, the classifiers whose features are compared with random ones.
    outputs
        The path of the folds, and that of each table, which has the rows of all classifiers.
    downloads
        How files are downloaded, see `xnbflow.evaluation.folds_file.scheme_folds`.
    check_code
        Called before files are written.
    """
    series = DataSet.read(files.series)
    given_file = next(iter(files.given), None)
    folds = scheme_folds(series, params.scheme, given_file, downloads)
    training: dict[str, dict[str, pd.DataFrame]] = {table: {} for table in TRAINING_TABLES}
    comparisons: dict[str, pd.DataFrame] = {}
    for name, entry in params.entries.items():
        tables = train(series, folds, entry)
        for table, frame in tables.items():
            training[table][name] = frame
        if name in params.tested:
            comparisons[name] = random_genes(series, tables["selected"], folds)
    check_code()
    digest = digest_of_file(files.series)
    write_parquet(folds, outputs.folds, FOLDS_TABLE)
    for table, schema in TRAINING_TABLES.items():
        write_stacked(training[table], outputs[table], schema, digest)
    schema = GROUPS["random_genes"].tables["random_genes"]
    write_stacked(comparisons, outputs.random_genes, schema, digest)
