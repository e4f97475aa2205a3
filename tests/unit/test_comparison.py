"""Tables of the comparison: each cell is the test it names, and what is left out."""

import itertools

import numpy as np
import pandas as pd
import pytest

from xnbflow.evaluation import comparison, paired_tests
from xnbflow.evaluation.rank_tests import adjust_pairwise


def test_pairs_over_data_sets_hold_the_tests_of_their_columns(rng):
    scores = pd.DataFrame(rng.uniform(size=(12, 4)), columns=["nb", "fnb", "xnb", "forest"])
    table = comparison.compare_over_data_sets(scores, rope=0.05, seed=3)
    assert len(table) == 6
    row = table.set_index(["first", "second"]).loc[("fnb", "forest")]
    a, b = scores["fnb"], scores["forest"]
    assert row["mean_difference"] == pytest.approx((a - b).mean())
    assert row["p"] == paired_tests.wilcoxon_signed_rank_test(a, b).p_value
    posterior = paired_tests.bayesian_signed_rank_test(a, b, 0.05, seed=3)
    assert tuple(row[["first_better", "equivalent", "second_better"]]) == posterior
    adjusted = adjust_pairwise(table["p"], 4)
    pd.testing.assert_frame_equal(table[adjusted.columns], adjusted)


def test_pairs_over_folds_are_tested_in_the_direction_of_their_mean(rng):
    index = pd.MultiIndex.from_product([range(10), range(10)], names=["repeat", "fold"])
    scores = pd.DataFrame({"nb": rng.uniform(size=100), "xnb": rng.uniform(size=100)}, index)
    scores["xnb"] += 0.1
    shuffled = scores.sample(frac=1, random_state=0)  # rows are found by their index
    table = comparison.compare_over_folds(shuffled, test_train_ratio=1 / 9)
    row = table.iloc[0]
    a, b = (scores[name].to_numpy().reshape(10, 10) for name in ("nb", "xnb"))
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
    # q of three classifiers at 5 % is 2.343 (Demšar 2006, Table 5)
    assert table["critical_difference"].iloc[0] == pytest.approx(2.343 * np.sqrt(2 / 3), abs=1e-3)
    assert set(table["bars"]) == {"a"}


@pytest.mark.parametrize(("n", "told"), [(4, False), (5, True)])
def test_the_bayesian_test_is_told_from_five_data_sets_on(n, told):
    table = comparison.pairwise(repeats({f"d{i}": [0.9, 0.8, 0.7] for i in range(n)}))
    posterior = table[["first_better", "equivalent", "second_better"]]
    assert posterior.notna().all(axis=None) == told
    assert posterior.isna().all(axis=None) == (not told)
    assert table["wilcoxon"].notna().all()
    said = "" if told else "4 data sets; with fewer than 5 the prior decides"
    assert set(table["too_few"]) == {said}


def test_one_data_set_or_one_classifier_gives_empty_tables_with_all_columns():
    for table in (repeats({"a": ACCURACY["a"]}), repeats().query("classifier == 'nb'")):
        for make in (comparison.ranks, comparison.omnibus, comparison.pairwise):
            empty = make(table)
            assert empty.empty
            assert list(empty.columns) == list(make(repeats()).columns)


def test_pairs_on_a_data_set_are_those_of_the_comparison_over_its_folds(rng):
    places = itertools.product(["a"], ["f"], CLASSIFIERS, range(2), range(10))
    columns = ["dataset", "folds", "classifier", "repeat", "fold"]
    metrics = pd.DataFrame(places, columns=columns).assign(test_samples=12, accuracy=rng.random(60))
    scores = metrics.pivot_table(index=["repeat", "fold"], columns="classifier", values="accuracy")
    expected = comparison.compare_over_folds(scores[CLASSIFIERS], test_train_ratio=1 / 9)
    table = comparison.pairwise_within(metrics)
    pd.testing.assert_frame_equal(
        table[expected.columns], expected, check_dtype=False, check_index_type=False
    )
    assert set(table["dataset"]) == {"a"}
