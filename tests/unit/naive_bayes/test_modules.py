"""Modules of correlated features, by a loop over features."""

from itertools import product

import numpy as np
import pytest

from xnbflow.naive_bayes.modules import ModuleWeights, ResidualCorrelation
from xnbflow.preprocessing.selection.pair_rankings import _NEVER


@pytest.mark.parametrize("n_features", [7, 40])  # fewer and more than samples
def test_module_weights_are_those_of_a_loop_over_features(rng, n_features):
    values, codes = rng.normal(size=(n_features, 20)), np.repeat([0, 1], 10)
    entry_sizes = np.full((2, n_features), _NEVER)
    entry_sizes[:, :7] = [[1, 2, 2, 3, 5, _NEVER, 4], [_NEVER, 1, 2, 3, 4, 5, 9]]
    centred = values.copy()
    for c in (0, 1):
        centred[:, codes == c] -= centred[:, codes == c].mean(axis=1, keepdims=True)
    modules = ModuleWeights(ResidualCorrelation(values, codes), entry_sizes, np.array([1, 3, 5]))
    actual = modules.of(slice(None))
    for c, (i, size) in product((0, 1), enumerate([1, 3, 5])):
        has = [j for j in range(n_features) if entry_sizes[c, j] <= size]
        assert modules.counts()[i, c] == len(has)
        for j in range(n_features):
            shared = sum(np.corrcoef(centred[j], centred[k])[0, 1] ** 2 for k in has)
            assert actual[c, i, j] == pytest.approx(1.0 / shared if j in has else 0.0)


def test_features_constant_within_classes_are_correlated_with_none(rng):
    codes = np.repeat([0, 1], 10)
    values = np.vstack([codes * 1e6 + 0.1, rng.normal(size=20), codes * 3.0])
    actual = ResidualCorrelation(values, codes).columns(slice(None))
    np.testing.assert_allclose(actual, np.diag([0.0, 1.0, 0.0]), atol=1e-12)
