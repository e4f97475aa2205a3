"""Densities per feature and the classifiers of all features agree with other programs."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KernelDensity

from xnbflow.data.errors import InputError
from xnbflow.density.bandwidth import BANDWIDTHS
from xnbflow.density.families import (
    Categorical,
    Gaussian,
    GaussianBlocks,
    Kernel,
    MultivariateGaussian,
    VonMises,
)
from xnbflow.density.families.gaussian import class_moments
from xnbflow.density.families.kernel import LOG_ZERO, log_kernel_density
from xnbflow.density.kernels import KERNELS
from xnbflow.naive_bayes import XNB, FlexibleNB, GaussianNB, HybridNB


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="module")
def cancer():
    """Breast cancer: 30 features on very different scales, 2 classes; every third is a test."""
    X, y = load_breast_cancer(return_X_y=True)
    test = np.arange(len(y)) % 3 == 0
    return X[~test], y[~test], X[test], y[test]


def kernel_density(samples, bandwidths, kernel, points):
    """Log densities (n_features, n_points) of kernels with given bandwidths."""
    out = np.empty(points.shape[::-1])
    log_kernel_density(samples, bandwidths, kernel, np.array(points.T, order="C"), out)
    return out.T


def test_gaussians_are_normal_densities(rng):
    features, codes = rng.normal(3, 2, size=(700, 12)), np.arange(12) % 2
    points = rng.normal(size=(700, 6))
    family = Gaussian().fit(features, codes, 2)
    found = family.log_density(points)
    for c in range(2):
        own = features[:, codes == c]
        mean, sd = own.mean(axis=1)[:, None], own.std(axis=1)[:, None]
        np.testing.assert_allclose(found[:, c], stats.norm.logpdf(points, mean, sd), rtol=1e-6)


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


def test_the_reference_of_a_point_that_no_class_reaches_is_minus_infinity():
    family = Kernel().fit(np.array([[0.0, 1.0, 2.0, 3.0]]), np.array([0, 0, 1, 1]), 2)
    assert family.reference(np.array([[1e300]]), np.log([0.5, 0.5]))[0, 0] == -np.inf


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


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_a_density_is_fitted_to_each_class_alone(rng, bandwidth):
    features, codes = rng.normal(size=(3, 30)), rng.permutation(np.arange(30) % 2)
    family = Kernel(bandwidth=bandwidth).fit(features, codes, 2)
    for c in range(2):
        alone = features[:, codes == c]
        expected = Kernel(bandwidth=bandwidth).fit(alone, np.zeros(15, dtype=int), 1)
        np.testing.assert_array_equal(family.samples_[c], np.sort(alone, axis=1))
        np.testing.assert_array_equal(family.bandwidths_[c], expected.bandwidths_[0])


@pytest.mark.parametrize(
    "model",
    [
        FlexibleNB(min_bandwidth=0.3),
        XNB(min_bandwidth=0.3, min_distance=0.0),
        HybridNB([("all", Kernel(min_bandwidth=0.3), slice(None))]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_floor_tames_a_class_without_spread_in_any_unit(rng, model):
    """A value beside a constant class costs a few nats, and the same in every unit."""
    y = np.repeat(["a", "b"], 20)
    X = np.column_stack([np.where(y == "a", 0.0, rng.normal(size=40)), rng.normal(size=40)])
    X[1, 0] = 1e-3
    odds = []
    for unit in (1e-9, 1.0, 1e6):
        joint = model.fit(X * unit, y).predict_joint_log_proba(np.array([[1e-2, 0.0]]) * unit)
        odds.append(joint[0, 0] - joint[0, 1])
    np.testing.assert_allclose(odds, odds[0], rtol=1e-9)
    assert abs(odds[0]) < 5
    spiked = model.set_params(**_without_floor(model)).fit(X, y)
    joint = spiked.predict_joint_log_proba(np.array([[1e-2, 0.0]]))
    assert joint[0, 0] - joint[0, 1] < -20


def _without_floor(model):
    if isinstance(model, HybridNB):
        return {"groups": [("all", Kernel(), slice(None))]}
    return {"min_bandwidth": 0.0}


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


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_gaussian_nb_of_constant_features_falls_back_on_the_priors():
    model = GaussianNB().fit(np.ones((4, 3)), [0, 0, 0, 1])
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3))), [[0.75, 0.25]])


def test_gaussian_nb_needs_a_spread_within_every_class():
    X, y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 3.0], [3.0, 4.0]]), ["a", "a", "b", "b"]
    with pytest.raises(InputError, match=r"feature 1 is constant in class 'a'.*var_smoothing"):
        GaussianNB(var_smoothing=0.0).fit(X, y)


def test_flexible_nb_agrees_with_one_scikit_learn_density_per_class_and_feature(cancer):
    X, y, X_test, y_test = cancer
    model = FlexibleNB().fit(X, y)
    expected = np.tile(model.class_log_prior_, (len(X_test), 1))
    for c in range(2):
        for f, h in enumerate(model.density_.bandwidths_[c]):
            density = KernelDensity(bandwidth=h).fit(X[y == c, f : f + 1])
            expected[:, c] += density.score_samples(X_test[:, f : f + 1])
    np.testing.assert_allclose(model.predict_joint_log_proba(X_test), expected, rtol=1e-9)
    assert model.score(X_test, y_test) > 0.9


def test_a_sample_outside_all_supports_still_gets_probabilities(rng):
    X, y = rng.normal(size=(20, 2)), np.repeat(["a", "b"], 10)
    model = FlexibleNB(kernel="uniform").fit(X, y)
    proba = model.predict_proba(np.full((1, 2), 1e6))
    np.testing.assert_allclose(proba, [[0.5, 0.5]])
