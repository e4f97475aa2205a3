"""Tables of all pairs: each cell is the test it names, and nothing of it needs numba."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.errors import InputError
from xnbflow.evaluation import comparison


def test_pairs_over_data_sets_hold_the_tests_of_their_columns():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.uniform(size=(12, 4)), columns=["nb", "fnb", "xnb", "forest"])
    table = comparison.compare_over_data_sets(scores, rope=0.05, seed=3)
    assert len(table) == 6
    row = table.set_index(["first", "second"]).loc[("fnb", "forest")]
    a, b = scores["fnb"], scores["forest"]
    assert row["mean_difference"] == pytest.approx((a - b).mean())
    assert row["p"] == comparison.wilcoxon_signed_rank_test(a, b).p_value
    posterior = comparison.bayesian_signed_rank_test(a, b, 0.05, seed=3)
    assert tuple(row[["first_better", "equivalent", "second_better"]]) == posterior
    adjusted = comparison.adjust_pairwise(table["p"], 4)
    pd.testing.assert_frame_equal(table[adjusted.columns], adjusted)


def test_pairs_over_folds_are_tested_in_the_direction_of_their_mean():
    rng = np.random.default_rng(1)
    index = pd.MultiIndex.from_product([range(10), range(10)], names=["repeat", "fold"])
    scores = pd.DataFrame({"nb": rng.uniform(size=100), "xnb": rng.uniform(size=100)}, index)
    scores["xnb"] += 0.1
    shuffled = scores.sample(frac=1, random_state=0)  # rows are found by their index
    table = comparison.compare_over_folds(shuffled, test_train_ratio=1 / 9)
    row = table.iloc[0]
    a, b = (scores[name].to_numpy().reshape(10, 10) for name in ("nb", "xnb"))
    assert row["alternative"] == "less"
    assert row["sorted_runs"] == comparison.sorted_runs_test(a, b, "less").p_value
    t_test = comparison.corrected_resampled_t_test(a, b, 1 / 9)
    assert row["corrected_t"] == pytest.approx(t_test.p_value)
    assert row["mean_difference"] == pytest.approx(t_test.mean)
    reversed_row = comparison.compare_over_folds(scores[["xnb", "nb"]], 1 / 9).iloc[0]
    assert reversed_row["alternative"] == "greater"
    assert reversed_row["sorted_runs"] == row["sorted_runs"]


def test_a_fold_without_a_score_is_an_error():
    index = pd.MultiIndex.from_product([range(2), range(3)], names=["repeat", "fold"])
    scores = pd.DataFrame({"nb": np.arange(6.0), "xnb": np.arange(6.0)}, index)
    with pytest.raises(InputError, match="1 of 6 pairs of scores are missing"):
        comparison.compare_over_folds(scores.iloc[:-1], 1 / 2)


def test_one_classifier_cannot_be_compared():
    with pytest.raises(InputError, match="two classifiers, got \\['nb'\\]"):
        comparison.compare_over_data_sets(pd.DataFrame({"nb": [0.5, 0.6]}))


def test_classifiers_of_one_name_cannot_be_compared():
    scores = pd.DataFrame(np.eye(3), columns=["nb", "xnb", "nb"])
    with pytest.raises(InputError, match="classifier 'nb' has several columns"):
        comparison.compare_over_data_sets(scores)
    scores.index = pd.MultiIndex.from_product([[0], range(3)], names=["repeat", "fold"])
    with pytest.raises(InputError, match="classifier 'nb' has several columns"):
        comparison.compare_over_folds(scores, 1 / 2)


def test_statistics_do_not_import_numba():
    code = (
        "import sys\n"
        "from xnbflow.evaluation import comparison, metrics, stability\n"
        "sys.exit('numba' in sys.modules)"
    )
    path = {"PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=path, check=False).returncode == 0
