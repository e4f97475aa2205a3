"""Cross-validations of an analysis: the check of its series, and one job for each repeat."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds


def check_complete(data: DataSet, analysis: str, n_splits: int) -> None:
    """Refuse a series with missing values, or one that cannot be split.

    Parameters
    ----------
    data : DataSet
        A series of the analysis.
    analysis : str
        The name of the analysis, for the message.
    n_splits : int
        Number of folds.

    Raises
    ------
    InputError
        If a value is missing, or if a class or the groups are too few for the folds.
    """
    if np.isnan(data.values).any():
        msg = f"{data.name}: the analysis {analysis!r} takes no missing values; leave it out"
        raise InputError(msg)
    draw_folds(data, n_splits, 1)


def run_repeats(
    task: Callable[[DataSet, int, Mapping[str, Any]], Any],
    series: Mapping[str, DataSet],
    params: Mapping[str, Any],
    threads: int,
) -> list[Any]:
    """Return ``task(data, repeat, params)`` of every series and repeat, ``threads`` at a time.

    ``params`` has the number of ``repeats``; the results are in the order of the series.
    """
    jobs = []
    for data, repeat in itertools.product(series.values(), range(params["repeats"])):
        job = delayed(task)(data, repeat, params)
        jobs.append(job)
    return list(Parallel(n_jobs=max(1, threads))(jobs))
