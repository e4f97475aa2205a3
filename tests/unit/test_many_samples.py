"""What is done for many samples: exact by choice, within the bounds, and in the memory it may take.

Features that are few and have many samples are summed along the samples, and what is computed of
selected features is computed a strip at a time: neither may change what is found.
"""

import tracemalloc

import numpy as np
import pytest

from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.density.families.kernel import TABULATED_FROM
from xnbflow.density.grid import grid_densities
from xnbflow.density.matrices import Rows, some_rows
from xnbflow.density.tiles import class_offsets, sorted_classes
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV, FlexibleNB
from xnbflow.preprocessing.selection.class_specific import (
    FeatureDistances,
    distances_without_spikes,
)


@pytest.fixture
def rng():
    return np.random.default_rng(20261121)


def draw(rng, n_samples, n_features):
    y = rng.integers(0, 2, n_samples)
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::2] += 3.0 * y[:, None]
    return X, y


@pytest.mark.parametrize("sizes", [(3000, 2001), (4096, 3), (5, 5003)])
@pytest.mark.parametrize("underflow", ["as_published", "log"])
def test_few_features_with_many_samples_have_the_densities_of_sums(rng, sizes, underflow):
    codes = np.repeat([0, 1], sizes)
    features = rng.normal(size=(3, len(codes))) * [[1.0], [1e6], [1e-6]]
    features[0, :5] = 5.0  # a class far from the other
    order, offsets = class_offsets(codes, 2)
    tile = sorted_classes(features, order, offsets)
    widths = bandwidths_of(tile, offsets, "silverman")
    found = grid_densities(tile, offsets, widths, n_grid=20, underflow=underflow)
    for f in range(3):
        grid = np.linspace(features[f].min(), features[f].max(), 20)
        for c in range(2):
            u = (grid[:, None] - features[f, codes == c]) / widths[c, f]
            sums = np.exp(-0.5 * u * u).sum(axis=1)
            np.testing.assert_allclose(found[c, :, f], sums / sums.sum(), rtol=1e-10, atol=1e-25)


@pytest.mark.parametrize("Model", [FlexibleNB, XNB, ClassSpecificNB])
def test_tables_keep_their_bound_and_exact_makes_none(rng, Model):
    X, y = draw(rng, 2 * TABULATED_FROM + 500, 3)
    tabulated, exact = Model().fit(X, y), Model(exact=True).fit(X, y)
    points = X[:300]
    far = tabulated.predict_joint_log_proba(points) - exact.predict_joint_log_proba(points)
    assert 0.0 < np.abs(far).max() < 3e-6


def test_exact_is_for_the_cross_validated_one_too(rng):
    X, y = draw(rng, 2 * TABULATED_FROM + 500, 2)
    model = ClassSpecificNBCV(cv=2, sizes=[1], exact=True).fit(X, y)
    assert model.class_densities_.kernel.tables_ == [None, None]


def test_features_are_selected_without_a_copy_of_their_values(rng):
    values = rng.normal(size=(5, 4))
    features = FeatureDistances(np.arange(5), np.arange(5), np.zeros((1, 5)), values)
    taken = features.take(np.array([4, 1])).take(np.array([1]))
    assert isinstance(taken.values, Rows)
    assert np.shares_memory(taken.values.values, values)
    np.testing.assert_array_equal(taken.values[:], values[[1]])
    np.testing.assert_array_equal(
        taken.values[:, np.array([True, False, True, False])], values[[1]][:, ::2]
    )


def test_distances_without_spikes_are_those_of_every_feature_alone(rng):
    X, y = draw(rng, 3000, 12)
    rows = some_rows(X.T, np.arange(12))
    distances, spikes = distances_without_spikes(rows, y, 2)
    alone = [distances_without_spikes(X.T[[f]], y, 2) for f in range(12)]
    np.testing.assert_allclose(distances, np.hstack([each[0] for each in alone]), rtol=1e-9)
    np.testing.assert_array_equal(spikes, np.hstack([each[1] for each in alone]))


@pytest.mark.slow
@pytest.mark.parametrize("model", [FlexibleNB(), XNB(), ClassSpecificNB(n_features=8)])
def test_a_fit_of_a_million_samples_takes_no_more_memory_than_they_do(rng, model):
    X, y = draw(rng, 1_000_000, 16)
    tracemalloc.start()
    try:
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes
