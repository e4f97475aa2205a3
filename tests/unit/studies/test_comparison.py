"""Classifiers compared over data sets and over folds: ties, failures and adjusted p values."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.inference.paired_tests import corrected_resampled_t_test, sorted_runs_test
from xnbflow.studies.comparison import _means_by_classifier, ranks, within_data_sets


def metrics_of(dataset, scores, n_folds=5):
    """Return the metrics of classifiers, by name their accuracies in folds of 10 samples."""
    rows = []
    for classifier, accuracies in scores.items():
        for i, accuracy in enumerate(accuracies):
            place = {"dataset": dataset, "folds": "f", "classifier": classifier}
            place |= {"repeat": i // n_folds, "fold": i % n_folds}
            rows.append(place | {"test_samples": 10, "accuracy": accuracy})
    return pd.DataFrame(rows)


FIRST = np.array([0.7, 0.8, 0.6, 0.7, 0.9, 0.8, 0.7, 0.7, 0.6, 0.8])
SECOND = np.array([0.8, 0.9, 0.8, 0.8, 1.0, 0.9, 0.8, 0.9, 0.7, 0.8])
THIRD = np.array([0.7, 0.9, 0.6, 0.8, 0.8, 0.8, 0.6, 0.9, 0.7, 0.7])


@pytest.fixture(scope="module")
def within():
    """Two data sets with one pair of classifiers each: a clear difference and none."""
    parts = [
        metrics_of("clear", {"nb": FIRST, "xnb": SECOND}),
        metrics_of("equal", {"nb": FIRST, "xnb": THIRD}),
    ]
    return within_data_sets(pd.concat(parts, ignore_index=True)).set_index("dataset")


def test_training_sets_have_the_samples_that_a_fold_does_not_test(within):
    """Five folds of 10 samples train with 40: the ratio is 1/4."""
    a, b = FIRST.reshape(2, 5), SECOND.reshape(2, 5)
    expected = corrected_resampled_t_test(a, b, 0.25)
    assert within.loc["clear", "corrected_t"] == pytest.approx(expected.p_value)
    assert within.loc["clear", "lower"] == pytest.approx(expected.lower)


def test_p_values_are_adjusted_by_holm_over_all_rows(within):
    p = within["corrected_t"]
    assert p["clear"] < p["equal"]
    assert within.loc["clear", "corrected_t_holm"] == pytest.approx(2 * p["clear"])
    largest = max(2 * p["clear"], p["equal"])
    assert within.loc["equal", "corrected_t_holm"] == pytest.approx(min(1.0, largest))


def test_the_direction_of_sorted_runs_is_that_of_the_difference_so_that_p_is_doubled(within):
    a, b = FIRST.reshape(2, 5), SECOND.reshape(2, 5)
    assert within.loc["clear", "alternative"] == "less"
    p = sorted_runs_test(a, b, "less").p_value
    assert within.loc["clear", "sorted_runs"] == pytest.approx(p)
    assert p < within.loc["equal", "sorted_runs"]
    assert within.loc["clear", "sorted_runs_holm"] == pytest.approx(min(1.0, 4 * p))


def test_a_data_set_with_a_single_fold_is_left_out():
    table = metrics_of("d", {"nb": [0.8, 0.7], "xnb": [0.9, 0.6]}, n_folds=1)
    assert within_data_sets(table).empty


def test_a_classifier_with_a_failed_fold_is_left_out_within_a_data_set():
    failed = np.append(THIRD[:-1], np.nan)
    table = metrics_of("d", {"nb": FIRST, "xnb": SECOND, "csnb": failed})
    assert within_data_sets(table)[["first", "second"]].to_numpy().tolist() == [["nb", "xnb"]]


def repeats_of(scores):
    """Return accuracies of repeats by data set and classifier."""
    rows = []
    for (dataset, classifier), values in scores.items():
        for repeat, value in enumerate(values):
            place = {"dataset": dataset, "folds": "f", "classifier": classifier}
            rows.append(place | {"repeat": repeat, "metric": "accuracy", "value": value})
    return pd.DataFrame(rows)


def test_means_that_differ_by_rounding_are_ties_and_others_are_not():
    scores = {
        ("a", "nb"): [0.8],
        ("a", "xnb"): [0.8 + 1e-14],
        ("b", "nb"): [0.7001],
        ("b", "xnb"): [0.7],
    }
    rows = ranks(repeats_of(scores)).set_index("classifier")["average_rank"]
    assert rows.to_dict() == {"nb": 1.25, "xnb": 1.75}


def test_a_data_set_with_a_failed_repeat_is_left_out_of_ranks():
    scores = {}
    for dataset in "abc":
        scores[dataset, "nb"] = [0.8, 0.8]
        scores[dataset, "xnb"] = [0.9, 0.9]
    scores["a", "xnb"] = [0.9, np.nan]
    assert set(ranks(repeats_of(scores))["datasets"]) == {2}


def test_the_mean_of_a_classifier_is_missing_if_one_of_its_repeats_is():
    table = pd.DataFrame(
        {
            "dataset": ["d", "d", "d", "d", "e"],
            "classifier": ["xnb", "xnb", "nb", "nb", "nb"],
            "accuracy": [0.8, np.nan, 0.5, 0.7, 0.9],
        }
    )
    means = _means_by_classifier(table, ["dataset"], "accuracy")
    assert means.columns.tolist() == ["xnb", "nb"]  # in the order of the table
    np.testing.assert_allclose(means.loc["d"], [np.nan, 0.6])
    np.testing.assert_allclose(means.loc["e"], [np.nan, 0.9])
