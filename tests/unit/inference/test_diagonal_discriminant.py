"""The score of the diagonal discriminant, against scikit-learn's naive Bayes, and its folds."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.diagonal_discriminant import (
    FoldDraws,
    ten_features_score,
    ten_features_scores,
)


@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 80), (3, 600)])
def test_the_score_is_that_of_naive_bayes_on_ten_features_of_each_class(rng, n_classes, n_features):
    """scikit-learn's naive Bayes with equal variances, fitted to the features found here."""
    values, codes = rng.normal(size=(n_features, 45)), np.arange(45) % n_classes
    values[-5:] += codes
    probability_of_class = np.zeros(45)
    standard = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    for train, test in stratified_splits(codes, None, 5, 3):
        means = np.array([standard[:, train[codes[train] == c]].mean(axis=1) for c in range(3)
                          if c < n_classes])  # fmt: skip
        features = set()
        for c in range(n_classes):
            others = np.delete(means, c, axis=0).mean(axis=0)
            features |= set(np.argsort(-np.abs(means[c] - others))[:10].tolist())
        features = sorted(features)
        model = GaussianNB(priors=np.full(n_classes, 1 / n_classes))
        model.fit(standard[np.ix_(features, train)].T, codes[train])
        model.var_[:] = np.sqrt(len(features))  # as the summed evidence divided by it
        probabilities = model.predict_proba(standard[np.ix_(features, test)].T)
        probability_of_class[test] = probabilities[np.arange(len(test)), codes[test]]
    expected = np.mean([probability_of_class[codes == c].mean() for c in range(n_classes)])
    tested_labels = ten_features_score(values)(codes, 3)
    assert tested_labels == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(20), 2)])
def test_shared_draws_of_folds_are_those_of_the_labels_and_the_seed(groups):
    """Labels of another permutation have other folds, also in the same array."""
    rng = np.random.default_rng(0)
    labels = np.repeat([4, 7], 20)
    draws = FoldDraws(groups, 4)
    for seeds in ([0, 1, 2], [0, 1, 2], [2, 7], [2, 7], range(60), [5]):
        codes, folds = draws.draw(labels, seeds)
        assert folds.shape == (len(seeds), 40)
        for fold, seed in zip(folds, seeds, strict=True):
            for k, (_, test) in enumerate(stratified_splits(codes, groups, 4, seed)):
                assert np.flatnonzero(fold == k).tolist() == test.tolist()
        assert (codes == (labels == 7)).all()
        if len(seeds) == 2:
            labels[:] = rng.permutation(labels)


def test_a_class_that_no_training_set_has_is_never_predicted():
    values, codes = np.random.default_rng(0).normal(size=(4, 13)), np.repeat([0, 1, 2], [6, 6, 1])
    values[:2, 6:12] += 9
    assert 0.5 < ten_features_score(values)(codes, 0) < 2 / 3


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(15), 3)])
@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 600), (3, 40), (9, 300)])
def test_draws_of_folds_that_are_scored_together_have_the_scores_of_each(
    rng, n_classes, n_features, groups
):
    values = rng.normal(size=(n_features, 45))
    labels = rng.permutation(np.repeat(np.arange(n_classes), 45 // n_classes))
    if groups is not None:
        labels = labels[groups]  # a group has one class
    labels = np.append(labels, np.full(45 - len(labels), labels[-1]))
    score = ten_features_score(values, groups, n_splits=3)
    scores = ten_features_scores(values, groups, n_splits=3)(labels, [4, 9, 2])
    assert scores.tolist() == [score(labels, seed) for seed in (4, 9, 2)]
