"""The correlation of several samples of a group, common to all features (duplicateCorrelation).

G. K. Smyth, J. Michaud and H. S. Scott, "Use of within-array replicate spots for assessing
differential expression in microarray experiments", Bioinformatics 21 (2005), 2067-2075. The numbers
are those of limma 3.54 with statmod 1.5, whose algorithm this is: iterations end at a tolerance, so
that another one would agree to fewer digits.
"""

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.core.jit import njit
from xnbflow.data.class_design import DEPENDENT

#: Correlations are limited before they are averaged.
_LARGEST = 0.99
#: Share of the features at each end that the mean leaves out.
_TRIM = 0.15
#: Gain of the log likelihood, in first order, below which the iterations of a feature end.
_TOLERANCE = 1e-6
#: Most iterations of a feature.
_MOST_ITERATIONS = 20
#: Variances are at least this share of the largest one, as weights of an iteration.
_LEAST_SHARE = 1e-3
#: Damping, relative to the information, above which no step lowers the deviance.
_DAMPED = 1e15
#: Deviances and values that are smaller are 0.
_NO_DEVIANCE = 1e-15


def block_correlation(values: np.ndarray, matrix: np.ndarray, groups: np.ndarray) -> float:
    """Return the correlation of samples of a group, the trimmed mean over the features.

    Each feature has a variance of groups ``s_b`` and a variance of samples ``s_e``, both estimated
    by REML; its correlation is ``s_b / (s_b + s_e)``. The correlations are averaged on the scale of
    Fisher's z.

    The estimation is a regression: with orthonormal contrasts that the design does not explain, and
    that are eigenvectors of the covariance of groups, the squared contrasts of a feature are
    independent and have the means ``s_e + s_b lambda``, with ``lambda`` the eigenvalues.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        Without missing values.
    matrix : ndarray of shape (n_samples, n_columns)
        The design.
    groups : ndarray of shape (n_samples,)

    Raises
    ------
    InputError
        If values are missing, or the design leaves no differences within or between groups.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat(np.arange(10), 3)
    >>> values = rng.normal(size=(500, 10))[:, groups] + rng.normal(size=(500, 30))
    >>> round(block_correlation(values, np.ones((30, 1)), groups), 1)
    0.5
    """
    if np.isnan(values).any():
        msg = "the correlation of repeated samples needs values without gaps; use missing: impute"
        raise InputError(f"{msg}'s result, drop_features, or repeated=mean", key="repeated")
    left, singular, _ = np.linalg.svd(matrix, full_matrices=True)
    rank = int((singular > DEPENDENT * singular[0]).sum())
    outside = left[:, rank:]  # orthonormal contrasts that the design does not explain
    in_group = (groups[:, None] == np.unique(groups)).astype(float)
    largest_group = int(in_group.sum(axis=0).max())
    vectors, lengths, _ = np.linalg.svd(outside.T @ in_group, full_matrices=True)
    spectrum = np.zeros(outside.shape[1])  # the eigenvalues
    spectrum[: len(lengths)] = lengths**2
    if largest_group < 2 or len(spectrum) < 3 or np.ptp(spectrum) < 1e-8:
        msg = (
            "a correlation of repeated samples cannot be estimated: the design leaves no "
            "differences within groups, or none between them; use repeated=mean"
        )
        raise InputError(msg, key="repeated")
    squares = (values @ outside @ vectors) ** 2

    # The variances of samples and of groups of each feature, (n_features, 2). ``squares``
    # (n_features, n) are gamma distributed with the means ``s_e + s_b spectrum``.
    components = np.zeros((len(squares), 2))
    deviations = spectrum - spectrum.mean()
    for feature in range(len(squares)):
        y = squares[feature]
        if y.max() == 0:
            continue
        # Start from least squares, or from the mean if a fitted value is negative.
        s_b = (deviations * (y - y.mean())).sum() / (deviations**2).sum()
        s_e = y.mean() - s_b * spectrum.mean()
        if (s_e + s_b * spectrum).min() < 0:
            s_e = y.mean()
            s_b = 0.0
        components[feature] = _maximise(y, spectrum, s_e, s_b)

    total = components.sum(axis=1)
    correlation = np.divide(components[:, 1], total, np.full(len(total), np.nan), where=total != 0)
    # The covariance of a group of m samples is positive definite above -1 / (m - 1).
    smallest = 1 / (1 - largest_group) + 0.01
    z = np.arctanh(np.clip(correlation[~np.isnan(correlation)], smallest, _LARGEST))
    n_trimmed = int(np.floor(len(z) * _TRIM))
    trimmed = np.sort(z)[n_trimmed : len(z) - n_trimmed]
    return float(np.tanh(trimmed.mean()))


def whitening(groups: np.ndarray, correlation: float) -> np.ndarray:
    """Return the matrix that makes samples with a correlation within groups uncorrelated.

    Examples
    --------
    >>> inverse_root = whitening(np.array(["p", "p", "q"]), 0.6)
    >>> covariance = np.array([[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]])
    >>> np.allclose(inverse_root @ covariance @ inverse_root.T, np.eye(3))
    True
    """
    covariance = np.where(groups[:, None] == groups, correlation, 0.0)
    np.fill_diagonal(covariance, 1.0)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(covariance)))


@njit()
def _maximise(y: np.ndarray, spectrum: np.ndarray, s_e: float, s_b: float) -> np.ndarray:
    """Return the variances of greatest likelihood of one feature, (2,), from a start.

    The algorithm is that of statmod's ``glmgam.fit``: Levenberg-Marquardt steps with the expected
    information ``[[a, b], [b, c]]``. A step that raises the deviance is repeated with twice the
    damping, and the damping is divided by 10 after a step that needed no repetition.
    """
    mu = s_e + s_b * spectrum
    deviance = _gamma_deviance(y, mu)
    damping = 0.0
    for iteration in range(_MOST_ITERATIONS + 1):
        variance = np.maximum(mu**2, (mu**2).max() * _LEAST_SHARE)
        a = (1 / variance).sum()
        b = (spectrum / variance).sum()
        c = (spectrum**2 / variance).sum()
        if iteration == 0:
            damping = (a + c) / 4
        gradient_e = ((y - mu) / variance).sum()
        gradient_b = (spectrum * (y - mu) / variance).sum()
        raised = True
        damped = False
        while raised:
            determinant = (a + damping) * (c + damping) - b * b
            step_e = ((c + damping) * gradient_e - b * gradient_b) / determinant
            step_b = ((a + damping) * gradient_b - b * gradient_e) / determinant
            mu = s_e + step_e + (s_b + step_b) * spectrum
            new_deviance = _gamma_deviance(y, mu)
            raised = new_deviance > deviance and new_deviance / mu.max() >= _NO_DEVIANCE
            if raised:
                if damping / max(a, c) > _DAMPED:  # no step lowers the deviance
                    return np.array([s_e, s_b])
                damping *= 2
                damped = True
        s_e += step_e
        s_b += step_b
        deviance = new_deviance
        if not damped:
            damping /= 10
        if gradient_e * step_e + gradient_b * step_b < _TOLERANCE:
            break
        if deviance / mu.max() < _NO_DEVIANCE:
            break
    return np.array([s_e, s_b])


@njit()
def _gamma_deviance(y: np.ndarray, mu: np.ndarray) -> float:
    """Return the deviance of gamma distributed values; infinite if a mean is negative."""
    total = 0.0
    for i in range(len(y)):
        if mu[i] < 0:
            return np.inf
        if not (y[i] < _NO_DEVIANCE and mu[i] < _NO_DEVIANCE):
            total += (y[i] - mu[i]) / mu[i] - np.log(y[i] / mu[i])
    return 2 * total
