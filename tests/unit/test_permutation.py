"""Permutation test: its null distribution, what it repeats, and labels that groups bind."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.permutation import permutation_scores, permutation_table

NB = {"method": "xnbflow.naive_bayes.gaussian.GaussianNB"}
SELECTING = {
    "steps": [
        {"method": "sklearn.feature_selection.SelectKBest", "params": {"k": 5}},
        {"method": "sklearn.naive_bayes.GaussianNB"},
    ]
}


def noise(n=40, n_features=5, seed=0, shift=0.0, name="noise"):
    rng = np.random.default_rng(seed)
    labels = np.array(["a", "b"])[np.arange(n) % 2]
    values = rng.normal(size=(n_features, n)) + shift * (labels == "b")
    features = [f"g{i}" for i in range(n_features)]
    return DataSet(name, values, features, [f"s{i}" for i in range(n)], labels)


def test_a_difference_is_found():
    table = permutation_table(permutation_scores(noise(shift=1.5), NB, n_permutations=39))
    table = table.set_index("metric")
    assert table.loc["accuracy", "p_value"] == 1 / 40
    assert table.loc["accuracy", "observed"] > 0.8
    assert 0.35 < table.loc["balanced_accuracy", "null_mean"] < 0.6


@pytest.mark.slow
def test_selection_is_inside_so_that_noise_is_not_significant():
    """Five features chosen of 1,000 by all labels would tell noise apart; chosen inside, not."""
    series = noise(n_features=1000, seed=3)
    table = permutation_table(permutation_scores(series, SELECTING, n_permutations=19))
    assert (table["p_value"] > 0.1).all()
    assert (table["null_mean"] < 0.6).all()


def test_scores_are_the_same_each_time_and_begin_with_the_true_labels():
    series = noise(shift=1.0)
    first = permutation_scores(series, NB, n_permutations=3)
    again = permutation_scores(series, NB, n_permutations=5)
    pd.testing.assert_frame_equal(first, again.iloc[:4])
    assert first["permutation"].tolist() == [0, 1, 2, 3]
    assert first["accuracy"][0] > first["accuracy"][1:].max()


def test_the_table_counts_what_reaches_the_observed_score():
    scores = pd.DataFrame({"permutation": range(5), "accuracy": [0.6, 0.5, 0.6, 0.7, 0.4]})
    scores["balanced_accuracy"] = [0.9, 0.5, 0.5, 0.6, 0.6]
    table = permutation_table(scores).set_index("metric")
    assert table["at_least"].tolist() == [2, 0]
    assert table["p_value"].tolist() == [3 / 5, 1 / 5]
    assert table["permutations"].tolist() == [4, 4]
    assert table.loc["accuracy", "null_mean"] == pytest.approx(0.55)
    assert table.loc["accuracy", "null_sd"] == pytest.approx(np.sqrt(0.05 / 3))
    assert table.loc["accuracy", "null_95"] == pytest.approx(0.6 + 0.85 * 0.1)
