"""Verdicts on null studies: what `python -m benchmarks.verdicts` measures with more of them."""

import importlib
import sys
from pathlib import Path

import pytest
from scipy.stats import binom

ROOT = Path(__file__).parents[3]
#: Simulated studies of each design.
STUDIES = 40


@pytest.fixture(scope="module")
def verdicts():
    """The program, which is no part of the package."""
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("benchmarks.verdicts")
    finally:
        sys.path.remove(str(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("design", ["20 patients x 3", "20 pairs", "32 and 8 samples"])
def test_null_studies_are_seldom_supported(verdicts, design):
    """With patients counted as samples a quarter of them would be."""
    settings = verdicts.Settings(
        studies=STUDIES,
        names=(design,),
        classifier="gaussian_nb",
        test_size=verdicts.LabelTestSize(permutations=99),
        jobs=1,
        null=True,
    )
    [row] = verdicts.measure_designs(settings)
    assert row["studies"] == STUDIES
    assert row["supported"] * STUDIES <= binom.ppf(0.999, STUDIES, 0.025)
    coverage = min(row["balanced accuracy held"], row["accuracy held"])
    assert coverage * STUDIES >= binom.ppf(0.001, STUDIES, 0.95)
