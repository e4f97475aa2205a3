"""Another scale is told from the cohort's medians, not from another mix of classes."""

import numpy as np
import pytest

from xnbflow.models.scale import scale_note


@pytest.fixture
def cohorts():
    rng = np.random.default_rng(3)
    level = rng.normal(8.0, 2.0, 300)
    return rng.normal(level, 0.7, (60, 300)), rng.normal(level, 0.7, (20, 300))


def note(training, cohort):
    return scale_note(np.quantile(training, [0.25, 0.5, 0.75], axis=0), cohort)


def test_the_same_source_is_on_the_same_scale(cohorts):
    assert note(*cohorts) is None
    assert note(cohorts[0], cohorts[1][:1]) is None


@pytest.mark.parametrize(
    ("factor", "said"), [(2, "2.0 times"), (0.5, "0.5 times"), (1e4, "1.0e+04")]
)
def test_a_factor_is_named(cohorts, factor, said):
    assert said in note(cohorts[0], factor * cohorts[1])


def test_logarithms_against_intensities(cohorts):
    assert "not on one scale" in note(2 ** cohorts[0], cohorts[1]) or "times" in note(
        2 ** cohorts[0], cohorts[1]
    )


def test_a_shift_is_told(cohorts):
    assert "quartile ranges off" in note(cohorts[0], cohorts[1] + 5)


def test_a_cohort_of_one_class_is_no_other_scale():
    rng = np.random.default_rng(4)
    level = rng.normal(8.0, 2.0, 300)
    markers = np.where(np.arange(300) < 30, 2.0, 0.0)
    training = rng.normal(level, 0.7, (60, 300)) + np.outer(np.repeat([0, 1], 30), markers)
    assert note(training, rng.normal(level, 0.7, (20, 300)) + markers) is None


def test_nothing_is_said_of_no_samples_or_constant_features(cohorts):
    assert note(cohorts[0], cohorts[1][:0]) is None
    assert note(np.ones((9, 4)), 2 * np.ones((9, 4))) is None
