"""Permutation test: its null distribution, what it repeats, and labels that groups bind."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.evaluation.permutation import permutation_scores, permutation_table, permute_labels

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


def test_patients_with_both_tissues_exchange_labels_within_themselves():
    series = noise(40)
    patients = np.arange(40) // 2  # each has an a and a b
    permuted = permute_labels(series, patients, np.random.default_rng(0))
    for patient in range(20):
        assert sorted(permuted[patients == patient]) == ["a", "b"]
    assert 0 < np.sum(permuted != series.labels) < 40


def test_patients_with_one_diagnosis_exchange_it_as_a_whole():
    series = noise(40)
    patients = np.array([f"p{i % 10}" for i in range(40)])  # even ones are a
    permuted = permute_labels(series, patients, np.random.default_rng(1))
    assert all(len(set(permuted[patients == p])) == 1 for p in set(patients))
    assert (permuted != series.labels).any()


def test_no_group_is_on_both_sides_of_a_fold():
    """Copies of patients: with them on both sides a neighbour would know the answer."""
    rng = np.random.default_rng(5)
    values = np.repeat(rng.normal(size=(4, 24)), 4, axis=1)
    labels = np.repeat(np.array(["a", "b"])[rng.permutation(24) % 2], 4)
    series = DataSet("copies", values, list("wxyz"), [f"s{i}" for i in range(96)], labels)
    neighbour = {"method": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 1}}
    patients = np.repeat(np.arange(24), 4)
    leaking = permutation_scores(series, neighbour, n_permutations=1)
    honest = permutation_scores(series, neighbour, n_permutations=1, groups=patients)
    assert leaking["accuracy"][0] > 0.95
    assert honest["accuracy"][0] < 0.8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_permutations": 0}, "n_permutations is 0"),
        ({"n_splits": 30}, "30 folds cannot be drawn"),
        ({"groups": np.arange(39)}, "39 groups for 40 samples"),
        ({"groups": np.arange(40) % 4}, "4 groups are fewer than the folds"),
    ],
)
def test_what_cannot_be_permuted_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        permutation_scores(noise(), NB, **{"n_permutations": 1} | change)


def test_one_group_of_one_label_leaves_nothing_to_permute():
    series = DataSet("one", np.eye(2), ["g", "h"], ["s", "t"], ["a", "a"])
    with pytest.raises(InputError, match="nothing to permute"):
        permute_labels(series, np.array([1, 2]), np.random.default_rng(0))
