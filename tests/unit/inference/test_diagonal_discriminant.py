"""The score of the diagonal discriminant, against scikit-learn's naive Bayes, and its folds."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from xnbflow.evaluation.folds import repeated_folds, stratified_splits
from xnbflow.inference.diagonal_discriminant import ten_features_scores


def score_of(values, labels, seed, groups=None, n_splits=5):
    """Score one order of the labels, in folds that a seed draws."""
    folds = repeated_folds(labels, groups, n_splits, [seed])
    return ten_features_scores(values, n_splits=n_splits)(labels[None], folds)[0]


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
    tested_labels = score_of(values, codes, 3)
    assert tested_labels == pytest.approx(expected, abs=1e-5)


def test_a_class_that_no_training_set_has_is_never_predicted():
    values, codes = np.random.default_rng(0).normal(size=(4, 13)), np.repeat([0, 1, 2], [6, 6, 1])
    values[:2, 6:12] += 9
    assert 0.5 < score_of(values, codes, 0) < 2 / 3


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(15), 3)])
@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 600), (3, 40), (9, 300)])
def test_rows_that_are_scored_together_have_the_scores_of_each(rng, n_classes, n_features, groups):
    """Rows differ in labels and in folds."""
    values = rng.normal(size=(n_features, 45))
    scores = ten_features_scores(values, n_splits=3)
    rows, folds, expected = [], [], []
    for seed in (4, 9, 2):
        labels = rng.permutation(np.append(np.arange(44) % n_classes, 0))
        if groups is not None:
            labels = (rng.permutation(15) % n_classes)[groups]  # a group has one class
        rows.append(labels)
        folds.append(repeated_folds(labels, groups, 3, [seed])[0])
        expected.append(score_of(values, labels, seed, groups, n_splits=3))
    assert scores(np.stack(rows), np.stack(folds)).tolist() == expected
