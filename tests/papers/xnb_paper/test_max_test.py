"""The test of several alternatives over data sets: exact, corrected, and right on average."""

import itertools

import numpy as np
import pytest
from scipy import stats

from xnbflow.papers.xnb_paper.max_test import _DRAWS, _MOST_EXACT, _t_statistics, sign_flip_max_test


def test_one_alternative_is_scipys_test_of_exchanged_signs(rng):
    differences = rng.normal(0.5, 1, 9)
    expected = stats.permutation_test(
        (differences,),
        lambda x, axis: np.abs(stats.ttest_1samp(x, 0, axis=axis).statistic),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert sign_flip_max_test(differences[None]).item() == pytest.approx(expected.pvalue)


def test_the_greatest_statistic_over_alternatives_corrects(rng):
    differences = rng.normal(0.4, 1, (3, 6))
    observed = np.abs(stats.ttest_1samp(differences, 0, axis=1).statistic)
    reached = np.zeros(3)
    for signs in itertools.product([1, -1], repeat=6):
        flipped = np.abs(stats.ttest_1samp(differences * signs, 0, axis=1).statistic)
        reached += flipped.max() >= observed - 1e-9
    np.testing.assert_allclose(sign_flip_max_test(differences), reached / 64)


def test_a_copy_of_an_alternative_costs_nothing(rng):
    differences = rng.normal(0.4, 1, (2, 8))
    repeated = sign_flip_max_test(np.vstack([differences, differences]))
    np.testing.assert_array_equal(repeated, np.tile(sign_flip_max_test(differences), 2))


def test_the_smallest_p_is_of_two_exchanges():
    differences = np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [0.0] * 5, [0.1] * 5])
    assert sign_flip_max_test(differences).tolist() == [2 / 32, 1.0, 2 / 32]


def test_the_statistic_is_students():
    rows = np.array([[0.1, 0.3, -0.2], [0.2, 0.2, 0.2], [-0.2] * 3, [0.0] * 3])
    expected = stats.ttest_1samp(rows[0], 0).statistic
    assert _t_statistics(rows).tolist() == [pytest.approx(expected), np.inf, -np.inf, 0.0]


def test_with_many_data_sets_signs_are_drawn(rng):
    few = rng.normal(0.7, 1, (2, _MOST_EXACT))
    many = rng.normal(0.45, 1, (2, _MOST_EXACT + 1))
    assert (sign_flip_max_test(few) * 2**_MOST_EXACT % 1 == 0).all()
    drawn = sign_flip_max_test(many)
    np.testing.assert_allclose(drawn * (_DRAWS + 1) % 1, 0, atol=1e-6)
    student = stats.ttest_1samp(many[0], 0).pvalue
    assert student * 0.8 < drawn[0] < 2.2 * student + 0.01
    assert drawn.min() > 0


def test_equals_are_told_apart_in_one_of_twenty_cases():
    rng = np.random.default_rng(0)
    false = [sign_flip_max_test(rng.normal(size=(5, 8))).min() <= 0.05 for _ in range(300)]
    assert 0.02 < np.mean(false) < 0.09
