"""The temperature, the sharpness and the targets of calibration."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from xnbflow.naive_bayes.evidence_calibration import (
    fit_sharpness,
    fit_temperature,
    log_losses,
    smoothed_targets,
)


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
    actual = fit_sharpness(sums, log_prior, targets, weights)
    for candidate, factor in zip(sums[1:], actual[1:], strict=True):

        def loss(log_a, candidate=candidate):
            posterior = log_softmax(np.exp(log_a) * candidate + log_prior, axis=1)
            return -weights @ (targets * posterior).sum(axis=1)

        best = minimize_scalar(loss, bounds=(np.log(1e-3), np.log(100)), method="bounded")
        assert loss(np.log(factor)) <= best.fun + 1e-9


def test_the_sharpness_is_bounded(rng):
    codes = np.arange(40) % 2
    right = np.where(codes[:, np.newaxis] == [0, 1], 1.0, 0.0)
    log_prior, weights = np.log(np.full((40, 2), 0.5)), np.ones(40)
    targets = np.where(codes[:, np.newaxis] == [0, 1], 0.9, 0.1)
    sums = np.array([right / 200.0, right * 1e-6, -right])
    # log(9) is the log odds of the targets; the others end at the bounds 1e3 and 1e-4.
    expected = [200.0 * np.log(9.0), 1e3, 1e-4]
    np.testing.assert_allclose(
        fit_sharpness(sums, log_prior, targets, weights), expected, rtol=1e-6
    )


def test_targets_of_an_absent_class_are_zero():
    log_prior = np.log([[0.5, 0.25, 0.25], [0.8, 0.1, 0.1]])
    log_prior[1, 2] = -np.inf
    actual = smoothed_targets(np.array([0, 0]), log_prior)
    np.testing.assert_allclose(actual, [[3 / 4, 1 / 8, 1 / 8], [3 / 4, 1 / 4, 0.0]])
    alone = smoothed_targets(np.array([1]), np.array([[-np.inf, 0.0]]))
    np.testing.assert_allclose(alone, [[0.0, 1.0]])


def test_the_log_loss_of_an_impossible_class_is_36_nats():
    actual = log_losses(np.array([[0.0, 100.0], [0.0, 30.0]]), np.zeros((2, 2)), np.array([0, 0]))
    np.testing.assert_allclose(actual, [52 * np.log(2.0), 30.0])
