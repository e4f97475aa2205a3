"""Documents on the papers have the numbers of kept tables, and these are those of the studies."""

import importlib
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("xnbflow.papers.cica", reason="the documents are on this paper")
pytest.importorskip("xnbflow.papers.separation", reason="the documents are on this paper")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def benchmark():
    """The module of the benchmark, which is no part of the package."""
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("benchmarks.bench_papers")
    finally:
        sys.path.remove(str(ROOT))


def test_every_page_has_the_blocks_of_the_kept_tables(benchmark):
    absent = [text for text, page in benchmark.pages() if text not in page.read_text("utf-8")]
    assert absent == []


def test_a_number_has_no_zero_before_its_point(benchmark):
    numbers = [(0.1537, 3), (-0.02, 2), (1.5, 1), (10.04, 1), (0.0, 2), (-0.996, 2)]
    texts = [benchmark.decimals(value, digits) for value, digits in numbers]
    assert texts == [".154", "-.02", "1.5", "10.0", ".00", "-1.00"]


def test_cells_are_those_of_the_rows(benchmark, monkeypatch):
    """The sentence counts the share of CICA's gain that whitening has without a target."""
    errors = {"no transformation": 0.8, "whitening": 0.3, "symmetric whitening": 0.25}
    errors |= {"FastICA": 0.2, "CICA, paper's width": 0.2, "CICA, chosen width": 0.1}
    rows = []
    for method, error in ({**errors, "true sources": 0.15}).items():
        for samples, measure in (
            (20, "recovery error"),
            (20, "mean square error, paper's width"),
            (200, "mean square error, paper's width"),
        ):
            row = {
                "setting": "as in the paper",
                "samples": samples,
                "method": method,
                "measure": measure,
            }
            rows.append(row | {"lower": error / 2, "median": error, "upper": 2 * error})
    monkeypatch.setattr(benchmark, "kept", lambda *_: pd.DataFrame(rows))
    lines = benchmark.map_lines()
    assert lines[2] == (
        "| no transformation | .80 (.40 to 1.60) | .800 (.400 to 1.600) | .800 (.400 to 1.600) |"
    )
    assert "whitening .500 (83%) and symmetric whitening .550 (92%)" in lines[-1]


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["separation", "cica", "effects"])
def test_the_kept_tables_are_those_of_the_shipped_studies(benchmark, name):
    """Some minutes; Spambase is in the folder of real data."""
    series = benchmark.series_of(name)
    if series is None:
        pytest.skip(f"the data of {name} are absent")
    for table, frame in benchmark.analysed(name, series).items():
        kept = benchmark.kept(name, table)
        keys = [column for column in kept if not re.fullmatch("float.*", str(kept[column].dtype))]
        assert kept[keys].astype(str).equals(frame[keys].astype(str).reset_index(drop=True))
        others = [column for column in kept if column not in keys]
        pd.testing.assert_frame_equal(
            kept[others], frame[others].astype(float).reset_index(drop=True), rtol=1e-4, atol=1e-6
        )
