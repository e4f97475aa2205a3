"""k-TSP against examples computed by hand and by brute force."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.multiclass import OneVsRestClassifier

from xnbflow.core.errors import InputError
from xnbflow.naive_bayes import TopScoringPairs

#: Four samples; in the class b the first gene is above the second, in a below. The third is noise.
X = np.array([[1.0, 2.0, 9.0], [3.0, 4.0, 0.0], [6.0, 5.0, 9.0], [8.0, 7.0, 0.0]])
Y = np.array(["a", "a", "b", "b"])


def test_equal_scores_are_decided_by_the_ranks_within_samples():
    # Genes 0 and 1, and 2 and 3, swap in every sample; the ranks of 2 and 3 are farther apart
    # (by hand: 3 ranks in either class, so the difference is 6, against 1 + 1 of the others).
    values = np.array([[2.0, 3.0, 1.0, 4.0], [2.5, 3.0, 1.0, 9.0], [3.0, 2.0, 4.0, 1.0]])
    model = TopScoringPairs(n_pairs=2).fit(np.vstack([values, values[2] * 2]), Y)
    assert model.pairs_.tolist() == [[3, 2], [1, 0]]


def test_pairs_are_those_of_brute_force(rng):
    values, y = rng.normal(size=(30, 9)).round(1), np.arange(30) % 2
    values[y == 1, :3] += 0.7
    ranks, found = rankdata(values, axis=1), []
    pairs = []
    for i, j in combinations(range(9), 2):
        below = values[:, i] < values[:, j]
        gap = ranks[:, i] - ranks[:, j]
        score = abs(below[y == 1].mean() - below[y == 0].mean())
        pairs.append((-score, -abs(gap[y == 1].mean() - gap[y == 0].mean()), {i, j}))
    for _, _, pair in sorted(pairs, key=lambda each: each[:2]):
        if all(not pair & other for other in found):
            found.append(pair)
    model = TopScoringPairs(n_pairs=9).fit(values, y)
    assert [set(pair) for pair in model.pairs_.tolist()] == found
    below = values[:, model.pairs_[:, 0]] < values[:, model.pairs_[:, 1]]
    np.testing.assert_allclose(
        below[y == 1].mean(axis=0), below[y == 0].mean(axis=0) + model.scores_
    )
    np.testing.assert_allclose(model.decision_function(values), 2 * below.mean(axis=1) - 1)


def test_a_scale_per_sample_changes_no_label(rng):
    values, y = rng.normal(size=(40, 30)), np.arange(40) % 2
    values[:, :4] += y[:, None]
    model = TopScoringPairs().fit(values, y)
    other = np.exp(values) * rng.uniform(1, 100, (40, 1))
    assert model.predict(other).tolist() == model.predict(values).tolist()


def test_other_than_two_classes_are_for_one_versus_rest():
    labels = ["a", "a", "b", "c"]
    with pytest.raises(InputError, match="OneVsRestClassifier"):
        TopScoringPairs().fit(X, labels)
    several = OneVsRestClassifier(TopScoringPairs(n_pairs=1)).fit(X, labels)
    assert set(several.predict(X)) <= set(labels)
