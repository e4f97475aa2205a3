"""The temperature, the sharpness and the targets of calibration."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from xnbflow.naive_bayes.evidence_calibration import (
    fit_sharpness,
    fit_temperature,
    smoothed_targets,
)

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


def test_the_temperature_is_1_at_least_and_finite():
    prior = np.log(np.full((6, 2), 0.5))
    codes = np.array([0, 1, 0, 1, 0, 1])
    right = np.where(codes[:, None] == np.arange(2), 3.0, 0.0)
    assert fit_temperature(right, prior, codes).temperature == 1.0
    assert fit_temperature(-right, prior, codes).temperature == 1000.0
    assert fit_temperature(right[:0], prior[:0], codes[:0]).temperature == 1.0


def test_sharpness_minimises_the_cross_entropy_to_smoothed_targets(rng):
    codes = rng.integers(3, size=40)
    sums = rng.normal(size=(5, 40, 3)) + 3.0 * np.eye(3)[codes] * np.arange(5)[:, None, None]
    log_prior, weights = np.log(np.tile([0.2, 0.3, 0.5], (40, 1))), rng.uniform(0.5, 2.0, 40)
    targets = smoothed_targets(codes, log_prior)
    np.testing.assert_allclose(targets.sum(axis=1), 1.0)
    found = fit_sharpness(sums, log_prior, targets, weights)
    for candidate, factor in zip(sums[1:], found[1:], strict=True):

        def loss(log_a, candidate=candidate):
            posterior = log_softmax(np.exp(log_a) * candidate + log_prior, axis=1)
            return -weights @ (targets * posterior).sum(axis=1)

        best = minimize_scalar(loss, bounds=(np.log(1e-3), np.log(100)), method="bounded")
        assert loss(np.log(factor)) <= best.fun + 1e-9
