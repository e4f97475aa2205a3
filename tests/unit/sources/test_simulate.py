"""Simulated series: their truth is what the values show, and a seed fixes them."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.simulate import load, simulate_series, simulate_truth, write_truth


def test_regulated_genes_shift_their_class_by_their_effect():
    series, truth = simulate_series("sim", 400, 3000, 3, seed=7)
    assert series.values.shape == (3000, 400)
    strong = truth[truth["effect"].abs() > 2]
    assert set(strong["class"]) == {"class_0", "class_1", "class_2"}
    assert len(strong) > 60
    ratios = []
    for row, gene in strong.iterrows():
        in_class = series.labels == gene["class"]
        values = series.values[row]
        sd = values[~in_class].std()  # purity makes the class itself vary more
        shift = values[in_class].mean() - values[~in_class].mean()
        ratios.append(shift / sd / gene["effect"])
    assert np.median(ratios) == pytest.approx(1, abs=0.05)
    assert np.quantile(ratios, 0.1) > 0.7


def test_the_truth_of_a_row_of_the_sheet_is_that_of_its_series(tmp_path):
    dataset = SheetRow("sim", "simulate", samples=12, features=70, classes=2, options={"seed": "3"})
    series = load(dataset)
    write_truth(dataset, tmp_path / "truth.parquet")
    truth = pd.read_parquet(tmp_path / "truth.parquet")
    assert list(truth["feature"]) == list(series.features)
    pd.testing.assert_frame_equal(truth, simulate_truth(70, 2, 3))


def test_modules_have_forty_genes_of_which_three_quarters_are_regulated():
    truth = simulate_truth(n_features=40_010, n_classes=2, seed=1)
    assert truth["block"].value_counts().sort_index().tolist() == [40] * 1000 + [10]
    modules = truth.groupby("block")["class"]
    assert (modules.nunique() <= 1).all()
    # 1,001 modules, each regulated with probability .75: four standard deviations are .055
    assert modules.count().gt(0).mean() == pytest.approx(0.75, abs=0.055)


@pytest.mark.parametrize(("n_classes", "sizes"), [(2, [20, 10]), (3, [13, 10, 7])])
def test_the_first_class_has_twice_the_samples_of_the_last(n_classes, sizes):
    series, _ = simulate_series("sim", 30, 40, n_classes, seed=1)
    labels = series.labels.tolist()
    assert [labels.count(f"class_{code}") for code in range(n_classes)] == sizes
