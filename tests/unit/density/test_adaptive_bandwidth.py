"""Adaptive bandwidths follow Abramson's square-root law, in densities, distances and moments."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import norm
from sklearn.datasets import load_wine

from xnbflow.density.adaptive_bandwidth import adaptive_factors, kernel_spreads
from xnbflow.density.bandwidth import bandwidth_floor, bandwidths_of
from xnbflow.density.families import Kernel
from xnbflow.density.grid import grid_densities
from xnbflow.naive_bayes import XNB, ClassSpecificNB, FlexibleNB
from xnbflow.preprocessing.selection.pair_strengths import pair_strengths

OFFSETS = np.array([0, 25])


@pytest.fixture
def tail(rng):
    """A class with a long tail, ascending, shape (25, 1)."""
    return np.sort(rng.exponential(size=25) ** 1.5)[:, None]


def square_root_law(values, h):
    """The bandwidth of each sample by Silverman (1986), Eqs. 5.6 and 5.7."""
    pilot = norm.pdf(values, values.T, h).mean(axis=1)
    return h * np.sqrt(np.exp(np.log(pilot).mean()) / pilot)


@pytest.mark.slow
def test_factors_follow_the_square_root_law(tail):
    h = bandwidths_of(tail, OFFSETS, "adaptive")
    factors = adaptive_factors(
        tail, OFFSETS, bandwidths=h, kernel="gaussian", floor=np.zeros((1, 1))
    )
    np.testing.assert_allclose(h[0, 0] * factors[:, 0], square_root_law(tail, h[0, 0]))
    assert factors[-1, 0] > 2 * factors[0, 0]
    assert h[0, 0] == bandwidths_of(tail, OFFSETS, "silverman")[0, 0]


def test_the_pilot_density_has_the_kernel(tail):
    h = bandwidths_of(tail, OFFSETS, "adaptive")
    factors = adaptive_factors(
        tail, OFFSETS, bandwidths=h, kernel="epanechnikov", floor=np.zeros((1, 1))
    )
    u = (tail - tail.T) / h[0, 0]
    pilot = np.clip(0.75 * (1 - u**2), 0, None).mean(axis=1)
    np.testing.assert_allclose(factors[:, 0] ** 2 * pilot, np.exp(np.log(pilot).mean()))


@pytest.mark.parametrize("kernel", ["gaussian", "exponential", "biweight"])
def test_the_density_of_a_class_is_one_in_total(tail, kernel):
    family = Kernel(bandwidth="adaptive", kernel=kernel).fit(tail.T, np.zeros(25, int), 1)

    def density(x):
        return np.exp(family.log_density(np.array([[x]]))).item()

    breaks = [-20.0, *tail[::6, 0], 60.0]
    total = sum(integrate.quad(density, *ends)[0] for ends in pairwise(breaks))
    assert total == pytest.approx(1.0, abs=1e-4)


def test_densities_have_the_bandwidth_of_each_sample(rng, tail):
    family = Kernel(bandwidth="adaptive").fit(tail.T, np.zeros(25, int), 1)
    widths = square_root_law(tail, family.bandwidths_[0][0])
    points = rng.uniform(-1, 9, 7)
    expected = norm.pdf(points[:, None], tail[:, 0], widths).mean(axis=1)
    np.testing.assert_allclose(np.exp(family.log_density(points[None])[0, 0]), expected)
    np.testing.assert_allclose(np.exp(family.approximate_log_density(points[None])[0, 0]), expected)

    grid = np.linspace(tail[0, 0], tail[-1, 0], 12)
    on_grid = norm.pdf(grid[:, None], tail[:, 0], widths).mean(axis=1)
    h, floor = family.bandwidths_[0][None], np.zeros((1, 1))
    factors = adaptive_factors(tail, OFFSETS, bandwidths=h, kernel="gaussian", floor=floor)
    actual = grid_densities(tail, OFFSETS, h, n_grid=12, factors=factors)
    np.testing.assert_allclose(actual[0, :, 0], on_grid / on_grid.sum())


def test_large_classes_are_summed_and_not_tabulated(rng):
    values = rng.normal(size=(1, 1100))
    family = Kernel(bandwidth="adaptive").fit(values, np.zeros(1100, int), 1)
    assert family.samples_[0].shape == family.factors_[0].shape == (1, 1100)


def test_no_bandwidth_of_a_sample_is_below_the_floor(tail):
    floor = bandwidth_floor(tail, OFFSETS, 0.5)
    assert floor[0, 0] == pytest.approx(0.5 * tail.std(ddof=1) * 25**-0.2)
    family = Kernel(bandwidth="adaptive", min_bandwidth=0.5).fit(tail.T, np.zeros(25, int), 1)
    widths = family.bandwidths_[0][0] * family.factors_[0][0]
    assert widths.min() == pytest.approx(floor[0, 0])
    assert widths.max() > 1.5 * floor[0, 0]


def test_the_kernels_add_their_mean_square_to_the_variance(tail):
    h = bandwidths_of(tail, OFFSETS, "adaptive")
    factors = adaptive_factors(
        tail, OFFSETS, bandwidths=h, kernel="gaussian", floor=np.zeros((1, 1))
    )
    spreads = kernel_spreads(h, factors, OFFSETS)
    widths = square_root_law(tail, h[0, 0])
    x = np.linspace(-20, 60, 40_001)
    density = norm.pdf(x[:, None], tail[:, 0], widths).mean(axis=1)
    mean = np.average(x, weights=density)
    variance = np.average((x - mean) ** 2, weights=density)
    assert tail.var() + spreads[0, 0] ** 2 == pytest.approx(variance, rel=1e-6)


def test_separation_has_the_variance_of_adaptive_densities(tail, rng):
    codes = np.repeat([0, 1], 25)
    values = np.r_[tail[:, 0], 3 + rng.normal(size=25)]
    values = (values - values.mean()) / values.std(ddof=1)
    variances = []
    for c in range(2):
        class_values = np.sort(values[codes == c])[:, None]
        h = bandwidths_of(class_values, OFFSETS, "silverman")[0, 0]
        variances.append(class_values.var() + (square_root_law(class_values, h) ** 2).mean())
    difference = values[codes == 0].mean() - values[codes == 1].mean()
    expected = difference**2 / 8 / np.mean(variances)
    actual = pair_strengths(
        values[None], codes, 2, distance="separation", bandwidth="adaptive", min_bandwidth=0.0
    )
    assert actual.item() == pytest.approx(expected)


@pytest.mark.parametrize("classifier", [XNB, FlexibleNB, ClassSpecificNB])
def test_classifiers_take_adaptive_bandwidths(classifier):
    X, y = load_wine(return_X_y=True)
    adaptive = classifier(bandwidth="adaptive").fit(X, y)
    pilot = classifier(bandwidth="silverman").fit(X, y)
    assert adaptive.score(X, y) > 0.9
    assert not np.allclose(adaptive.predict_proba(X), pilot.predict_proba(X))
