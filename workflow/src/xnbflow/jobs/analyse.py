"""A job of *analyse*: one analysis of a study, by the module that its entry names."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xnbflow.core.plugins import known_analyses
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import scheme_folds
from xnbflow.tables.contract import GROUPS, analysis_tables
from xnbflow.tables.storage import read_parquet, write_tables


def run_analysis(
    name: str,
    *,
    series: Sequence[Path],
    settings: Mapping[str, Any],
    scheme: Mapping[str, Any] | None,
    folds_file: Path | None,
    downloads: Mapping[str, Any],
    tables_of_study: Sequence[Path],
    parts: Mapping[str, str],
    folds: Sequence[str],
    folder: Path,
    threads: int,
) -> None:
    """Compute an analysis, compare it with its paper if it does so, and write its tables.

    Parameters
    ----------
    name : str
        The analysis.
    series : sequence of Path
        Its series; none of a simulation.
    settings : mapping
        Its parameters in the configuration.
    scheme, folds_file, downloads
        The scheme of its folds, or None; the user's file of predefined ones, and how a file is
        downloaded; see `xnbflow.evaluation.folds_file.scheme_folds`.
    tables_of_study : sequence of Path
        The tables of the study that it ``needs``, in this order.
    parts, folds
        The classifiers of the paper and the schemes of folds of the study.
    folder : Path
        Where the tables are written.
    threads : int
    """
    analysis = known_analyses()[name]
    data = {one.name: one for one in map(DataSet.read, series)}
    parameters = dict(settings)
    if scheme is not None:
        (divided,) = data.values()
        parameters["folds"] = scheme_folds(divided, scheme, folds_file, downloads)
    tables = importlib.import_module(analysis.compute).analyse(data, parameters, threads)
    if analysis.comparison:
        paths = zip(analysis.needs, tables_of_study, strict=True)
        study = {table: read_parquet(path, GROUPS["study"].tables[table]) for table, path in paths}
        compare = importlib.import_module(analysis.comparison).compare
        tables |= compare({"parts": parts, "folds": folds}, study)
    declared = analysis_tables(analysis)
    write_tables(tables, folder, declared)
