"""Corrections in estimates: candidates, inflation of the AUC, groups, and boundaries."""

import numpy as np
import pandas as pd
import pytest
from prediction_tables import HEADER, labelled, performances, recalled
from toys import dataset

from xnbflow.data.dataset import DataSet
from xnbflow.inference.estimates import areas, estimates, performance, pooled_performance
from xnbflow.inference.intervals import (
    BELOW,
    CROSS_VALIDATED,
    Estimate,
    area_interval,
    balanced_interval,
    proportion_interval,
    share_interval,
    share_p,
)
from xnbflow.inference.verdicts import verdict

CODES = np.repeat([0, 1], [24, 16])
PREDICTED = np.eye(2)[np.where(np.arange(40) % 5 == 0, 1 - CODES, CODES)]


def test_the_choice_among_candidates_widens_intervals_and_multiplies_p():
    """Bonferroni: intervals at 1 - .05 / 6, p times 6."""
    one = performance(CODES, PREDICTED, candidates=1)
    of_six = performance(CODES, PREDICTED, candidates=6)
    right = PREDICTED[np.arange(40), CODES]
    lower = share_interval(right, inflation=2.0, confidence=1 - 0.05 / 6).lower
    assert of_six.accuracy.lower == pytest.approx(lower)
    assert of_six.accuracy.lower < one.accuracy.lower
    assert of_six.balanced_accuracy.lower < one.balanced_accuracy.lower
    assert of_six.majority_p == pytest.approx(6 * share_p(right, 0.6, inflation=2.0))
    assert one.majority_p == pytest.approx(share_p(right, 0.6, inflation=2.0))


def predictions(series, rng, repeats=1):
    codes = np.searchsorted(series.classes, series.labels)
    parts = []
    for repeat in range(repeats):
        score = 1.5 * codes + rng.normal(size=len(codes))
        logs = {
            "log_posterior.a": -np.logaddexp(0, score),
            "log_posterior.b": -np.logaddexp(0, -score),
        }
        columns = {"sample": series.samples, "true": series.labels, "repeat": repeat, **logs}
        columns |= {"predicted": series.classes[(score > 0).astype(int)], "fold": 0}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("inflation", [2.0, 2.5])
@pytest.mark.parametrize("candidates", [1, 6])
def test_the_interval_of_an_area_counts_inflation_candidates_and_few_samples(
    rng, inflation, candidates
):
    series = dataset(np.ones((1, 40)), np.repeat(["a", "b"], [24, 16]))
    table = predictions(series, rng)
    actual = areas(table, series, inflation, candidates)["b"]
    confidence = 1 - 0.05 / candidates
    expected = area_interval(actual.value, 16, 24, inflation=inflation, confidence=confidence)
    balanced = pooled_performance(table, series, inflation, candidates).balanced_accuracy
    assert balanced.value <= actual.value
    assert actual.lower == pytest.approx(max(expected.lower, balanced.lower))
    assert actual.upper == pytest.approx(expected.upper)


def test_the_interval_of_an_area_counts_patients(rng):
    series = dataset(np.ones((1, 40)), np.repeat(["a", "b"], [24, 16]), groups=np.arange(40) // 4)
    table = predictions(series, rng, repeats=2)
    actual = areas(table, series, 2.0)["b"]
    balanced = pooled_performance(table, series, 2.0).balanced_accuracy
    expected = area_interval(actual.value, 4, 6, inflation=2.0, balanced=balanced)
    assert actual == pytest.approx(expected)


@pytest.mark.parametrize(("n_right", "recognised"), [(15, False), (30, True)])
def test_a_class_is_recognised_above_one_half_only(n_right, recognised):
    codes = np.repeat([0, 1], 30)
    right = np.concatenate([np.arange(30) < n_right, np.ones(30, dtype=bool)])
    actual = performance(codes, np.eye(2)[np.where(right, codes, 1 - codes)], inflation=1.0)
    assert actual.classes[0].is_recognised == recognised
    assert actual.classes[0].n_mistaken == 30 - n_right
    assert actual.classes[0].mistaken_for == (-1 if n_right == 30 else 1)


def test_the_upper_limit_of_the_accuracy_is_at_least_that_of_the_recalls():
    codes = np.repeat([0, 1], [12, 4])
    wrong = np.isin(np.arange(16), [0, 1, 2, 3, 12, 13])
    actual = performance(codes, np.eye(2)[np.where(wrong, 1 - codes, codes)])
    by_size = balanced_interval(1.0 - wrong, codes, inflation=2.0, by_size=True)
    assert actual.accuracy.upper == by_size.upper > share_interval(1.0 - wrong, inflation=2.0).upper


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_chance_is_one_over_the_number_of_classes(n_classes):
    codes = np.arange(24) % n_classes
    assert performance(codes, np.eye(n_classes)[codes]).chance == 1 / n_classes


def test_samples_that_are_tested_more_often_count_once():
    series = dataset(np.ones((1, 4)), np.array(list("aabb")))
    tested = pd.DataFrame({"sample": ["s0", "s0", "s1", "s2", "s3"], "predicted": list("aaabb")})
    actual = pooled_performance(tested, series, 2.0)
    assert actual.accuracy.value == 1.0
    half = pooled_performance(tested.assign(predicted=list("abaab")), series, 2.0)
    assert half.accuracy.value == pytest.approx(2.5 / 4)


def test_an_area_is_the_mean_over_repeats(rng):
    series = dataset(np.ones((1, 40)), np.repeat(["a", "b"], [24, 16]))
    table = predictions(series, rng, repeats=2)
    first = areas(table[table["repeat"] == 0], series, 2.0)["b"].value
    second = areas(table[table["repeat"] == 1], series, 2.0)["b"].value
    assert first != second
    assert areas(table, series, 2.0)["b"].value == pytest.approx((first + second) / 2)


def test_rows_of_estimates_are_above_a_reference_by_their_lower_limit():
    series = dataset(np.ones((1, 40)), np.repeat(["a", "b"], [24, 16]))
    key = ("d", "f", "nb")
    curves = {key: {"b": Estimate(0.6, 0.45, 0.75), "a": Estimate(0.7, 0.55, 0.8)}}
    actual = performance(CODES, PREDICTED)
    table = estimates({key: actual}, {"d": series}, {key: 0}, curves).set_index(["metric", "class"])
    assert table.loc[("roc_auc", "b"), "above"] == False  # noqa: E712  an object of the table
    assert table.loc[("roc_auc", "a"), "above"] == True  # noqa: E712
    assert table.loc[("balanced_accuracy", ""), "reference"] == 0.5
    assert table.loc[("accuracy", ""), "reference"] == 0.6
    missing = {key: {"b": Estimate(np.nan, np.nan, np.nan)}}
    assert (
        "roc_auc"
        not in estimates({key: actual}, {"d": series}, {key: 0}, missing)["metric"].tolist()
    )


def test_where_samples_have_groups_intervals_count_groups():
    """Each patient gives four samples, all right or all wrong: twenty samples are five."""
    patients = np.repeat([f"p{i}" for i in range(5)], 4)
    labels = np.repeat(["x", "y"], [12, 8])
    samples = HEADER.samples
    grouped = DataSet("d", None, HEADER.features, samples, labels, groups=patients)
    alone = DataSet("e", None, HEADER.features, samples, labels)
    right = ~np.isin(patients, ["p1"])
    table = pd.DataFrame({"repeat": 0, "fold": 0, "sample": samples, "true": labels})
    table["predicted"] = np.where(right, labels, np.where(labels == "x", "y", "x"))
    predictions = {("d", "f", "nb"): table, ("e", "f", "nb"): table}
    headers = {"d": grouped, "e": alone}
    pooled = performances(predictions, headers)
    for key in (("d", "f", "nb"), ("e", "f", "nb")):
        groups = headers[key[0]].groups
        expected = share_interval(right.astype(float), groups, inflation=CROSS_VALIDATED)
        assert pooled[key].accuracy == expected
    widths = [one.accuracy.upper - one.accuracy.lower for one in pooled.values()]
    assert widths[0] > 1.3 * widths[1]
    table = estimates(pooled, headers, dict.fromkeys(pooled, 0))
    lower = table[table["class"] == "x"].set_index("dataset")["lower"]
    assert lower["d"] < lower["e"]
    assert table.loc[table["metric"] == "accuracy", "estimate"].tolist() == [0.8, 0.8]
    assert [row.accuracy.value for row in pooled.values()] == pytest.approx([0.8, 0.8])
    levels = [verdict(row).level for row in pooled.values()]
    assert levels == ["not supported", "partly supported"]  # patients, samples


def test_recall_counts_the_right_of_each_class_and_what_it_is_mistaken_for():
    true = np.repeat(["a", "b", "c", "d"], [40, 20, 30, 9])
    predicted = np.array([*"aaab" * 10, *"bc" * 10, *"a" * 20, *"b" * 10, *"d" * 9])
    table = recalled(labelled(true, predicted)).set_index("metric").loc["recall"]
    assert table["class"].tolist() == ["a", "b", "c", "d"]
    assert table["estimate"].tolist() == [0.75, 0.5, 0.0, 1.0]
    assert table["samples"].tolist() == [40, 20, 30, 9]
    assert table["above"].tolist() == [True, False, False, True]
    assert table["taken_for"].tolist() == ["b", "c", "a", ""]
    assert table["taken"].tolist() == [10, 10, 20, 0]


def test_intervals_of_recall_count_a_sample_once_however_often_it_was_tested():
    true, predicted = np.repeat("a", 16), np.array([*"a" * 12, *"b" * 4])
    row = recalled(labelled(true, predicted, repeats=10)).set_index("class").loc["a"]
    lower, _ = proportion_interval(12 / BELOW, 16 / BELOW)
    _, upper = proportion_interval(12 / CROSS_VALIDATED, 16 / CROSS_VALIDATED)
    assert row[["estimate", "samples"]].tolist() == [0.75, 16]
    assert row[["lower", "upper"]].tolist() == pytest.approx([float(lower), float(upper)])
