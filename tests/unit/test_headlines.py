"""The sentence that a study is known by follows from its tables."""

import pandas as pd
import pytest

from xnbflow.evaluation.headlines import headline
from xnbflow.evaluation.overviews import averages, hard_samples, misclassified, p_values

LABELS = {"nb": "NB", "xnb": "XNB"}


def summary(accuracy, baseline=0.5, failed=()):
    """A summary with accuracies by (data set, classifier), intervals of a tenth around them."""
    rows = []
    for (dataset, classifier), value in accuracy.items():
        bad = int((dataset, classifier) in failed)
        key = (dataset, "10-fold", classifier)
        rows.append((*key, "accuracy", value, value - 0.05, value + 0.05, baseline, bad))
        features = 3.0 if classifier == "xnb" else 100.0
        rows.append((*key, "features_per_class", features, None, None, None, bad))
        rows.append((*key, "balanced_accuracy", value, None, None, None, bad))
    columns = ["dataset", "folds", "classifier", "metric", "mean", "lower", "upper", "baseline"]
    table = pd.DataFrame(rows, columns=[*columns, "folds_failed"])
    return table.assign(folds_ok=10 - table["folds_failed"])


def told(table, selecting=("xnb",)):
    tables = {"summary": table, "selection": pd.DataFrame({"classifier": list(selecting)})}
    (row,) = headline("s", "S", "", LABELS, tables).itertuples()
    return row


def test_one_data_set_is_told_with_its_interval_and_the_largest_class():
    row = told(summary({("wine", "nb"): 0.97, ("wine", "xnb"): 0.92}, baseline=0.4))
    assert row.classifier == "xnb"
    assert row.text == (
        "XNB has an accuracy of 92.0%, mean over folds (95 % interval 87.0% to 97.0%), where "
        "always naming the largest class would have 40.0%, with 3.0 features per class; NB 97.0%."
    )


def test_every_fit_that_was_tried_is_counted_once():
    scores = {("a", "nb"): 0.6, ("a", "xnb"): 0.5, ("b", "nb"): 0.7}
    assert told(summary(scores, failed={("a", "nb")})).fits == 30


def test_several_data_sets_are_told_by_their_range_and_not_by_a_mean():
    scores = {("a", "nb"): 0.6, ("a", "xnb"): 0.53, ("b", "nb"): 0.7, ("b", "xnb"): 0.9}
    text = told(summary(scores)).text
    assert text.startswith("XNB has an accuracy of 53.0% (a) to 90.0% (b), mean over folds")
    assert "surely above the share of the largest class on 1 of 2 data sets" in text
    assert text.endswith("of 2 classifiers it is the most accurate on 1, NB on 1.")


def test_the_classifier_whose_models_are_kept_is_the_subject():
    table = summary({("a", "nb"): 0.6, ("a", "xnb"): 0.53, ("a", "csnb"): 0.8})
    tables = {"summary": table, "selection": pd.DataFrame({"classifier": ["xnb", "csnb"]})}
    labels = {"nb": "NB", "xnb": "XNB", "csnb": "CSNB"}
    assert headline("s", "S", "", labels, tables)["classifier"].item() == "xnb"
    assert headline("s", "S", "", labels, tables, ["csnb"])["classifier"].item() == "csnb"


def test_without_a_selection_the_most_accurate_is_the_subject():
    scores = {("a", "nb"): 0.6, ("a", "xnb"): 0.53}
    assert told(summary(scores), selecting=()).classifier == "nb"


def test_where_nothing_could_be_fitted_it_says_so():
    scores = {("a", "nb"): 0.6, ("a", "xnb"): 0.5}
    row = told(summary(scores, failed=set(scores)))
    assert row.classifier == ""
    assert row.text.startswith("No classifier could be fitted")


def test_averages_leave_out_data_sets_where_one_classifier_failed():
    scores = {("a", "nb"): 0.6, ("a", "xnb"): 0.5, ("b", "nb"): 0.8, ("b", "xnb"): 0.9}
    table = summary(scores, failed={("a", "xnb")})
    seconds = pd.DataFrame({"classifier": ["nb", "xnb", "nb"], "fit_seconds": [1.0, 3.0, 2.0]})
    found = averages(table, seconds).set_index("classifier")
    assert found["accuracy"].tolist() == [0.8, 0.9]
    assert found["places"].tolist() == [1, 1]
    assert found["wins"].tolist() == [1, 1]
    assert found["fit_seconds"].tolist() == [1.5, 3.0]


def test_hard_samples_count_classifiers_that_are_wrong_more_often_than_right():
    rows = [("s", "nb", 2, 2), ("s", "xnb", 2, 1), ("t", "nb", 2, 0), ("t", "xnb", 2, 0)]
    table = pd.DataFrame(rows, columns=["sample", "classifier", "tested", "wrong"])
    found = hard_samples(table.assign(dataset="a", folds="f")).set_index("classifiers")
    assert found["samples"].to_dict() == {0: 1, 1: 1}  # half of the repeats is not more than half
    assert found["share"].sum() == pytest.approx(1)


def test_p_values_fall_into_twenty_bins_and_missing_ones_into_none():
    table = p_values({"a": pd.DataFrame({"p": [0.0, 0.049, 0.5, 1.0, None]})})
    assert table["features"].sum() == 4
    assert table["features"].iloc[[0, 10, 19]].tolist() == [2, 1, 1]
    assert table["share"].sum() == pytest.approx(1)
    assert p_values({}).empty


def test_samples_wrong_by_most_classifiers_come_first_and_right_ones_are_left_out():
    rows = [("s1", "nb", 1), ("s1", "xnb", 0), ("s2", "nb", 0), ("s2", "xnb", 0)]
    rows += [("s3", "nb", 2), ("s3", "xnb", 3)]
    table = pd.DataFrame(rows, columns=["sample", "classifier", "wrong"])
    table = table.assign(dataset="a", folds="f", true="t", tested=3)
    found = misclassified(table)
    # s1 is wrong once in three tests by one classifier, which is not most of its tests.
    assert found[["sample", "wrong_by", "wrong", "tested"]].to_numpy().tolist() == [
        ["s3", 2, 5, 6],
        ["s1", 0, 1, 6],
    ]
