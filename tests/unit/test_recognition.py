"""Claims about which classes and samples a classifier recognises."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.evaluation.intervals import proportion_interval
from xnbflow.evaluation.recognition import recall, samples


def predictions_of(true, predicted, repeats=1):
    one = pd.DataFrame({"sample": [f"s{i}" for i in range(len(true))], "true": true})
    tables = [one.assign(predicted=predicted, repeat=repeat) for repeat in range(repeats)]
    return {("d", "f", "nb"): pd.concat(tables, ignore_index=True)}


def test_recall_counts_the_right_of_each_class_and_what_else_was_called_by_its_name():
    true = np.repeat(["a", "b", "c"], [4, 2, 3])
    predicted = np.array([*"aaab", *"bc", *"aaa"])
    table = recall(predictions_of(true, predicted)).set_index("class")
    assert table["recall"].tolist() == [0.75, 0.5, 0.0]
    assert table["right"].tolist() == [3, 1, 0]
    assert table["predicted"].tolist() == [6, 2, 1]
    assert table["precision"].tolist() == [0.5, 0.5, 0.0]
    assert table["recognised"].tolist() == [True, False, False]


def test_intervals_of_recall_count_a_sample_once_however_often_it_was_tested():
    true, predicted = np.repeat("a", 16), np.array([*"a" * 12, *"b" * 4])
    table = recall(predictions_of(true, predicted, repeats=10)).iloc[0]
    lower, upper = proportion_interval(12, 16)
    assert (table["lower"], table["upper"]) == (pytest.approx(lower), pytest.approx(upper))
    assert (table["samples"], table["tested"], table["right"]) == (16, 160, 120)


def test_a_class_that_is_never_predicted_has_no_precision():
    table = recall(predictions_of(np.repeat("a", 16), np.repeat("b", 16))).iloc[0]
    assert (table["recall"], table["lower"]) == (0, 0)
    assert table["upper"] < 0.15
    assert np.isnan(table["precision"])


def test_only_a_sample_of_a_class_that_is_recognised_may_be_mislabelled():
    true = np.repeat(["a", "b"], [4, 3])
    predicted = np.array([*"aaab", *"aab"])
    predictions = predictions_of(true, predicted)
    table = samples(predictions, recall(predictions)).set_index("sample")
    assert table.index[table["suspect"]].tolist() == ["s3"]
    assert table.loc["s4", "wrong"] == 1  # b is recognised once in three


def test_a_sample_that_is_wrong_in_half_of_its_tests_is_no_suspect():
    one, two = np.array([*"aaab"]), np.array([*"aaaa"])
    tables = [predictions_of(np.repeat("a", 4), p)["d", "f", "nb"] for p in (one, two)]
    predictions = {("d", "f", "nb"): pd.concat(tables, ignore_index=True)}
    assert not samples(predictions, recall(predictions))["suspect"].any()


def test_without_predictions_there_are_columns_only():
    empty = {("d", "f", "bad"): pd.DataFrame({"sample": [], "true": [], "predicted": []})}
    filled = predictions_of(np.array(["a"]), np.array(["a"]))
    assert list(recall(empty).columns) == list(recall(filled).columns)
    assert list(recall({}).columns) == list(recall(filled).columns)
    expected = samples(filled, recall(filled)).columns
    assert list(samples(empty, recall(empty)).columns) == list(expected)
    assert list(samples({}, recall({})).columns) == list(expected)


def test_a_sample_s_mistakes_are_counted_by_class_without_its_own():
    predicted = ["AML"] * 7 + ["B-ALL"] * 3 + ["T-ALL"] * 4 + ["AML"] * 3 + ["B-ALL"] * 3
    table = pd.DataFrame(
        {
            "sample": ["s1"] * 10 + ["s2"] * 10,
            "true": ["MDS"] * 10 + ["T-ALL"] * 10,
            "predicted": predicted,
        }
    )
    right = pd.DataFrame({"sample": ["s1"], "true": ["MDS"], "predicted": ["MDS"]})
    predictions = {("d", "f", "nb"): table, ("d", "f", "xnb"): right}
    counted = samples(predictions, recall(predictions))
    rows = counted.set_index(["classifier", "sample"])
    assert rows.loc[("nb", "s1"), "mistakes"] == "AML 7, B-ALL 3"
    # most often right, and yet more often wrong than right
    assert rows.loc[("nb", "s2"), ["predicted", "mistakes", "wrong"]].tolist() == [
        *("T-ALL", "AML 3, B-ALL 3", 6),
    ]
    assert rows.loc[("xnb", "s1"), "mistakes"] == ""
