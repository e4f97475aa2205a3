"""Strata of several columns: sizes, ties, and the balancing score of several numbers."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from xnbflow.inference.strata import _discriminant, crossed_strata, numeric_strata


@pytest.mark.parametrize(
    ("n_samples", "n_strata"), [(3, 1), (5, 1), (6, 2), (8, 2), (9, 2), (11, 3), (40, 10)]
)
def test_a_stratum_of_numbers_has_about_four_samples(n_samples, n_strata):
    strata = numeric_strata(np.arange(float(n_samples)))
    assert strata.max() + 1 == n_strata
    assert (np.diff(strata) >= 0).all()


def test_equal_numbers_share_a_stratum():
    assert len(set(numeric_strata(np.repeat(5.0, 12)))) == 1
    halves = numeric_strata(np.repeat([1.0, 2.0], 8))
    assert halves[:8].tolist() == [0] * 8
    assert len(set(halves[8:])) == 1


def test_numbers_are_divided_within_each_combination_of_categories():
    plates = np.repeat([0, 1], 8)
    numbers = np.concatenate([np.arange(8.0), 100 + np.arange(8.0)])
    strata = crossed_strata(np.tile([True, False], 8), [plates], [numbers])
    assert strata.tolist() == np.repeat([0, 1, 2, 3], 4).tolist()


def test_several_numbers_are_combined_to_the_linear_discriminant(rng):
    is_first = np.repeat([True, False], 20)
    numbers = [rng.normal(size=40) + is_first, 100 * rng.normal(size=40)]
    score = _discriminant(is_first, numbers)
    fitted = LinearDiscriminantAnalysis().fit(np.column_stack(numbers), is_first)
    expected = fitted.decision_function(np.column_stack(numbers))
    assert np.corrcoef(score, expected)[0, 1] == pytest.approx(1.0)
    strata = crossed_strata(is_first, [], numbers)
    assert (strata == numeric_strata(score)).all()
    assert (crossed_strata(is_first, [], numbers[:1]) == numeric_strata(numbers[0])).all()
