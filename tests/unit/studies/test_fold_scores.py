"""Scores of folds, repeats and data sets, and the averages of classifiers."""

import statistics

import numpy as np
import pandas as pd
import pytest
from prediction_tables import HEADER, PLACES, fits_of, predictions_of
from sklearn.metrics import balanced_accuracy_score

from xnbflow.studies import fold_scores


def study_of(accuracy):
    """Metrics, repeats and summary; accuracy per data set and classifier, four folds each."""
    predictions, fits = {}, {}
    for (dataset, classifier), values in accuracy.items():
        key = (dataset, "2x2", classifier)
        predictions[key] = predictions_of(values)
        fits[key] = fits_of([p for p, v in zip(PLACES, values, strict=True) if np.isnan(v)])
    headers = {dataset: HEADER for dataset, _ in accuracy}
    metrics = fold_scores.metrics(predictions, fits, headers)
    repeats = fold_scores.repeats(predictions, metrics, fits, headers)
    return metrics, repeats, fold_scores.summary(metrics, repeats, fits)


def test_class_metrics_are_those_of_all_folds_and_missing_where_one_failed():
    accuracy = {("d", "nb"): [0.9, 0.6, 1.0, 0.3], ("d", "bad"): [0.9, np.nan, 1.0, 0.3]}
    repeats = study_of(accuracy)[1]
    table = repeats.query("metric == 'balanced_accuracy'").set_index(["classifier", "repeat"])
    assert table["pooled"].all()
    predictions = predictions_of([0.9, 0.6, 1.0, 0.3])
    for repeat in range(2):
        rows_of_repeat = predictions[predictions["repeat"] == repeat]
        expected = balanced_accuracy_score(rows_of_repeat["true"], rows_of_repeat["predicted"])
        assert table.loc[("nb", repeat), "value"] == pytest.approx(expected)
    assert np.isnan(table.loc[("bad", 0), "value"])
    assert table.loc[("bad", 1), "value"] == table.loc[("nb", 1), "value"]
    means = repeats.query("metric == 'accuracy'").set_index(["classifier", "repeat"])["value"]
    assert means["nb"].tolist() == pytest.approx([0.75, 0.65])
    assert np.isnan(means["bad", 0])


def test_accuracy_is_over_folds_and_balanced_accuracy_over_repeats():
    accuracy = [0.9, 0.6, 1.0, 0.3]
    metrics, repeats, table = study_of({("d", "nb"): accuracy})
    table = table.set_index("metric")
    assert "balanced_accuracy" not in metrics
    row = table.loc["accuracy"]
    assert row["over"] == "folds"
    assert row["mean"] == pytest.approx(0.7)
    assert row["sd"] == pytest.approx(statistics.stdev(accuracy))
    assert row["sd_repeats"] == pytest.approx(statistics.stdev([0.75, 0.65]))
    row = table.loc["balanced_accuracy"]
    values = repeats.query("metric == 'balanced_accuracy'")["value"]
    assert row["over"] == "repeats"
    assert row["mean"] == pytest.approx(values.mean())
    assert row["sd"] == row["sd_repeats"] == pytest.approx(statistics.stdev(values))
    assert row["folds_ok"] == 4
    assert row["folds_failed"] == 0


def summary(accuracy, failed=()):
    """The means of a summary; accuracy by (data set, classifier), failed ones likewise."""
    rows = [
        {"dataset": dataset, "classifier": classifier, "metric": metric, "mean": value}
        | {"folds_failed": int((dataset, classifier) in failed)}
        for (dataset, classifier), value in accuracy.items()
        for metric in ("accuracy", "balanced_accuracy")
    ]
    return pd.DataFrame(rows).assign(folds="10-fold")


def counts_of(right, tests=10_000):
    """Return confusion counts of one class: the right tests of each data set and classifier."""
    rows = []
    for (dataset, classifier), n_right in right.items():
        place = {"dataset": dataset, "folds": "10-fold", "classifier": classifier, "true": "x"}
        rows.append(place | {"predicted": "x", "count": n_right})
        rows.append(place | {"predicted": "y", "count": tests - n_right})
    return pd.DataFrame(rows)


def test_averages_leave_out_data_sets_where_one_classifier_failed():
    scores = {("a", "nb"): 0.6, ("a", "xnb"): 0.5, ("b", "nb"): 0.8, ("b", "xnb"): 0.9}
    table = summary(scores, failed={("a", "xnb")})
    right = {("a", "nb"): 6, ("b", "nb"): 7, ("b", "xnb"): 8}
    counts = counts_of(right, tests=10)
    actual = fold_scores.averages(table, counts).set_index("classifier")
    assert actual["accuracy"].tolist() == [0.7, 0.8]  # of all samples, not the mean over folds
    assert actual["places"].tolist() == [1, 1]
    assert actual["wins"].tolist() == [1, 1]


def test_a_data_set_with_a_failed_fold_of_one_classifier_is_in_no_average():
    right = {("a", "nb"): 6000, ("a", "xnb"): 5000, ("b", "nb"): 8000, ("b", "xnb"): 9000}
    scores = {key: n / 10_000 for key, n in right.items()}
    table = summary(scores, failed={("a", "xnb")})
    rows = fold_scores.averages(table, counts_of(right)).set_index("classifier")
    assert rows["places"].tolist() == [1, 1]
    assert rows["accuracy"].tolist() == pytest.approx([0.8, 0.9])


def test_accuracies_that_are_equal_to_three_decimals_are_both_wins():
    right = {("a", "nb"): 9001, ("a", "xnb"): 9004, ("b", "nb"): 9010, ("b", "xnb"): 9000}
    table = summary({key: n / 10_000 for key, n in right.items()})
    rows = fold_scores.averages(table, counts_of(right)).set_index("classifier")
    assert rows["wins"].to_dict() == {"nb": 2, "xnb": 1}
