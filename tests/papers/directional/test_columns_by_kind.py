"""Columns of a kind are given to classifiers of directional naive Bayes."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.training import LOG_POSTERIOR, train

FOLDS = pd.DataFrame({"repeat": 0, "fold": [0, 0, 1, 1], "sample": ["s0", "s3", "s1", "s4"]})


FIRST, SECOND = FOLDS[:2], FOLDS[2:]


@pytest.fixture
def series():
    rng = np.random.default_rng(1)
    labels = np.array(["a", "a", "a", "b", "b", "b"])
    values = rng.normal(size=(4, 6)) + 3 * (labels == "b")
    return DataSet("toy", values, list("wxyz"), [f"s{i}" for i in range(6)], labels)


def von_mises(columns):
    path = "xnbflow.papers.directional.von_mises_nb.VonMisesNB"
    return {"method": path, "params": {"angular": columns}}


def test_columns_are_given_by_their_kind(rng, series):
    angles = rng.uniform(-np.pi, np.pi, size=(1, 6))
    kinds = ["angular", *["linear"] * 4]
    names = ["angle", *series.features]
    values = np.vstack([angles, series.values])
    both = DataSet("toy", values, names, series.samples, series.labels, kinds)
    told = train(both, FIRST, von_mises("@angular"))
    given = train(both, FIRST, von_mises([0]))
    pd.testing.assert_frame_equal(told["predictions"], given["predictions"])
    not_told = train(both, FIRST, von_mises([1]))
    column = LOG_POSTERIOR + "a"
    assert not np.allclose(told["predictions"][column], not_told["predictions"][column])
