"""BlockNB, its Gaussian blocks and CorrelationBlocks: definitions in NumPy, planted blocks."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax
from scipy.stats import multivariate_normal, norm
from sklearn.covariance import ledoit_wolf

from xnbflow.naive_bayes import BlockNB, GaussianNB
from xnbflow.papers.separation.gaussian_blocks import (
    GaussianBlocks,
    _ledoit_wolf_intensity,
    _shrunken_covariance,
)
from xnbflow.papers.separation.separation_scores import (
    effective_class_size,
    null_mean,
    null_mean_per_class,
    printed_cut,
)
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


def test_blocks_of_any_sizes_multiply():
    """Eq. 8, with densities of SciPy; the last block of a fixed size may be smaller."""
    X, y = samples(7, counts=(50, 60, 40))
    covariance = pooled_covariance(X, y)
    prior = np.log(np.array([50, 60, 40]) / 150)
    listed_blocks = [[4], [6, 1, 0], [5, 2], [3]]
    for blocks, parts in ((listed_blocks, listed_blocks), (3, [[0, 1, 2], [3, 4, 5], [6]])):
        classifier = BlockNB(blocks=blocks).fit(X, y)
        assert [block.tolist() for block in classifier.blocks_] == parts
        expected = sum(log_densities(X, y, X, block, covariance) for block in parts).T + prior
        np.testing.assert_allclose(classifier.predict_joint_log_proba(X), expected, rtol=1e-9)


SELECTIONS = [{"selection": "threshold", "cut": cut} for cut in ("printed", "optimal")]


@pytest.mark.parametrize("options", [*SELECTIONS, {"selection": "weights"}])
def test_weights_multiply_the_blocks_log_likelihood_ratios(options):
    """Eq. 13, plus the log prior odds; a block is kept from the threshold on."""
    X, y = samples(60, apart=0.0)
    X[y == "green", :20] += 4.0
    classifier = BlockNB(blocks=2, **options).fit(X, y)
    is_kept, weights = classifier.selected_blocks_[0], classifier.weights_[0]
    if options["selection"] == "threshold":
        assert 0 < is_kept.sum() < 30
        np.testing.assert_array_equal(is_kept, (classifier.scores_ >= classifier.threshold_)[0])
        np.testing.assert_array_equal(is_kept, weights)
    covariance = pooled_covariance(X, y)
    odds = np.full(len(X), np.log(30 / 24))
    for weight, block in zip(weights, classifier.blocks_, strict=True):
        densities = log_densities(X, y, X, block, covariance)
        odds += weight * (densities[0] - densities[1])
    log_proba = classifier.predict_log_proba(X)
    np.testing.assert_allclose(log_proba[:, 0] - log_proba[:, 1], odds, rtol=1e-8, atol=1e-10)


def test_blocks_of_one_feature_with_a_variance_per_class_are_gaussian_nb():
    """GaussianNB's variances are over n, these over n - 1."""
    X, y = samples(40, counts=(30, 24, 11))
    gaussian = GaussianNB(var_smoothing=0).fit(X, y)
    n = np.array([30, 24, 11])
    gaussian.var_ *= (n / (n - 1))[:, None]
    block = BlockNB(covariance="per_class").fit(X, y)
    expected = gaussian.predict_joint_log_proba(X)
    np.testing.assert_allclose(block.predict_joint_log_proba(X), expected, rtol=1e-9)


def test_single_features_with_one_variance_are_no_gaussian_nb():
    """Classes that differ in their variance only: a linear discriminant cannot tell them apart."""
    rng = np.random.default_rng(0)
    y = np.repeat(["narrow", "wide"], 200)
    X = rng.normal(0, np.repeat([0.2, 3.0], 200))[:, None]
    assert BlockNB().fit(X, y).score(X, y) < 0.65
    assert BlockNB(covariance="per_class").fit(X, y).score(X, y) > 0.85


def test_one_block_with_a_covariance_per_class_is_a_quadratic_discriminant():
    X, y = samples(5, counts=(60, 55, 70))
    classifier = BlockNB(blocks=5, covariance="per_class").fit(X, y)
    assert classifier.shrinkage_.shape == (3, 1)
    assert not classifier.shrinkage_.any()
    for column, label in enumerate(["blue", "green", "red"]):
        of_class = X[y == label]
        density = multivariate_normal(of_class.mean(axis=0), np.cov(of_class.T))
        expected = density.logpdf(X) + np.log(len(of_class) / len(X))
        joint = classifier.predict_joint_log_proba(X)[:, column]
        np.testing.assert_allclose(joint, expected, rtol=1e-9)


def test_scores_with_a_covariance_per_class_have_their_null_mean():
    """Features that do not differ: mean score of 20,000 blocks of 2 by the formula."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40_000)), np.repeat(["a", "b"], [25, 35])
    classifier = BlockNB(blocks=2, covariance="per_class").fit(X, y)
    none = np.zeros(1)
    expected = null_mean_per_class(2, (none, none), (24, 34), effective_class_size(25, 35))
    assert classifier.scores_.mean() == pytest.approx(expected[0], rel=0.02)
    assert expected[0] > 1.1 * 5  # far above the 5 parameters
    # the threshold is inflated by the same factor
    selective = BlockNB(blocks=2, covariance="per_class", selection="threshold").fit(X, y)
    inflation = expected[0] / 5
    cut = printed_cut(selective.scores_[0] / inflation, np.full(20_000, 5))
    np.testing.assert_allclose(selective.threshold_[0], cut * 5 * inflation)


def test_the_estimated_risk_counts_means_and_covariances_of_each_class():
    """Eq. 9 at the estimated distance: two classes may differ in 5 parameters of a block of 2."""
    X, y = samples(40, counts=(60, 70))
    classifier = BlockNB(blocks=2, covariance="per_class").fit(X, y)
    scores = classifier.scores_[0] / (classifier.null_scores_[0] / 5)
    n = effective_class_size(60, 70)
    mean, variance = (scores - 5).sum() / n, 2 * scores.sum() / n
    assert classifier.asymptotic_risk_[0] == pytest.approx(norm.cdf(-mean / np.sqrt(variance)))


def test_the_threshold_is_inflated_by_estimated_covariances_like_the_scores():
    X, y = samples(5, apart=1.0)
    classifier = BlockNB(blocks=2, selection="threshold").fit(X, y)
    scores, degrees = classifier.scores_[0], np.array([len(b) for b in classifier.blocks_])
    inflation = null_mean(degrees, classifier.shrinkage_, len(y) - 2) / degrees
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
    log_proba = classifier.predict_log_proba(points)[~exchanged]
    np.testing.assert_allclose(log_proba, log_softmax(scores[~exchanged], axis=1), rtol=1e-7)


def test_a_singular_block_is_shrunk_with_a_warning():
    X, y = samples(4, counts=(80, 90))
    X[:, 3] = X[:, 2]
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    with pytest.warns(UserWarning, match=r"singular covariance, the first is block 1 \('c', 'd'\)"):
        classifier = BlockNB(blocks=2).fit(frame, y)
    np.testing.assert_array_equal(classifier.shrinkage_ > 0, [False, True])


def test_two_classes_that_no_block_separates_are_compared_by_their_priors():
    X, y = samples(1, counts=(40, 20), apart=0.0)
    X[y == "green"] += X[y == "blue"].mean() - X[y == "green"].mean() + 0.1
    assert BlockNB().fit(X, y).scores_[0, 0] < 1
    with pytest.warns(UserWarning, match="no block separates class 'blue' from 'green'"):
        classifier = BlockNB(selection="threshold").fit(X, y)
    np.testing.assert_allclose(classifier.predict_proba(X), np.tile([2 / 3, 1 / 3], (60, 1)))
    assert classifier.selected_features_ == {"blue": [], "green": []}


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
    blocks = CorrelationBlocks(size=2).fit(X, y).blocks_
    assert [block.tolist() for block in blocks] == expected


@pytest.mark.parametrize(("n_features", "size"), [(200, 2), (201, 4), (50, 7), (3, 8), (6, 1)])
def test_every_feature_is_in_one_block(rng, n_features, size):
    blocks = CorrelationBlocks(size=size).fit(rng.normal(size=(12, n_features)), [0, 1] * 6).blocks_
    assert sorted(np.concatenate(blocks)) == list(range(n_features))
    assert {len(block) for block in blocks[:-1]} <= {size}
    assert 1 <= len(blocks[-1]) <= size


@pytest.mark.parametrize(("n_samples", "is_shrunk"), [(22, False), (21, True)])
def test_blocks_with_fewer_than_ten_degrees_of_freedom_per_feature_are_shrunk(
    rng, n_samples, is_shrunk
):
    """Two classes and blocks of 2 features: n - 2 degrees of freedom, 20 are enough."""
    X = rng.normal(size=(n_samples, 8))
    model = BlockNB(blocks=2).fit(X, np.arange(n_samples) % 2)
    assert (model.shrinkage_ > 0).any() == is_shrunk


def test_transform_puts_blocks_side_by_side():
    X, y = samples(8)
    frame = pd.DataFrame(X, columns=[f"probe{i}" for i in range(8)])
    finder = CorrelationBlocks(size=2).fit(frame, y)
    order = np.concatenate(finder.blocks_)
    np.testing.assert_array_equal(finder.transform(frame), X[:, order])
    assert finder.get_feature_names_out().tolist() == [f"probe{i}" for i in order]


def divergence(mean, covariance, other_mean, other_covariance):
    """Kullback-Leibler divergence from one normal density to another, from any textbook."""
    inverse = np.linalg.inv(other_covariance)
    difference = other_mean - mean
    log_ratio = np.linalg.slogdet(other_covariance)[1] - np.linalg.slogdet(covariance)[1]
    trace = np.trace(inverse @ covariance)
    return (trace + difference @ inverse @ difference - len(mean) + log_ratio) / 2


@pytest.mark.parametrize("covariance", ["pooled", "per_class"])
def test_distance_is_the_symmetrised_kullback_leibler_divergence(covariance):
    """Eqs. 10 and 11."""
    X, y = samples(6, counts=(40, 35, 50))
    codes, columns = np.unique(y, return_inverse=True)[1], np.array([[0, 3], [5, 1], [2, 4]])
    X *= (1 + codes)[:, None]
    expected = []
    for block in columns:
        means = [X[codes == code][:, block].mean(axis=0) for code in (0, 2)]
        within = [pooled_covariance(X, y)[np.ix_(block, block)]] * 2
        if covariance == "per_class":
            within = [np.cov(X[codes == code][:, block].T) for code in (0, 2)]
        forward = divergence(means[0], within[0], means[1], within[1])
        backward = divergence(means[1], within[1], means[0], within[0])
        expected.append(forward + backward)
    fitted = GaussianBlocks(columns=columns, covariance=covariance).fit(X.T, codes, 3)
    np.testing.assert_allclose(fitted.distances(0, 2), expected, rtol=1e-10)
    np.testing.assert_allclose(fitted.distances(2, 0), expected, rtol=1e-10)


@pytest.mark.parametrize(("covariance", "expected"), [("pooled", 3 * 2 + 3), ("per_class", 15)])
def test_parameters_are_means_and_halves_of_covariances(covariance, expected):
    X, y = samples(4, counts=(40, 35, 50))
    codes = np.unique(y, return_inverse=True)[1]
    blocks = GaussianBlocks(columns=np.array([[0, 1], [2, 3]]), covariance=covariance)
    assert blocks.fit(X.T, codes, 3).n_parameters().tolist() == [expected, expected]


def test_shrinkage_is_scikit_learns_on_standardised_residuals(rng):
    residuals = rng.normal(size=(5, 4, 12)) * np.array([1.0, 10, 100, 0.1])[:, None]
    residuals[:, 1] += 20 * residuals[:, 0]
    expected = []
    for block in residuals:
        standard = block / np.sqrt((block**2).mean(axis=1, keepdims=True))
        expected.append(ledoit_wolf(standard.T, assume_centered=True)[1])
    np.testing.assert_allclose(_ledoit_wolf_intensity(residuals), expected, rtol=1e-12)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_a_block_is_singular_by_its_correlations_whatever_its_units(unit):
    """Of the three features of the second block one is the sum of the others."""
    random = np.random.default_rng(0)
    residuals = random.normal(size=(2, 3, 50))
    residuals[1, 2] = residuals[1, 0] + residuals[1, 1]
    residuals -= residuals.mean(axis=2, keepdims=True)
    _, _, singular = _shrunken_covariance(residuals * unit, dof=49)
    assert singular.tolist() == [False, True]


def test_the_null_mean_adds_the_inflations_of_both_classes():
    """Blocks of 3 features: of the 2 beyond the first one half counts in a class, all in the other.

    The inflations are 24 / (24 - 2 - 1) and 30 / (30 - 3 - 1).
    """
    shrinkage = (np.array([0.5]), np.array([0.0]))
    inflations = 24 / 21 + 30 / 26
    expected = 3 * inflations / 2 + 28 / 4 * 3 * (inflations - 2)
    np.testing.assert_allclose(null_mean_per_class(3, shrinkage, (24, 30), 28), [expected])
