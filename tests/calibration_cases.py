"""Overconfident sums of evidence, and their calibration by an optimiser of SciPy."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax


def overconfident(rng, n=240, n_classes=3, by=(6.0, 2.0, 1.0)):
    """Return sums that count the evidence several times, ``by`` times for each class."""
    codes = rng.integers(n_classes, size=n)
    sums = rng.normal(size=(n, n_classes)) + 1.5 * (codes[:, None] == np.arange(n_classes))
    log_prior = np.log((np.bincount(codes, minlength=n_classes) + 1) / (n + n_classes))
    return sums * by, np.tile(log_prior, (n, 1)), codes


def penalised(point, sums, log_prior, codes, temperature):
    """Return the log loss of slopes and intercepts with the penalty that pulls them to 1 and 0."""
    slope, intercept = np.split(point, 2)
    logs = log_softmax(sums / temperature * slope + intercept + log_prior, axis=1)
    penalty = ((slope - 1.0) ** 2).sum() + (intercept**2).sum()
    return 4.0 * penalty / 2.0 - logs[np.arange(len(codes)), codes].sum()


def by_another_optimiser(sums, log_prior, codes, temperature):
    """Return the slopes and intercepts with the least penalised log loss by L-BFGS-B."""
    n_classes = sums.shape[1]
    solution = minimize(
        penalised,
        np.repeat([1.0, 0.0], n_classes),
        (sums, log_prior, codes, temperature),
        bounds=[(1e-3, temperature)] * n_classes + [(None, None)] * n_classes,
        options={"ftol": 1e-14, "gtol": 1e-9, "maxfun": 100_000},
    )
    return solution.x[:n_classes] / temperature, solution.x[n_classes:]
