"""Series of one question: two classes, and five genes that are higher in tumours."""

import numpy as np

from xnbflow.data.dataset import DataSet


def cohort(name, seed, n=(14, 10), shift=2.0, features=60, **changes):
    """Return a series of logarithms; every twelfth gene is higher by ``shift`` in tumours.

    ``n`` are the numbers of normal and tumour samples.
    """
    rng = np.random.default_rng(seed)
    labels = np.repeat(["normal", "tumour"], n)
    values = rng.normal(np.linspace(3, 12, features)[:, None], 1.0, (features, sum(n)))
    values[::12] += shift * (labels == "tumour")
    parts = {"features": [f"g{i:02}" for i in range(features)], "labels": labels}
    return DataSet(name, values, samples=[f"{name}{i}" for i in range(sum(n))], **parts | changes)
