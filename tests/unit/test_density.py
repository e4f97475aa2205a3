"""Kernels and distances agree with NumPy, SciPy and closed forms."""

import numpy as np
import pytest
from scipy import stats

from xnbflow.density.distances import hellinger
from xnbflow.density.kernels import apply_kernel, exponentiate, kernel_code


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


def distance_of(densities):
    return hellinger(densities.copy(), np.array([[0, 1]]))[0]


@pytest.mark.parametrize("shift", [0.1, 1.0, 3.0])
def test_distance_of_normal_densities_is_known(shift):
    expected = np.sqrt(1 - np.exp(-(shift**2) / 8))
    x = np.linspace(-12, 12 + shift, 4001)
    densities = np.array([stats.norm.pdf(x), stats.norm.pdf(x, shift)])
    densities = (densities / densities.sum(axis=1, keepdims=True))[:, :, None]
    assert distance_of(densities)[0] == pytest.approx(expected, rel=1e-6)


def test_a_density_that_underflowed_is_at_distance_one_from_every_other():
    densities = np.zeros((2, 9, 2))
    densities[0, :, 0] = 1 / 9
    np.testing.assert_array_equal(distance_of(densities), 1)
