"""A sparse tile has the statistics of the dense tile of the same values."""

import numpy as np
import pytest
from scipy import sparse

from xnbflow.core.errors import InputError
from xnbflow.density.class_tiles import ClassTile, map_class_tiles
from xnbflow.density.kernels import KERNELS
from xnbflow.density.sparse_tiles import SparseTile, classes_of_samples
from xnbflow.density.tiles import class_offsets, sorted_classes

CODES = np.random.default_rng(0).permutation(np.repeat([0, 1, 2, 3], [30, 21, 12, 1]))
PAIRS = np.array([[0, 1], [0, 2], [2, 3]])


@pytest.fixture
def features():
    """Features (9, 64) with many zeros, few zeros, none, negative values, and hard cases."""
    rng = np.random.default_rng(1)
    values = rng.exponential(size=(9, 64)) * (rng.random((9, 64)) < 0.3)
    values[1] *= rng.choice([-1.0, 1.0], size=64)
    values[2] += 2.0  # no zeros
    values[3] = -values[3]  # the zeros are the greatest values
    values[4, CODES == 1] = 0.0  # constant in a class
    values[5] = 0.0  # constant
    values[6] = np.where(CODES == 0, 40.0, 0.0)
    values[6, CODES == 2] = 20.3 + 1e-4 * rng.random(12)  # between two points of the grid
    values[7] = rng.random(64) < 0.05
    return values


def dense_tile(features, codes=CODES):
    order, offsets = class_offsets(codes, 4)
    return ClassTile(sorted_classes(features, order, offsets), offsets)


def sparse_tile(features):
    return SparseTile.gather(sparse.csr_array(features), slice(0, len(features)), CODES, 4)


def test_zeros_are_one_value_with_a_count_in_its_sorted_place():
    stored = sparse.csr_array(np.array([[2.0, 0.0, -1.0, 0.0, 0.0, 5.0, 3.0]]))
    stored.data[stored.data == 5.0] = 0.0  # a zero that is stored
    codes = np.array([0, 0, 0, 0, 1, 1, -1])  # the last sample is left out
    tile = SparseTile.gather(stored, slice(0, 1), codes, 2)
    assert tile.values.tolist() == [-1.0, 0.0, 2.0, 0.0]
    assert tile.weights.tolist() == [1.0, 2.0, 1.0, 2.0]
    assert tile.starts.tolist() == [[0, 3, 4]]
    assert tile.sizes.tolist() == [4, 2]


def test_moments_are_numpys(features):
    means, deviations, greatest = sparse_tile(features).moments()
    np.testing.assert_allclose(means, features.mean(axis=1), atol=1e-15)
    np.testing.assert_allclose(deviations, features.std(axis=1, ddof=1), rtol=1e-13)
    np.testing.assert_array_equal(greatest, np.abs(features).max(axis=1))


@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_no_square_of_a_deviation_overflows(features, scale):
    deviations = sparse_tile(features * scale).moments()[1]
    expected = features.std(axis=1, ddof=1) * scale
    np.testing.assert_allclose(deviations, expected, rtol=1e-12)


def test_a_range_that_overflows_is_refused(features):
    features[0, :2] = [1e308, -1e308]
    with pytest.raises(InputError, match="range overflows"):
        sparse_tile(features).standardised()


@pytest.mark.parametrize("standard", [False, True])
@pytest.mark.parametrize("floor", [0.0, 0.3])
@pytest.mark.parametrize("rule", ["silverman", "scott"])
def test_bandwidths_are_those_of_the_dense_tile(features, rule, floor, standard):
    dense, stored = dense_tile(features), sparse_tile(features)
    if standard:
        dense, stored = dense.standardised(), stored.standardised()
    actual = stored.bandwidths(rule, floor)
    np.testing.assert_allclose(actual, dense.bandwidths(rule, floor), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("underflow", ["as_published", "log"])
@pytest.mark.parametrize("n_grid", [2, 7, 50, 301])
@pytest.mark.parametrize("floor", [0.0, 0.3])
def test_gaussian_densities_are_those_of_the_dense_tile(features, floor, n_grid, underflow):
    dense, stored = dense_tile(features), sparse_tile(features)
    widths = dense.bandwidths("silverman", floor)
    options = {"kernel": "gaussian", "n_grid": n_grid, "underflow": underflow}
    expected = dense.densities(widths, **options)
    np.testing.assert_allclose(stored.densities(widths, **options), expected, atol=1e-13)
    if floor == 0.0:
        assert expected[2, :, 6].sum() == pytest.approx(1.0 if underflow == "log" else 0.0)


@pytest.mark.parametrize("kernel", KERNELS)
def test_densities_of_every_kernel_are_those_of_the_dense_tile(features, kernel):
    dense, stored = dense_tile(features).standardised(), sparse_tile(features).standardised()
    widths = dense.bandwidths("silverman", 0.3) + (dense.spreads == 0.0)
    options = {"kernel": kernel, "n_grid": 20, "underflow": "log"}
    expected = dense.densities(widths, **options)
    np.testing.assert_allclose(stored.densities(widths, **options), expected, atol=1e-13)


def test_separation_is_that_of_the_dense_tile(features):
    dense, stored = dense_tile(features), sparse_tile(features)
    widths = dense.bandwidths("silverman", 0.3)
    actual = stored.separation(widths, PAIRS)
    np.testing.assert_allclose(actual, dense.separation(widths, PAIRS), rtol=1e-11, atol=1e-18)


def kinds_of_tiles(stored, rule):
    """The classes of the tiles; together their strips are all features."""
    kinds, strips = set(), []

    def work(tile, strip):
        kinds.add(type(tile))
        strips.append(strip)

    map_class_tiles(work, stored, CODES, 4, rule=rule)
    features = sorted(f for strip in strips for f in range(strip.start, strip.stop))
    assert features == list(range(stored.shape[0]))
    return kinds


@pytest.mark.parametrize(("rule", "kind"), [("silverman", SparseTile), (None, ClassTile)])
def test_rules_that_need_more_than_quartiles_have_dense_tiles(features, rule, kind):
    stored = sparse.csr_array(np.tile(np.delete(features, 2, axis=0), (8, 1)))
    assert kinds_of_tiles(stored, rule) == {kind}


@pytest.mark.parametrize(("n_stored", "kind"), [(224, SparseTile), (225, ClassTile)])
def test_tiles_are_dense_where_more_than_35_percent_are_stored(n_stored, kind):
    """They are faster there: at all samples stored by a factor of two."""
    values = np.zeros((10, 64))
    values.reshape(-1)[:n_stored] = 1.0  # of 640 values
    assert kinds_of_tiles(sparse.csr_array(values), "silverman") == {kind}


def test_some_of_the_samples_have_their_classes_and_the_others_none(features):
    features = np.delete(features, 2, axis=0)  # most of its values are stored
    samples = np.array([9, 3, 40, 41, 42, 50, 11])
    codes = np.array([0, 1, 1, 0, 0, 1, 0])
    means = np.empty((2, 8))

    def work(tile, strip):
        assert tile.sizes.tolist() == [4, 3]
        means[:, strip] = tile.moments()[:2]

    map_class_tiles(work, sparse.csr_array(features), codes, 2, samples=samples, rule="scott")
    np.testing.assert_allclose(means[0], features[:, samples].mean(axis=1), atol=1e-15)
    assert classes_of_samples(codes, samples, 64)[samples].tolist() == codes.tolist()
