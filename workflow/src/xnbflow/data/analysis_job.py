"""A job of the stage *analyse*: one analysis of a study, by the module that its entry names."""

import importlib
from collections.abc import Callable
from typing import Any

from xnbflow.core.plugins import known_analyses
from xnbflow.data.dataset import DataSet
from xnbflow.tables.contract import STUDY_TABLES, analysis_tables
from xnbflow.tables.storage import digest_of_file, read_parquet, write_tables


def run_analysis(
    name: str, files: Any, params: Any, folder: str, threads: int, check: Callable[[], None]
) -> None:
    """Compute an analysis, compare it with its paper if it does so, and write its tables.

    ``files`` are the job's inputs ``series``, ``folds`` and ``study``, ``params`` its ``params``
    and ``about``; ``check`` is called before files are written.
    """
    analysis = known_analyses()[name]
    series = {read.name: read for read in map(DataSet.read, files.series)}
    settings = dict(params.params) | ({"folds": files.folds[0]} if files.folds else {})
    tables = importlib.import_module(analysis.compute).analyse(series, settings, threads)
    if analysis.comparison:
        paths = zip(analysis.needs, files.study, strict=True)
        study = {table: read_parquet(path, STUDY_TABLES[table]) for table, path in paths}
        compare = importlib.import_module(analysis.comparison).compare
        tables |= compare(params.about, study)
    check()
    digests = " ".join(map(digest_of_file, files.series))
    write_tables(tables, folder, analysis_tables(analysis), digests)
