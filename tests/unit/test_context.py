"""Random genes and learning curves: against scikit-learn, SciPy, planted signals and noise."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import nnls
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from toys import dataset

from xnbflow.data.study import Study
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.learning_curve import learning_curve, power_laws
from xnbflow.evaluation.random_genes import random_genes
from xnbflow.report.outline import section_modules

CSNB = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"


def toy(seed, n=40, n_features=200, shifted=0, shift=2.0):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(["a", "b"], n // 2))
    values = rng.normal(8.0, 1.0, (n_features, n))
    values[:shifted] += shift * (labels == "b")
    return dataset(values, labels, f"toy{seed}")


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
    study = Study("s", "s", "", ("d",), ("c",), ("f",), diagnostics=False, analyses={})
    some = replace(study, omit_sections=("context", "samples"))
    left_out = set(section_modules(study, {})) - set(section_modules(some, {}))
    assert {name.rpartition(".")[2] for name in left_out} == {"context", "samples"}
