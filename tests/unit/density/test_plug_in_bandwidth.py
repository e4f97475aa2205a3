"""Sheather and Jones' bandwidth agrees with the equation in plain NumPy and SciPy."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.density.plug_in_bandwidth import _UNSOLVED, plug_in_bandwidth

SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "rounded": lambda rng, n: rng.normal(size=n).round(1),
    "two clusters": lambda rng, n: np.r_[rng.normal(size=n // 2), rng.normal(9, 2, n - n // 2)],
    "skewed": lambda rng, n: rng.exponential(size=n) ** 2,
}


def excess(values):
    """The right side of the equation minus ``h``, as ``hsj`` of the R package sm has it."""
    n = len(values)
    differences = values[:, None] - values[None, :]
    quartiles = np.subtract(*np.percentile(values, [75, 25]))

    def functional(h, order):
        # The Hermite polynomials of degree 4 and 6.
        coefficients = [0, 0, 0, 0, 1] if order == 4 else [0, 0, 0, 0, 0, 0, 1]
        u = differences / h
        kernel = np.polynomial.hermite_e.hermeval(u, coefficients) * norm.pdf(u)
        return kernel.sum() / (n * (n - 1) * h ** (order + 1))

    fourth = functional(0.92 * quartiles * n ** (-1 / 7), 4)
    sixth = -functional(0.912 * quartiles * n ** (-1 / 9), 6)

    def equation(h):
        alpha = 1.357 * abs(fourth / sixth) ** (1 / 7) * h ** (5 / 7)
        return (norm.pdf(0, 0, np.sqrt(2)) / (n * abs(functional(alpha, 4)))) ** 0.2 - h

    return equation


def published(values):
    """The search of the authors' program: a step of 1.1 or .9, then linear interpolation."""
    equation = excess(values)
    before = values.std(ddof=1) * (4 / (3 * len(values))) ** 0.2
    step = 1.1 if equation(before) > 0 else 0.9
    while equation(before) * equation(before * step) > 0:
        before *= step
    low, high = abs(equation(before)), abs(equation(before * step))
    return before + (before * step - before) * low / (low + high)


@pytest.mark.parametrize("n", [2, 3, 25, 200])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_bandwidth_is_that_of_the_authors_program(rng, shape, n):
    values = np.sort(SHAPES[shape](rng, n))
    assert plug_in_bandwidth(values) == pytest.approx(published(values), rel=1e-10)


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_the_search_goes_up_where_the_first_bandwidth_is_too_small(seed):
    values = np.sort(np.random.default_rng(seed).uniform(size=25))
    assert excess(values)(values.std(ddof=1) * (4 / (3 * 25)) ** 0.2) > 0
    assert plug_in_bandwidth(values) == pytest.approx(published(values), rel=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_bandwidth_is_within_a_per_cent_of_the_root_of_the_equation(rng, shape):
    values = np.sort(SHAPES[shape](rng, 60))
    actual = plug_in_bandwidth(values)
    root = brentq(excess(values), actual / 1.2, actual * 1.2)
    assert actual == pytest.approx(root, rel=0.01)


@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0], [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 5.0]])
def test_without_a_solution_the_bandwidth_is_that_of_the_authors_program(values):
    assert plug_in_bandwidth(np.array(values)) == _UNSOLVED == 1e-7


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_the_unit_does_not_matter(rng, scale):
    values = np.sort(rng.normal(size=30))
    expected = scale * plug_in_bandwidth(values)
    assert plug_in_bandwidth(scale * values) == pytest.approx(expected, rel=1e-9)


def test_each_class_and_feature_has_its_bandwidth(rng):
    tile = np.vstack(
        [np.sort(rng.normal(size=(20, 3)), axis=0), np.sort(rng.normal(size=(9, 3)), 0)]
    )
    actual = bandwidths_of(tile, np.array([0, 20, 29]), "sheather_jones")
    for f in range(3):
        assert actual[0, f] == plug_in_bandwidth(tile[:20, f].copy())
        assert actual[1, f] == plug_in_bandwidth(tile[20:, f].copy())
