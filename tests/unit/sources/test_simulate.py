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
        own = series.labels == gene["class"]
        values = series.values[row]
        sd = values[~own].std()  # purity makes the class itself vary more
        ratios.append((values[own].mean() - values[~own].mean()) / sd / gene["effect"])
    assert np.median(ratios) == pytest.approx(1, abs=0.05)
    assert np.quantile(ratios, 0.1) > 0.7


def test_the_truth_of_a_row_of_the_sheet_is_that_of_its_series(tmp_path):
    dataset = SheetRow("sim", "simulate", samples=12, features=70, classes=2, options={"seed": "3"})
    series = load(dataset)
    write_truth(dataset, tmp_path / "truth.parquet")
    truth = pd.read_parquet(tmp_path / "truth.parquet")
    assert list(truth["feature"]) == list(series.features)
    pd.testing.assert_frame_equal(truth, simulate_truth(70, 2, 3))
