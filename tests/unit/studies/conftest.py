"""A series of three classes with differences that are known."""

import numpy as np
import pytest
from toys import dataset


@pytest.fixture(scope="module")
def series():
    """Class b is high in g0 and low in g1, c lies between the others in g0; g2 is constant in a."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], [20, 15, 10])
    values = rng.normal(size=(6, 45))
    values[0] += np.select([labels == "b", labels == "c"], [6.0, 3.0])
    values[1] -= 5.0 * (labels == "b")
    values[2, labels == "a"] = 0.0
    return dataset(values, labels)
