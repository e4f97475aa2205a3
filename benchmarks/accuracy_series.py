"""The development series: public microarrays on which accuracy is measured."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

__all__ = ["DATA", "development_series"]

DATA = Path(os.environ.get("XNBFLOW_DATA", Path(__file__).parents[2] / "shared" / "data"))
FOLDERS = {"microarray": "*.csv.gz", "geo": "GSE*.csv.gz"}

#: Values above this cannot be logarithms of intensities.
_LARGEST_LOGARITHM = 100.0


def development_series() -> dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]]:
    """Return, for each series that is there, a function that reads its values and labels."""
    paths: list[Path] = []
    for folder, pattern in FOLDERS.items():
        paths += (DATA / folder).glob(pattern)
    series = {}
    for path in sorted(paths, key=lambda path: path.name):
        series[path.name.removesuffix(".csv.gz")] = partial(read_series, path)
    return series


def read_series(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the values (n_samples, n_features) and labels of a file in CuMiDa's layout.

    Intensities become binary logarithms; those below 1 count as 1.
    """
    table = pd.read_csv(path)
    X = table.iloc[:, 2:].to_numpy(float)
    if X.max() > _LARGEST_LOGARITHM:
        X = np.log2(np.maximum(X, 1.0))
    return X, table["type"].to_numpy(str)
