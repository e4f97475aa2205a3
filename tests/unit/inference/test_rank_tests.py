"""Tests on average ranks and their adjustments: worked examples, SciPy, brute force."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from xnbflow.diagnostics.false_discovery import holm
from xnbflow.inference import rank_tests

#: Demšar (2006), Table 6: ranks of four variants of C4.5 on fourteen data sets.
DEMSAR_RANKS = pd.read_csv(Path(__file__).with_name("demsar_table6.tsv"), sep="\t", dtype=float)


def test_demsar_s_example_of_average_ranks():
    ranks = rank_tests.average_ranks(-DEMSAR_RANKS)
    printed = {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}
    assert list(ranks.index) == list(printed)
    assert ranks.round(3).to_dict() == printed
    # 9.28 as printed ignores ties: the squares of ranks would be 70 instead of 63.5
    squares = ((DEMSAR_RANKS - 2.5) ** 2).to_numpy().sum()
    friedman = rank_tests.friedman_test(-DEMSAR_RANKS)
    assert round(friedman.statistic * squares / 70, 2) == 9.28
    assert friedman.degrees_of_freedom == (3,)
    assert rank_tests.iman_davenport_test(-DEMSAR_RANKS).degrees_of_freedom == (3, 39)


scores = st.integers(3, 6).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=2, max_size=9
    ).map(lambda rows: pd.DataFrame(rows, dtype=float))
)


@settings(deadline=None, max_examples=80)
@given(scores)
def test_friedman_with_ties_equals_scipy_s(table):
    ours = rank_tests.friedman_test(table)
    if (table.nunique(axis=1) == 1).all():
        assert ours[:2] == (0.0, 1.0)  # SciPy divides zero by zero
        return
    theirs = stats.friedmanchisquare(*table.to_numpy().T)
    np.testing.assert_allclose(ours[:2], (theirs.statistic, theirs.pvalue), atol=1e-9)


@settings(deadline=None, max_examples=80)
@given(scores)
def test_iman_davenport_is_the_analysis_of_variance_of_ranks(table):
    ranks = stats.rankdata(table, axis=1)
    n, k = ranks.shape
    between = n * np.sum((ranks.mean(axis=0) - ranks.mean()) ** 2)
    within = np.sum((ranks - ranks.mean()) ** 2) - between  # rows have equal means
    ours = rank_tests.iman_davenport_test(table)
    if within < 1e-9 and between > 0:
        assert np.isinf(ours.statistic)
        arrangements = len(set(itertools.permutations(ranks[0])))
        assert ours.p_value == pytest.approx(arrangements ** (1.0 - n), rel=1e-9)
    elif between == 0:
        assert ours[:2] == (0.0, 1.0)
    else:
        statistic = (between / (k - 1)) / (within / ((k - 1) * (n - 1)))
        assert ours.statistic == pytest.approx(statistic, rel=1e-6, abs=1e-9)
        assert ours.p_value == pytest.approx(stats.f.sf(statistic, k - 1, (k - 1) * (n - 1)))


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_those_of_demsar_s_table_5(alpha, printed):
    k = np.arange(2, 11)
    ours = [rank_tests.critical_difference(n, 1, alpha) / np.sqrt(n * (n + 1) / 6) for n in k]
    np.testing.assert_allclose(ours, printed, atol=0.0012)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=6))
def test_pairs_are_adjusted_step_down_and_never_fall(places):
    ranks = stats.rankdata(places)
    table = rank_tests.pairwise_rank_tests(dict(enumerate(ranks)), 9)
    p = table["p"].to_numpy()  # ascends
    n = len(table)
    steps = np.maximum.accumulate(np.arange(n, 0, -1) * p)  # n, n - 1, ..., 1 hypotheses are left
    np.testing.assert_allclose(table["holm"], np.minimum(1, steps))
    unsorted = np.append(table["holm"][::-1], np.nan)  # a missing one stays missing
    np.testing.assert_array_equal(holm(np.append(p[::-1], np.nan)), unsorted)
    np.testing.assert_allclose(table["nemenyi"], np.minimum(1, n * p))
