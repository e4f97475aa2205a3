"""Slopes and intercepts have the least penalised log loss, against another optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from xnbflow.naive_bayes.evidence_calibration import fit_temperature
from xnbflow.naive_bayes.vector_scaling import fit_vector

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


def overconfident(rng, n=240, n_classes=3, by=(6.0, 2.0, 1.0)):
    """Return sums that count what they know several times, for each class another number."""
    codes = rng.integers(n_classes, size=n)
    sums = rng.normal(size=(n, n_classes)) + 1.5 * (codes[:, None] == np.arange(n_classes))
    log_prior = np.log((np.bincount(codes, minlength=n_classes) + 1) / (n + n_classes))
    return sums * by, np.tile(log_prior, (n, 1)), codes


def penalised(point, sums, log_prior, codes, temperature):
    slope, intercept = np.split(point, 2)
    logs = log_softmax(sums / temperature * slope + intercept + log_prior, axis=1)
    penalty = ((slope - 1.0) ** 2).sum() + (intercept**2).sum()
    return 4.0 * penalty / 2.0 - logs[np.arange(len(codes)), codes].sum()


def by_another_optimiser(sums, log_prior, codes, temperature):
    n_classes = sums.shape[1]
    found = minimize(
        penalised,
        np.repeat([1.0, 0.0], n_classes),
        (sums, log_prior, codes, temperature),
        bounds=[(1e-3, temperature)] * n_classes + [(None, None)] * n_classes,
        options={"ftol": 1e-14, "gtol": 1e-9, "maxfun": 100_000},
    )
    return found.x[:n_classes] / temperature, found.x[n_classes:]


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
    known = (np.arange(60) >= 10) | (codes != 2)
    sums[codes == 0, 1] = -np.inf
    fitted = fit_vector(sums, lacking, codes)
    assert np.isfinite([fitted.slope, fitted.intercept]).all()
    same = fit_vector(sums[known], lacking[known], codes[known])
    np.testing.assert_allclose(fitted.slope, same.slope, rtol=1e-9)
