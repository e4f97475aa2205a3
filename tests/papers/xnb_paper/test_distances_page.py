"""The numbers of docs/methods/xnb.md are those of a table, which `python -m benchmarks` writes."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def benchmark():
    """The module of the benchmark, which is no part of the package."""
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("benchmarks.bench_distances")
    finally:
        sys.path.remove(str(ROOT))


def test_the_page_has_the_numbers_of_the_table(benchmark):
    [(text, page)] = benchmark.pages()
    assert text in page.read_text(encoding="utf-8")


def test_the_table_has_both_kinds_of_series(benchmark):
    table = pd.read_csv(benchmark.TABLE, sep="\t")
    counts = table.groupby("series")["datasets"].max()
    assert counts.to_dict() == {"shipped": 10, "development": 17}
    assert len(table) == 2 * 60


def test_the_block_marks_significant_differences(benchmark):
    row = {"series": "shipped", "part": "distance", "alternative": "jensen_shannon"}
    rows = [
        row | {"n_features": 1, "difference": 0.0123, "p": 0.04, "published_accuracy": 0.7},
        row | {"n_features": 0, "difference": -0.1, "p": 0.5, "published_accuracy": 0.8},
    ]
    lines = benchmark.block(pd.DataFrame(rows).assign(datasets=10)).splitlines()
    assert lines[1] == "10 series, the study as shipped; 1 of 2 comparisons are significant:"
    assert lines[3] == "| | 1 per pair | at the threshold |"
    assert lines[5] == "| accuracy of the paper's choice | 0.700 | 0.800 |"
    assert lines[6] == "| distance: jensen shannon | **+0.012 (0.04)** | -0.100 (0.5) |"


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:data set digits")
def test_the_table_is_that_of_the_shipped_study(benchmark):
    """The study needs neither files nor a network; two minutes."""
    settings = benchmark.default_configuration(ROOT)["studies"]["xnb-distances"]["analyses"]
    settings = settings["distances"]
    series = benchmark.shipped_series(settings["datasets"])
    ours = benchmark.analyse(series, settings["params"], 1)["differences"]
    table = pd.read_csv(benchmark.TABLE, sep="\t").query("series == 'shipped'")
    keys = ["part", "alternative", "n_features"]
    np.testing.assert_array_equal(table[keys].astype(str), ours[keys].astype(str))
    for column in ("published_accuracy", "difference", "p"):
        np.testing.assert_allclose(table[column], ours[column], rtol=1e-4, atol=1e-6)
