"""Families of directional naive Bayes: against SciPy and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats
from scipy.special import gammaln, logsumexp

from xnbflow.core.errors import InputError
from xnbflow.density.families import Gaussian, Kernel
from xnbflow.papers.common import bessel
from xnbflow.papers.directional.categorical import Categorical
from xnbflow.papers.directional.mutual_information import (
    _sample_information,
    quadrature_information,
)
from xnbflow.papers.directional.von_mises import VonMises
from xnbflow.papers.directional.von_mises_fisher import VonMisesFisher


@pytest.fixture(scope="module")
def two_classes():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [60, 40])
    angles = np.where(codes, rng.vonmises(2.8, 4, 100), rng.vonmises(-2, 1, 100))
    return angles[None], codes


@pytest.mark.parametrize("order", [0, 0.5, 1, 7, 20.5, 49.5, 50, 150, 499])
@pytest.mark.parametrize("kappa", [1e-8, 0.3, 5.0, 60.0, 900.0])
def test_bessel_quotient_agrees_with_its_power_series(order, kappa):
    """log(I_v(k) / k^v) = log sum_j (k/2)^(2j) / (2^v j! Gamma(v + j + 1))."""
    j = np.arange(0, 4000)
    terms = 2 * j * np.log(kappa / 2) - gammaln(j + 1) - gammaln(order + j + 1)
    expected = logsumexp(terms) - order * np.log(2)
    assert bessel.log_bessel_quotient(order, np.array(kappa)) == pytest.approx(expected, abs=1e-8)


@given(
    st.sampled_from([2, 3, 10, 99, 101, 102, 400, 3000]),
    st.floats(-3, 6).map(lambda exponent: 10.0**exponent),
)
def test_concentration_inverts_the_mean_resultant_length(dimension, kappa):
    resultant = bessel.bessel_ratio(dimension / 2 - 1, np.array([kappa]))
    kappas = bessel.concentration(np.array([resultant[0], 0.0, 1.0, 1 + 1e-12]), dimension)
    most = bessel._KAPPA_MAX
    assert kappas.tolist() == [pytest.approx(kappa, rel=1e-8), 0.0, most, most]


@pytest.mark.filterwarnings("ignore:angles of a feature differ by up to:UserWarning")
def test_von_mises_is_scipys(two_classes):
    angles = np.vstack([two_classes[0], two_classes[0] ** 2])
    codes = two_classes[1]
    family = VonMises().fit(angles, codes, 2)
    density = family.log_density(angles)
    for f, code in np.ndindex(2, 2):
        of_class = np.angle(np.exp(1j * angles[f, codes == code]))
        kappa, loc, _ = stats.vonmises.fit(of_class, fscale=1)
        assert family.mean_direction_[f, code] == pytest.approx(loc, rel=1e-5)
        assert family.concentration_[f, code] == pytest.approx(kappa, rel=1e-5)
        fitted = stats.vonmises(family.concentration_[f, code], loc=family.mean_direction_[f, code])
        expected = fitted.logpdf(angles[f])
        np.testing.assert_allclose(density[f, code], expected, atol=1e-12)


@pytest.mark.parametrize(("period", "turns"), [(360.0, 5), (24.0, -3), (2 * np.pi, 1)])
def test_angles_of_any_unit_and_range_are_the_same_angles(two_classes, period, turns):
    angles, codes = two_classes
    unit = period / (2 * np.pi)
    radians = VonMises().fit(angles, codes, 2)
    family = VonMises(period=period).fit(angles * unit, codes, 2)
    np.testing.assert_allclose(family.mean_direction_, radians.mean_direction_ * unit)
    # a density per degree is smaller than one per radian by the unit
    log_density = family.log_density(angles * unit + turns * period)
    np.testing.assert_allclose(log_density, radians.log_density(angles) - np.log(unit), atol=1e-9)


@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_von_mises_fisher_is_scipys(rng, dimension):
    vectors = rng.normal(size=(50, dimension)) + np.arange(dimension)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    family = VonMisesFisher().fit(vectors.T, np.zeros(50, int), 1)
    mu, kappa = stats.vonmises_fisher.fit(vectors)
    np.testing.assert_allclose(family.mean_direction_[:, 0], mu)
    assert family.concentration_[0] == pytest.approx(kappa, rel=1e-5)
    expected = stats.vonmises_fisher.logpdf(vectors, mu, family.concentration_[0])
    np.testing.assert_allclose(family.log_density(vectors.T)[0, 0], expected)


def test_unseen_categories_get_lidstones_share():
    features = np.array([[0.0, 0.0, 1.0, 1.0, 3.0]])
    family = Categorical(alpha=0.5).fit(features, np.array([0, 0, 0, 1, 1]), 2)
    probability = np.exp(family.log_density(np.array([[0.0, 1.0, 3.0, 2.0, 9.0, -1.0]])))[0]
    # three categories seen: (count + 0.5) / (n_c + 1.5); codes 2, 9 and -1 count 0
    np.testing.assert_allclose(probability[0], np.array([2.5, 1.5, 0.5, 0.5, 0.5, 0.5]) / 4.5)
    np.testing.assert_allclose(probability[1], np.array([0.5, 1.5, 1.5, 0.5, 0.5, 0.5]) / 3.5)


def information_by_quad(family, prior, lower, upper, points):
    """The definition of the mutual information, by SciPy's adaptive quadrature."""

    def integrand(x):
        log_density = family.log_density(np.array([[x]]))[0, :, 0]
        mixture = logsumexp(log_density + np.log(prior))
        return np.sum(prior * np.exp(log_density) * (log_density - mixture))

    return integrate.quad(integrand, lower, upper, points=points, limit=400)[0]


@pytest.mark.parametrize("scale", [0.3, 1e-3])
@pytest.mark.parametrize("family", [Gaussian(), VonMises(), Kernel()])
def test_information_is_the_integral_even_of_classes_of_unlike_width(rng, family, scale):
    codes = np.repeat([0, 1], [70, 30])
    features = np.where(codes, rng.normal(0.4, 0.5, 100), 0.7 + rng.normal(0, scale, 100))[None]
    family.fit(features, codes, 2)
    prior = np.array([0.7, 0.3])
    around = 0.7 + scale * np.arange(-8, 9)
    expected = information_by_quad(family, prior, -np.pi, np.pi, around)
    information = quadrature_information(family, np.log(prior))
    assert information == pytest.approx(
        [expected], rel=2e-3 if isinstance(family, Kernel) else 1e-6
    )


def test_information_of_categories_is_shannons():
    features = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.0, 2.0]])
    codes = np.array([0, 0, 1, 1])
    family = Categorical(alpha=1e-9).fit(features, codes, 2)
    # row 1: I = log 2 - 3/4 * H(2/3, 1/3); row 2: the classes do not share a category
    first = np.log(2) - 0.75 * stats.entropy([2 / 3, 1 / 3])
    information = quadrature_information(family, np.log([0.5, 0.5]))
    np.testing.assert_allclose(information, [first, np.log(2)], atol=1e-6)


def test_equal_angles_have_the_largest_concentration():
    """1e8, a standard deviation of 1e-4 radians: the density at the mean is sqrt(1e8 / (2 pi))."""
    assert bessel._KAPPA_MAX == 1e8
    family = VonMises().fit(np.full((1, 5), 0.7), np.zeros(5, int), 1)
    assert family.concentration_.item() == 1e8
    density = np.exp(family.log_density(np.array([[0.7]]))).item()
    assert density == pytest.approx(np.sqrt(1e8 / (2 * np.pi)), rel=1e-6)


@pytest.mark.parametrize(("code", "accepted"), [(65_535.0, True), (65_536.0, False)])
def test_categories_have_16_bits(code, accepted):
    features = np.array([[0.0, code]])
    codes = np.zeros(2, int)
    if accepted:
        assert Categorical().fit(features, codes, 1).n_categories_.tolist() == [2]
    else:
        with pytest.raises(InputError, match=r"holds 65536, which is not a category; .* 65535"):
            Categorical().fit(features, codes, 1)


@pytest.mark.parametrize(("length", "accepted"), [(1 + 9e-7, True), (1 + 2e-6, False)])
def test_vectors_may_deviate_from_the_sphere_by_a_millionth(length, accepted):
    vectors = np.array([[1.0, 0.0], [0.0, length]])
    if accepted:
        VonMisesFisher().fit(vectors, np.zeros(2, int), 1)
    else:
        with pytest.raises(InputError, match=r"the vector of sample 1 has length 1\.000002"):
            VonMisesFisher().fit(vectors, np.zeros(2, int), 1)


def test_a_zero_vector_has_no_direction_and_no_information():
    vectors = np.array([[3.0, 0.0, 0.5], [4.0, 2.0, 0.5]])
    family = VonMisesFisher(normalize=True).fit(vectors, np.array([0, 1, 1]), 2)
    density = family.log_density(np.array([[0.0], [0.0]]))[0, :, 0]
    # the density's constant: -log(2 pi I0(kappa))
    kappa = family.concentration_
    expected = -np.log(2 * np.pi * special.i0e(kappa)) - kappa
    np.testing.assert_allclose(density, expected)


def test_parameters_are_counted_as_the_papers_table_2_does():
    """Per class: 2 of an angle; d - 1 of a direction and a concentration; categories less one."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(3, 10))
    vectors /= np.linalg.norm(vectors, axis=0)
    codes = np.repeat([0, 1], 5)
    assert VonMisesFisher().fit(vectors, codes, 2).n_parameters().tolist() == [6]
    assert VonMises().fit(vectors, codes, 2).n_parameters().tolist() == [4, 4, 4]
    categories = np.array([[0.0, 1.0, 2.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    assert Categorical().fit(categories, codes, 2).n_parameters().tolist() == [6]


def test_information_does_not_depend_on_the_unit_of_angles(two_classes):
    angles, codes = two_classes
    prior = np.log([0.6, 0.4])
    radians = quadrature_information(VonMises().fit(angles, codes, 2), prior)
    degrees = quadrature_information(VonMises(period=360).fit(np.degrees(angles), codes, 2), prior)
    np.testing.assert_allclose(degrees, radians, rtol=1e-9)


def test_information_of_a_block_is_the_mean_log_ratio_over_the_samples():
    """log(f(x|c) / f(x)) with the densities .5, .1 of a sample of class 0 and .2, .4 of class 1."""
    log_density = np.log([[[0.5, 0.2], [0.1, 0.4]]])
    information = _sample_information(log_density, np.array([0, 1]), np.log([0.25, 0.75]))
    ratios = [0.5 / (0.25 * 0.5 + 0.75 * 0.1), 0.4 / (0.25 * 0.2 + 0.75 * 0.4)]
    assert information == pytest.approx([np.log(ratios).mean()])


def test_degrees_taken_for_radians_are_reported(two_classes):
    degrees = np.rad2deg(np.mod(two_classes[0], 2 * np.pi))
    with pytest.warns(UserWarning, match="if they are in degrees, the period is 360"):
        VonMises().fit(degrees, two_classes[1], 2)
    VonMises(period=360.0).fit(degrees, two_classes[1], 2)
