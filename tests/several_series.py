"""Three series of one question, and their combination, for tests of several series."""

from functools import cache

import numpy as np

from xnbflow.data.dataset import DataSet
from xnbflow.models.cohorts import combine

CSNB = {"method": "csnb", "params": {"n_features": 3}}


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


SMALL = [cohort(name, seed, (5, 4)) for seed, name in enumerate("abc")]


SERIES = [cohort("a", 1), cohort("b", 2, (9, 12)), cohort("c", 3, (12, 12))]


@cache
def combined(harmonise="rank"):
    return combine(SERIES, CSNB, harmonise=harmonise)
