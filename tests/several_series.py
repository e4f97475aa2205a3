"""Series of one question, and their combination, for tests of several series.

`SERIES` are three cohorts of 21 to 24 samples with 60 genes, `SMALL` three of 9; `cohort` makes
others. `combined` has the tables, the model and the merged series of `SERIES`.
"""

from functools import cache

import numpy as np

from xnbflow.data.dataset import DataSet
from xnbflow.models.cohorts import combine

CSNB = {"method": "csnb", "params": {"n_features": 3}}


def cohort(name, seed, n=(14, 10), shift=2.0, features=60, **changes):
    """Return a series of logarithms; every twelfth gene is higher by ``shift`` in tumours.

    ``n`` are the numbers of normal and tumour samples. Means of genes rise from 3 to 12, with a
    standard deviation of 1. ``changes`` are fields of `DataSet`.
    """
    rng = np.random.default_rng(seed)
    labels = np.repeat(["normal", "tumour"], n)
    values = rng.normal(np.linspace(3, 12, features)[:, None], 1.0, (features, sum(n)))
    values[::12] += shift * (labels == "tumour")
    parts = {"features": [f"g{i:02}" for i in range(features)], "labels": labels}
    return DataSet(name, values, samples=[f"{name}{i}" for i in range(sum(n))], **parts | changes)


#: Three cohorts of 5 normal and 4 tumour samples.
SMALL = [cohort(name, seed, (5, 4)) for seed, name in enumerate("abc")]

#: Three cohorts of 14 and 10, 9 and 12, and 12 and 12 samples.
SERIES = [cohort("a", 1), cohort("b", 2, (9, 12)), cohort("c", 3, (12, 12))]


@cache
def combined(harmonise="rank"):
    """Return the tables by name, the model and the merged series of `combine` for `SERIES`."""
    return combine(SERIES, CSNB, harmonise=harmonise, name="csnb")
