"""Permutation tests, random genes and learning curves: null distributions and planted signals."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import nnls
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from toys import dataset

from xnbflow.core.study import Study
from xnbflow.evaluation.folds import draw_folds, stratified_splits
from xnbflow.inference import permutation
from xnbflow.inference.learning_curve import learning_curve, power_laws
from xnbflow.inference.random_genes import random_genes
from xnbflow.inference.screen import Screen, keep_largest
from xnbflow.inference.sequential import stopping_points
from xnbflow.report.outline import section_modules

CSNB = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"

NB = {"method": "xnbflow.naive_bayes.gaussian_nb.GaussianNB"}
BEST = {"method": "sklearn.feature_selection.SelectKBest", "params": {"k": 5}}
SELECTING = {"steps": [BEST, {"method": "sklearn.naive_bayes.GaussianNB"}]}


def toy(seed, n=40, n_features=200, shifted=0, shift=2.0):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(["a", "b"], n // 2))
    values = rng.normal(8.0, 1.0, (n_features, n))
    values[:shifted] += shift * (labels == "b")
    return dataset(values, labels, f"toy{seed}")


@pytest.mark.slow
def test_selection_is_inside_so_that_noise_is_not_significant():
    """Five features chosen of 1,000 by all labels would separate noise; chosen inside, not."""
    (row,) = permutation.label_test(toy(3, n_features=1000), SELECTING).to_dict("records")
    assert row["p_value"] > 0.1
    assert row["null_mean"] < 0.6
    assert row["permuted"] == ""


def test_models_are_fitted_to_the_permuted_labels(monkeypatch):
    mirrored = SimpleNamespace(permute=lambda y, _: np.where(y == "a", "b", "a"))
    monkeypatch.setattr(permutation, "label_exchange", lambda *_: mirrored)
    series = toy(0, n_features=5, shifted=5, shift=9.0)
    (row,) = permutation.label_test(series, NB, n_permutations=1).to_dict("records")
    assert (row["observed"], row["null_mean"], row["at_least"]) == (1.0, 1.0, 1)


def test_missing_values_and_groups_are_those_of_the_training_samples():
    series = toy(0, n_features=5, shifted=5, shift=9.0)
    values = np.where(np.random.default_rng(0).random(series.values.shape) < 0.1, np.nan, 0.0)
    groups = pd.Series(series.labels).groupby(series.labels).cumcount().astype(str)
    holes = replace(series, values=series.values + values, missing=True, groups=groups)
    first, again = (permutation.label_test(holes, NB, n_permutations=39) for _ in range(2))
    assert first["p_value"].tolist() == [0.025]
    pd.testing.assert_frame_equal(first, again)


def test_a_row_describes_the_scores_of_permuted_labels(monkeypatch):
    scores = iter([0.6, 0.5, 0.6, 0.7, 0.4])
    monkeypatch.setattr(permutation, "complete_score", lambda *_, **__: lambda *_: next(scores))
    (row,) = permutation.label_test(toy(0, n_features=5), NB, n_permutations=4).to_dict("records")
    assert (row["permutations"], row["at_least"], row["p_value"]) == (4, 2, 0.6)
    assert row["null_mean"] == pytest.approx(0.55)
    assert row["null_sd"] == pytest.approx(np.sqrt(0.05 / 3))
    assert row["null_95"] == pytest.approx(0.6 + 0.85 * 0.1)


@pytest.mark.parametrize("most", [19, 150, 999])
def test_p_is_at_most_uniform_wherever_a_test_stops(most):
    """Exactly: all tests end, and points up to each p have that probability where p is uniform."""
    points = stopping_points(0.025, most)
    paths = {(0, 0): 1.0}  # probability of each state of a Polya urn
    ends = {}
    for n in range(most):
        going: dict = {}
        for (_, k), mass in paths.items():
            for rise, share in ((1, (k + 1) / (n + 2)), (0, 1 - (k + 1) / (n + 2))):
                place = ends if (n + 1, k + rise) in points else going
                place[n + 1, k + rise] = place.get((n + 1, k + rise), 0.0) + mass * share
        paths = going
    assert not paths
    assert sum(ends.values()) == pytest.approx(1.0)
    ordered = sorted(ends, key=points.get)
    assert np.cumsum([ends[point] for point in ordered]) == pytest.approx(
        [points[point] for point in ordered], abs=1e-9
    )
    if most < 99:
        assert points == pytest.approx({(19, k): (k + 1) / 20 for k in range(20)})


@pytest.mark.parametrize(("n_classes", "n_features"), [(2, 80), (3, 600)])
def test_the_score_is_that_of_naive_bayes_on_ten_features_of_each_class(rng, n_classes, n_features):
    """scikit-learn's naive Bayes with equal variances, fitted to the features found here."""
    values, codes = rng.normal(size=(n_features, 45)), np.arange(45) % n_classes
    values[-5:] += codes
    named = np.zeros(45)
    standard = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    for train, test in stratified_splits(codes, None, 5, 3):
        means = np.array([standard[:, train[codes[train] == c]].mean(axis=1) for c in range(3)
                          if c < n_classes])  # fmt: skip
        kept = set()
        for c in range(n_classes):
            others = np.delete(means, c, axis=0).mean(axis=0)
            kept |= set(np.argsort(-np.abs(means[c] - others))[:10].tolist())
        kept = sorted(kept)
        model = GaussianNB(priors=np.full(n_classes, 1 / n_classes))
        model.fit(standard[np.ix_(kept, train)].T, codes[train])
        model.var_[:] = np.sqrt(len(kept))  # as the summed evidence divided by it
        named[test] = model.predict_proba(standard[np.ix_(kept, test)].T)[
            np.arange(len(test)), codes[test]
        ]
    expected = np.mean([named[codes == c].mean() for c in range(n_classes)])
    found = permutation.ten_features_score(values)(codes, 3)
    assert found == pytest.approx(expected, abs=1e-5)


def test_a_class_that_no_training_set_has_is_never_predicted():
    values, codes = np.random.default_rng(0).normal(size=(4, 13)), np.repeat([0, 1, 2], [6, 6, 1])
    values[:2, 6:12] += 9
    assert 0.5 < permutation.ten_features_score(values)(codes, 0) < 2 / 3


def test_the_screen_is_that_of_the_training_samples_alone(rng):
    values, codes = rng.normal(size=(300, 60)), rng.integers(0, 3, 60)
    spread = values.std(axis=1)
    training_sets = [rng.permutation(60)[:45] for _ in range(2)]
    training_sets.append(np.flatnonzero(codes < 2))
    expected = []
    for train in training_sets:
        best = set()
        for i, j in itertools.combinations(np.unique(codes[train]), 2):
            own, other = (values[:, train[codes[train] == code]] for code in (i, j))
            for moment in (np.mean, np.std):
                apart = np.abs(moment(own, axis=1) - moment(other, axis=1)) / spread
                best |= set(np.argsort(-apart)[:10].tolist())
        expected.append(sorted(best))
    screen = Screen(values)
    assert [kept.tolist() for kept in screen.best(codes, training_sets, 20)] == expected
    assert [list(kept) for kept in screen.best(codes, training_sets[:1], 300)] == [[*range(300)]]


def test_of_equal_features_the_first_are_kept(rng):
    values = rng.integers(0, 30, 500).astype(np.float32)
    largest, places = np.full(40, -1, dtype=np.float32), np.zeros(40, dtype=np.int64)
    for first in (0, 200, 400):  # in parts
        keep_largest(values[first : first + 200], first, largest, places)
    assert sorted(places) == sorted(np.argsort(-values, kind="stable")[:40])
    assert (values[places] == largest).all()


@pytest.mark.parametrize("per_patient", [1, 3])
def test_the_label_test_finds_signal_and_no_more(per_patient, monkeypatch):
    """A single class is not tested, nor a data set that is too large."""
    n, rng = 60, np.random.default_rng(per_patient)
    labels = np.repeat(rng.permutation(np.repeat(["a", "b"], n // 2)), per_patient)
    values = rng.normal(size=(60, len(labels)))
    groups = np.repeat([f"p{i}" for i in range(n)], per_patient) if per_patient > 1 else None

    def found(values, labels):
        return permutation.label_test(dataset(values, labels, groups=groups))

    row = found(values, labels).iloc[0]
    assert row["permuted"] == "naive Bayes with ten features per class"
    assert row["p_value"] > 0.05
    row = found(values + (labels == "a") * 3 * (np.arange(60) < 3)[:, None], labels).iloc[0]
    assert (row["permutations"], row["p_value"]) == (285, pytest.approx(1 / 286))
    assert found(values, np.repeat("a", len(labels))).empty
    monkeypatch.setattr(permutation, "_MOST_VALUES", values.size - 1)
    assert found(values, labels).empty


def picked(features, folds):
    rows = [(0, fold, name) for fold in folds["fold"].unique() for name in features]
    return pd.DataFrame(rows, columns=["repeat", "fold", "feature"])


def test_the_score_of_the_selected_features_is_that_of_gaussian_naive_bayes():
    series, names = toy(0, shifted=3, shift=1.0), ["g0", "g1", "g50"]
    folds = draw_folds(series, 5, 2)
    predicted = series.labels.copy()
    for _, own in folds[folds["repeat"] == 0].groupby("fold"):
        test = np.isin(series.samples, own["sample"])
        X = series.frame()[names].to_numpy()
        fitted = GaussianNB(priors=[0.5, 0.5]).fit(X[~test], series.labels[~test])
        predicted[test] = fitted.predict(X[test])
    row = random_genes(series, picked(names, folds), folds).iloc[0]
    assert row["selected_score"] == pytest.approx(balanced_accuracy_score(series.labels, predicted))
    assert (row["signature_size"], row["signatures"]) == (3, 100)


def test_few_informative_features_beat_random_ones_and_features_among_many_alike_do_not():
    for shifted, is_better in ((3, True), (200, False)):
        series = toy(1, shifted=shifted)
        folds = draw_folds(series, 5, 1)
        row = random_genes(series, picked(["g0", "g1", "g2"], folds), folds).iloc[0]
        assert row["random_p"] == (row["as_good_random"] + 1) / 101
        assert (row["random_p"] < 0.05) == is_better


def test_what_cannot_be_compared_has_no_row():
    series = toy(2)
    folds = draw_folds(series, 5, 1)
    assert random_genes(series, picked([], folds), folds).empty
    assert random_genes(series, picked(series.features[:101], folds), folds).empty
    flat = replace(series, values=np.where(np.arange(200)[:, None] < 100, series.values, 0.0))
    assert random_genes(flat, picked(series.features[:51], folds), folds).empty
    assert not random_genes(flat, picked(series.features[:50], folds), folds).empty


def test_power_laws_have_the_least_squares_of_all_floors_and_scales():
    sizes, rng = np.array([10.0, 14.0, 20.0, 28.0, 40.0]), np.random.default_rng(0)
    errors = np.clip(0.1 + sizes**-0.7 + rng.normal(0, 0.03, (20, 5)), 0, 1)
    laws = power_laws(sizes, errors)
    found = np.square(errors - np.stack([laws.at(n) for n in sizes], axis=1)).sum(axis=1)
    for each, own in zip(errors, found, strict=True):
        least = min(
            nnls(np.stack([np.ones(5), sizes**-b], axis=1), each)[1] ** 2
            for b in np.linspace(0.1, 2.0, 39)
        )
        assert own == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize(("shift", "is_reliable"), [(1.2, True), (0.0, False)])
def test_a_curve_without_rise_is_marked(shift, is_reliable):
    curve = learning_curve(toy(3, n=60, shifted=20, shift=shift), {"method": CSNB}, CSNB)
    forecast = curve[curve["kind"] == "forecast"]
    assert forecast["training_samples"].tolist() == [60, 90, 120]
    assert curve["balanced_accuracy"].between(curve["lower"], curve["upper"]).all()
    marked = (forecast["unreliable"] != "").tolist()
    assert marked == sorted(marked)  # nothing beyond an unreliable forecast is reliable
    assert ("no rise" not in forecast["unreliable"].iloc[-1]) == is_reliable


def test_a_class_that_is_too_small_has_no_curve():
    assert learning_curve(toy(4, n=10), {"method": CSNB}, CSNB).empty


def test_a_page_leaves_out_the_sections_that_a_study_omits():
    study = Study(
        id="s",
        title="s",
        summary="",
        datasets=("d",),
        classifiers=("c",),
        folds=("f",),
        diagnostics=False,
        analyses={},
    )
    some = replace(study, omit_sections=("context", "samples"))
    left_out = set(section_modules(study, {})) - set(section_modules(some, {}))
    assert {name.rpartition(".")[2] for name in left_out} == {"context", "samples"}
