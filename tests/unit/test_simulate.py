"""Simulated series: their truth is what the values show, and a seed fixes them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.simulate import load, simulate_series, simulate_truth, write_truth


@pytest.fixture(scope="module")
def simulated():
    return simulate_series("sim", 400, 3000, 3, seed=7)


def test_shape_classes_and_truth_are_as_asked(simulated):
    series, truth = simulated
    assert series.values.shape == (3000, 400)
    assert list(series.classes) == ["class_0", "class_1", "class_2"]
    assert list(truth["feature"]) == list(series.features)
    counts = np.unique(series.labels, return_counts=True)[1]
    assert counts.min() > 80
    assert counts[0] > 1.6 * counts[2]


def test_regulated_genes_shift_their_class_by_their_effect(simulated):
    series, truth = simulated
    strong = truth[truth["effect"].abs() > 2]
    assert set(strong["class"]) == {"class_0", "class_1", "class_2"}
    assert len(strong) > 60
    ratios = []
    for row, gene in strong.iterrows():
        own = series.labels == gene["class"]
        values = series.values[row]
        sd = values[~own].std()  # purity makes the class itself vary more
        ratios.append((values[own].mean() - values[~own].mean()) / sd / gene["effect"])
    assert np.median(ratios) == pytest.approx(1, abs=0.05)
    assert np.quantile(ratios, 0.1) > 0.7


def test_three_quarters_of_the_modules_are_regulated_each_by_one_class(simulated):
    truth = simulated[1]
    by_module = truth.groupby("block")["class"]
    assert (by_module.nunique() <= 1).all()
    assert set(by_module.count()) == {0, 40}
    assert truth["class"].notna().mean() == pytest.approx(0.75, abs=0.15)
    assert ((truth["effect"] == 0) == truth["class"].isna()).all()


@pytest.mark.parametrize("n_classes", [2, 5])
def test_separation_is_the_same_however_many_classes_there_are(n_classes):
    """Variance over genes of the expected difference of a class from the mean of all others."""
    truth = simulate_truth(60_000, n_classes, seed=1)
    shift = truth["effect"].to_numpy()
    for code in range(n_classes):
        mine = (truth["class"] == f"class_{code}").to_numpy()
        difference = np.where(mine, shift, -shift / (n_classes - 1))
        assert difference.var() == pytest.approx(0.3, abs=0.03)


def test_correlation_is_that_of_the_factors(simulated):
    series, truth = simulated
    chosen = (truth["shape"] == "normal") & (truth["effect"] == 0)
    rows = np.flatnonzero(chosen)[:300]
    common = truth[[f"factor_{k}" for k in range(1, 6)]].to_numpy()[rows]
    loading, block = truth["loading"].to_numpy()[rows], truth["block"].to_numpy()[rows]
    expected = common @ common.T + np.outer(loading, loading) * (block[:, None] == block)
    np.fill_diagonal(expected, 1.0)
    residuals = series.values[rows]
    for label in series.classes:
        own = series.labels == label
        residuals[:, own] -= residuals[:, own].mean(axis=1, keepdims=True)
    observed = np.corrcoef(residuals)
    # of 400 samples a correlation has a standard error of at most .05
    error = (observed - expected)[np.triu_indices(len(rows), 1)]
    assert np.sqrt(np.mean(error**2)) < 0.06
    assert np.abs(expected - np.eye(len(rows))).max() > 0.5


def test_shapes_are_normal_skewed_and_bimodal_with_unit_variance():
    series, truth = simulate_series("sim", 600, 2000, 2, seed=2)
    free = (truth["effect"] == 0).to_numpy()
    shape = truth["shape"].to_numpy()
    values = series.values - series.values.mean(axis=1, keepdims=True)
    values /= values.std(axis=1, keepdims=True)
    kinds = {name: free & (shape == name) for name in set(shape)}
    skew = {name: np.median(stats.skew(values[rows], axis=1)) for name, rows in kinds.items()}
    kurtosis = {n: np.median(stats.kurtosis(values[rows], axis=1)) for n, rows in kinds.items()}
    assert abs(skew["normal"]) < 0.05
    assert abs(kurtosis["normal"]) < 0.15
    # a log-normal with sigma 0.4: (e^.16 + 2) sqrt(e^.16 - 1) = 1.32; samples show less
    assert 1.0 < skew["skewed"] < 1.4
    assert -1.4 < skew["left-skewed"] < -1.0
    # the cube root of a normal: kurtosis E|z|^(4/3) / (E|z|^(2/3))^2 - 3 = -1.71
    assert kurtosis["bimodal"] < -1.3


def test_the_truth_of_a_row_of_the_sheet_is_that_of_its_series(tmp_path):
    dataset = SheetRow("sim", "simulate", samples=12, features=70, classes=2, options={"seed": "3"})
    series = load(dataset)
    write_truth(dataset, tmp_path / "truth.parquet")
    truth = pd.read_parquet(tmp_path / "truth.parquet")
    assert list(truth["feature"]) == list(series.features)
    pd.testing.assert_frame_equal(truth, simulate_truth(70, 2, 3))
