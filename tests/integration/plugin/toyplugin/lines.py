"""A source of data sets, which are computed instead of read."""

import numpy as np

from xnbflow.data.dataset import DataSet


def load(dataset, downloads):
    """Return 24 samples of the classes odd and even, which feature ``a`` separates."""
    n = 24
    step = dataset.options.get("step", 1)
    labels = np.where(np.arange(n) % 2, "odd", "even")
    separating = np.arange(n) * step + 100.0 * (labels == "odd")
    values = np.vstack([separating, np.arange(n) % 7])
    return DataSet(dataset.id, values, ["a", "b"], np.arange(n), labels)
