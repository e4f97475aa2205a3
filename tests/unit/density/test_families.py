"""Families of densities: against SciPy, scikit-learn and closed forms."""

import numpy as np
import paper_cases
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KernelDensity

from xnbflow.core.errors import InputError
from xnbflow.density.families import Gaussian, Kernel, MultivariateGaussian
from xnbflow.density.families.kernel import _LOG_ZERO, _log_kernel_density
from xnbflow.naive_bayes import XNB, FlexibleNB


@pytest.mark.parametrize(
    "family",
    [
        Gaussian(),
        Kernel(),
        Kernel(kernel="biweight"),
        MultivariateGaussian(var_smoothing=0.1),
        *paper_cases.SUMMED,
    ],
    ids=lambda family: type(family).__name__,
)
def test_every_family_sums_its_terms_and_mixes_its_classes(rng, family):
    """Over several strips of features and several chunks of points, as over one."""
    codes = np.arange(90) % 3
    features = rng.integers(0, 4, size=(60, 90)).astype(float)
    features += 0 if type(family).__name__ == "Categorical" else rng.normal(size=features.shape)
    points = np.tile(features, 50)[:, :4200]
    family.fit(features, codes, 3)
    cube = family.log_density(points)
    n_terms = {"MultivariateGaussian": 1, "GaussianBlocks": 30}.get(type(family).__name__, 60)
    assert cube.shape == (n_terms, 3, 4200)
    assert family.n_parameters().shape == (n_terms,)
    np.testing.assert_allclose(cube[:, :, :90], family.log_density(features), rtol=1e-12)
    np.testing.assert_allclose(family.log_likelihood(points), cube.sum(axis=0), rtol=1e-10)


@pytest.mark.parametrize(
    ("family", "row", "message"),
    [
        (Gaussian(var_smoothing=0), [1.0, 2.0, 3.0, 3.0], "column 1 is constant in class 1"),
        (
            MultivariateGaussian(var_smoothing=0),
            [1.0, 2.0, 3.0, 3.0],
            "a covariance matrix is singular",
        ),
        (
            MultivariateGaussian(covariance="shared"),
            [1.0, 2.0, 3.0, 4.0],
            "'shared'; use one of pooled, per_class",
        ),
        *paper_cases.WITHOUT_DENSITY,
    ],
    ids=str,
)
def test_what_a_family_has_no_density_of_is_refused(family, row, message):
    features = np.array([[0.0, 1.0, 2.0, 4.0], row])
    with pytest.raises(InputError, match=message):
        family.fit(features, np.array([0, 0, 1, 1]), 2)


def kernel_density(samples, bandwidths, kernel, points):
    """Log densities (n_features, n_points) of kernels with given bandwidths."""
    out = np.empty(points.shape[::-1])
    _log_kernel_density(
        samples, bandwidths, kernel=kernel, points=np.array(points.T, order="C"), out=out
    )
    return out.T


#: What scikit-learn calls otherwise.
SCIKIT_NAMES = {"uniform": "tophat", "triangular": "linear"}


@pytest.mark.parametrize("kernel", ["gaussian", "uniform", "epanechnikov", "cosine", "triangular"])
def test_kernel_densities_agree_with_scikit_learn(rng, kernel):
    name = SCIKIT_NAMES.get(kernel, kernel)
    samples, points = rng.normal(size=(5, 30)), rng.normal(scale=3, size=(5, 40))
    bandwidths = rng.uniform(0.2, 1, 5)
    actual = kernel_density(samples, bandwidths, kernel, points)
    for f in range(5):
        other = KernelDensity(bandwidth=bandwidths[f], kernel=name).fit(samples[f][:, None])
        expected = np.maximum(other.score_samples(points[f][:, None]), _LOG_ZERO)
        np.testing.assert_allclose(actual[f], expected, atol=1e-9)


def test_gaussian_kernels_do_not_underflow_far_away():
    expected = stats.norm.logpdf(1e3, 1, 1e-3) - np.log(2)
    samples, far = np.array([[0.0, 1.0]]), np.array([[1e3]])
    actual = kernel_density(samples, np.array([1e-3]), "gaussian", far)
    assert actual[0, 0] == pytest.approx(expected, rel=1e-12)


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


def test_a_density_of_zero_has_the_log_of_the_smallest_normal_number():
    far = kernel_density(np.array([[0.0]]), np.ones(1), "uniform", np.array([[2.0]]))
    assert far[0, 0] == _LOG_ZERO == pytest.approx(-708.396, abs=1e-3)
