"""Difference in scale between a table to predict and the training data."""

import numpy as np
import pytest

from xnbflow.models.prediction_notes import _scale_note

#: Medians 1 to 9, each with a quartile range of 1.
MEDIANS = np.arange(1.0, 10.0)
QUARTILES = np.stack([MEDIANS - 0.5, MEDIANS, MEDIANS + 0.5])


@pytest.mark.parametrize(
    ("factor", "noted"), [(0.6, True), (0.7, False), (1.4, False), (1.6, True)]
)
def test_factors_beyond_two_thirds_and_three_halves_are_noted(factor, noted):
    values = np.tile(5.0 + factor * (MEDIANS - 5.0), (4, 1))
    note = _scale_note(QUARTILES, values)
    assert (note is not None and "times those" in note) == noted


@pytest.mark.parametrize(
    ("n_samples", "shift", "noted"),
    [(4, 0.9, False), (4, 1.1, True), (1, 1.9, False), (1, 2.1, True)],
)
def test_shifts_of_one_quartile_range_are_noted_and_two_of_a_single_sample(n_samples, shift, noted):
    note = _scale_note(QUARTILES, np.tile(MEDIANS + shift, (n_samples, 1)))
    assert (note is not None and "quartile ranges off" in note) == noted


def test_two_features_do_not_determine_a_factor():
    # two of nine medians are far from the others, and doubled; three determine a factor
    middle = np.array([0.1] * 7 + [9.0, 9.0])
    quartiles = np.stack([middle - 0.5, middle, middle + 0.5])
    values = np.tile(np.where(middle > 1, 2 * middle, middle), (4, 1))
    assert _scale_note(quartiles, values) is None
    middle[0] = 9.0
    quartiles = np.stack([middle - 0.5, middle, middle + 0.5])
    values = np.tile(np.where(middle > 1, 2 * middle, middle), (4, 1))
    assert "about 2.0 times" in _scale_note(quartiles, values)
