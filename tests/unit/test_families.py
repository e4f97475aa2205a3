"""Families of densities: against SciPy, scikit-learn and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import gammaln, logsumexp
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KernelDensity

from xnbflow.core.errors import InputError
from xnbflow.density import bessel
from xnbflow.density.families import (
    Categorical,
    Gaussian,
    GaussianBlocks,
    Kernel,
    MultivariateGaussian,
    VonMises,
    VonMisesFisher,
)
from xnbflow.density.families.kernel import LOG_ZERO, log_kernel_density
from xnbflow.density.kernels import KERNELS
from xnbflow.naive_bayes import XNB, FlexibleNB
from xnbflow.papers.directional.mutual_information import quadrature_information
from xnbflow.papers.separation.gaussian_blocks import ledoit_wolf_intensity


@pytest.fixture(scope="module")
def two_classes():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [60, 40])
    angles = np.where(codes, rng.vonmises(2.8, 4, 100), rng.vonmises(-2, 1, 100))
    return angles[None], codes


@pytest.mark.parametrize(
    "family",
    [
        Gaussian(),
        Kernel(),
        Kernel(bandwidth="adaptive", kernel="biweight"),
        Categorical(),
        VonMises(),
        MultivariateGaussian(var_smoothing=0.1),
        GaussianBlocks(columns=np.arange(60).reshape(30, 2)),
    ],
    ids=lambda family: type(family).__name__,
)
def test_every_family_sums_its_terms_and_mixes_its_classes(rng, family):
    """Over several strips of features and several chunks of points, as over one."""
    codes = np.arange(90) % 3
    features = rng.integers(0, 4, size=(60, 90)).astype(float)
    features += 0 if isinstance(family, Categorical) else rng.normal(size=features.shape)
    points = np.tile(features, 50)[:, :4200]
    far = np.full((60, 1), 1e300)
    family.fit(features, codes, 3)
    cube = family.log_density(points)
    n_terms = {"MultivariateGaussian": 1, "GaussianBlocks": 30}.get(type(family).__name__, 60)
    assert cube.shape == (n_terms, 3, 4200)
    assert family.n_parameters().shape == (n_terms,)
    np.testing.assert_allclose(cube[:, :, :90], family.log_density(features), rtol=1e-12)
    np.testing.assert_allclose(family.log_likelihood(points), cube.sum(axis=0), rtol=1e-10)
    prior = np.log([0.5, 0.3, 0.2])
    np.testing.assert_allclose(
        family.reference(points, prior), np.logaddexp.reduce(cube + prior[:, None], axis=1)
    )
    if isinstance(family, Gaussian | Kernel) and getattr(family, "kernel", "") != "biweight":
        assert (family.reference(far, prior) == -np.inf).all()  # no class reaches it


@pytest.mark.parametrize(
    ("family", "row"),
    [
        (Gaussian(var_smoothing=0), [1.0, 2.0, 3.0, 3.0]),
        (MultivariateGaussian(var_smoothing=0), [1.0, 2.0, 3.0, 3.0]),
        (MultivariateGaussian(covariance="shared"), [1.0, 2.0, 3.0, 4.0]),
        (Categorical(), [0.0, 1.0, 2.0, -1.0]),
        (Categorical(), [0.0, 1.0, 2.0, 0.5]),
        (Categorical(), [0.0, 1.0, 2.0, 1e9]),
        (VonMisesFisher(), [0.0, 1.0, 1.0, 1.0]),
    ],
    ids=str,
)
def test_what_a_family_has_no_density_of_is_refused(family, row):
    features = np.array([[0.0, 1.0, 2.0, 4.0], row])
    with pytest.raises(InputError):
        family.fit(features, np.array([0, 0, 1, 1]), 2)


def kernel_density(samples, bandwidths, kernel, points):
    """Log densities (n_features, n_points) of kernels with given bandwidths."""
    out = np.empty(points.shape[::-1])
    log_kernel_density(samples, bandwidths, kernel, np.array(points.T, order="C"), out)
    return out.T


@pytest.mark.parametrize(
    ("kernel", "scikit_name"),
    [
        ("gaussian", "gaussian"),
        ("uniform", "tophat"),
        ("epanechnikov", "epanechnikov"),
        ("cosine", "cosine"),
        ("triangular", "linear"),
    ],
)
def test_kernel_densities_agree_with_scikit_learn(rng, kernel, scikit_name):
    samples, points = rng.normal(size=(5, 30)), rng.normal(scale=3, size=(5, 40))
    bandwidths = rng.uniform(0.2, 1, 5)
    found = kernel_density(samples, bandwidths, kernel, points)
    for f in range(5):
        other = KernelDensity(bandwidth=bandwidths[f], kernel=scikit_name).fit(samples[f][:, None])
        expected = np.maximum(other.score_samples(points[f][:, None]), LOG_ZERO)
        np.testing.assert_allclose(found[f], expected, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_bandwidths_per_sample_are_used_per_sample(rng, kernel):
    samples, h = rng.normal(size=(1, 12)), rng.uniform(1, 2, size=(1, 12))
    point = np.array([[0.1]])
    one_by_one = [kernel_density(samples[:, [i]], h[:, i], kernel, point)[0, 0] for i in range(12)]
    expected = np.log(np.mean(np.exp(one_by_one)))
    found = kernel_density(samples, h, kernel, point)[0, 0]
    assert found == pytest.approx(expected)


def test_gaussian_kernels_do_not_underflow_far_away():
    expected = stats.norm.logpdf(1e3, 1, 1e-3) - np.log(2)
    for bandwidths in (np.array([1e-3]), np.full((1, 2), 1e-3)):
        found = kernel_density(np.array([[0.0, 1.0]]), bandwidths, "gaussian", np.array([[1e3]]))
        assert found[0, 0] == pytest.approx(expected, rel=1e-12)


def test_the_floor_of_xnb_is_that_of_all_training_samples_in_both_its_steps(rng):
    """Selection: a spike is no distance any more; classification: bandwidths at the floor."""
    y = np.repeat(["a", "b"], [30, 50])
    X = rng.normal(size=(80, 3))
    X[y == "a", 0] = 0.1
    published = XNB(min_distance=0.0).fit(X, y)
    floored = XNB(min_distance=0.0, min_bandwidth=0.5).fit(X, y)
    assert published.selected_distances_["a"][0] == 1.0
    assert floored.selected_distances_["a"][0] < 0.9
    place = floored.selected_features_["a"].index(0)
    expected = 0.5 * X[:, 0].std(ddof=1) * 30**-0.2
    assert floored.bandwidths_["a"][place] == pytest.approx(expected)


@pytest.mark.parametrize("covariance", ["per_class", "pooled"])
def test_multivariate_gaussian_is_scipys(rng, covariance):
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


@pytest.fixture
def blocks():
    rng = np.random.default_rng(0)
    mix = rng.normal(size=(6, 6))
    codes = np.repeat([0, 1, 2], [40, 35, 50])
    features = mix @ rng.normal(size=(6, 125)) * (1 + codes) + codes
    return features, codes, np.array([[0, 3], [5, 1], [2, 4]])


def fit_blocks(features, codes, columns, *, pooled):
    covariance = "pooled" if pooled else "per_class"
    family = GaussianBlocks(columns=columns, covariance=covariance)
    return family.fit(features, codes, codes.max() + 1)


def within(features, codes, pooled, code):
    """Unbiased covariance of a class, or within classes."""
    if not pooled:
        return np.cov(features[:, codes == code])
    groups = [features[:, codes == c] for c in np.unique(codes)]
    scatter = sum(np.cov(group) * (group.shape[1] - 1) for group in groups)
    return scatter / (len(codes) - len(groups))


@pytest.mark.parametrize("pooled", [True, False])
def test_distance_is_the_symmetrised_kullback_leibler_divergence(blocks, pooled):
    """Eqs. 10 and 11, with the divergence of two normal densities from any textbook."""
    features, codes, columns = blocks

    def divergence(a, b, block):
        means = [features[block][:, codes == c].mean(axis=1) for c in (a, b)]
        one, two = (within(features, codes, pooled, c)[np.ix_(block, block)] for c in (a, b))
        inverse, difference = np.linalg.inv(two), means[0] - means[1]
        log_ratio = np.linalg.slogdet(two)[1] - np.linalg.slogdet(one)[1]
        quadratic = difference @ inverse @ difference
        return (np.trace(inverse @ one) + quadratic - len(block) + log_ratio) / 2

    expected = [divergence(0, 2, block) + divergence(2, 0, block) for block in columns]
    fitted = fit_blocks(features, codes, columns, pooled=pooled)
    np.testing.assert_allclose(fitted.distances(0, 2), expected, rtol=1e-10)


def test_shrinkage_is_scikit_learns_on_standardised_residuals(rng):
    residuals = rng.normal(size=(5, 4, 12)) * np.array([1.0, 10, 100, 0.1])[:, None]
    residuals[:, 1] += 20 * residuals[:, 0]
    expected = []
    for block in residuals:
        standard = block / np.sqrt((block**2).mean(axis=1, keepdims=True))
        expected.append(ledoit_wolf(standard.T, assume_centered=True)[1])
    np.testing.assert_allclose(ledoit_wolf_intensity(residuals), expected, rtol=1e-12)


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
    found = bessel.concentration(np.array([resultant[0], 0.0, 1.0, 1 + 1e-12]), dimension)
    most = bessel.KAPPA_MAX
    assert found.tolist() == [pytest.approx(kappa, rel=1e-8), 0.0, most, most]


def test_von_mises_is_scipys(two_classes):
    angles = np.vstack([two_classes[0], two_classes[0] ** 2])
    codes = two_classes[1]
    family = VonMises().fit(angles, codes, 2)
    density = family.log_density(angles)
    for f, code in np.ndindex(2, 2):
        own = np.angle(np.exp(1j * angles[f, codes == code]))
        kappa, loc, _ = stats.vonmises.fit(own, fscale=1)
        assert family.mean_direction_[f, code] == pytest.approx(loc, rel=1e-5)
        assert family.concentration_[f, code] == pytest.approx(kappa, rel=1e-5)
        mine = family.concentration_[f, code], family.mean_direction_[f, code]
        expected = stats.vonmises.logpdf(angles[f], *mine)
        np.testing.assert_allclose(density[f, code], expected, atol=1e-12)


@pytest.mark.parametrize(("period", "turns"), [(360.0, 5), (24.0, -3), (2 * np.pi, 1)])
def test_angles_of_any_unit_and_range_are_the_same_angles(two_classes, period, turns):
    angles, codes = two_classes
    unit = period / (2 * np.pi)
    radians = VonMises().fit(angles, codes, 2)
    family = VonMises(period=period).fit(angles * unit, codes, 2)
    np.testing.assert_allclose(family.mean_direction_, radians.mean_direction_ * unit)
    # a density per degree is smaller than one per radian by the unit
    found = family.log_density(angles * unit + turns * period)
    np.testing.assert_allclose(found, radians.log_density(angles) - np.log(unit), atol=1e-9)


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
@pytest.mark.parametrize("family", [Gaussian(), VonMises(), Kernel(), Kernel(bandwidth="adaptive")])
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


def test_flexible_nb_agrees_with_one_scikit_learn_density_per_class_and_feature():
    X, y = load_breast_cancer(return_X_y=True)
    train, X_test = X[1::3], X[::3]
    model = FlexibleNB().fit(train, y[1::3])
    expected = np.tile(model.class_log_prior_, (len(X_test), 1))
    for c in range(2):
        for f, h in enumerate(model.density_.bandwidths_[c]):
            density = KernelDensity(bandwidth=h).fit(train[y[1::3] == c, f : f + 1])
            expected[:, c] += density.score_samples(X_test[:, f : f + 1])
    np.testing.assert_allclose(model.predict_joint_log_proba(X_test), expected, rtol=1e-9)


@pytest.mark.parametrize("pooled", [True, False])
def test_log_density_is_that_of_the_multivariate_normal(blocks, pooled):
    features, codes, columns = blocks
    fitted = fit_blocks(features, codes, columns, pooled=pooled)
    assert not fitted.shrinkage_.any()
    points = features[:, ::7]
    for code in range(3):
        terms = fitted.log_density_terms(points, code, np.array([2, 0]))
        for row, block in enumerate(columns[[2, 0]]):
            covariance = within(features, codes, pooled, code)[np.ix_(block, block)]
            mean = features[block][:, codes == code].mean(axis=1)
            expected = stats.multivariate_normal(mean, covariance).logpdf(points[block].T)
            np.testing.assert_allclose(terms[row].sum(axis=0), expected, rtol=1e-10)
