"""Six samples of two classes, and a classifier that forgets between tests what it saw."""

import numpy as np
import pytest
from spy_classifier import Spy

from xnbflow.data.dataset import DataSet


@pytest.fixture
def series():
    rng = np.random.default_rng(1)
    labels = np.array(["a", "a", "a", "b", "b", "b"])
    values = rng.normal(size=(4, 6)) + 3 * (labels == "b")
    return DataSet(
        "toy", values, features=list("wxyz"), samples=[f"s{i}" for i in range(6)], labels=labels
    )


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    monkeypatch.setattr(Spy, "seen", [])
    monkeypatch.setattr(Spy, "tested", [])
