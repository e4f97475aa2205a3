"""Gaussian densities of blocks of features: distances, shrinkage and log densities."""

import numpy as np
import pytest
from scipy import stats
from sklearn.covariance import ledoit_wolf

from xnbflow.papers.separation.gaussian_blocks import GaussianBlocks, ledoit_wolf_intensity


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
