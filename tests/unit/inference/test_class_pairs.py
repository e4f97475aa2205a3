"""Pairs of classes that a classifier separates: areas by another program, and the size."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.metrics import roc_auc_score
from toys import dataset

from xnbflow.inference.class_pairs import _pair_areas, class_pairs
from xnbflow.inference.intervals import area_interval

KEY = ("toy", "5-fold", "csnb")


def predictions(series, scores, folds=None, repeat=0):
    """Return a table of predictions with given log posteriors (n_samples, n_classes)."""
    table = pd.DataFrame(
        {
            "repeat": repeat,
            "fold": 0 if folds is None else folds,
            "sample": series.samples,
            "true": series.labels,
            "predicted": series.classes[scores.argmax(axis=1)],
        }
    )
    for label, column in zip(series.classes, scores.T, strict=True):
        table[f"log_posterior.{label}"] = column
    return table


def study(rng, sizes, shifts=None, groups=None):
    """Return a data set of len(sizes) classes, and scores that are shifted in some of them."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    series = dataset(np.ones((1, len(codes))), np.array(list("abcdef"))[codes], groups=groups)
    scores = rng.normal(size=(len(codes), len(sizes)))
    scores[np.arange(len(codes)), codes] += 3.0
    if shifts is not None:
        scores += shifts[codes]
    return series, scores


def test_areas_are_those_of_scikit_learn_within_folds(rng):
    series, scores = study(rng, [10, 8, 12])
    rows = _pair_areas(predictions(series, scores), series, 2.0)
    assert [row["lower"] for row in rows] == sorted(row["lower"] for row in rows)
    for row in rows:
        members = np.isin(series.labels, [row["class"], row["other"]])
        columns = [list(series.classes).index(row[name]) for name in ("other", "class")]
        difference = scores[:, columns[0]] - scores[:, columns[1]]
        expected = roc_auc_score(series.labels[members] == row["other"], difference[members])
        assert row["auc"] == pytest.approx(expected)
        sizes = (row["samples"], row["other_samples"])
        interval = area_interval(expected, *sizes, inflation=2.0)
        assert (row["lower"], row["upper"]) == pytest.approx(tuple(interval)[1:])
        assert row["separated"] == (row["lower"] > 0.5)


def test_pairs_of_samples_are_of_one_fold_and_areas_are_means_over_repeats(rng):
    """Another constant in each fold changes no order; reversed scores have the area 1 - a."""
    series, scores = study(rng, [10, 10, 10])
    folds = np.arange(30) % 2
    moved = scores + 50.0 * folds[:, None] * np.array([0.0, 1.0, -1.0])
    expected = _pair_areas(predictions(series, scores, folds), series, 2.0)
    assert _pair_areas(predictions(series, moved, folds), series, 2.0) == expected
    both = pd.concat(
        [predictions(series, scores, folds), predictions(series, -scores, folds, repeat=1)]
    )
    for row in _pair_areas(both, series, 2.0):
        assert row["auc"] == pytest.approx(0.5)
        assert not row["separated"]


def test_groups_count_once_and_candidates_widen_intervals(rng):
    groups = np.arange(36) // 3
    series, scores = study(rng, [12, 12, 12], groups=groups)
    for row in _pair_areas(predictions(series, scores), series, 2.0, candidates=3):
        assert row["samples"] == row["other_samples"] == 4
        expected = area_interval(row["auc"], 4, 4, inflation=2.0, confidence=1 - 0.05 / 3)
        assert row["lower"] == pytest.approx(expected.lower)


def test_a_classifier_without_probabilities_has_its_predictions_as_scores(rng):
    series, scores = study(rng, [10, 10, 10])
    table = predictions(series, scores)
    table[[f"log_posterior.{label}" for label in "abc"]] = np.nan
    hits = {label: (table["predicted"] == label).to_numpy() for label in "abc"}
    for row in _pair_areas(table, series, 2.0):
        first, second = row["class"], row["other"]
        members = np.isin(series.labels, [first, second])
        difference = hits[second].astype(int) - hits[first].astype(int)
        expected = roc_auc_score(series.labels[members] == second, difference[members])
        assert row["auc"] == pytest.approx(expected)


def test_the_classifier_that_was_chosen_by_its_results_is_corrected(rng):
    three, scores = study(rng, [10, 10, 10])
    tables, headers = {KEY: predictions(three, scores)}, {"toy": three}
    plain = class_pairs(tables, headers, {KEY: 2.0})
    corrected = class_pairs(tables, headers, {KEY: 2.0}, {KEY: 4})
    assert len(plain) == 3
    assert (corrected["lower"] < plain["lower"]).all()


@pytest.mark.slow
def test_one_null_pair_among_six_classes_of_twelve_is_seldom_called_separated():
    """Classes a and b have one distribution; all others are separated from them and each other."""
    n_studies = 300
    separated = []
    others = []
    for seed in range(n_studies):
        rng = np.random.default_rng(seed)
        series, scores = study(rng, [12] * 6)
        scores[:24, :2] = rng.normal(size=(24, 2)) + 3.0
        rows = _pair_areas(predictions(series, scores, np.arange(72) % 5), series, 2.0)
        of_pair = {(row["class"], row["other"]): row["separated"] for row in rows}
        separated.append(of_pair.pop(("a", "b")))
        others.append(np.mean(list(of_pair.values())))
    assert np.sum(separated) <= binom.ppf(0.99, n_studies, 0.025)
    assert np.mean(others) > 0.9
