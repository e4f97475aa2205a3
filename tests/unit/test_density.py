"""Kernels, rules of thumb, grids and tables agree with NumPy, SciPy and brute force."""

import numpy as np
import published_xnb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from xnbflow.density.bandwidth import BANDWIDTHS, bandwidths_of
from xnbflow.density.density_tables import log_tabulated, tabulate
from xnbflow.density.families import Kernel
from xnbflow.density.families.kernel import TABULATED_FROM
from xnbflow.density.grid import grid_densities
from xnbflow.density.kernels import KERNELS, apply_kernel, exponentiate, kernel_code
from xnbflow.density.tiles import class_offsets, sorted_classes


def tile_of(features, codes):
    order, offsets = class_offsets(codes, codes.max() + 1)
    return sorted_classes(features, order, offsets), offsets


@pytest.mark.parametrize("sizes", [(1, 2, 31), (0, 33, 64), (160, 5), (161, 5), (3,)])
def test_tiles_are_sorted_within_classes(rng, sizes):
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    features = rng.normal(size=(75, len(codes))).round(1)
    tile, offsets = tile_of(features, codes)
    for c, rows in enumerate(np.split(tile, offsets[1:-1])):
        np.testing.assert_array_equal(rows, np.sort(features[:, codes == c], axis=1).T)


def test_exponentials_are_accurate_to_two_units_in_the_last_place(rng):
    values = rng.uniform(-708, 709, 1001)
    expected = np.exp(values)
    exponentiate(values)
    np.testing.assert_allclose(values, expected, rtol=2 * np.finfo(float).eps)


@pytest.mark.parametrize(
    ("kernel", "s"), [("uniform", 0), ("epanechnikov", 1), ("biweight", 2), ("triweight", 3)]
)
def test_beta_kernels_follow_equation_5(kernel, s):
    u = np.linspace(-0.95, 0.95, 9)
    double_factorial = np.prod(np.arange(2 * s + 1, 0, -2.0))
    factorial = np.prod(np.arange(1.0, s + 1))
    expected = double_factorial / (2 ** (s + 1) * factorial) * (1 - u**2) ** s
    apply_kernel(kernel_code(kernel), u)
    np.testing.assert_allclose(u, expected)


@settings(deadline=None, max_examples=80)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(1, 40),
    decimals=st.sampled_from([0, 1, 8]),
    scale=st.sampled_from([1e-3, 1.0, 1e5]),
)
def test_rules_of_thumb_follow_the_published_one(seed, size, decimals, scale):
    values = np.round(np.random.default_rng(seed).normal(size=size), decimals) * scale
    tile = np.sort(values)[:, None]
    published = published_xnb.bandwidth(values)
    for rule, factor in (("silverman", 0.9), ("scott", 1.059)):
        found = bandwidths_of(tile, np.array([0, size]), rule)[0, 0]
        assert found == pytest.approx(published * factor / 0.9, rel=1e-12)


@pytest.mark.parametrize("rule", BANDWIDTHS)
def test_no_bandwidth_is_below_the_floor(rng, rule):
    codes = np.repeat([0, 1, 2], [30, 20, 1])
    features = np.vstack([rng.normal(size=51), np.where(codes == 0, 3.0, rng.normal(size=51))])
    features[0, codes == 1] *= 1e-3
    tile, offsets = tile_of(features, codes)
    in_order = np.ascontiguousarray(features.T)  # the samples are class after class
    published = bandwidths_of(tile, offsets, rule, in_order=in_order)
    found = bandwidths_of(tile, offsets, rule, min_bandwidth=0.3, in_order=in_order)
    floors = 0.3 * features.std(axis=1, ddof=1) * np.bincount(codes)[:, None] ** -0.2
    np.testing.assert_allclose(found, np.maximum(published, floors), rtol=1e-12)
    assert (published < floors).any()
    assert (published > floors).any()
    unlimited = bandwidths_of(tile, offsets, rule, min_bandwidth=0.0, in_order=in_order)
    np.testing.assert_array_equal(unlimited, published)


def direct(values, h, points, kernel="gaussian"):
    """The sum of kernels without tricks, divided by its sum."""
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
    found = grid_densities(tile, offsets, bandwidths, n_grid=n_grid)
    for f, row in enumerate(features):
        points = np.linspace(row.min(), row.max(), n_grid)
        for c in range(2):
            expected = direct(row[codes == c], bandwidths[c, f], points)
            np.testing.assert_allclose(found[c, :, f], expected, atol=2e-13)


@pytest.mark.parametrize("kernel", KERNELS)
def test_all_kernels_can_be_summed(rng, kernel):
    codes = np.repeat([0, 1], [8, 15])
    features = rng.normal(size=(3, 23))
    tile, offsets = tile_of(features, codes)
    bandwidths = bandwidths_of(tile, offsets, "silverman")
    found = grid_densities(tile, offsets, bandwidths, kernel=kernel, n_grid=20)
    for f in range(3):
        points = np.linspace(features[f].min(), features[f].max(), 20)
        for c in range(2):
            rows = slice(offsets[c], offsets[c + 1])
            expected = direct(tile[rows, f], bandwidths[c, f], points, kernel)
            np.testing.assert_allclose(found[c, :, f], expected, atol=1e-13)


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
    found = grid_densities(tile, offsets, bandwidths_of(tile, offsets, "silverman"), n_grid=2)
    points = np.array([features.min(), features.max()])
    expected = np.exp(published_xnb.log_density(points, values, h))
    assert 0 < expected.sum() < 1e-300
    np.testing.assert_allclose(found[0, :, 0], expected / expected.sum(), rtol=1e-9)


#: What the documentation promises of log densities, within the data and beyond.
WITHIN, BEYOND = 1e-6, 1e-3


def exact(samples, h, points):
    """Log density by its definition."""
    sums = [logsumexp(-0.5 * ((x - samples) / h) ** 2) for x in points]
    return np.array(sums) - np.log(len(samples) * h * np.sqrt(2 * np.pi))


def points_around(samples, h, rng):
    """Near samples, spread over the range, in the gaps, and beyond it on both sides."""
    low, high = samples.min(), samples.max()
    return np.concatenate(
        [
            rng.choice(samples, 300) + h * rng.normal(size=300),
            rng.choice(samples, 300) + 4 * h * rng.normal(size=300),
            rng.uniform(low, high, 300),
            low - h * np.array([0, 0.01, 1, 3, 10, 30, 1e3, 1e8]),
            high + h * np.array([0, 0.01, 1, 3, 10, 30, 1e3, 1e8]),
        ]
    )


SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "far from zero": lambda rng, n: 1e6 + rng.normal(size=n),
    "uniform": lambda rng, n: rng.random(n),
    "skewed": lambda rng, n: rng.lognormal(0, 1.5, n),
    "heavy tails": lambda rng, n: rng.standard_t(2, n),
    "no mean": lambda rng, n: rng.standard_cauchy(n),
    "two clusters": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.normal(size=n), rng.normal(30, 0.01, n)
    ),
    "spike and tail": lambda rng, n: np.where(rng.random(n) < 0.7, 0.0, rng.gamma(2, 1, n)),
    "counts": lambda rng, n: rng.poisson(3, n).astype(float),
    "rounded": lambda rng, n: np.round(rng.normal(size=n), 3),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [TABULATED_FROM, 20_000])
def test_tables_agree_with_sums_over_all_samples(shape, n):
    rng = np.random.default_rng(n)
    samples = np.sort(SHAPES[shape](rng, n))
    h = bandwidths_of(samples[:, None], np.array([0, n]), "silverman")[0, 0]
    points = points_around(samples, h, rng)
    found, expected = np.empty(len(points)), exact(samples, h, points)
    log_tabulated(tabulate(samples, h), points, found)
    error, size = np.abs(found - expected), np.abs(expected)
    within = (points >= samples[0]) & (points <= samples[-1])
    assert (error[within] <= WITHIN + 1e-12 * size[within]).all(), error[within].max()
    # below -1000 a log density has six digits
    assert (error[~within] <= BEYOND * np.maximum(1.0, 1e-3 * size[~within])).all()


def test_only_large_classes_of_gaussian_kernels_are_tabulated(rng):
    codes = np.repeat([0, 1], [TABULATED_FROM, TABULATED_FROM - 1])
    features = rng.normal(size=(2, len(codes)))
    family = Kernel().fit(features, codes, 2)
    assert (family.samples_[0] is None, family.tables_[1] is None) == (True, True)
    assert len(family.tables_[0]) == 2
    np.testing.assert_array_equal(family.samples_[1], np.sort(features[:, codes == 1], axis=1))
    for other in (Kernel(exact=True), Kernel(kernel="cosine")):
        assert other.fit(features, codes, 2).tables_ == [None, None]
