"""Paired tests: every choice of signs, SciPy, closed forms, a paper's cases; their tables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from xnbflow.inference import paired_tests
from xnbflow.inference.paired_tests import (
    corrected_resampled_t_test,
    sorted_runs_test,
    wilcoxon_signed_rank_test,
)
from xnbflow.studies import comparison

ALTERNATIVES = ["two-sided", "less", "greater"]


def p_value_over_all_signs(differences, alternative):
    differences = differences[differences != 0]
    ranks = stats.rankdata(np.abs(differences))
    sums = np.array([ranks @ signs for signs in itertools.product([0, 1], repeat=len(ranks))])
    observed = ranks[differences > 0].sum()
    less, greater = np.mean(sums <= observed), np.mean(sums >= observed)
    both = min(1, 2 * min(less, greater))
    return {"less": less, "greater": greater, "two-sided": both}[alternative]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(ALTERNATIVES))
def test_wilcoxon_is_exact_with_ties_and_zeros(differences, alternative):
    differences = np.array(differences, dtype=float)
    ours = wilcoxon_signed_rank_test(differences, np.zeros_like(differences), alternative)
    assert ours.p_value == pytest.approx(p_value_over_all_signs(differences, alternative))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_of_forty_pairs_equals_scipy_s(alternative):
    first, second = np.random.default_rng(1).normal([[0.3], [0.0]], size=(2, 40))
    ours = wilcoxon_signed_rank_test(first, second, alternative)
    theirs = stats.wilcoxon(first, second, alternative=alternative, method="exact")
    assert ours.p_value == pytest.approx(theirs.pvalue)


def test_equal_classifiers_have_p_value_one():
    # Table 5 of the directional paper: SelvMNB and SelGNB are the same classifier on Covertype
    scores = np.random.default_rng(0).uniform(size=(10, 10))
    assert sorted_runs_test(scores, scores, "greater") == (0.0, 1.0, 0)
    assert corrected_resampled_t_test(scores, scores, 1 / 9)[:3] == (0.0, 1.0, 0.0)


def test_sorted_runs_average_the_order_statistics_of_differences(rng):
    first, second = rng.uniform(size=(2, 10, 10))
    pairs = np.zeros(10)
    for run in range(10):
        pairs += sorted(first[run] - second[run])
    theirs = stats.wilcoxon(pairs / 10, alternative="less", method="exact")
    assert sorted_runs_test(first, second, "less").p_value == pytest.approx(theirs.pvalue)


def test_averages_that_only_floating_point_tells_apart_are_tied():
    differences = np.array([[-0.1, 0.3], [-0.2, 0.2], [-0.3, 0.1]])  # means -0.2 and 0.2
    assert sorted_runs_test(differences, np.zeros((3, 2))).statistic == 1.5


def test_corrected_t_test_is_student_s_with_a_larger_variance():
    first, second = np.random.default_rng(6).normal([[0.2], [0.0]], size=(2, 100))
    plain = stats.ttest_rel(first, second)
    interval = plain.confidence_interval(0.9)
    uncorrected = corrected_resampled_t_test(first, second, 0.0, confidence=0.9)
    np.testing.assert_allclose(uncorrected[:2], (plain.statistic, plain.pvalue))
    np.testing.assert_allclose(uncorrected[3:], (interval.low, interval.high))
    # 10 x 10-fold: the variance grows from 1/100 to 1/100 + 1/9 of the differences'
    corrected = corrected_resampled_t_test(first, second, 1 / 9)
    assert corrected.statistic == pytest.approx(plain.statistic * np.sqrt(0.01 / (0.01 + 1 / 9)))
    assert corrected.mean == pytest.approx(np.mean(first - second))


def test_constant_differences_are_infinitely_significant_without_an_interval():
    test = corrected_resampled_t_test([0.3, 0.4, 0.5], [0.2, 0.3, 0.4], 1 / 2)
    np.testing.assert_allclose(test, (np.inf, 1 / 4, 0.1, np.nan, np.nan))  # p of three signs
    assert corrected_resampled_t_test([0.4, 0.5], [0.5, 0.6], 1).statistic == -np.inf


def test_pairs_over_data_sets_hold_the_tests_of_their_columns(rng):
    scores = pd.DataFrame(rng.uniform(size=(12, 4)), columns=["nb", "fnb", "xnb", "forest"])
    table = comparison.compare_over_data_sets(scores)
    assert len(table) == 6
    row = table.set_index(["first", "second"]).loc[("fnb", "forest")]
    a, b = scores["fnb"], scores["forest"]
    assert row["mean_difference"] == pytest.approx((a - b).mean())
    assert row["standard_error"] == pytest.approx(np.std(a - b, ddof=1) / np.sqrt(12))
    assert row["p"] == paired_tests.wilcoxon_signed_rank_test(a, b).p_value


def test_pairs_over_folds_are_tested_in_the_direction_of_their_mean(rng):
    index = pd.MultiIndex.from_product([range(10), range(10)], names=["repeat", "fold"])
    scores = pd.DataFrame({"nb": rng.uniform(size=100), "xnb": rng.uniform(size=100)}, index)
    scores["xnb"] += 0.1
    shuffled = scores.sample(frac=1, random_state=0)  # rows are found by their index
    table = comparison.compare_over_folds(shuffled, test_train_ratio=1 / 9)
    row = table.iloc[0]
    a = scores["nb"].to_numpy().reshape(10, 10)
    b = scores["xnb"].to_numpy().reshape(10, 10)
    assert row["alternative"] == "less"
    assert row["sorted_runs"] == paired_tests.sorted_runs_test(a, b, "less").p_value
    t_test = paired_tests.corrected_resampled_t_test(a, b, 1 / 9)
    assert row["corrected_t"] == pytest.approx(t_test.p_value)
    assert row["mean_difference"] == pytest.approx(t_test.mean)
    reversed_row = comparison.compare_over_folds(scores[["xnb", "nb"]], 1 / 9).iloc[0]
    assert reversed_row["alternative"] == "greater"
    assert reversed_row["sorted_runs"] == row["sorted_runs"]


CLASSIFIERS = ["xnb", "nb", "fnb"]  # not in alphabetical order
ACCURACY = {"a": [0.9, 0.8, 0.8], "b": [0.9, 0.7, 0.6], "c": [0.7, 0.7, 0.6]}


def repeats(accuracy=ACCURACY, folds="10-fold"):
    """One mean per data set and classifier, in two repeats that lie symmetrically about it."""
    rows = [
        (dataset, folds, name, repeat, "accuracy", mean + shift)
        for dataset, means in accuracy.items()
        for name, mean in zip(CLASSIFIERS, means, strict=True)
        for repeat, shift in enumerate((-0.01, 0.01))
    ]
    columns = ["dataset", "folds", "classifier", "repeat", "metric", "value"]
    other = pd.DataFrame(rows, columns=columns).assign(metric="log_loss", value=0.0)
    return pd.concat([pd.DataFrame(rows, columns=columns), other], ignore_index=True)


def test_ranks_of_accuracy_are_averaged_over_data_sets():
    table = comparison.ranks(repeats())
    assert dict(zip(table["classifier"], table["average_rank"], strict=True)) == pytest.approx(
        {"xnb": (1 + 1 + 1.5) / 3, "nb": (2.5 + 2 + 1.5) / 3, "fnb": (2.5 + 3 + 3) / 3}
    )
    assert set(table["datasets"]) == {3}
    # q of three classifiers at 5% is 2.343 (Demšar 2006, Table 5)
    assert table["critical_difference"].iloc[0] == pytest.approx(2.343 * np.sqrt(2 / 3), abs=1e-3)
    assert set(table["bars"]) == {"a"}


def test_one_data_set_or_one_classifier_gives_an_empty_table_with_all_columns():
    for table in (repeats({"a": ACCURACY["a"]}), repeats().query("classifier == 'nb'")):
        empty = comparison.ranks(table)
        assert empty.empty
        assert list(empty.columns) == list(comparison.ranks(repeats()).columns)


def test_pairs_on_a_data_set_are_those_of_the_comparison_over_its_folds(rng):
    places = itertools.product(["a"], ["f"], CLASSIFIERS, range(2), range(10))
    columns = ["dataset", "folds", "classifier", "repeat", "fold"]
    metrics = pd.DataFrame(places, columns=columns).assign(test_samples=12, accuracy=rng.random(60))
    scores = metrics.pivot_table(index=["repeat", "fold"], columns="classifier", values="accuracy")
    expected = comparison.compare_over_folds(scores[CLASSIFIERS], test_train_ratio=1 / 9)
    table = comparison.within_data_sets(metrics)
    pd.testing.assert_frame_equal(
        table[expected.columns], expected, check_dtype=False, check_index_type=False
    )
    assert set(table["dataset"]) == {"a"}
