"""Boundaries of verdicts: p at its level, and what is near a limit."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from xnbflow.diagnostics.false_discovery import benjamini_hochberg, holm
from xnbflow.inference.estimates import performance
from xnbflow.inference.verdicts import near_limit, unequal_libraries, verdict, verdicts

CODES = np.repeat([0, 1], 20)
PERFECT = performance(CODES, np.eye(2)[CODES])


@pytest.mark.parametrize(
    ("p", "level"),
    [(0.025, "well supported"), (0.0251, "not supported"), (np.nan, "well supported")],
)
def test_p_at_its_level_supports_a_result(p, level):
    assert verdict(PERFECT, p).level == level


@pytest.mark.parametrize(
    ("p", "near"), [(0.0125, True), (0.05, True), (0.0124, False), (0.0501, False), (np.nan, False)]
)
def test_p_within_twice_its_level_is_near_it(p, near):
    assert near_limit(PERFECT, p) == ["permutation test"] * near


def test_a_lower_limit_within_two_points_of_chance_is_near_it():
    for n_wrong in range(20):
        codes = np.repeat([0, 1], 40)
        wrong = np.arange(80) % 40 < n_wrong
        found = performance(codes, np.eye(2)[np.where(wrong, 1 - codes, codes)])
        near = abs(found.balanced_accuracy.lower - 0.5) <= 0.02
        assert near_limit(found, 0.001) == ["chance interval"] * near


def test_missing_p_are_no_tests():
    """Two of four are missing: .01 and .04 are adjusted for two tests."""
    p = np.array([0.01, np.nan, 0.04, np.nan])
    assert benjamini_hochberg(p)[[0, 2]].tolist() == [0.02, 0.04]
    assert holm(p)[[0, 2]].tolist() == [0.02, 0.04]


def test_unequal_libraries_of_raw_counts_limit_a_verdict():
    audit = pd.DataFrame(
        [
            ["raw", "library size", "warning"],
            ["tmm", "library size", "warning"],
            ["less", "library size", "notice"],
            ["shift", "global shift", "warning"],
        ],
        columns=["dataset", "check", "severity"],
    )
    scales = {"raw": "", "tmm": "counts", "less": "", "shift": ""}
    headers = {name: SimpleNamespace(scale=scale) for name, scale in scales.items()}
    assert unequal_libraries(audit, headers) == {"raw"}
    limited = verdict(PERFECT, 0.001, library_size=True)
    assert (limited.level, limited.reasons) == ("partly supported", ["library size"])
    assert verdict(PERFECT, 0.1, library_size=True).level == "not supported"
    performances = {(name, "5-fold", "nb"): PERFECT for name in scales}
    stability = pd.DataFrame(columns=["dataset", "folds", "classifier", "class", "halves"])
    tests = pd.DataFrame(columns=["dataset", "classifier", "p_value", "permuted"])
    table = verdicts(performances, stability, tests, {}, unequal={"raw"}).set_index("dataset")
    assert table["reasons"].to_dict() == dict.fromkeys(scales, "") | {"raw": "library size"}
