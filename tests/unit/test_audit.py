"""Verdicts of null studies: what `python -m benchmarks verdicts` measures with more of them."""

import importlib
import sys
from pathlib import Path

import pytest
from scipy.stats import binom

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def verdicts(monkeypatch):
    monkeypatch.setenv("XNBFLOW_AUDIT_STUDIES", "60")
    monkeypatch.setenv("XNBFLOW_AUDIT_JOBS", "1")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    yield importlib.import_module("bench_verdicts")
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == BENCHMARKS:
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("design", ["20 patients x 3", "20 pairs", "32 and 8 samples"])
def test_null_studies_are_seldom_supported(verdicts, design):
    """With patients counted as samples a quarter of them would be."""
    cell = verdicts.cell_of(design, "nb", 0.0)
    assert cell["supported"] * 60 <= binom.ppf(0.999, 60, 0.025)
    assert min(cell["balanced_accuracy"], cell["accuracy"]) * 60 >= binom.ppf(0.001, 60, 0.95)
