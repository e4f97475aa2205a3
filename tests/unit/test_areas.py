"""Areas under ROC curves of single features, and how many features separate classes as well."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.areas import count_reaching, doubled_wins, pair_areas, sample_order
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


@pytest.mark.parametrize("ties", [False, True])
def test_the_features_counted_are_those_whose_areas_reach(ties):
    rng = np.random.default_rng(3)
    codes = np.arange(41) % 3
    values = rng.normal(size=(400, 41)) + rng.uniform(0, 3, size=(400, 1)) * (codes == 1)
    order = sample_order(np.round(values) if ties else values)
    labels = np.array([codes, *(rng.permutation(codes) for _ in range(4)), np.minimum(codes, 1)])
    pairs = np.array([[0, 1], [1, 0], [2, 1], [0, 2]])
    areas = []
    for each in labels:
        sizes = np.bincount(each, minlength=3)
        with np.errstate(invalid="ignore"):  # the last labelling has no third class
            found = pair_areas(doubled_wins(order, each, 3), sizes)[:, *pairs.T]
        areas.append(np.maximum(found, 1 - found))
    least = areas[0][[7, 8, 9, 10], np.arange(4)]
    expected = [(each >= least - 1e-12).sum(axis=0) for each in areas]
    assert count_reaching(order, labels, pairs, least).T.tolist() == np.array(expected).tolist()
    highest = np.full(4, 0.99)  # most features are out before their last sample
    expected = [(each >= 0.99).sum(axis=0) for each in areas]
    assert count_reaching(order, labels, pairs, highest).T.tolist() == np.array(expected).tolist()


def series_of(values, labels, **changes):
    features = [f"g{i}" for i in range(len(values))]
    samples = [f"s{i}" for i in range(len(labels))]
    return DataSet("toy", values, features, samples, np.array(labels), **changes)


def test_all_features_that_separate_as_well_are_counted_whichever_were_selected():
    rng = np.random.default_rng(1)
    labels = np.array(list("abc"))[np.arange(30) % 3]
    values = rng.normal(size=(50, 30))
    values[:20] += np.where(labels == "a", 20.0, 0.0)
    values[20:30] -= np.where(labels == "c", 20.0, 0.0)
    selected = pd.DataFrame({"class": ["a", "a", "c"], "feature": ["g3", "g40", "g41"]})
    found = as_good_features(series_of(values, labels), {("toy", "f", "x"): selected})
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
    found = as_good_features(series_of(values, list("aaabbb")), {("toy", "f", "x"): selected})
    expected = 5000 * 2 / comb(6, 3)
    assert found["by_chance"].item() == pytest.approx(expected, rel=0.05)
    assert found["as_good"].item() == found["separating"].item() == pytest.approx(500, rel=0.2)


def test_angles_do_not_count_and_a_selection_of_them_alone_has_no_row():
    values = np.arange(12.0).reshape(2, 6)
    series = series_of(values, list("aaabbb"), kinds=["linear", "angular"])
    selected = {
        ("toy", "f", name): pd.DataFrame({"class": ["a"], "feature": [feature]})
        for name, feature in (("x", "g0"), ("y", "g1"))
    }
    found = as_good_features(series, selected)
    assert found[["classifier", "as_good", "features"]].to_numpy().tolist() == [["x", 1, 1]]
