"""Tests on average ranks and their adjustments: worked examples, SciPy, brute force."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from xnbflow.inference import rank_tests

TABLE_4 = Path(__file__).parents[2] / "resources" / "paper" / "directional_table4.tsv"

#: Demšar (2006), Table 6: ranks of four variants of C4.5 on fourteen data sets.
DEMSAR_RANKS = pd.read_csv(Path(__file__).with_name("demsar_table6.tsv"), sep="\t", dtype=float)


def by_pair(table, column):
    names = zip(table["first"], table["second"], strict=True)
    return {frozenset(pair): p for pair, p in zip(names, table[column], strict=True)}


@pytest.mark.parametrize("procedure", ["nemenyi", "holm", "shaffer", "bergmann_hommel"])
def test_table_4_of_the_directional_paper_is_reproduced(procedure):
    ranks = {"SelvMNB": 2.125, "dNB": 2.375, "SelGNB": 2.8125, "vMNB": 3.3125, "GNB": 4.375}
    ours = by_pair(rank_tests.pairwise_rank_tests(ranks, 8), procedure)
    published = by_pair(pd.read_csv(TABLE_4, sep="\t", comment="#"), procedure)
    assert len(published) == 10
    assert {pair: round(p, 4) for pair, p in ours.items()} == published


def test_demsar_s_example_average_ranks_and_omnibus_tests():
    ranks = rank_tests.average_ranks(-DEMSAR_RANKS)
    printed = {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}
    assert list(ranks.index) == list(printed)
    assert ranks.round(3).to_dict() == printed
    friedman = rank_tests.friedman_test(-DEMSAR_RANKS, tie_correction=False)
    assert round(friedman.statistic, 2) == 9.28
    assert friedman.degrees_of_freedom == (3,)
    iman_davenport = rank_tests.iman_davenport_test(-DEMSAR_RANKS, tie_correction=False)
    assert round(iman_davenport.statistic, 2) == 3.69
    assert iman_davenport.degrees_of_freedom == (3, 39)
    assert stats.f.isf(0.05, 3, 39) == pytest.approx(2.85, abs=0.005)  # the critical value printed
    assert iman_davenport.p_value < 0.05


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
    "row",
    [
        *([1, 2], [1, 2, 3], [1, 1, 2], [1, 2, 2]),
        *([1, 2, 3, 4], [1, 1, 2, 3], [1, 1, 2, 2], [3, 3, 3, 1]),
    ],
    ids=str,
)
def test_of_perfect_agreement_the_p_value_is_exact_with_ties_too(row):
    # the first row stands as it is, every order of the second is as probable
    tables = [pd.DataFrame([row, other]) for other in itertools.permutations(row)]
    reached = np.mean(
        [np.isinf(rank_tests.iman_davenport_test(table).statistic) for table in tables]
    )
    for n in (2, 3):
        agreement = rank_tests.iman_davenport_test(pd.DataFrame([row] * n))
        assert np.isinf(agreement.statistic)
        assert agreement.p_value == pytest.approx(reached ** (n - 1), rel=1e-12)


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


@st.composite
def pairwise_p_values(draw, largest=5):
    k = draw(st.integers(2, largest))
    n_pairs = k * (k - 1) // 2
    grid = st.integers(0, 40).map(lambda x: x / 40)  # coarse, so that ties occur
    return k, np.array(draw(st.lists(grid, min_size=n_pairs, max_size=n_pairs)))


def exhaustive_sets(k):
    """All sets of pairs that hold every consequence of their transitivity, by trying every set."""
    pairs = list(itertools.combinations(range(k), 2))
    for chosen in itertools.product([False, True], repeat=len(pairs)):
        group = list(range(k))
        for (i, j), equal in zip(pairs, chosen, strict=True):
            if equal:
                group = [group[i] if g == group[j] else g for g in group]
        if chosen == tuple(group[i] == group[j] for i, j in pairs):
            yield np.flatnonzero(chosen)


def monotone(p, adjusted):
    return np.array([min(1, max(adjusted[p <= own])) for own in p])


def holm_or_shaffer(p, largest_true):
    """Step-down as the papers tell it: sort, multiply, never fall."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    for rank, index in enumerate(order):
        adjusted[index] = p[index] * largest_true(len(p) - rank)
    return monotone(p, adjusted)


@settings(deadline=None, max_examples=60)
@given(pairwise_p_values())
@example((4, np.array([0.175, 0.15, 0.15, 0.1, 0.2, 0.05])))  # ties of unequal bounds
def test_procedures_follow_their_definitions_over_all_sets_of_hypotheses(case):
    k, p = case
    sets = list(exhaustive_sets(k))
    sizes = {len(chosen) for chosen in sets}
    bergmann_hommel = np.array(
        [max(len(s) * p[s].min() for s in sets if pair in s) for pair in range(len(p))]
    )
    adjusted = rank_tests.adjust_pairwise(p, k)
    np.testing.assert_allclose(adjusted["bergmann_hommel"], monotone(p, bergmann_hommel))
    np.testing.assert_allclose(
        adjusted["shaffer"],
        holm_or_shaffer(p, lambda most: max(size for size in sizes if size <= most)),
    )
    np.testing.assert_allclose(adjusted["holm"], holm_or_shaffer(p, lambda most: most))
    np.testing.assert_allclose(adjusted["nemenyi"], np.minimum(1, len(p) * p))


def test_too_many_classifiers_leave_out_bergmann_hommel_with_a_warning():
    k = rank_tests.MOST_CLASSIFIERS_EXHAUSTIVE + 1
    with pytest.warns(UserWarning, match=f"every partition of {k} classifiers"):
        adjusted = rank_tests.adjust_pairwise(np.full(k * (k - 1) // 2, 0.01), k)
    assert adjusted["bergmann_hommel"].isna().all()
    assert adjusted["shaffer"].notna().all()
