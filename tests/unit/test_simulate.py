"""Simulated series: their truth is what the values show, and a seed fixes them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from xnbflow.sources.sheet import DataSet
from xnbflow.sources.simulate import load, simulate_series, simulate_truth, write_truth


@pytest.fixture(scope="module")
def simulated():
    return simulate_series("sim", 400, 3000, 3, seed=7)


def within_class(series):
    """Values less their class's mean, in pooled standard deviations."""
    codes = np.unique(series.labels, return_inverse=True)[1]
    means = np.stack([series.values[:, codes == code].mean(axis=1) for code in range(3)])
    residuals = series.values - means[codes].T
    return residuals / residuals.std(axis=1, keepdims=True)


def test_shape_classes_and_truth_are_as_asked(simulated):
    series, truth = simulated
    assert series.values.shape == (3000, 400)
    assert list(series.classes) == ["class_0", "class_1", "class_2"]
    assert list(truth["feature"]) == list(series.features)
    counts = np.unique(series.labels, return_counts=True)[1]
    assert counts.min() > 80
    assert counts[0] > 1.6 * counts[2]


def test_markers_shift_their_class_by_their_effect(simulated):
    series, truth = simulated
    marked = truth[truth["effect"] != 0]
    assert set(marked["class"]) == {"class_0", "class_1"}
    codes = np.unique(series.labels, return_inverse=True)[1]
    for row, marker in marked.iterrows():
        own = codes == int(marker["class"][-1])
        values = series.values[row]
        sd = np.sqrt((values[own].var() * own.sum() + values[~own].var() * (~own).sum()) / 400)
        # the standard error of the difference is at most 0.2 standard deviations
        assert (values[own].mean() - values[~own].mean()) / sd == pytest.approx(
            marker["effect"], abs=1.0
        )


def test_features_without_effect_do_not_tell_classes_apart(simulated):
    series, truth = simulated
    free = series.values[(truth["effect"] == 0).to_numpy()]
    groups = [free[:, series.labels == label] for label in series.classes]
    p = stats.f_oneway(*groups, axis=1).pvalue
    # p is about uniform; blocks correlate, hence the wide margin
    assert 0.02 < np.mean(p < 0.05) < 0.09


def test_correlation_within_blocks_is_the_product_of_loadings(simulated):
    series, truth = simulated
    normal = (truth["shape"] == "normal").to_numpy()
    residuals = within_class(series)
    blocks = truth["block"].to_numpy()
    for block in np.unique(blocks[blocks >= 0])[:10]:
        rows = np.flatnonzero((blocks == block) & normal)
        loading = truth["loading"].to_numpy()[rows]
        expected = np.outer(loading, loading)
        np.fill_diagonal(expected, 1.0)
        np.testing.assert_allclose(np.corrcoef(residuals[rows]), expected, atol=0.15)
    free = np.flatnonzero(blocks == -1)[:300]
    r = np.corrcoef(residuals[free])[np.triu_indices(300, 1)]
    assert np.abs(r).max() < 0.3


def test_shapes_are_normal_skewed_and_bimodal_with_unit_variance(simulated):
    series, truth = simulated
    residuals = within_class(series)
    shape = truth["shape"].to_numpy()
    skew = {name: np.median(stats.skew(residuals[shape == name], axis=1)) for name in set(shape)}
    kurtosis = {
        name: np.median(stats.kurtosis(residuals[shape == name], axis=1)) for name in set(shape)
    }
    assert abs(skew["normal"]) < 0.05
    assert abs(kurtosis["normal"]) < 0.15
    # a log-normal with sigma 0.6 has skewness (e^.36 + 2) sqrt(e^.36 - 1) = 2.26; samples show less
    assert 1.6 < skew["skewed"] < 2.4
    # the cube root of a normal: kurtosis E|z|^(4/3) / (E|z|^(2/3))^2 - 3 = -1.71
    assert kurtosis["bimodal"] < -1.3


def test_the_same_seed_gives_the_same_series_and_another_seed_another():
    first, truth = simulate_series("sim", 30, 1500, 2, seed=1)
    again, truth_again = simulate_series("sim", 30, 1500, 2, seed=1)
    other, _ = simulate_series("sim", 30, 1500, 2, seed=2)
    np.testing.assert_array_equal(first.values, again.values)
    np.testing.assert_array_equal(first.labels, again.labels)
    pd.testing.assert_frame_equal(truth, truth_again)
    assert not np.array_equal(first.values, other.values)


def test_the_truth_of_a_row_of_the_sheet_is_that_of_its_series(tmp_path):
    dataset = DataSet("sim", "simulate", samples=12, features=70, classes=2, options={"seed": "3"})
    series = load(dataset)
    write_truth(dataset, tmp_path / "truth.parquet")
    truth = pd.read_parquet(tmp_path / "truth.parquet")
    assert list(truth["feature"]) == list(series.features)
    pd.testing.assert_frame_equal(truth, simulate_truth(70, 2, 3))


def test_fewer_features_than_markers_still_make_a_series():
    series, truth = simulate_series("tiny", 10, 3, 4, seed=0)
    assert series.n_features == 3
    assert sorted(truth["class"]) == ["class_0", "class_1", "class_2"]
