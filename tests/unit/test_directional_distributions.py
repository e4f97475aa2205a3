"""Claims about the families of densities, against SciPy and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import gammaln, logsumexp

from xnbflow.data.errors import InputError
from xnbflow.density.families import (
    Categorical,
    Gaussian,
    Kernel,
    MultivariateGaussian,
    VonMises,
    VonMisesFisher,
)
from xnbflow.density.families.bessel import (
    KAPPA_MAX,
    bessel_ratio,
    concentration,
    log_bessel_quotient,
)
from xnbflow.preprocessing.selection.mutual_information import (
    quadrature_information,
    sample_information,
)


def log_bessel_quotient_by_series(order, kappa):
    """log(I_v(k) / k^v) = log sum_j (k/2)^(2j) / (2^v j! Gamma(v + j + 1)), term by term."""
    j = np.arange(0, 4000)
    terms = 2 * j * np.log(kappa / 2) - gammaln(j + 1) - gammaln(order + j + 1)
    return logsumexp(terms) - order * np.log(2)


@pytest.fixture(scope="module")
def two_classes():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [60, 40])
    angles = np.where(codes, rng.vonmises(2.8, 4, 100), rng.vonmises(-2, 1, 100))
    return angles[None], codes


@pytest.mark.parametrize("order", [0, 0.5, 1, 7, 20.5, 49.5, 50, 150, 499])
@pytest.mark.parametrize("kappa", [1e-8, 0.3, 5.0, 60.0, 900.0])
def test_bessel_quotient_agrees_with_its_power_series(order, kappa):
    expected = log_bessel_quotient_by_series(order, kappa)
    assert log_bessel_quotient(order, np.array(kappa)) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("kappa", [0.1, 3.0, 2e4])
def test_mean_resultant_length_on_the_sphere_is_langevin(kappa):
    expected = 1 / np.tanh(kappa) - 1 / kappa
    assert bessel_ratio(0.5, np.array(kappa)) == pytest.approx(expected, rel=1e-12)


@given(
    st.sampled_from([2, 3, 10, 99, 101, 102, 400, 3000]),
    st.floats(-3, 6).map(lambda exponent: 10.0**exponent),
)
def test_concentration_inverts_the_mean_resultant_length(dimension, kappa):
    resultant = bessel_ratio(dimension / 2 - 1, np.array([kappa]))
    assert concentration(resultant, dimension)[0] == pytest.approx(kappa, rel=1e-8)


@pytest.mark.parametrize("dimension", [2, 3, 500])
def test_concentration_is_0_for_uniform_and_capped_for_equal_directions(dimension):
    kappa = concentration(np.array([0.0, 1.0, 1 + 1e-12]), dimension)
    assert kappa.tolist() == [0.0, KAPPA_MAX, KAPPA_MAX]


def test_von_mises_fit_is_scipys(two_classes):
    angles, codes = two_classes
    family = VonMises().fit(angles, codes, 2)
    for code in (0, 1):
        kappa, loc, _ = stats.vonmises.fit(angles[0, codes == code], fscale=1)
        assert family.mean_direction_[0, code] == pytest.approx(loc, rel=1e-6)
        assert family.concentration_[0, code] == pytest.approx(kappa, rel=1e-6)


def test_von_mises_density_is_scipys_and_sums_over_features(two_classes):
    angles, codes = two_classes
    angles = np.vstack([angles, angles**2])
    family = VonMises().fit(angles, codes, 2)
    expected = [
        [stats.vonmises.logpdf(row, k, loc=mu) for k, mu in zip(kappas, mus, strict=True)]
        for row, kappas, mus in zip(
            angles, family.concentration_, family.mean_direction_, strict=True
        )
    ]
    np.testing.assert_allclose(family.log_density(angles), expected, atol=1e-12)
    np.testing.assert_allclose(family.log_likelihood(angles), np.sum(expected, axis=0), atol=1e-12)


@pytest.mark.parametrize(("period", "turns"), [(360.0, 5), (24.0, -3), (2 * np.pi, 1)])
def test_angles_of_any_unit_and_range_are_the_same_angles(two_classes, period, turns):
    angles, codes = two_classes
    unit = period / (2 * np.pi)
    radians = VonMises().fit(angles, codes, 2)
    family = VonMises(period=period).fit(angles * unit, codes, 2)
    np.testing.assert_allclose(family.mean_direction_, radians.mean_direction_ * unit)
    # a density per degree is smaller than one per radian by the unit
    np.testing.assert_allclose(
        family.log_density(angles * unit + turns * period),
        radians.log_density(angles) - np.log(unit),
        atol=1e-9,
    )


def test_uniform_angles_have_concentration_0_and_a_flat_density():
    angles = np.array([[0.0, 0.5, 1.0, 1.5]]) * np.pi
    family = VonMises().fit(angles, np.zeros(4, int), 1)
    assert family.concentration_[0, 0] == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(np.exp(family.log_density(angles)), 1 / (2 * np.pi))


def test_equal_angles_have_a_capped_concentration_and_a_finite_density():
    family = VonMises().fit(np.full((1, 5), 0.3), np.array([0, 0, 0, 0, 1]), 2)
    assert family.concentration_.tolist() == [[KAPPA_MAX, KAPPA_MAX]]
    assert np.isfinite(family.log_density(np.array([[0.3, 0.3 + np.pi]]))).all()


@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_von_mises_fisher_is_scipys(dimension):
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(50, dimension)) + np.arange(dimension)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    family = VonMisesFisher().fit(vectors.T, np.zeros(50, int), 1)
    mu, kappa = stats.vonmises_fisher.fit(vectors)
    np.testing.assert_allclose(family.mean_direction_[:, 0], mu)
    assert family.concentration_[0] == pytest.approx(kappa, rel=1e-5)
    expected = stats.vonmises_fisher.logpdf(vectors, mu, family.concentration_[0])
    np.testing.assert_allclose(family.log_density(vectors.T)[0, 0], expected)


def test_von_mises_fisher_is_finite_in_a_thousand_dimensions():
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(1000, 20)) + 0.3
    vectors /= np.linalg.norm(vectors, axis=0)
    family = VonMisesFisher().fit(vectors, np.zeros(20, int), 1)
    assert family.concentration_[0] > 1
    assert np.isfinite(family.log_density(vectors)).all()


def test_vectors_off_the_sphere_are_refused_or_normalized():
    vectors = np.array([[1.0, 3.0], [0.0, 4.0]])
    codes = np.zeros(2, int)
    with pytest.raises(InputError, match=r"sample 1 has length 5, not 1"):
        VonMisesFisher().fit(vectors, codes, 1)
    VonMisesFisher(tolerance=4.0).fit(vectors, codes, 1)
    family = VonMisesFisher(normalize=True).fit(vectors, codes, 1)
    np.testing.assert_allclose(
        family.mean_direction_[:, 0], np.array([1.6, 0.8]) / np.hypot(1.6, 0.8)
    )


@pytest.mark.parametrize("covariance", ["per_class", "pooled"])
def test_multivariate_gaussian_is_scipys(covariance):
    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1], [30, 50])
    features = rng.normal(size=(3, 80)) * [[1], [5], [0.1]] + codes
    features[1] += features[0]
    family = MultivariateGaussian(covariance=covariance, var_smoothing=0).fit(features, codes, 2)
    within = [np.cov(features[:, codes == c], bias=True) for c in (0, 1)]
    pooled = (30 * within[0] + 50 * within[1]) / 80
    for code in (0, 1):
        matrix = pooled if covariance == "pooled" else within[code]
        mean = features[:, codes == code].mean(axis=1)
        expected = stats.multivariate_normal(mean, matrix).logpdf(features.T)
        np.testing.assert_allclose(family.log_density(features)[0, code], expected)
    assert family.n_parameters().tolist() == [6 + 6 * (1 if covariance == "pooled" else 2)]


def test_multivariate_gaussian_of_one_sample_is_finite():
    family = MultivariateGaussian().fit(np.eye(2)[:, [0, 1, 1]], np.array([0, 1, 1]), 2)
    assert np.isfinite(family.log_density(np.eye(2))).all()


def test_without_smoothing_a_constant_column_is_refused():
    features = np.array([[0.0, 1.0, 2.0, 4.0], [1.0, 2.0, 3.0, 3.0]])
    codes = np.array([0, 0, 1, 1])
    with pytest.raises(InputError, match="column 1 is constant in class 1; use a var_smoothing"):
        Gaussian(var_smoothing=0).fit(features, codes, 2)
    with pytest.raises(InputError, match="singular: in a class columns are constant"):
        MultivariateGaussian(var_smoothing=0).fit(features, codes, 2)


def test_without_smoothing_columns_that_repeat_each_other_are_refused():
    rng = np.random.default_rng(9)
    features = rng.normal(size=(3, 40))
    features[2] = features[0] + features[1] / 3
    codes = np.tile([0, 1], 20)
    for covariance in ("per_class", "pooled"):
        with pytest.raises(InputError, match="Use a greater var_smoothing"):
            MultivariateGaussian(covariance=covariance, var_smoothing=0).fit(features, codes, 2)
        family = MultivariateGaussian(covariance=covariance).fit(features, codes, 2)
        assert np.isfinite(family.log_density(features)).all()


def test_unseen_categories_get_lidstones_share():
    features = np.array([[0.0, 0.0, 1.0, 1.0, 3.0]])
    family = Categorical(alpha=0.5).fit(features, np.array([0, 0, 0, 1, 1]), 2)
    probability = np.exp(family.log_density(np.array([[0.0, 1.0, 3.0, 2.0, 9.0, -1.0]])))[0]
    # three categories seen: (count + 0.5) / (n_c + 1.5); codes 2, 9 and -1 count 0
    np.testing.assert_allclose(probability[0], np.array([2.5, 1.5, 0.5, 0.5, 0.5, 0.5]) / 4.5)
    np.testing.assert_allclose(probability[1], np.array([0.5, 1.5, 1.5, 0.5, 0.5, 0.5]) / 3.5)
    assert family.n_parameters().tolist() == [4]


@pytest.mark.parametrize("value", [-1.0, 0.5, 1e9])
def test_what_is_no_category_is_refused(value):
    with pytest.raises(InputError, match="OrdinalEncoder"):
        Categorical().fit(np.array([[0.0, value]]), np.array([0, 1]), 2)


def information_by_quad(family, prior, lower, upper, points):
    """The definition of the mutual information, by SciPy's adaptive quadrature."""

    def integrand(x):
        log_density = family.log_density(np.array([[x]]))[0, :, 0]
        mixture = logsumexp(log_density + np.log(prior))
        return np.sum(prior * np.exp(log_density) * (log_density - mixture))

    return integrate.quad(integrand, lower, upper, points=points, limit=400)[0]


@pytest.mark.parametrize("scale", [0.3, 1e-3])
@pytest.mark.parametrize("family", [Gaussian(), VonMises(), Kernel(), Kernel(bandwidth="adaptive")])
def test_information_is_the_integral_even_of_classes_of_unlike_width(family, scale):
    rng = np.random.default_rng(4)
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


def test_information_of_many_classes_is_the_integral():
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(12), 20)
    family = VonMises().fit(rng.vonmises(codes / 3, 1.0 + codes)[None], codes, 12)
    prior = np.full(12, 1 / 12)
    expected = information_by_quad(family, prior, -np.pi, np.pi, np.linspace(-3, 3, 13))
    assert quadrature_information(family, np.log(prior)) == pytest.approx([expected], rel=1e-5)


def test_information_of_categories_is_shannons():
    features = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.0, 2.0]])
    codes = np.array([0, 0, 1, 1])
    family = Categorical(alpha=1e-9).fit(features, codes, 2)
    # row 1: I = log 2 - 3/4 * H(2/3, 1/3); row 2: the classes do not share a category
    first = np.log(2) - 0.75 * stats.entropy([2 / 3, 1 / 3])
    information = quadrature_information(family, np.log([0.5, 0.5]))
    np.testing.assert_allclose(information, [first, np.log(2)], atol=1e-6)


def test_information_from_samples_approaches_the_integral():
    rng = np.random.default_rng(6)
    codes = np.tile([0, 1], 20_000)
    features = rng.normal(codes * 1.5)[None]
    family = Gaussian().fit(features, codes, 2)
    log_prior = np.log([0.5, 0.5])
    expected = quadrature_information(family, log_prior)
    estimate = sample_information(family.log_density(features), codes, log_prior)
    assert estimate == pytest.approx(expected, abs=0.01)
