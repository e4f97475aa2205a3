"""Series of two classes, and a classifier that forgets between tests what it saw."""

import numpy as np
import pandas as pd
import pytest
from spy_classifier import Spy
from toys import dataset

from xnbflow.data.dataset import DataSet


@pytest.fixture
def series():
    rng = np.random.default_rng(1)
    labels = np.array(["a", "a", "a", "b", "b", "b"])
    values = rng.normal(size=(4, 6)) + 3 * (labels == "b")
    return DataSet(
        "toy", values, features=list("wxyz"), samples=[f"s{i}" for i in range(6)], labels=labels
    )


@pytest.fixture
def pairs():
    """Eight patients, two samples each, one of each class; a value in ten is missing."""
    rng = np.random.default_rng(0)
    labels = np.tile(["normal", "tumour"], 8)
    values = rng.normal(size=(5, 16)) + 2 * (labels == "tumour")
    values[rng.random(values.shape) < 0.1] = np.nan
    groups = np.repeat([f"patient {i}" for i in range(8)], 2)
    genes = pd.DataFrame({"symbol": ["TP53", "", "KRAS", "MYC", "EGFR"]})
    parts = {"groups": groups, "feature_metadata": genes, "missing": True}
    return dataset(values, labels, "pairs", **parts)


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    monkeypatch.setattr(Spy, "seen", [])
    monkeypatch.setattr(Spy, "tested", [])
