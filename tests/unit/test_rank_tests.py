"""Tests on average ranks: the worked examples of Demšar and of García and Herrera, and SciPy."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from xnbflow.data.errors import InputError
from xnbflow.evaluation.comparison import (
    average_ranks,
    friedman_test,
    iman_davenport_test,
    pairwise_rank_tests,
)

TABLE_4 = Path(__file__).parents[2] / "resources" / "paper" / "directional_table4.tsv"

#: Demšar (2006), Table 6: ranks of four variants of C4.5 on fourteen data sets.
DEMSAR_RANKS = pd.DataFrame(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)

#: García and Herrera (2008): average ranks of five classifiers over thirty data sets.
GARCIA_HERRERA = {
    "C4.5": 63 / 30,
    "1-NN": 97.5 / 30,
    "NaiveBayes": 66 / 30,
    "Kernel": 130 / 30,
    "CN2": 93.5 / 30,
}


def by_pair(table, column):
    names = zip(table["first"], table["second"], strict=True)
    return {frozenset(pair): p for pair, p in zip(names, table[column], strict=True)}


@pytest.mark.parametrize("procedure", ["nemenyi", "holm", "shaffer", "bergmann_hommel"])
def test_table_4_of_the_directional_paper_is_reproduced(procedure):
    ranks = {"SelvMNB": 2.125, "dNB": 2.375, "SelGNB": 2.8125, "vMNB": 3.3125, "GNB": 4.375}
    ours = by_pair(pairwise_rank_tests(ranks, 8), procedure)
    published = by_pair(pd.read_csv(TABLE_4, sep="\t", comment="#"), procedure)
    assert len(published) == 10
    assert {pair: round(p, 4) for pair, p in ours.items()} == published


def test_garcia_and_herrera_s_example_as_scmamp_computes_it():
    table = pairwise_rank_tests(GARCIA_HERRERA, 30)
    # scmamp's vignette prints Bergmann-Hommel minus Shaffer for this example, to nine digits
    gain = {
        frozenset(("1-NN", "NaiveBayes")): -0.015926978,
        frozenset(("1-NN", "Kernel")): -0.015926978,
        frozenset(("CN2", "C4.5")): -0.012763008,
        frozenset(("CN2", "NaiveBayes")): -0.035944994,
        frozenset(("CN2", "Kernel")): -0.005760969,
    }
    ours = by_pair(table.assign(gain=table["bergmann_hommel"] - table["shaffer"]), "gain")
    for pair, difference in ours.items():
        assert difference == pytest.approx(gain.get(pair, 0.0), abs=1e-9)
    # the paper prints z = 5.471 and p = 4.487e-8 for C4.5 against the kernel classifier
    assert tuple(table.loc[0, ["first", "second"]]) == ("C4.5", "Kernel")
    assert table.loc[0, "z"] == pytest.approx(5.471, abs=1e-3)
    assert table.loc[0, "p"] == pytest.approx(4.487e-8, rel=1e-3)


def test_demsar_s_example_average_ranks_and_omnibus_tests():
    ranks = average_ranks(-DEMSAR_RANKS)
    printed = {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}
    assert list(ranks.index) == list(printed)
    assert ranks.round(3).to_dict() == printed
    friedman = friedman_test(-DEMSAR_RANKS, tie_correction=False)
    assert round(friedman.statistic, 2) == 9.28
    assert friedman.degrees_of_freedom == (3,)
    iman_davenport = iman_davenport_test(-DEMSAR_RANKS, tie_correction=False)
    assert round(iman_davenport.statistic, 2) == 3.69
    assert iman_davenport.degrees_of_freedom == (3, 39)
    assert stats.f.isf(0.05, 3, 39) == pytest.approx(2.85, abs=0.005)  # the critical value printed
    assert iman_davenport.p_value < 0.05


def test_demsar_s_example_differences_from_c45():
    table = pairwise_rank_tests(average_ranks(-DEMSAR_RANKS), 14).set_index(["first", "second"])
    printed = {"C4.5+m+cf": (2.416, 0.016), "C4.5+m": (2.342, 0.019), "C4.5+cf": (0.512, 0.607)}
    for name, (z, p) in printed.items():
        row = table.loc[(name, "C4.5")]
        assert row["z"] == pytest.approx(z, abs=0.002)
        assert row["p"] == pytest.approx(p, abs=0.002)


scores = st.integers(3, 6).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=2, max_size=9
    ).map(lambda rows: pd.DataFrame(rows, dtype=float))
)


@settings(deadline=None, max_examples=80)
@given(scores)
def test_friedman_with_ties_equals_scipy_s(table):
    ours = friedman_test(table)
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
    ours = iman_davenport_test(table)
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
    reached = np.mean([np.isinf(iman_davenport_test(table).statistic) for table in tables])
    for n in (2, 3):
        agreement = iman_davenport_test(pd.DataFrame([row] * n))
        assert np.isinf(agreement.statistic)
        assert agreement.p_value == pytest.approx(reached ** (n - 1), rel=1e-12)


def test_three_of_four_classifiers_tied_on_two_data_sets_agree_by_chance_in_a_quarter():
    table = pd.DataFrame([[0.9, 0.9, 0.9, 0.7], [0.8, 0.8, 0.8, 0.6]])
    assert iman_davenport_test(table).p_value == pytest.approx(0.25, rel=1e-15)


def test_two_classifiers_give_the_sign_test_s_chi_square():
    table = pd.DataFrame({"a": [2, 2, 2, 2, 1.0], "b": [1, 1, 1, 1, 2.0]})
    assert friedman_test(table).statistic == pytest.approx((4 - 1) ** 2 / 5)  # (wins - losses)² / n
    assert pairwise_rank_tests(average_ranks(table), 5).loc[0, "z"] == pytest.approx(3 / np.sqrt(5))


def test_equal_ranks_are_never_different():
    table = pairwise_rank_tests({"a": 2.0, "b": 2.0, "c": 2.0}, 10)
    assert (table.drop(columns=["first", "second", "z"]) == 1).all(axis=None)


def test_a_missing_score_is_named():
    table = pd.DataFrame({"nb": [0.5, 0.6], "xnb": [0.5, np.nan]}, index=["wine", "digits"])
    with pytest.raises(InputError, match="xnb has no score on digits"):
        average_ranks(table)


def test_numbers_that_are_no_average_ranks_are_refused():
    with pytest.raises(InputError, match=r"add up to 3, these to 1\.7"):
        pairwise_rank_tests({"nb": 0.8, "xnb": 0.9}, 10)


@pytest.mark.parametrize(("ranks", "n_datasets"), [({"nb": 1.0}, 5), ({"nb": 1, "xnb": 2}, 0)])
def test_too_little_to_compare_is_refused(ranks, n_datasets):
    with pytest.raises(InputError, match="ranks of two classifiers on one data set are needed"):
        pairwise_rank_tests(ranks, n_datasets)


def test_omnibus_tests_need_two_data_sets():
    with pytest.raises(InputError, match="at least two"):
        iman_davenport_test(pd.DataFrame({"nb": [0.8], "xnb": [0.9]}))
