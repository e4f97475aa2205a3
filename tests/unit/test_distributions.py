"""Densities per feature and the classifiers of all features agree with other programs."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB as ScikitGaussianNB
from sklearn.neighbors import KernelDensity

from xnbflow.density.bandwidth import BANDWIDTHS
from xnbflow.density.kernels import KERNELS
from xnbflow.distributions.base import log_likelihoods
from xnbflow.distributions.gaussian import Gaussians, class_moments
from xnbflow.distributions.kernel import LOG_ZERO, KernelDensities, fit_kernel_densities
from xnbflow.errors import InputError
from xnbflow.naive_bayes import FlexibleNB, GaussianNB


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="module")
def cancer():
    """Breast cancer: 30 features on very different scales, 2 classes; every third is a test."""
    X, y = load_breast_cancer(return_X_y=True)
    test = np.arange(len(y)) % 3 == 0
    return X[~test], y[~test], X[test], y[test]


def test_gaussians_are_normal_densities(rng):
    means, variances = rng.normal(size=700), rng.uniform(0.1, 9, 700)
    points = rng.normal(size=(700, 6))
    expected = stats.norm.logpdf(points, means[:, None], np.sqrt(variances)[:, None])
    densities = Gaussians(means, variances)
    np.testing.assert_allclose(densities.log_density(points), expected)
    np.testing.assert_allclose(
        log_likelihoods([densities, densities], points), np.tile(expected.sum(axis=0), (2, 1)).T
    )


def test_moments_are_those_of_each_class(rng):
    features, codes = rng.normal(1e3, 1, size=(700, 40)), rng.permutation(np.arange(40) % 3)
    means, variances = class_moments(features, codes, 3)
    for c in range(3):
        np.testing.assert_allclose(means[c], features[:, codes == c].mean(axis=1))
        np.testing.assert_allclose(variances[c], features[:, codes == c].var(axis=1))


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
    found = KernelDensities(samples, bandwidths, kernel).log_density(points)
    for f in range(5):
        other = KernelDensity(bandwidth=bandwidths[f], kernel=scikit_name).fit(samples[f][:, None])
        expected = np.maximum(other.score_samples(points[f][:, None]), LOG_ZERO)
        np.testing.assert_allclose(found[f], expected, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_bandwidths_per_sample_are_used_per_sample(rng, kernel):
    samples, h = rng.normal(size=(1, 12)), rng.uniform(1, 2, size=(1, 12))
    point = np.array([[0.1]])
    one_by_one = [
        KernelDensities(samples[:, [i]], h[:, i], kernel).log_density(point)[0, 0]
        for i in range(12)
    ]
    expected = np.log(np.mean(np.exp(one_by_one)))
    found = KernelDensities(samples, h, kernel).log_density(point)[0, 0]
    assert found == pytest.approx(expected)


def test_gaussian_kernels_do_not_underflow_far_away():
    densities = KernelDensities(np.array([[0.0, 1.0]]), np.array([1e-3]))
    expected = stats.norm.logpdf(1e3, 1, 1e-3) - np.log(2)
    assert densities.log_density(np.array([[1e3]]))[0, 0] == pytest.approx(expected, rel=1e-12)
    each = KernelDensities(np.array([[0.0, 1.0]]), np.full((1, 2), 1e-3))
    assert each.log_density(np.array([[1e3]]))[0, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_a_density_is_fitted_to_each_class_alone(rng, bandwidth):
    features, codes = rng.normal(size=(3, 30)), rng.permutation(np.arange(30) % 2)
    densities = fit_kernel_densities(features, codes, 2, bandwidth=bandwidth, kernel="gaussian")
    for c in range(2):
        alone = features[:, codes == c]
        (expected,) = fit_kernel_densities(
            alone, np.zeros(15, dtype=int), 1, bandwidth=bandwidth, kernel="gaussian"
        )
        np.testing.assert_array_equal(densities[c].samples, np.sort(alone, axis=1))
        np.testing.assert_array_equal(densities[c].bandwidths, expected.bandwidths)


def test_gaussian_nb_agrees_with_scikit_learn(cancer):
    X, y, X_test, _ = cancer
    ours, theirs = GaussianNB().fit(X, y), ScikitGaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.theta_, theirs.theta_)
    np.testing.assert_allclose(ours.var_, theirs.var_)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X_test), theirs.predict_joint_log_proba(X_test), rtol=1e-9
    )
    np.testing.assert_allclose(
        ours.predict_log_proba(X_test), theirs.predict_log_proba(X_test), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_array_equal(ours.predict(X_test), theirs.predict(X_test))


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_gaussian_nb_of_constant_features_falls_back_on_the_priors():
    model = GaussianNB().fit(np.ones((4, 3)), [0, 0, 0, 1])
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3))), [[0.75, 0.25]])


def test_gaussian_nb_needs_a_spread_within_every_class():
    X, y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 3.0], [3.0, 4.0]]), ["a", "a", "b", "b"]
    with pytest.raises(InputError, match=r"feature 1 is constant in class 'a'.*var_smoothing"):
        GaussianNB(var_smoothing=0.0).fit(X, y)


@pytest.mark.parametrize("smoothing", [-1.0, np.nan, np.inf, "1e-9"])
def test_gaussian_nb_needs_a_finite_smoothing_from_0_on(smoothing):
    with pytest.raises(InputError, match=f"var_smoothing is {smoothing!r}; use a float"):
        GaussianNB(var_smoothing=smoothing).fit(np.eye(4), [0, 0, 1, 1])


def test_flexible_nb_agrees_with_one_scikit_learn_density_per_class_and_feature(cancer):
    X, y, X_test, y_test = cancer
    model = FlexibleNB().fit(X, y)
    expected = np.tile(model.class_log_prior_, (len(X_test), 1))
    for c in range(2):
        for f, h in enumerate(model.densities_[c].bandwidths):
            density = KernelDensity(bandwidth=h).fit(X[y == c, f : f + 1])
            expected[:, c] += density.score_samples(X_test[:, f : f + 1])
    np.testing.assert_allclose(model.predict_joint_log_proba(X_test), expected, rtol=1e-9)
    assert model.score(X_test, y_test) > 0.9


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
@pytest.mark.parametrize("kernel", ["gaussian", "triweight"])
def test_flexible_nb_classifies_with_every_bandwidth(rng, bandwidth, kernel):
    y = np.repeat(["a", "b"], 20)
    X = rng.normal(size=(40, 3)) + 5 * (y == "b")[:, None]
    model = FlexibleNB(bandwidth=bandwidth, kernel=kernel).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.9


def test_a_sample_outside_all_supports_still_gets_probabilities(rng):
    X, y = rng.normal(size=(20, 2)), np.repeat(["a", "b"], 10)
    model = FlexibleNB(kernel="uniform").fit(X, y)
    proba = model.predict_proba(np.full((1, 2), 1e6))
    np.testing.assert_allclose(proba, [[0.5, 0.5]])


@pytest.mark.parametrize("model", [GaussianNB(), FlexibleNB()])
def test_contributions_add_up_to_the_joint_log_likelihood(rng, model):
    X, y = rng.normal(size=(20, 4)), np.repeat(["a", "b"], 10)
    explained = model.fit(X, y).explain(X[:3])
    assert list(explained.columns) == ["sample", "class", "feature", "log_likelihood"]
    assert len(explained) == 3 * 2 * 4
    sums = explained.groupby(["sample", "class"])["log_likelihood"].sum().unstack()
    np.testing.assert_allclose(
        sums.to_numpy() + model.class_log_prior_, model.predict_joint_log_proba(X[:3])
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"bandwidth": "silvermann"}, "bandwidth is 'silvermann'; use one of silverman"),
        ({"kernel": "box"}, "kernel is 'box'; use one of gaussian"),
    ],
)
def test_unknown_options_are_named(params, message):
    with pytest.raises(InputError, match=message):
        FlexibleNB(**params).fit(np.eye(4), [0, 0, 1, 1])
