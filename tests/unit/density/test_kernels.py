"""Kernels of the beta family for any s, and the exponential kernel."""

import numpy as np
import pytest
from scipy import integrate, stats

from xnbflow.core.errors import InputError
from xnbflow.density.families import Kernel
from xnbflow.density.families.kernel import _LOG_ZERO
from xnbflow.density.grid import grid_densities
from xnbflow.density.kernels import apply_kernel, exponentiate, kernel_code, kernel_title
from xnbflow.naive_bayes import FlexibleNB


def kernel_at(kernel, u):
    """``K(u)``."""
    values = np.array(u, dtype=float)
    apply_kernel(kernel_code(kernel), values)
    return values


@pytest.mark.parametrize("s", [0, 1, 2, 3, 4, 7, 30, 1000])
def test_a_whole_number_is_the_kernel_of_equation_5(s):
    """With u = 2 b - 1 it is the beta distribution with both parameters s + 1."""
    u = np.linspace(-0.95, 0.95, 39)
    np.testing.assert_allclose(kernel_at(s, u), stats.beta.pdf((u + 1) / 2, s + 1, s + 1) / 2)
    assert kernel_at(s, [-1.0, 1.0, 1.5]).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("s", range(4))
def test_the_first_kernels_of_the_beta_family_have_names(s):
    name = ["uniform", "epanechnikov", "biweight", "triweight"][s]
    u = np.linspace(-1.2, 1.2, 25)
    np.testing.assert_allclose(kernel_at(s, u), kernel_at(name, u))


def test_the_beta_family_approaches_the_gaussian_kernel():
    """Its variance is 1 / (2 s + 3)."""
    u = np.linspace(-3, 3, 13)
    scale = np.sqrt(1 / (2 * 10_000 + 3))
    actual = scale * kernel_at(10_000, scale * u)
    np.testing.assert_allclose(actual, stats.norm.pdf(u), atol=1e-4)


def test_the_exponential_kernel_is_laplaces_density():
    u = np.array([-800.0, -3.0, 0.0, 0.5, 700.0])
    np.testing.assert_allclose(kernel_at("exponential", u), stats.laplace.pdf(u), atol=1e-320)
    total = integrate.quad(lambda x: kernel_at("exponential", [x])[0], -40, 40, points=[0])[0]
    assert total == pytest.approx(1.0)


def test_the_exponential_density_is_exact_where_it_underflows():
    family = Kernel(kernel="exponential").fit(np.array([[0.0, 1.0, 3.0]]), np.zeros(3, int), 1)
    h, x = family.bandwidths_[0][0], 5000.0
    expected = -(x - 3.0) / h + np.log(1 + np.exp(-2 / h) + np.exp(-3 / h)) - np.log(3 * 2 * h)
    actual = family.log_density(np.array([[x]])).item()
    assert actual == pytest.approx(expected)
    assert actual < _LOG_ZERO


@pytest.mark.parametrize("underflow", ["as_published", "log"])
def test_an_exponential_density_that_underflows_is_zero_or_normalised_in_logs(underflow):
    tile, offsets = np.array([[0.0], [100.0], [40.0], [40.0]]), np.array([0, 2, 4])
    widths = np.array([[20.0], [1e-7]])
    actual = grid_densities(tile, offsets, widths, kernel="exponential", underflow=underflow)
    assert actual[0].sum() == pytest.approx(1.0)
    if underflow == "as_published":
        assert not actual[1].any()
    else:
        nearest = np.abs(np.linspace(0, 100, 50) - 40.0).argmin()
        assert actual[1, nearest, 0] == pytest.approx(1.0)


def test_other_kernels_are_refused():
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    for wrong in (-1, 10_001, 1.5, "beta", True):
        with pytest.raises(InputError, match=r"kernel is .*uniform.* an int in the range"):
            FlexibleNB(kernel=wrong).fit(X, y)
    assert FlexibleNB(kernel=np.int64(4)).fit(X, y).score(X, y) == 1.0


def test_kernels_have_titles():
    assert kernel_title("cosine") == "cosine"
    assert kernel_title(4) == "beta (s = 4)"


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
