"""Sets of classes: p-values, coverage, and what every set contains."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset, markers

from xnbflow.data.canonical_order import order_of
from xnbflow.evaluation import training
from xnbflow.evaluation.methods import resolved
from xnbflow.naive_bayes import ClassSpecificNBCV
from xnbflow.naive_bayes.conformal import _class_p_values, conformal_sets, held_out_coverage

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


def test_p_values_are_shares_of_held_out_samples_of_the_class(rng):
    scores, codes, posterior = rng.random(30), rng.integers(3, size=30), rng.random((8, 3))
    actual = _class_p_values(posterior, scores, codes, 3)
    for i in range(8):
        for c in range(3):
            class_scores = scores[codes == c]
            assert actual[i, c] == (1 + sum(class_scores <= posterior[i, c])) / (
                1 + len(class_scores)
            )


def test_every_class_is_covered_and_an_accurate_model_has_small_sets(rng):
    X, y = markers(rng, 20, [150, 60], 1.0)
    new, true = markers(rng, 20, [2000, 2000], 1.0)
    model = ClassSpecificNBCV(cv=5).fit(X, y)
    assert model.path_["n_features_per_pair"].tolist() == list(range(1, 21))  # all sizes
    sets = model.predict_set(new, 0.1).to_numpy()
    covered = sets[np.arange(len(true)), true]
    for c in (0, 1):  # about .9; a held-out share of 60 varies by .04
        assert covered[true == c].mean() > 0.8
        assert model.coverage(0.1)[c] == pytest.approx(0.9, abs=0.1)
    assert (sets.sum(axis=1) == 1).mean() > 0.6
    assert (model.predict_set(new, 0.02).sum(axis=1) >= sets.sum(axis=1)).all()


def test_no_set_is_empty_and_each_has_the_predicted_class():
    scores, codes = np.full(60, 0.95), np.repeat([0, 1, 2], 20)
    scores[40:] = 0.1  # the third class is badly recognised: all are as typical of it
    posterior = np.array([[0.96, 0.03, 0.01], [0.8, 0.15, 0.05], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]])
    expected = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]], dtype=bool)
    assert (conformal_sets(posterior, scores, codes, 0.1) == expected).all()
    alone = conformal_sets(np.ones((2, 1)), np.full(20, 1.0), np.zeros(20, int), 0.1)
    assert alone.tolist() == [[True], [True]]


def test_coverage_rests_on_the_other_folds(rng):
    scores, codes, folds = rng.random(40), rng.integers(2, size=40), np.arange(40) % 4
    expected = []
    for i in range(40):
        class_scores = scores[(codes == codes[i]) & (folds != folds[i])]
        expected.append(
            (1 + sum(class_scores <= scores[i])) / (1 + len(class_scores)) > 0.2 or scores[i] > 0.5
        )
    actual = held_out_coverage(scores, codes, folds=folds, n_classes=2, error_rate=0.2)
    assert actual.tolist() == [np.mean(np.array(expected)[codes == c]) for c in (0, 1)]


def test_training_records_the_sets_of_tested_samples(rng):
    X, y = markers(rng, 20, [40, 30], 1.0)
    series = dataset(X.T, np.array(["a", "b"])[y])
    tested = np.arange(0, 70, 3)
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": series.samples[tested]})
    for method, has_sets in (("csnb_cv", True), ("gaussian_nb", False)):
        actual = training.train(series, folds, resolved({"method": method}), explain=False)[
            "predictions"
        ]
        assert actual[["set_size", "covered"]].notna().all(axis=None) == has_sets
        if has_sets:
            order = order_of(series)  # inner folds divide samples in it
            rest = order[~np.isin(order, tested)]
            model = ClassSpecificNBCV(cv=5).fit(X[rest], y[rest])
            sets = model.predict_set(X[tested], 0.1).to_numpy()
            assert actual["set_size"].tolist() == sets.sum(axis=1).tolist()
            assert actual["covered"].tolist() == sets[np.arange(24), y[tested]].tolist()


def test_a_class_of_few_samples_is_in_every_set(rng):
    X, y = markers(rng, 20, [30, 6], 1.0)
    assert ClassSpecificNBCV(cv=3).fit(X, y).predict_set(X, 0.1)[1].all()


def test_a_p_value_equal_to_the_error_rate_leaves_the_class_out():
    scores, codes = np.linspace(0.5, 0.95, 9), np.zeros(9, dtype=int)
    posterior = np.array([[0.3, 0.7], [0.5, 0.5]])  # p-values .1 and .2 of the first class
    assert conformal_sets(posterior, scores, codes, 0.1)[:, 0].tolist() == [False, True]


def test_the_default_error_rate_is_a_tenth(rng):
    X, y = markers(rng, 20, [60, 60], 0.7)
    model = ClassSpecificNBCV(cv=5).fit(X, y)
    np.testing.assert_array_equal(model.predict_set(X), model.predict_set(X, 0.1))
    assert model.coverage() == model.coverage(0.1) != model.coverage(0.2)


def test_a_posterior_of_at_most_one_half_does_not_cover_by_itself():
    """Of 20 samples one has the least score, and p = 1 / 16 among those of the other folds."""
    codes, folds = np.zeros(20, dtype=int), np.arange(20) % 4
    for score, coverage in ((0.45, 0.95), (0.5, 0.95), (0.51, 1.0)):
        scores = np.append(score, np.full(19, 0.9))
        assert held_out_coverage(
            scores, codes, folds=folds, n_classes=1, error_rate=0.1
        ).tolist() == [coverage]
