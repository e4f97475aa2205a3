"""Densities on a grid agree with direct sums, however narrow."""

import numpy as np
import published_xnb
import pytest

from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.density.grid import grid_densities, sum_exactly
from xnbflow.density.kernels import KERNELS, apply_kernel, kernel_code
from xnbflow.density.tiles import class_offsets, sorted_classes


def tile_of(features, codes):
    order, offsets = class_offsets(codes, codes.max() + 1)
    return sorted_classes(features, order, offsets), offsets


def direct(values, h, points, kernel="gaussian"):
    """The sum of kernels without tricks, divided by its sum."""
    if kernel == "gaussian":
        density = sum_exactly(values, h, points)
        return density / density.sum() if density.sum() > 0 else density
    u = ((points[:, None] - values) / h).reshape(-1)
    apply_kernel(kernel_code(kernel), u)
    density = (u.reshape(len(points), -1) / h).sum(axis=1)
    return density / density.sum() if density.sum() > 0 else density


@pytest.mark.parametrize("sizes", [(4, 23), (3000, 2001), (4096, 3)])
@pytest.mark.parametrize("n_grid", [2, 50, 200])
@pytest.mark.parametrize("spread", [0.5, 100.0, 1e3])
def test_powers_equal_exponentials(rng, sizes, n_grid, spread):
    codes = np.repeat([0, 1], sizes)
    features = rng.normal(size=(300 if len(codes) < 100 else 3, len(codes)))
    features[:, 0] = spread
    features[1:3] *= [[1e6], [1e-6]]
    tile, offsets = tile_of(features, codes)
    bandwidths = bandwidths_of(tile, offsets, "silverman")
    actual = grid_densities(tile, offsets, bandwidths, n_grid=n_grid)
    for f, row in enumerate(features):
        points = np.linspace(row.min(), row.max(), n_grid)
        for c in range(2):
            expected = direct(row[codes == c], bandwidths[c, f], points)
            np.testing.assert_allclose(actual[c, :, f], expected, atol=2e-13)


@pytest.mark.parametrize("gap", [0.02, 0.9, 3.9])  # of the grid, in bandwidths
def test_powers_have_the_relative_error_that_the_module_states(rng, gap):
    """Wherever the density is above 1e-18 of its greatest value."""
    h = 50.0 / 49.0 / gap
    values = np.sort(np.concatenate([[0.0, 50.0], 50.0 * rng.random(60)]))
    tile = np.repeat(values[:, np.newaxis], 9, axis=1)
    actual = grid_densities(tile, np.array([0, 62]), np.full((1, 9), h))[0, :, 0]
    expected = direct(values, h, np.linspace(0.0, 50.0, 50))
    seen = expected > 1e-18 * expected.max()
    assert seen.sum() > 30
    np.testing.assert_allclose(actual[seen], expected[seen], rtol=1e-12)


def test_thousands_of_samples_of_a_class_are_summed_as_by_the_definition(rng):
    codes = np.repeat([0, 1], [5000, 30])
    features = rng.normal(size=(9, len(codes)))
    features[:, 3000:5000] += 2.0
    tile, offsets = tile_of(features, codes)
    bandwidths = bandwidths_of(tile, offsets, "silverman")
    actual = grid_densities(tile, offsets, bandwidths)
    for f, row in enumerate(features):
        points = np.linspace(row.min(), row.max(), 50)
        for c in range(2):
            expected = direct(row[codes == c], bandwidths[c, f], points)
            np.testing.assert_allclose(actual[c, :, f], expected, atol=2e-13)


@pytest.mark.parametrize("kernel", KERNELS)
def test_all_kernels_can_be_summed(rng, kernel):
    codes = np.repeat([0, 1], [8, 15])
    features = rng.normal(size=(3, 23))
    tile, offsets = tile_of(features, codes)
    bandwidths = bandwidths_of(tile, offsets, "silverman")
    actual = grid_densities(tile, offsets, bandwidths, kernel=kernel, n_grid=20)
    for f in range(3):
        points = np.linspace(features[f].min(), features[f].max(), 20)
        for c in range(2):
            rows = slice(offsets[c], offsets[c + 1])
            expected = direct(tile[rows, f], bandwidths[c, f], points, kernel)
            np.testing.assert_allclose(actual[c, :, f], expected, atol=1e-13)


def test_a_density_that_underflows_is_zero_as_published_or_normalised_in_logs():
    features = np.array([[0.0, 100.0, 40.0, 40.0, 40.0 + 1e-9]])
    tile, offsets = tile_of(features, np.array([0, 0, 1, 1, 1]))
    bandwidths = bandwidths_of(tile, offsets, "silverman")
    published = grid_densities(tile, offsets, bandwidths, underflow="as_published")
    in_logs = grid_densities(tile, offsets, bandwidths, underflow="log")
    assert published[1].sum() == 0
    nearest = np.argmin(abs(np.linspace(0, 100, 50) - 40))
    assert in_logs[1, nearest, 0] == pytest.approx(1)
    np.testing.assert_array_equal(published[0], in_logs[0])


def test_a_density_in_the_range_of_denormal_numbers_is_that_of_the_published_program():
    # the nearest grid point is 38.6 bandwidths away: exp(-745) is denormal, its sum not zero
    values = np.array([0.5, 0.5 + 1e-7, 0.5 + 3e-7])
    h = published_xnb.bandwidth(values)
    features = np.concatenate([values, [0.5 - 38.4 * h, 0.5 + 60 * h]])[None]
    tile, offsets = tile_of(features, np.array([0, 0, 0, 1, 1]))
    actual = grid_densities(tile, offsets, bandwidths_of(tile, offsets, "silverman"), n_grid=2)
    points = np.array([features.min(), features.max()])
    expected = np.exp(published_xnb.log_density(points, values, h))
    assert 0 < expected.sum() < 1e-300
    np.testing.assert_allclose(actual[0, :, 0], expected / expected.sum(), rtol=1e-9)
