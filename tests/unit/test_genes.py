"""Genes: each class against the rest, compared with SciPy and scikit-learn feature by feature."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from xnbflow.diagnostics import class_areas


@pytest.fixture(scope="module")
def measured():
    """Values with ties and gaps, one feature constant, one without a value in a class."""
    rng = np.random.default_rng(27)
    y = rng.permutation(np.repeat(["AML", "B-ALL", "control"], [7, 12, 20]))
    X = rng.normal(8, 2, (39, 60)).round(1) + 3 * (y == "AML")[:, None] * (np.arange(60) < 9)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 5] = 4.2
    X[y == "AML", 6] = np.nan
    return X, y


def test_areas_are_scikit_learns_ties_and_missing_values_among_them(measured):
    X, y = measured
    areas = class_areas(X, y)
    for code, label in enumerate(("AML", "B-ALL", "control")):
        for feature, column in enumerate(X.T):
            known = ~np.isnan(column)
            truth = y[known] == label
            if not truth.any():
                assert np.isnan(areas[code, feature])
                continue
            expected = roc_auc_score(truth, column[known])
            np.testing.assert_allclose(areas[code, feature], expected, rtol=1e-12)
    assert (areas[:, 5] == 0.5).all()
