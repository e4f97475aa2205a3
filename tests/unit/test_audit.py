"""A short audit: what `python -m benchmarks audit` measures with more studies and classifiers."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def audit(monkeypatch):
    monkeypatch.setenv("XNBFLOW_AUDIT_STUDIES", "60")
    monkeypatch.setenv("XNBFLOW_AUDIT_JOBS", "1")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    yield importlib.import_module("bench_audit")
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == BENCHMARKS:
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("design", ["20 patients x 3", "20 pairs", "32 and 8 samples"])
def test_null_studies_are_seldom_supported(audit, monkeypatch, design):
    """With patients counted as samples a quarter of them would be."""
    verdicts = importlib.import_module("bench_verdicts")
    monkeypatch.setattr(verdicts, "STUDIES", 60)
    cell = verdicts.cell_of(design, "nb", 0.0)
    assert cell["supported"] * 60 <= binom.ppf(0.999, 60, 0.025)
    assert min(cell["balanced_accuracy"], cell["accuracy"]) * 60 >= binom.ppf(0.001, 60, 0.95)


@pytest.mark.slow
def test_second_cohorts_are_judged_as_the_targets_demand(audit, monkeypatch):
    monkeypatch.setattr(audit, "STUDIES", 30)
    cells = {cell["cell"]: cell for cell in audit.cohorts()}
    assert cells["no shift: held"]["value"] >= 0.9
    assert cells["prevalence shift: not refused"]["value"] >= 0.9
    assert cells["labels exchanged: said so"]["value"] >= 0.9
    n = cells["no signal: held, also in part"]["studies"]
    assert cells["no signal: held, also in part"]["value"] * n <= binom.ppf(0.999, n, 0.025)


@pytest.mark.slow
def test_agreement_of_halves_is_that_of_independent_samples(audit):
    design = audit.Design(80, effect=1.0, genes=500)
    found = np.array(audit.each(audit.agreements, design, "csnb", n=15))
    error = np.hypot(*found[:, :2].std(axis=0, ddof=1)) / np.sqrt(len(found))
    assert found[:, 1].mean() == pytest.approx(found[:, 0].mean(), abs=3 * error)
