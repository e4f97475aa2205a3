"""Paired tests: every choice of signs, SciPy, closed forms and the directional paper's cases."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from xnbflow.evaluation.paired_tests import (
    bayesian_signed_rank_test,
    corrected_resampled_t_test,
    sorted_runs_test,
    wilcoxon_signed_rank_test,
)

ALTERNATIVES = ["two-sided", "less", "greater"]


def p_value_over_all_signs(differences, alternative):
    differences = differences[differences != 0]
    ranks = stats.rankdata(np.abs(differences))
    sums = np.array([ranks @ signs for signs in itertools.product([0, 1], repeat=len(ranks))])
    observed = ranks[differences > 0].sum()
    less, greater = np.mean(sums <= observed), np.mean(sums >= observed)
    both = min(1, 2 * min(less, greater))
    return {"less": less, "greater": greater, "two-sided": both}[alternative]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(ALTERNATIVES))
def test_wilcoxon_is_exact_with_ties_and_zeros(differences, alternative):
    differences = np.array(differences, dtype=float)
    ours = wilcoxon_signed_rank_test(differences, np.zeros_like(differences), alternative)
    assert ours.p_value == pytest.approx(p_value_over_all_signs(differences, alternative))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_of_forty_pairs_equals_scipy_s(alternative):
    first, second = np.random.default_rng(1).normal([[0.3], [0.0]], size=(2, 40))
    ours = wilcoxon_signed_rank_test(first, second, alternative)
    theirs = stats.wilcoxon(first, second, alternative=alternative, method="exact")
    assert ours.p_value == pytest.approx(theirs.pvalue)


def test_equal_classifiers_have_p_value_one():
    # Table 5 of the directional paper: SelvMNB and SelGNB are the same classifier on Covertype
    scores = np.random.default_rng(0).uniform(size=(10, 10))
    assert sorted_runs_test(scores, scores, "greater") == (0.0, 1.0, 0)
    assert corrected_resampled_t_test(scores, scores, 1 / 9) == (0.0, 1.0, 0.0, 0.0, 0.0)


def test_sorted_runs_average_the_order_statistics_of_differences(rng):
    first, second = rng.uniform(size=(2, 10, 10))
    pairs = np.zeros(10)
    for run in range(10):
        pairs += sorted(first[run] - second[run])
    theirs = stats.wilcoxon(pairs / 10, alternative="less", method="exact")
    assert sorted_runs_test(first, second, "less").p_value == pytest.approx(theirs.pvalue)


def test_averages_that_only_floating_point_tells_apart_are_tied():
    differences = np.array([[-0.1, 0.3], [-0.2, 0.2], [-0.3, 0.1]])  # means -0.2 and 0.2
    assert sorted_runs_test(differences, np.zeros((3, 2))).statistic == 1.5


def test_corrected_t_test_is_student_s_with_a_larger_variance():
    first, second = np.random.default_rng(6).normal([[0.2], [0.0]], size=(2, 100))
    plain = stats.ttest_rel(first, second)
    interval = plain.confidence_interval(0.9)
    uncorrected = corrected_resampled_t_test(first, second, 0.0, confidence=0.9)
    np.testing.assert_allclose(uncorrected[:2], (plain.statistic, plain.pvalue))
    np.testing.assert_allclose(uncorrected[3:], (interval.low, interval.high))
    # 10 x 10-fold: the variance grows from 1/100 to 1/100 + 1/9 of the differences'
    corrected = corrected_resampled_t_test(first, second, 1 / 9)
    assert corrected.statistic == pytest.approx(plain.statistic * np.sqrt(0.01 / (0.01 + 1 / 9)))
    assert corrected.mean == pytest.approx(np.mean(first - second))


def test_constant_differences_are_infinitely_significant():
    test = corrected_resampled_t_test([0.3, 0.4, 0.5], [0.2, 0.3, 0.4], 1 / 2)
    assert test.statistic == np.inf
    assert test.p_value == 1 / 4  # three folds of one sign, two-sided
    assert test.lower == test.upper == pytest.approx(0.1)
    assert corrected_resampled_t_test([0.4, 0.5], [0.5, 0.6], 1).statistic == -np.inf


@pytest.mark.parametrize(
    ("rope", "first_better"),
    # One difference of 1, and the prior's 0 with weight w ~ Beta(1/2, 1), whose distribution is
    # sqrt(w). Narrow region: theta = (1 - w², w², 0), first is better if w < sqrt(1/2).
    # Region between 1/2 and 1: theta = ((1 - w)², rest, 0), first is better if w < 1 - sqrt(1/2).
    [(0.1, 0.5**0.25), (0.7, np.sqrt(1 - np.sqrt(0.5)))],
)
def test_bayesian_test_of_one_difference_has_its_closed_form(rope, first_better):
    posterior = bayesian_signed_rank_test([1.0], [0.0], rope)
    assert posterior.first_better == pytest.approx(first_better, abs=4 * 0.5 / np.sqrt(50_000))
    assert posterior.second_better == 0
    assert sum(posterior) == pytest.approx(1)


def test_bayesian_test_follows_its_definition_draw_by_draw(rng):
    first, second = rng.normal(0.02, 0.05, size=12), rng.normal(0, 0.05, size=12)
    z = np.array([0.0, *(first - second)])
    wins = np.zeros(3)
    for weights in rng.dirichlet([0.5, *np.ones(12)], size=3000):
        theta = np.zeros(3)
        for i, j in itertools.product(range(13), repeat=2):
            mean = (z[i] + z[j]) / 2
            theta[0 if mean > 0.01 else 2 if mean < -0.01 else 1] += weights[i] * weights[j]
        wins[np.argmax(theta)] += 1
    posterior = bayesian_signed_rank_test(first, second, 0.01)
    np.testing.assert_allclose(posterior, wins / 3000, atol=4 * 0.5 / np.sqrt(3000))


def test_a_difference_on_the_region_s_edge_is_equivalent():
    assert bayesian_signed_rank_test([0.83, 0.92], [0.82, 0.91], 0.01).equivalent == 1
    assert bayesian_signed_rank_test([0.5, 0.6], [0.5, 0.6], 0.0).equivalent == 1
    # the mean of 0.1 and 0.2 is 0.15, although floats add them up to more than 0.3
    on_edge = bayesian_signed_rank_test([0.1, 0.2], [0.0, 0.0], 0.15)
    assert on_edge == bayesian_signed_rank_test([0.1, 0.2], [0.0, 0.0], 0.15 + 1e-9)


def test_ten_folds_all_better_have_the_smallest_p_value_of_table_5():
    scores = np.random.default_rng(0).uniform(size=(10, 10))
    test = sorted_runs_test(scores + 0.01 * (1 + scores), scores, "greater")
    assert test.p_value == 1 / 1024
    assert round(test.p_value, 4) == 0.0010
