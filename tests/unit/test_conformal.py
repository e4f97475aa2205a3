"""Conformal sets: p-values by counting, coverage of every class on new samples, abstention."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.naive_bayes import ClassSpecificNBCV
from xnbflow.naive_bayes.conformal import class_p_values, held_out_coverage


def samples(rng, counts, away=1.0):
    y = np.repeat(np.arange(len(counts)), counts)
    X = rng.normal(size=(len(y), 20))
    for c in range(len(counts)):
        X[y == c, 3 * c : 3 * c + 3] += away
    return X, y


def test_p_values_are_shares_of_held_out_samples_of_the_class(rng):
    scores, codes, posterior = rng.random(30), rng.integers(3, size=30), rng.random((8, 3))
    found = class_p_values(posterior, scores, codes, 3)
    for i in range(8):
        for c in range(3):
            own = scores[codes == c]
            assert found[i, c] == (1 + sum(own <= posterior[i, c])) / (1 + len(own))


def test_every_class_is_covered_and_an_accurate_model_has_small_sets(rng):
    X, y = samples(rng, [150, 60])
    new, true = samples(rng, [2000, 2000])
    model = ClassSpecificNBCV(cv=5).fit(X, y)
    sets = model.predict_set(new, 0.1)
    covered = sets[np.arange(len(true)), true]
    for c in (0, 1):  # about .9; a held-out share of 60 varies by .04
        assert covered[true == c].mean() > 0.8
        assert model.coverage(0.1)[c] == pytest.approx(0.9, abs=0.1)
    assert (sets.sum(axis=1) == 1).mean() > 0.6
    assert (model.predict_set(new, 0.02).sum(axis=1) >= sets.sum(axis=1)).all()


def test_coverage_rests_on_the_other_folds(rng):
    scores, codes, folds = rng.random(40), rng.integers(2, size=40), np.arange(40) % 4
    expected = []
    for i in range(40):
        own = scores[(codes == codes[i]) & (folds != folds[i])]
        expected.append((1 + sum(own <= scores[i])) / (1 + len(own)) > 0.2)
    found = held_out_coverage(scores, codes, folds, 2, 0.2)
    assert found.tolist() == [np.mean(np.array(expected)[codes == c]) for c in (0, 1)]


def test_training_records_the_sets_of_tested_samples(rng):
    X, y = samples(rng, [40, 30])
    series = dataset(X.T, np.array(["a", "b"])[y])
    tested = np.arange(0, 70, 3)
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": series.samples[tested]})
    for method, known in (("csnb_cv", True), ("gaussian_nb", False)):
        found = train(series, folds, resolved({"method": method}), explain=False)["predictions"]
        assert found[["set_size", "covered"]].notna().all(axis=None) == known
        if known:
            rest = np.setdiff1d(np.arange(70), tested)
            model = ClassSpecificNBCV().fit(X[rest], y[rest])
            sets = model.predict_set(X[tested], 0.1)
            assert found["set_size"].tolist() == sets.sum(axis=1).tolist()
            assert found["covered"].tolist() == sets[np.arange(24), y[tested]].tolist()


def test_a_class_of_few_samples_is_in_every_set(rng):
    X, y = samples(rng, [30, 6])
    assert ClassSpecificNBCV(cv=3).fit(X, y).predict_set(X, 0.1)[:, 1].all()
