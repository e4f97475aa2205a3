"""Normal densities of blocks are those of SciPy and scikit-learn, one block at a time."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf

from xnbflow.density.families.gaussian_blocks import GaussianBlocks, ledoit_wolf_intensity


@pytest.fixture
def data():
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
def test_log_density_is_that_of_the_multivariate_normal(data, pooled):
    features, codes, columns = data
    fitted = fit_blocks(features, codes, columns, pooled=pooled)
    assert not fitted.shrinkage_.any()
    points = features[:, ::7]
    for code in range(3):
        terms = fitted.log_density_terms(points, code, np.array([2, 0]))
        for row, block in enumerate(columns[[2, 0]]):
            covariance = within(features, codes, pooled, code)[np.ix_(block, block)]
            mean = features[block][:, codes == code].mean(axis=1)
            expected = multivariate_normal(mean, covariance).logpdf(points[block].T)
            np.testing.assert_allclose(terms[row].sum(axis=0), expected, rtol=1e-10)


def test_a_blocks_terms_are_conditional_densities(data):
    features, codes, columns = data
    fitted = fit_blocks(features, codes, columns, pooled=True)
    first = columns[1, 0]
    sd = np.sqrt(within(features, codes, True, 0)[first, first])
    mean = features[first, codes == 2].mean()
    expected = -0.5 * ((features[first] - mean) / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi))
    terms = fitted.log_density_terms(features, 2, np.array([1]))
    np.testing.assert_allclose(terms[0, 0], expected, rtol=1e-10)


@pytest.mark.parametrize("pooled", [True, False])
def test_distance_is_the_symmetrised_kullback_leibler_divergence(data, pooled):
    """Eqs. 10 and 11, with the divergence of two normal densities from any textbook."""
    features, codes, columns = data

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


def test_shrinkage_is_scikit_learns_on_standardised_residuals():
    rng = np.random.default_rng(1)
    residuals = rng.normal(size=(5, 4, 12)) * np.array([1.0, 10, 100, 0.1])[:, None]
    residuals[:, 1] += 20 * residuals[:, 0]
    expected = []
    for block in residuals:
        standard = block / np.sqrt((block**2).mean(axis=1, keepdims=True))
        expected.append(ledoit_wolf(standard.T, assume_centered=True)[1])
    np.testing.assert_allclose(ledoit_wolf_intensity(residuals), expected, rtol=1e-12)


def test_few_samples_shrink_correlations_and_leave_variances():
    rng = np.random.default_rng(2)
    codes = np.arange(16) % 2
    features = rng.normal(size=(3, 16)) + rng.normal(size=16)
    fitted = fit_blocks(features, codes, np.array([[0, 1, 2]]), pooled=True)
    shrunk = fitted.factors_[0, 0] @ fitted.factors_[0, 0].T
    sample = within(features, codes, True, 0)
    assert 0 < fitted.shrinkage_[0, 0] < 1
    np.testing.assert_allclose(np.diag(shrunk), np.diag(sample), rtol=1e-12)
    np.testing.assert_allclose(shrunk[0, 1:], sample[0, 1:] * (1 - fitted.shrinkage_[0, 0]))


def test_a_singular_block_is_shrunk_however_many_samples():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(4, 500))
    features[3] = 2 * features[0]
    codes = np.arange(500) % 2
    fitted = fit_blocks(features, codes, np.array([[1, 2], [0, 3]]), pooled=True)
    np.testing.assert_array_equal(fitted.singular_, [[False, True]])
    np.testing.assert_array_equal(fitted.shrinkage_ > 0, [[False, True]])
    assert np.isfinite(fitted.whitenings_).all()
