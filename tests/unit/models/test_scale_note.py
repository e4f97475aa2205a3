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
    [(4, 0.9, False), (4, 1.1, True), (3, 1.9, False), (3, 2.1, True), (1, 1.9, False)],
)
def test_shifts_of_one_quartile_range_are_noted_and_two_of_few_samples(n_samples, shift, noted):
    note = _scale_note(QUARTILES, np.tile(MEDIANS + shift, (n_samples, 1)))
    assert (note is not None and "quartile ranges off" in note) == noted


@pytest.mark.parametrize(("n_samples", "noted"), [(1, False), (3, False), (4, True)])
def test_a_few_bright_arrays_are_on_the_scale_of_the_others(n_samples, noted):
    """Intensities of arrays differ by a factor, which is no other scale unless most have it."""
    rng = np.random.default_rng(0)
    levels = rng.lognormal(6, 1.5, 300)
    brightness = rng.lognormal(0, 0.4, (60, 1))
    training = levels * brightness * rng.lognormal(0, 0.3, (60, 300))
    quartiles = np.quantile(training, [0.25, 0.5, 0.75], axis=0)
    assert not any(_scale_note(quartiles, training[i : i + n_samples]) for i in range(57))
    note = _scale_note(quartiles, 3 * training[:n_samples]) or ""
    assert ("times those of the training data" in note) == noted


@pytest.mark.parametrize(("n_doubled", "noted"), [(5, False), (6, True)])
def test_three_quarters_of_the_samples_have_the_factor(n_doubled, noted):
    factors = np.array([2.0] * n_doubled + [1.0] * (8 - n_doubled))[:, None]
    note = _scale_note(QUARTILES, 5.0 + factors * (MEDIANS - 5.0))
    assert (note is not None and "about 2.0 times" in note) == noted


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
