"""Models fitted on all samples: imputation, groups, figures, digests."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from counts_cases import formula_counts
from fitted_models import CSNB, HOLES, NB, SERIES
from toys import dataset, refused

from xnbflow.data.canonical_order import numbered
from xnbflow.inference.estimates import pooled_performance
from xnbflow.inference.intervals import CROSS_VALIDATED, TUNED_INFLATION
from xnbflow.models import cross_validate, fit_model, predict_table, trained
from xnbflow.models.trained import CrossValidation, _series_digest, core_performance
from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV


def test_a_model_of_a_series_with_missing_values_imputes_as_its_cross_validation_did():
    model = fit_model(HOLES, {"method": "csnb", "params": {"n_features": 3}})
    medians = np.nanmedian(HOLES.values, axis=1)
    values = np.where(np.isnan(HOLES.values), medians[:, None], HOLES.values).T
    by_hand = pd.DataFrame(values, columns=HOLES.features)
    order = HOLES.order
    expected = ClassSpecificNB(n_features=3).fit(by_hand.iloc[order], HOLES.labels[order])
    assert np.array_equal(
        model.estimator.predict_proba(HOLES.frame()), expected.predict_proba(by_hand)
    )
    assert set(model.required) == set().union(*expected.selected_features_.values())
    assert len(model.signature) == sum(map(len, expected.selected_features_.values()))


def test_groups_stay_together_inside_a_final_fit():
    pairs = np.repeat(np.arange(30), 2)
    grouped = replace(SERIES, groups=pairs)
    entry = {"method": "csnb_cv", "params": {"cv": 3}}
    order = grouped.order
    expected = ClassSpecificNBCV(cv=3).fit(
        SERIES.frame(order), SERIES.labels[order], groups=numbered(pairs[order])
    )
    actual = fit_model(grouped, entry).estimator
    assert actual.path_.equals(expected.path_)
    assert not actual.path_.equals(fit_model(SERIES, entry).estimator.path_)


#: Six samples of a, four of b, two of each patient.
COHORT = dataset(np.zeros((2, 10)), ["a"] * 6 + ["b"] * 4, groups=list("uuvvwwxxyy"))


def cross_validation(inflation=CROSS_VALIDATED):
    """Two repeats of two folds, in which one sample of a is once predicted as b.

    The feature g0 is selected for a in three of the four fits, g1 for b in one.
    """
    rows = []
    for repeat in range(2):
        for i, label in enumerate(COHORT.labels):
            row = {"repeat": repeat, "fold": i % 2, "sample": f"s{i}", "true": label}
            rows.append({**row, "predicted": "b" if (repeat, i) == (1, 0) else label})
    selected = pd.DataFrame(
        [(0, 0, "a", "g0"), (0, 1, "a", "g0"), (1, 1, "a", "g0"), (1, 0, "b", "g1")],
        columns=["repeat", "fold", "class", "feature"],
    )
    return CrossValidation(
        predictions=pd.DataFrame(rows), selected=selected, series=COHORT, inflation=inflation
    )


def test_figures_count_each_sample_once_and_name_the_largest_class():
    figures = cross_validation().figures()
    assert (figures["folds"], figures["repeats"], figures["groups"]) == (2, 2, 5)
    assert figures["majority"] == {"class": "a", "share": 0.6}
    assert figures["accuracy"]["value"] == pytest.approx(0.95)
    assert (figures["accuracy"]["right"], figures["accuracy"]["of"]) == (9.5, 10)
    # the mean of the recalls, 11/12 and 1
    assert figures["balanced_accuracy"]["value"] == pytest.approx(23 / 24)
    assert (figures["recall"]["a"]["right"], figures["recall"]["a"]["of"]) == (5.5, 6)
    assert (figures["recall"]["b"]["right"], figures["recall"]["b"]["of"]) == (4.0, 4)


def test_figures_have_the_intervals_of_the_classifiers_inflation():
    """On the upper side; lower limits have one inflation. Half of the answers are wrong."""
    plain, tuned = cross_validation(), cross_validation(TUNED_INFLATION)
    half_wrong = tuned.predictions.assign(predicted=np.tile(["a", "b"], 10))
    samples = replace(COHORT, groups=None)
    expected = pooled_performance(half_wrong, samples, TUNED_INFLATION).accuracy.upper
    upper = {}
    for one in (plain, tuned):
        other = replace(one, predictions=half_wrong, series=samples)
        upper[one.inflation] = other.figures()["accuracy"]["upper"]
    assert upper[TUNED_INFLATION] == expected
    assert upper[CROSS_VALIDATED] < expected


def test_a_share_of_fits_counts_every_fold_of_every_repeat():
    assert cross_validation().fold_shares() == {("a", "g0"): 0.75, ("b", "g1"): 0.25}


@pytest.mark.parametrize(
    ("entry", "inflation"),
    [
        ({"method": "csnb"}, CROSS_VALIDATED),
        ({"method": "csnb_cv", "params": {"cv": 3}}, TUNED_INFLATION),
    ],
)
def test_a_cross_validation_has_the_inflation_of_its_classifier(entry, inflation):
    assert cross_validate(SERIES, entry, 2).inflation == inflation


def test_the_first_fold_that_fails_is_named_with_its_reason(monkeypatch):
    error = "xnbflow.core.errors.InputError: no feature has 10 reads"
    fits = {"fold": [0, 1, 2], "status": ["ok", "failed", "failed"], "error": ["", error, "other"]}
    monkeypatch.setattr(trained, "train", lambda *_: {"fits": pd.DataFrame(fits)})
    with refused("^fold 1 could not be fitted: no feature has 10 reads$"):
        cross_validate(SERIES, {"method": "csnb"}, 3)


def test_a_read_of_a_gene_without_reads_in_training_makes_no_sample_atypical(rng):
    counts = rng.negative_binomial(5, 5 / (5 + rng.lognormal(4, 1, (200, 1))), (200, 40))
    counts[:50] = 0
    entry = {"steps": [{"method": "count_normalizer"}, {"method": "gaussian_nb"}]}
    series = dataset(counts[:, :24].astype(float), ["a", "b"] * 12, scale="counts")
    model = fit_model(series, entry)
    new = pd.DataFrame(counts[:, 24:].T.astype(float), columns=series.features)
    typicality = predict_table(model, new).table["typicality"]
    new.iloc[:, :50] = rng.binomial(1, 0.02, (16, 50))
    with_reads = predict_table(model, new).table["typicality"]
    np.testing.assert_allclose(with_reads, typicality, atol=0.05)
    assert not (typicality < 0.01).any()


def test_quartiles_are_of_the_values_and_of_counts_as_they_are():
    quartiles = np.quantile(SERIES.values, [0.25, 0.5, 0.75], axis=1)
    assert np.array_equal(CSNB.quartiles, quartiles)
    counts, codes = formula_counts()
    series = dataset(counts, np.array(["a", "b"])[codes], scale="counts")
    model = fit_model(series, {"steps": [{"method": "count_normalizer"}, {"method": "csnb"}]})
    assert np.array_equal(model.quartiles, np.quantile(counts, [0.25, 0.5, 0.75], axis=1))


def test_an_empty_symbol_is_none():
    model = fit_model(SERIES, {"method": "gaussian_nb"}, symbols={"g0": "TP53", "g1": ""})
    assert model.symbols == {"g0": "TP53"}


def test_an_estimator_without_classes_is_no_classifier():
    with refused("KMeans has no classes_ after fit; use a classifier"):
        fit_model(SERIES, {"method": "sklearn.cluster.KMeans", "params": {"n_clusters": 2}})


def test_the_digest_is_of_values_names_labels_and_kinds():
    first = dataset(np.zeros((1, 2)), ["a", "b"], features=["g"], samples=["12", "3"])
    changes = [
        {"values": np.ones((1, 2))},
        {"features": np.array(["h"])},
        {"features": np.array(["g1"]), "samples": np.array(["2", "3"])},
        {"labels": np.array(["b", "a"])},
        {"kinds": np.array(["angular"])},
    ]
    digests = [_series_digest(first), *(_series_digest(replace(first, **c)) for c in changes)]
    assert len(set(digests)) == 6


def test_only_a_classifier_with_a_core_has_its_figures():
    assert core_performance(NB) is None
    model = fit_model(SERIES, {"method": "csnb_cv", "params": {"cv": 3}})
    core = set().union(*model.estimator.core_features_.values())
    scores = model.estimator.core_scores_
    assert core_performance(model) == {"features": len(core), **scores}
