"""A model of one cohort in another."""

from dataclasses import replace
from functools import cache
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from model_files import two_classes, with_holes
from toys import dataset, refused

from xnbflow.inference.calibration import calibration_curve
from xnbflow.models import cross_validate, fit_model
from xnbflow.models import validation as second_cohort
from xnbflow.models.validation import as_seen, cross_validated, harmonised
from xnbflow.naive_bayes import ClassSpecificNB
from xnbflow.preprocessing import SampleRanks

CSNB = {"method": "csnb", "params": {"n_features": 2}}


TRAIN = replace(two_classes(40), name="one")


TEST = replace(two_classes(32, seed=1), name="two")


@cache
def validated(harmonise="none"):
    """The tables of the signature in the second cohort."""
    return second_cohort.validate(TRAIN, TEST, CSNB, harmonise=harmonise)


def test_accuracy_is_that_of_a_fit_on_one_and_a_test_on_the_other():
    tables = validated()
    nb = ClassSpecificNB(n_features=2).fit(TRAIN.frame(), TRAIN.labels)
    expected = (nb.predict(TEST.frame()) == TEST.labels).mean()
    row = tables["accuracy"].set_index(["cohort", "class"]).loc[("test", "")]
    assert row["value"] == expected
    assert row["majority"] == 0.5
    assert row["lower"] < expected <= row["upper"]
    assert (tables["predictions"]["true"] == TEST.labels).all()


def test_labels_of_the_second_cohort_may_have_another_spelling():
    spelled = replace(TEST, labels=np.char.upper(TEST.labels.astype(str)))
    tables = second_cohort.validate(TRAIN, spelled, CSNB)
    pd.testing.assert_frame_equal(tables["accuracy"], validated()["accuracy"])
    assert "is read as" in tables["cohort_tests"]["notes"].iloc[0]


def test_a_class_that_a_model_lacks_is_refused_before_any_model_is_fitted(monkeypatch):
    other = replace(TEST, labels=np.where(TEST.labels == TEST.classes[0], "benign", TEST.labels))
    series = {"train": TRAIN, "test": TEST, "other": other}
    pairs = [
        {"model": "csnb", "train": "train", "test": name, "match": "feature", "harmonise": "none"}
        for name in ("test", "other")
    ]
    monkeypatch.setattr(second_cohort, "validate", pytest.fail)
    with refused("has the class 'benign'.* map: {benign: CLASS}", key="map"):
        second_cohort.validate_all(series, {"train": {"csnb": CSNB}}, pairs)


@pytest.mark.parametrize("harmonise", ["none", "rank"])
def test_what_fails_in_intensities_that_are_not_logged_is_no_verdict(rng, harmonise):
    """Ranks have no unit: what fails in them is refuted."""
    noise = np.exp2(rng.normal(8, 1, TEST.values.shape))
    tables = second_cohort.validate(TRAIN, replace(TEST, values=noise), CSNB, harmonise=harmonise)
    verdict = tables["cohort_tests"].iloc[0]
    expected = {"none": "cannot be judged", "rank": "not held"}[harmonise]
    assert verdict["verdict"] == expected
    assert ("another scale" in verdict["reason"]) == (harmonise == "none")


def test_a_signature_that_holds_one_that_does_not_and_exchanged_labels(rng):
    tables = validated()
    assert tables["cohort_tests"]["verdict"].item() == "held"
    noise = replace(TEST, values=rng.normal(8, 1, TEST.values.shape))
    verdict = second_cohort.validate(TRAIN, noise, CSNB)["cohort_tests"].iloc[0]
    assert verdict["verdict"] == "not held"
    swapped = np.where(TEST.labels == "tumour", "normal", "tumour")
    other = second_cohort.validate(TRAIN, replace(TEST, labels=swapped), CSNB)
    assert other["cohort_tests"]["verdict"].item() == "not held"
    assert other["cohort_tests"]["reason"].item() == (
        "labels look exchanged: normal as tumour, tumour as normal"
    )
    assert tables["predictions"]["predicted"].equals(other["predictions"]["predicted"])


def test_groups_are_kept_together_in_the_cross_validation_beside_it():
    """Each sample twice, in groups: a classifier that learns by heart must not gain."""
    values = np.repeat(np.random.default_rng(1).normal(size=(30, 20)), 2, axis=1)
    labels = np.repeat(np.array(["a", "b"])[np.arange(20) % 2], 2)
    alone = dataset(values, labels)
    grouped = dataset(values, labels, groups=np.arange(40) // 2)
    by_heart = {"method": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 1}}
    assert cross_validate(alone, by_heart, 5).figures()["accuracy"]["value"] > 0.9
    assert cross_validate(grouped, by_heart, 5).figures()["accuracy"]["value"] < 0.8


def number_of_folds(monkeypatch, series):
    """Return with how many folds a cohort is cross-validated."""
    recorded = Mock()
    recorded.return_value.predictions = pd.DataFrame({"log_posterior.a": [0.0]})
    monkeypatch.setattr(second_cohort, "cross_validate", recorded)
    cross_validated(series, CSNB)
    return recorded.call_args.args[2]


@pytest.mark.parametrize(
    ("sizes", "n_folds"), [((12, 30), 10), ((10, 12), 10), ((7, 9), 7), ((9, 2), 2)]
)
def test_there_are_at_most_ten_folds_and_a_sample_of_each_class_in_each(
    monkeypatch, sizes, n_folds
):
    labels = np.repeat(["a", "b"], sizes)
    series = dataset(np.zeros((1, len(labels))), labels)
    assert number_of_folds(monkeypatch, series) == n_folds


def test_folds_are_limited_by_the_patients_of_a_class(monkeypatch):
    labels = np.repeat(["a", "b"], 12)
    series = dataset(np.zeros((1, 24)), labels, groups=np.arange(24) // 3)
    assert number_of_folds(monkeypatch, series) == 4


def test_a_class_of_one_sample_has_no_cross_validation():
    series = dataset(np.zeros((1, 4)), ["a", "a", "a", "b"])
    performance, claims = cross_validated(series, CSNB)
    assert performance is None
    assert len(claims) == 0


def test_thirty_samples_with_probabilities_have_a_calibration():
    def rows(n, change=0.0):
        probabilities = np.tile([0.7, 0.3], (n, 1)) + change
        return len(second_cohort._calibration_table(probabilities, TEST.classes, two_classes(n)))

    assert rows(29) == 0
    assert rows(30) > 0
    assert rows(30, change=np.nan) == 0


def test_the_calibration_counts_patients():
    series = replace(TEST, groups=np.arange(32) // 4)
    probabilities = np.random.default_rng(0).dirichlet([1, 1], 32)
    table = second_cohort._calibration_table(probabilities, TEST.classes, series)
    expected = calibration_curve(
        TEST.labels, np.log(probabilities), TEST.classes, groups=series.groups
    )
    pd.testing.assert_frame_equal(table, expected[list(table)])


def with_signature(labels, n_ranks):
    """Return a model whose signature has other features for each class, and its cohort."""
    series = dataset(
        np.random.default_rng(0).normal(size=(len(labels) * n_ranks, 6 * len(labels))),
        np.repeat(labels, 6),
    )
    signature = pd.DataFrame(
        [
            {"class": label, "feature": f"g{code * n_ranks + rank}", "rank": rank + 1}
            for code, label in enumerate(labels)
            for rank in range(n_ranks)
        ]
    )
    model = fit_model(series, {"method": "gaussian_nb"})
    return replace(model, signature=signature), series


@pytest.mark.parametrize(("labels", "n_drawn"), [("ab", 8), ("abcd", 12)])
def test_densities_are_of_four_features_of_each_class_and_of_twelve_in_all(labels, n_drawn):
    model, series = with_signature(list(labels), 6)
    table = second_cohort._density_table(model, series, series)
    assert table["feature"].nunique() == n_drawn


def test_a_density_continues_by_eight_hundredths_of_the_range():
    grid = second_cohort._density_grid(np.array([[0.0, 10.0], [5.0, 5.0]]))
    assert grid[:, [0, -1]].tolist() == [[-0.8, 10.8], [4.92, 5.08]]
    assert grid.shape == (2, 96)


def test_a_class_of_one_sample_has_no_density():
    values = np.array([[0.0, 1.0, 2.0, 9.0]])
    labels = np.array(["a", "a", "a", "b"])
    rows = second_cohort._density_rows(values, labels, second_cohort._density_grid(values), ["g"])
    assert set(rows["class"]) == {"a"}
    assert second_cohort._density_rows(values[:, 2:], labels[2:], np.zeros((1, 96)), ["g"]) is None


def test_predictions_without_sets_have_an_empty_set_and_no_level():
    table = pd.DataFrame({"sample": ["s"], "label": ["a"]})
    row = second_cohort._prediction_rows(table, np.array(["b"])).iloc[0]
    assert (row["true"], row["predicted"], row["set"]) == ("b", "a", "")
    assert np.isnan(row["set_level"])


def test_the_verdict_counts_patients_and_shared_samples(monkeypatch):
    values = TEST.values.copy()
    values[:, :3] = TRAIN.values[:, :3]
    test = replace(TEST, values=values, groups=np.arange(32) // 2)
    arguments = {}

    def record(*_, **keywords):
        arguments.update(keywords)

    def patients(first, second, classes):
        return first.shape, second.shape, classes

    monkeypatch.setattr(second_cohort, "cohort_verdict", record)
    monkeypatch.setattr(second_cohort, "matched_patients", patients)
    second_cohort._validation_verdict(
        TRAIN,
        test,
        None,
        predicted=test.labels,
        probabilities=np.full((32, 2), 0.5),
        is_same_scale=True,
    )
    assert arguments["groups"].tolist() == test.groups.tolist()
    assert arguments["shared"] == 3
    *shapes, classes = arguments["patients"]
    assert shapes == [(8, 40), (8, 32)]
    assert classes[0] is TRAIN.labels
    assert classes[1] is test.labels


def test_harmonised_values_are_what_the_classifier_sees():
    ranked = fit_model(TRAIN, harmonised(CSNB, "rank"))
    expected = SampleRanks().fit_transform(TEST.frame())
    np.testing.assert_array_equal(as_seen(ranked, TEST), np.asarray(expected).T)
    np.testing.assert_array_equal(as_seen(fit_model(TRAIN, CSNB), TEST), TEST.values)


def test_a_test_cohort_of_one_class_has_no_signature_of_its_own():
    tumours = TEST.labels == "tumour"
    one = replace(
        TEST,
        values=TEST.values[:, tumours],
        samples=TEST.samples[tumours],
        labels=TEST.labels[tumours],
    )
    assert second_cohort._compared_signatures(fit_model(TRAIN, CSNB), TRAIN, one, CSNB).empty


def test_cohorts_with_gaps_are_imputed_and_drawn():
    train = replace(with_holes(), name="one")
    holes = np.random.default_rng(3).random(TEST.values.shape) < 0.1
    test = replace(TEST, values=np.where(holes, np.nan, TEST.values), missing=True)
    tables = second_cohort.validate(train, test, CSNB)
    assert tables["accuracy"].set_index(["cohort", "class"]).loc[("test", ""), "n"] == 32
    assert np.isfinite(tables["densities"]["density"]).all()
    assert set(tables["densities"]["cohort"]) == {"train", "test"}
    complete = second_cohort.validate(TRAIN, test, CSNB)
    assert "are missing in" in complete["cohort_tests"]["notes"].item()
    assert "their training medians" in complete["cohort_tests"]["notes"].item()
