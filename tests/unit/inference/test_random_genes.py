"""Signatures of random genes: null distributions and planted signals."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from toys import two_classes

from xnbflow.evaluation.folds import draw_folds
from xnbflow.inference.random_genes import random_genes


def picked(features, folds):
    rows = [(0, fold, name) for fold in folds["fold"].unique() for name in features]
    return pd.DataFrame(rows, columns=["repeat", "fold", "feature"])


def test_the_score_of_the_selected_features_is_that_of_gaussian_naive_bayes():
    series, names = two_classes(0, shifted=3, shift=1.0), ["g0", "g1", "g50"]
    folds = draw_folds(series, 5, 2)
    predicted = series.labels.copy()
    for _, samples in folds[folds["repeat"] == 0].groupby("fold"):
        test = np.isin(series.samples, samples["sample"])
        X = series.frame()[names].to_numpy()
        fitted = GaussianNB(priors=[0.5, 0.5]).fit(X[~test], series.labels[~test])
        predicted[test] = fitted.predict(X[test])
    row = random_genes(series, picked(names, folds), folds).iloc[0]
    assert row["selected_score"] == pytest.approx(balanced_accuracy_score(series.labels, predicted))
    assert (row["signature_size"], row["signatures"]) == (3, 100)


def test_few_informative_features_beat_random_ones_and_features_among_many_alike_do_not():
    for shifted, is_better in ((3, True), (200, False)):
        series = two_classes(1, shifted=shifted)
        folds = draw_folds(series, 5, 1)
        row = random_genes(series, picked(["g0", "g1", "g2"], folds), folds).iloc[0]
        assert row["random_p"] == (row["as_good_random"] + 1) / 101
        assert (row["random_p"] < 0.05) == is_better


def test_what_cannot_be_compared_has_no_row():
    series = two_classes(2)
    folds = draw_folds(series, 5, 1)
    assert random_genes(series, picked([], folds), folds).empty
    assert random_genes(series, picked(series.features[:101], folds), folds).empty
    flat = replace(series, values=np.where(np.arange(200)[:, None] < 100, series.values, 0.0))
    assert random_genes(flat, picked(series.features[:51], folds), folds).empty
    assert not random_genes(flat, picked(series.features[:50], folds), folds).empty


@pytest.mark.parametrize(("n", "n_rows"), [(1000, 1), (1002, 0)])
def test_up_to_a_thousand_samples_are_compared(n, n_rows):
    series = two_classes(0, n=n, n_features=40)
    folds = draw_folds(series, 2, 1)
    assert len(random_genes(series, picked(["g0"], folds), folds)) == n_rows
