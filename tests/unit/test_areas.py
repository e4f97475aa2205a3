"""Areas under ROC curves of single features, and how many features separate classes as well."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu
from toys import dataset

from xnbflow.diagnostics.areas import doubled_wins, pair_areas, sample_order
from xnbflow.evaluation.ease import as_good_features


@pytest.mark.parametrize("ties", [False, True])
def test_areas_are_those_of_mann_and_whitney(ties):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 37))
    values = np.round(values) if ties else values
    codes = rng.permutation(np.arange(37) % 4)
    sizes = np.bincount(codes)
    wins = doubled_wins(sample_order(values), codes, 4)
    pairs = pair_areas(wins, sizes)
    for i in range(4):
        own = values[:, codes == i]
        for j in range(4):
            expected = mannwhitneyu(own, values[:, codes == j], axis=1).statistic
            assert pairs[:, i, j] == pytest.approx(expected / (sizes[i] * sizes[j]))


def test_all_features_that_separate_as_well_are_counted_whichever_were_selected():
    rng = np.random.default_rng(1)
    labels = np.array(list("abc"))[np.arange(30) % 3]
    values = rng.normal(size=(50, 30))
    values[:20] += np.where(labels == "a", 20.0, 0.0)
    values[20:30] -= np.where(labels == "c", 20.0, 0.0)
    selected = pd.DataFrame({"class": ["a", "a", "c"], "feature": ["g3", "g40", "g41"]})
    found = as_good_features(dataset(values, labels), {("toy", "f", "x"): selected})
    found = found.set_index(["class", "other_class"])
    assert found.loc[("a", "b"), ["selected", "area", "as_good", "separating"]].tolist() == [
        2, 1, 20, 20
    ]  # fmt: skip
    assert found.loc[("a", "c"), "as_good"] == 30
    assert found.loc[("c", "a"), ["selected", "separating"]].tolist() == [1, 30]
    area = mannwhitneyu(values[41, labels == "c"], values[41, labels == "b"]).statistic / 100
    assert found.loc[("c", "b"), "area"] == pytest.approx(max(area, 1 - area))


def test_permuted_labels_separate_as_often_as_orders_do():
    """Of the orders of a feature two of all choices of three samples of six separate them."""
    values = np.random.default_rng(2).normal(size=(5000, 6))
    values[0] = np.arange(6)
    selected = pd.DataFrame({"class": ["a"], "feature": ["g0"]})
    found = as_good_features(dataset(values, list("aaabbb")), {("toy", "f", "x"): selected})
    expected = 5000 * 2 / comb(6, 3)
    assert found["by_chance"].item() == pytest.approx(expected, rel=0.05)
    assert found["as_good"].item() == found["separating"].item() == pytest.approx(500, rel=0.2)


def test_angles_do_not_count_and_a_selection_of_them_alone_has_no_row():
    values = np.arange(12.0).reshape(2, 6)
    series = dataset(values, list("aaabbb"), kinds=["linear", "angular"])
    selected = {
        ("toy", "f", name): pd.DataFrame({"class": ["a"], "feature": [feature]})
        for name, feature in (("x", "g0"), ("y", "g1"))
    }
    found = as_good_features(series, selected)
    assert found[["classifier", "as_good", "features"]].to_numpy().tolist() == [["x", 1, 1]]
