"""Distances, bandwidths and kernels of XNB on the development series, for docs/methods/xnb.md.

It is the analysis `distances` on the series of the folder XNBFLOW_DATA: 1,000 random features of
each, drawn anew in each of three repeats, five folds. `python -m benchmarks distances` writes the
two tables to results/benchmarks; it takes about three minutes.
"""

import warnings

import numpy as np
import pandas as pd
from accuracy_series import development_series

from xnbflow.data.dataset import DataSet
from xnbflow.papers.xnb_paper.compute_distances import analyse

PARAMETERS = {"features": 1000, "splits": 5, "repeats": 3}


def rows() -> list[dict]:
    """Return no rows: this benchmark measures no time."""
    return []


def details() -> dict[str, pd.DataFrame]:
    """Return the accuracies of every series, and the differences over series."""
    series = {name: read() for name, read in development_series().items()}
    data_sets = {name: data_set(name, *values) for name, values in series.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # small classes
        tables = analyse(data_sets, PARAMETERS, 1)
    return {f"distances-{name}": table for name, table in tables.items()}


def data_set(name: str, X: np.ndarray, labels: np.ndarray) -> DataSet:
    """Return a series with numbered features and samples."""
    features = [f"g{i}" for i in range(X.shape[1])]
    samples = [f"s{i}" for i in range(len(X))]
    return DataSet(
        name=name,
        values=np.ascontiguousarray(X.T),
        features=features,
        samples=samples,
        labels=labels,
    )
