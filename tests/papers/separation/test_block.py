"""BlockNB, its Gaussian blocks and CorrelationBlocks: definitions in NumPy, planted blocks."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf

from xnbflow.naive_bayes import BlockNB
from xnbflow.papers.separation.gaussian_blocks import GaussianBlocks, ledoit_wolf_intensity
from xnbflow.papers.separation.separation_scores import effective_samples, null_mean, printed_cut
from xnbflow.preprocessing import CorrelationBlocks


def samples(n_features=7, counts=(30, 24), apart=0.6, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(counts)), counts)
    mix = np.eye(n_features) + 0.4 * rng.normal(size=(n_features, n_features))
    means = apart * rng.normal(size=(len(counts), n_features))
    X = rng.normal(size=(len(codes), n_features)) @ mix + means[codes]
    order = rng.permutation(len(codes))
    return X[order], np.array(["blue", "green", "red"])[codes[order]]


def pooled_covariance(X, y):
    classes = np.unique(y)
    scatter = sum(np.cov(X[y == c].T) * ((y == c).sum() - 1) for c in classes)
    return scatter / (len(y) - len(classes))


def log_densities(X, y, points, block, covariance):
    """Log density of each class in a block (n_classes, n_points)."""
    within = covariance[np.ix_(block, block)]
    means = [X[y == c][:, block].mean(axis=0) for c in np.unique(y)]
    return np.array([multivariate_normal(mean, within).logpdf(points[:, block]) for mean in means])


def test_single_features_make_linear_discriminant_scores():
    """Scores of independent features: x mu / s² - mu² / (2 s²), s² pooled with n - k."""
    X, y = samples(40, counts=(30, 24, 11))
    variance = np.diag(pooled_covariance(X, y))
    means = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
    log_prior = np.log(np.unique(y, return_counts=True)[1] / len(y))
    expected = X @ (means / variance).T - (means**2 / variance).sum(axis=1) / 2 + log_prior
    joint = BlockNB().fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_allclose(joint - joint[:, :1], expected - expected[:, :1], rtol=0, atol=1e-10)


def test_one_block_with_a_covariance_per_class_is_a_quadratic_discriminant():
    X, y = samples(5, counts=(60, 55, 70))
    classifier = BlockNB(blocks=5, covariance="per_class").fit(X, y)
    assert not classifier.shrinkage_.any()
    for column, label in enumerate(["blue", "green", "red"]):
        own = X[y == label]
        expected = multivariate_normal(own.mean(axis=0), np.cov(own.T)).logpdf(X)
        expected += np.log(len(own) / len(X))
        joint = classifier.predict_joint_log_proba(X)[:, column]
        np.testing.assert_allclose(joint, expected, rtol=1e-9)


def test_blocks_of_any_sizes_multiply():
    """Eq. 8, and the last block of a fixed size may be smaller."""
    X, y = samples(7, counts=(50, 60))
    covariance = pooled_covariance(X, y)
    prior = np.log(np.array([50, 60]) / 110)
    given = [[4], [6, 1, 0], [5, 2], [3]]
    for blocks, parts in ((given, given), (3, [[0, 1, 2], [3, 4, 5], [6]])):
        classifier = BlockNB(blocks=blocks).fit(X, y)
        assert [block.tolist() for block in classifier.blocks_] == parts
        expected = sum(log_densities(X, y, X, block, covariance) for block in parts).T + prior
        np.testing.assert_allclose(classifier.predict_joint_log_proba(X), expected, rtol=1e-9)


@pytest.mark.parametrize("cut", ["printed", "bias_removed", "optimal"])
def test_blocks_from_the_threshold_on_are_kept(cut):
    X, y = samples(60, apart=0.0)
    X[y == "green", :20] += 4.0
    classifier = BlockNB(blocks=2, selection="threshold", cut=cut).fit(X, y)
    kept = classifier.selected_blocks_[0]
    assert 0 < kept.sum() < 30
    np.testing.assert_array_equal(kept, (classifier.scores_ >= classifier.threshold_)[0])
    covariance = pooled_covariance(X, y)
    blocks = [classifier.blocks_[i] for i in np.flatnonzero(kept)]
    joint = sum(log_densities(X, y, X, block, covariance) for block in blocks).T
    expected = log_softmax(joint + classifier.class_log_prior_, axis=1)
    np.testing.assert_allclose(classifier.predict_log_proba(X), expected, rtol=1e-8, atol=1e-12)


def test_the_threshold_is_inflated_by_estimated_covariances_like_the_scores():
    X, y = samples(5, apart=1.0)
    classifier = BlockNB(blocks=2, selection="threshold").fit(X, y)
    scores, degrees = classifier.scores_[0], np.array([len(b) for b in classifier.blocks_])
    n = effective_samples(*classifier.class_count_)
    dof = len(y) - 2
    means = null_mean(degrees, (classifier.shrinkage_[0],) * 2, (dof, dof), n, pooled=True)
    inflation = means / degrees
    assert inflation.max() > 1.05
    expected = printed_cut(scores / inflation, degrees) * degrees * inflation
    np.testing.assert_allclose(classifier.threshold_[0], expected)


@pytest.mark.parametrize("selection", ["threshold", "weights"])
def test_most_pairwise_wins_decide_among_three_classes(selection):
    X, y = samples(24, counts=(14, 13, 15), apart=0.15)
    classifier = BlockNB(blocks=2, selection=selection).fit(X, y)
    points = np.random.default_rng(5).normal(size=(2000, 24))
    covariance = pooled_covariance(X, y)
    densities = np.array(
        [log_densities(X, y, points, block, covariance) for block in classifier.blocks_]
    )
    wins, mean = np.zeros((2, 2000, 3))
    for weights, (a, b) in zip(classifier.weights_, classifier.pairs_, strict=True):
        odds = weights @ (densities[:, a] - densities[:, b])
        mean[:, a] += odds / 3
        mean[:, b] -= odds / 3
        odds += classifier.class_log_prior_[a] - classifier.class_log_prior_[b]
        wins[:, a] += odds > 0
        wins[:, b] += odds < 0
    scores = mean + classifier.class_log_prior_
    tied = wins.max(axis=1) == 1
    exchanged = (scores.argmax(axis=1) != wins.argmax(axis=1)) & ~tied
    assert tied.any()
    assert exchanged.any()
    expected = np.where(tied, scores.argmax(axis=1), wins.argmax(axis=1))
    np.testing.assert_array_equal(classifier.predict(points), classifier.classes_[expected])
    found = classifier.predict_log_proba(points)[~exchanged]
    np.testing.assert_allclose(found, log_softmax(scores[~exchanged], axis=1), rtol=1e-7)


def test_a_singular_block_is_shrunk_with_a_warning():
    X, y = samples(4, counts=(80, 90))
    X[:, 3] = X[:, 2]
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    with pytest.warns(UserWarning, match=r"singular covariance, the first is block 1 \('c', 'd'\)"):
        classifier = BlockNB(blocks=2).fit(frame, y)
    np.testing.assert_array_equal(classifier.shrinkage_[0] > 0, [False, True])


def test_two_classes_that_no_block_separates_are_compared_by_their_priors():
    X, y = samples(1, counts=(40, 20), apart=0.0)
    X[y == "green"] += X[y == "blue"].mean() - X[y == "green"].mean() + 0.1
    assert BlockNB().fit(X, y).scores_[0, 0] < 1
    with pytest.warns(UserWarning, match="no block separates class 'blue' from 'green'"):
        classifier = BlockNB(selection="threshold").fit(X, y)
    np.testing.assert_allclose(classifier.predict_proba(X), np.tile([2 / 3, 1 / 3], (60, 1)))
    assert classifier.selected_features_ == {"blue": [], "green": []}


def planted(n_groups, size, n_samples=60, seed=0):
    """Features in shuffled groups that share a factor within classes, and their groups."""
    rng = np.random.default_rng(seed)
    factors = np.repeat(rng.normal(size=(n_samples, n_groups)), size, axis=1)
    X = factors + 0.3 * rng.normal(size=factors.shape)
    order = rng.permutation(n_groups * size)
    y = np.arange(n_samples) % 2
    return (X + 10 * y[:, None])[:, order], y, np.repeat(np.arange(n_groups), size)[order]


def test_pairs_are_the_greedy_matching_of_residual_correlations(rng):
    """All pairs by falling |r|, from NumPy's correlations of residuals."""
    X, y = rng.normal(size=(30, 41)), np.arange(30) % 3
    residuals = X - np.array([X[y == c].mean(axis=0) for c in y])
    r = np.abs(np.corrcoef(residuals.T))
    rows, columns = np.triu_indices(41, 1)
    free, expected = set(range(41)), []
    for pair in np.argsort(-r[rows, columns]):
        i, j = int(rows[pair]), int(columns[pair])
        if i in free and j in free:
            free -= {i, j}
            expected.append([i, j])
    expected = [*sorted(expected), sorted(free)]
    found = CorrelationBlocks(size=2).fit(X, y).blocks_
    assert [block.tolist() for block in found] == expected


@pytest.mark.parametrize(("n_features", "size"), [(200, 2), (201, 4), (50, 7), (3, 8), (6, 1)])
def test_every_feature_is_in_one_block(rng, n_features, size):
    blocks = CorrelationBlocks(size=size).fit(rng.normal(size=(12, n_features)), [0, 1] * 6).blocks_
    assert sorted(np.concatenate(blocks)) == list(range(n_features))
    assert {len(block) for block in blocks[:-1]} <= {size}
    assert 1 <= len(blocks[-1]) <= size


def test_transform_puts_blocks_side_by_side():
    X, y, _ = planted(4, 2)
    frame = pd.DataFrame(X, columns=[f"probe{i}" for i in range(8)])
    finder = CorrelationBlocks(size=2).fit(frame, y)
    order = np.concatenate(finder.blocks_)
    np.testing.assert_array_equal(finder.transform(frame), X[:, order])
    assert finder.get_feature_names_out().tolist() == [f"probe{i}" for i in order]


def test_weights_multiply_the_blocks_log_likelihood_ratios():
    """Eq. 13, plus the log prior odds."""
    X, y = samples(20, apart=0.4)
    classifier = BlockNB(blocks=4, selection="weights").fit(X, y)
    covariance = pooled_covariance(X, y)
    odds = np.full(len(X), np.log(30 / 24))
    for weight, block in zip(classifier.weights_[0], classifier.blocks_, strict=True):
        densities = log_densities(X, y, X, block, covariance)
        odds += weight * (densities[0] - densities[1])
    log_proba = classifier.predict_log_proba(X)
    np.testing.assert_allclose(log_proba[:, 0] - log_proba[:, 1], odds, rtol=1e-8, atol=1e-10)


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
    return pooled_covariance(features.T, codes) if pooled else np.cov(features[:, codes == code])


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
            expected = multivariate_normal(mean, covariance).logpdf(points[block].T)
            np.testing.assert_allclose(terms[row].sum(axis=0), expected, rtol=1e-10)
