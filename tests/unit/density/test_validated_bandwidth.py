"""The cross-validated bandwidth is that of scikit-learn's grid search, as the authors call it."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity

from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.density.validated_bandwidth import validated_bandwidth
from xnbflow.naive_bayes import FlexibleNB


def searched(values):
    """``best_estimator`` of xnb 0.5.1."""
    reach = np.ptp(values)
    candidates = np.linspace(reach / len(np.unique(values)), reach, 50)
    search = GridSearchCV(KernelDensity(), {"bandwidth": candidates}, cv=3)
    return search.fit(values[:, None]).best_estimator_.bandwidth_


@pytest.mark.parametrize("n", [3, 4, 5, 26, 80])
@pytest.mark.parametrize("kind", ["normal", "rounded", "clusters", "far"])
def test_the_bandwidth_is_that_of_the_grid_search(rng, kind, n):
    values = rng.normal(size=n)
    if kind == "rounded":
        values = values.round(1)
    elif kind == "clusters":
        values[::2] += 20.0
    elif kind == "far":
        values[n // 2] = 1e4
    assert validated_bandwidth(values) == pytest.approx(searched(values), rel=1e-12)


def test_the_folds_are_blocks_of_the_samples_in_their_order(rng):
    values = np.r_[rng.normal(size=10), rng.normal(8, 1, 10), rng.normal(16, 1, 10)]
    mixed = rng.permutation(values)
    assert validated_bandwidth(values) == pytest.approx(searched(values))
    assert validated_bandwidth(mixed) == pytest.approx(searched(mixed))
    assert validated_bandwidth(values) > 2 * validated_bandwidth(mixed)


def test_a_constant_class_has_a_spike_and_two_samples_are_two_folds():
    assert validated_bandwidth(np.full(5, 2.0)) == 1e-7
    assert validated_bandwidth(np.array([2.0])) == 1e-7
    # The only training sample is at distance 1, where the density of width 1 is the greatest.
    assert validated_bandwidth(np.array([3.0, 4.0])) == 1.0


def test_classifiers_give_the_samples_in_their_order(rng):
    X, y = rng.normal(size=(40, 2)), rng.permutation(np.repeat([0, 1], 20))
    model = FlexibleNB(bandwidth="cross_validation").fit(X, y)
    for c in range(2):
        expected = [searched(X[y == c, f]) for f in range(2)]
        np.testing.assert_allclose(model.density_.bandwidths_[c], expected)


def test_the_rule_refuses_sorted_samples(rng):
    with pytest.raises(TypeError, match="cross_validation needs the samples in their order"):
        bandwidths_of(rng.normal(size=(9, 1)), np.array([0, 9]), "cross_validation")
