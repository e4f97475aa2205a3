"""A job of the stage *analyse*: one analysis of a study, by the module that its entry names."""

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from xnbflow.core.plugins import known_analyses
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import scheme_folds
from xnbflow.tables.contract import STUDY_TABLES, analysis_tables
from xnbflow.tables.earlier import remove_earlier_analysis
from xnbflow.tables.storage import digest_of_file, read_parquet, write_tables


def run_analysis(
    name: str,
    files: Any,
    params: Any,
    folder: str,
    downloads: Mapping[str, Any],
    *,
    threads: int,
    check: Callable[[], None],
) -> None:
    """Compute an analysis, compare it with its paper if it does so, and write its tables.

    Parameters
    ----------
    name
        The analysis.
    files
        The rule's inputs: ``series``, the files of ``given`` folds, and tables of the ``study``.
    params
        The ``settings`` of the analysis in the configuration; ``scheme``, that of its folds, or
        None; ``parts`` and ``folds``, the classifiers of the paper and the schemes of the study.
    folder
        Where the tables are written.
    downloads
        How files are downloaded, see `xnbflow.evaluation.folds_file.scheme_folds`.
    threads
        The number of threads.
    check
        Called before files are written.
    """
    analysis = known_analyses()[name]
    series = {read.name: read for read in map(DataSet.read, files.series)}
    settings = dict(params.settings)
    if params.scheme is not None:
        (divided,) = series.values()
        given_file = next(iter(files.given), None)
        settings["folds"] = scheme_folds(divided, params.scheme, given_file, downloads)
    tables = importlib.import_module(analysis.compute).analyse(series, settings, threads)
    if analysis.comparison:
        paths = zip(analysis.needs, files.study, strict=True)
        study = {table: read_parquet(path, STUDY_TABLES[table]) for table, path in paths}
        compare = importlib.import_module(analysis.comparison).compare
        tables |= compare({"parts": params.parts, "folds": params.folds}, study)
    check()
    digests = " ".join(map(digest_of_file, files.series))
    declared = analysis_tables(analysis)
    write_tables(tables, folder, declared, digests)
    remove_earlier_analysis(name, declared, Path(folder).parents[1])
