"""Tabulated densities agree with sums over all samples."""

import numpy as np
import pytest
from scipy.special import logsumexp

from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.density.density_tables import _sums_at_nodes, log_tabulated, tabulate
from xnbflow.density.families import Kernel
from xnbflow.density.families.kernel import _TABULATED_FROM
from xnbflow.density.grid import sum_exactly

#: What the documentation promises of log densities, within the data and beyond.
WITHIN = 1e-6
BEYOND = 1e-3


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
@pytest.mark.parametrize("n", [_TABULATED_FROM, 20_000])
def test_tables_agree_with_sums_over_all_samples(shape, n):
    rng = np.random.default_rng(n)
    samples = np.sort(SHAPES[shape](rng, n))
    h = bandwidths_of(samples[:, None], np.array([0, n]), "silverman")[0, 0]
    points = points_around(samples, h, rng)
    actual, expected = np.empty(len(points)), exact(samples, h, points)
    log_tabulated(tabulate(samples, h), points, actual)
    error, size = np.abs(actual - expected), np.abs(expected)
    within = (points >= samples[0]) & (points <= samples[-1])
    assert (error[within] <= WITHIN + 1e-12 * size[within]).all(), error[within].max()
    # below -1000 a log density has six digits
    assert (error[~within] <= BEYOND * np.maximum(1.0, 1e-3 * size[~within])).all()


def test_only_large_classes_of_gaussian_kernels_are_tabulated(rng):
    codes = np.repeat([0, 1], [_TABULATED_FROM, _TABULATED_FROM - 1])
    features = rng.normal(size=(2, len(codes)))
    family = Kernel().fit(features, codes, 2)
    assert (family.samples_[0] is None, family.tables_[1] is None) == (True, True)
    assert len(family.tables_[0]) == 2
    np.testing.assert_array_equal(family.samples_[1], np.sort(features[:, codes == 1], axis=1))
    for other in (Kernel(exact=True), Kernel(kernel="cosine")):
        assert other.fit(features, codes, 2).tables_ == [None, None]


def test_classes_of_1024_samples_are_tabulated():
    assert _TABULATED_FROM == 1024  # documented: docs/performance.md, docs/methods/flexible.md


@pytest.mark.parametrize("shift", [0.0, 0.49 / 32, -0.49 / 32])
def test_sums_at_nodes_are_those_of_all_samples(shift):
    """Also where samples lie between two nodes, where the series of a cell is longest."""
    samples = np.array([0.0, *(np.repeat(np.arange(1, 200, 7) / 32 + shift, 3))])
    sums, slopes = _sums_at_nodes(samples, 1.0, 200)
    u = np.arange(200)[:, np.newaxis] / 32 - samples
    kernels = np.exp(-0.5 * u**2)
    np.testing.assert_allclose(sums, sum_exactly(samples, 1.0, np.arange(200) / 32), rtol=1e-7)
    np.testing.assert_allclose(slopes, -(u * kernels).sum(axis=1), rtol=1e-6, atol=1e-6)
