"""Verdicts of null studies: what `python -m benchmarks verdicts` measures with more of them."""

import importlib
import sys
from pathlib import Path

import pytest
from scipy.stats import binom

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
#: Simulated studies of each design.
STUDIES = 60


@pytest.fixture
def bench_verdicts(monkeypatch):
    """Import the benchmark with few studies and one process, and forget its modules afterwards."""
    monkeypatch.setenv("XNBFLOW_AUDIT_STUDIES", str(STUDIES // 5))
    monkeypatch.setenv("XNBFLOW_AUDIT_JOBS", "1")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    _forget_benchmarks()  # another test of this process may have imported them with more studies
    yield importlib.import_module("bench_verdicts")
    _forget_benchmarks()


def _forget_benchmarks():
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").parent == BENCHMARKS:
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("design", ["20 patients x 3", "20 pairs", "32 and 8 samples"])
def test_null_studies_are_seldom_supported(bench_verdicts, design):
    """With patients counted as samples a quarter of them would be."""
    cell = bench_verdicts.cell_of(design, "nb", 0.0)
    assert cell["studies"] == STUDIES
    assert cell["supported"] * STUDIES <= binom.ppf(0.999, STUDIES, 0.025)
    coverage = min(cell["balanced_accuracy"], cell["accuracy"])
    assert coverage * STUDIES >= binom.ppf(0.001, STUDIES, 0.95)
