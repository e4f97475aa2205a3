"""The transforms of values, number by number."""

import numpy as np
import pytest
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.data.note import Note
from xnbflow.sources.series.intensities import keep_counts, transform
from xnbflow.sources.series.scales import RecognisedScale, ScaleOfValues, Transform

SAMPLES = np.array(["s0", "s1", "s2", "s3"])


def transformed(values, how, kind, reason=""):
    """Transform values in place; return the notes."""
    recognised = ScaleOfValues(kind=kind, reason=Note(reason))
    return transform("x", values, how, recognised=recognised, samples=SAMPLES)


def test_logarithms_to_base_2_are_taken_of_positive_values():
    values = np.array([[1.0, 8.0], [0.0, -2.0]])
    notes = transformed(values, Transform.LOG2, RecognisedScale.NOT_LOGGED)
    np.testing.assert_array_equal(values, [[0, 3], [np.nan, np.nan]])
    assert notes[-1] == "2 values of 0 or below became missing: no logarithm exists"


def test_one_is_added_before_the_logarithm_by_log2p1():
    values = np.array([[0.0, 1.0, 7.0]])
    notes = transformed(values, Transform.LOG2P1, RecognisedScale.TPM)
    assert values.tolist() == [[0, 1, 3]]
    assert notes == ["logarithms to base 2 were taken of x + 1"]
    with refused(r"log2p1 of -0\.5 .sample 's0'.; values must not be negative"):
        transformed(np.array([[-0.5]]), Transform.LOG2P1, RecognisedScale.TPM)


def test_values_that_look_logged_or_mixed_are_noted():
    logged = transformed(
        np.array([[2.0, 9.0]]), Transform.LOG2, RecognisedScale.LOGARITHMS, "values from 2 to 9"
    )
    assert (
        logged[1]
        == "the values look logged already (values from 2 to 9); is transform: log2 meant?"
    )
    mixed = transformed(
        np.array([[2.0]]), Transform.LOG2, RecognisedScale.MIXED, reason="two scales"
    )
    assert mixed[1] == "two scales"


def test_counts_per_million_are_of_the_sample():
    values = np.array([[1.0, 30.0], [3.0, 10.0]])
    notes = transformed(values, Transform.LOG_CPM, RecognisedScale.NOT_LOGGED)
    expected = np.log1p([[250_000, 750_000], [750_000, 250_000]])
    np.testing.assert_allclose(values, expected, rtol=1e-15)
    assert "the values do not look like counts of reads" in notes[1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1.0, -1.0], [3.0, 4.0]], r"of -1 \(sample 's1'\); counts must not"),
        ([[1.0, 0.0], [3.0, 0.0]], "'s1' has no counts .* remove its"),
        ([[1.0, np.nan], [3.0, 4.0]], "but 1 count is missing"),
    ],
)
def test_libraries_of_unknown_size_are_refused(values, message):
    with pytest.raises(InputError, match=message) as error:
        transformed(np.array(values), Transform.LOG_CPM, RecognisedScale.COUNTS)
    assert error.value.key == "transform"
    with pytest.raises(InputError, match=message):
        keep_counts("x", np.array(values), np.ones(2, dtype=bool), SAMPLES)


def test_counts_for_tmm_stay_as_they_are_and_fractions_are_noted():
    counts = np.array([[1.0, 2.0], [3.0, 4.0]])
    are_linear = np.ones(2, dtype=bool)
    assert len(keep_counts("x", counts, are_linear, SAMPLES)) == 1
    assert "not all whole numbers" in keep_counts("x", counts + 0.5, are_linear, SAMPLES)[1]
    with refused("1 feature of the table is an angle or a category"):
        keep_counts("x", counts, np.array([True, False]), SAMPLES)
