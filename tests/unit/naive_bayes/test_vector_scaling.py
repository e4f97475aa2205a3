"""Slopes and intercepts have the least penalised log loss, against another optimiser."""

import numpy as np
import pytest
from calibration_cases import by_another_optimiser, overconfident

from xnbflow.naive_bayes.evidence_calibration import fit_temperature
from xnbflow.naive_bayes.vector_scaling import fit_vector

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


@pytest.mark.parametrize("by", [(6.0, 2.0, 1.0), (0.3, 0.5, 0.2), (40.0, 1.0, 40.0)])
def test_slopes_and_intercepts_have_the_least_penalised_log_loss(rng, by):
    sums, log_prior, codes = overconfident(rng, by=by)
    fitted = fit_vector(sums, log_prior, codes)
    assert fitted.temperature == fit_temperature(sums, log_prior, codes).temperature
    slope, intercept = by_another_optimiser(sums, log_prior, codes, fitted.temperature)
    np.testing.assert_allclose(fitted.slope, slope, atol=2e-5)
    np.testing.assert_allclose(fitted.intercept, intercept, atol=2e-4)


def test_weights_are_as_many_samples(rng):
    sums, log_prior, codes = overconfident(rng, n=60)
    times = rng.integers(4, size=60)
    again = np.repeat(np.arange(60), times)
    weighted = fit_vector(sums, log_prior, codes, times.astype(float))
    repeated = fit_vector(sums[again], log_prior[again], codes[again])
    np.testing.assert_allclose(weighted.slope, repeated.slope, rtol=1e-6)
    np.testing.assert_allclose(weighted.intercept, repeated.intercept, atol=1e-6)


def test_samples_of_classes_that_training_lacked_and_impossible_ones_are_no_trouble(rng):
    sums, log_prior, codes = overconfident(rng, n=60)
    lacking = log_prior.copy()
    lacking[:10, 2] = -np.inf
    usable = (np.arange(60) >= 10) | (codes != 2)
    sums[codes == 0, 1] = -np.inf
    fitted = fit_vector(sums, lacking, codes)
    assert np.isfinite([fitted.slope, fitted.intercept]).all()
    same = fit_vector(sums[usable], lacking[usable], codes[usable])
    np.testing.assert_allclose(fitted.slope, same.slope, rtol=1e-9)
