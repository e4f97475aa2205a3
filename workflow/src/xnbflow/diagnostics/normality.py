"""The Shapiro-Wilk test of every feature, by Royston's approximation (XNB paper, section 3.1)."""

import warnings

import numpy as np
import pandas as pd
from numpy.polynomial.polynomial import polyval
from scipy.special import ndtr, ndtri

from xnbflow.core.errors import InputError
from xnbflow.core.jit import njit
from xnbflow.core.nouns import counted, either
from xnbflow.density.tiles import (
    BESIDE,
    LARGEST_BESIDE,
    map_strips,
    sort_beside,
    sorted_classes,
)
from xnbflow.diagnostics.features import (
    codes_of_labels,
    feature_name,
    feature_rows,
    refuse_not_finite,
)

#: Least number of samples for W.
_SMALLEST = 3
#: Largest number of samples for which Royston fitted the distribution of W.
_LARGEST = 5000
#: A feature with a smaller range is constant: the reciprocal of its range may overflow.
_CONSTANT = 1e-300
#: The p-value where a small sample's W lies below the range of the fit, as in SciPy.
_SMALLEST_P = 1e-19


def shapiro_wilk(X: np.ndarray | pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Test each feature for normality by Shapiro and Wilk's W.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        3 to 5000 samples. The transpose of a feature-major array costs no copy.

    Returns
    -------
    W : ndarray of shape (n_features,)
        The statistic; 1 for a normal sample, and for a constant feature.
    p : ndarray of shape (n_features,)
        Its p-value; 1 for a constant feature. For n <= 11 a W below the range of Royston's fit has
        1e-19, as in SciPy.

    Raises
    ------
    InputError
        If X has fewer than 3 samples, or a value that is not finite.

    Warns
    -----
    UserWarning
        If features are constant (range below 1e-300), or if there are more than 5000 samples, for
        which Royston's p-value is an extrapolation.

    References
    ----------
    Royston P. (1995), Remark AS R94 on algorithm AS 181. Applied Statistics 44, 547-551.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=50), rng.exponential(size=50)])
    >>> W, p = shapiro_wilk(X)
    >>> p < 0.05
    array([False,  True])
    """
    features = feature_rows(X)
    n_samples = features.shape[1]
    if n_samples < _SMALLEST:
        msg = f"X has {n_samples} samples; the Shapiro-Wilk test needs at least {_SMALLEST}"
        raise InputError(msg)
    _warn_if_extrapolated(n_samples)
    deficit = _deficits(X, features, np.arange(n_samples))
    constant = deficit < 0
    if constant.any():
        first = feature_name(X, int(np.argmax(constant)))
        n_constant = counted(constant.sum(), "constant feature")
        msg = (
            f"{n_constant} (first: {first}) {either(constant.sum(), 'gets', 'get')} W = 1 and p = 1"
        )
        warnings.warn(msg, UserWarning, stacklevel=2)
    return _statistic_and_p(deficit, n_samples)


def shapiro_wilk_within(
    X: np.ndarray | pd.DataFrame, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Test each feature for normality within each class, as `shapiro_wilk`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    W, p : ndarray of shape (n_classes, n_features)
        One row per class, in the order of ``np.unique(y)``; NaN, with a warning, for a class of
        fewer than 3 samples.

    Raises
    ------
    InputError
        If y does not have one label per sample, or X has a value that is not finite.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(40, 1)), rng.normal(9, 1, size=(30, 1))])
    >>> y = ["normal"] * 40 + ["tumour"] * 30
    >>> shapiro_wilk(X)[1] < 0.05, shapiro_wilk_within(X, y)[1][:, 0] < 0.05
    (array([ True]), array([False, False]))
    """
    features = feature_rows(X)
    classes, codes = codes_of_labels(y, features.shape[1])
    counts = np.bincount(codes)
    W = np.full((len(classes), len(features)), np.nan)
    p = W.copy()
    small = classes[counts < _SMALLEST]
    if len(small):
        names = ", ".join(map(str, small))
        msg = f"no Shapiro-Wilk test within classes of fewer than {_SMALLEST} samples: {names}"
        warnings.warn(msg, UserWarning, stacklevel=2)
    _warn_if_extrapolated(int(counts.max()))
    for code in np.flatnonzero(counts >= _SMALLEST):
        deficit = _deficits(X, features, np.flatnonzero(codes == code))
        W[code], p[code] = _statistic_and_p(deficit, counts[code])
    return W, p


def _warn_if_extrapolated(n_samples: int) -> None:
    if n_samples > _LARGEST:
        msg = f"p-values of Shapiro-Wilk are extrapolated beyond {_LARGEST} samples: {n_samples}"
        warnings.warn(msg, UserWarning, stacklevel=3)


def _deficits(
    X: np.ndarray | pd.DataFrame, features: np.ndarray, samples: np.ndarray
) -> np.ndarray:
    """Return 1 - W per feature over ``samples``, -1 where it is constant; refuse NaN."""
    weights = _royston_weights(len(samples))
    deficit = np.empty(len(features))
    offsets = np.array([0, len(samples)])

    def test(block: slice) -> None:
        if len(samples) <= LARGEST_BESIDE:
            _sort_and_write(features[block], samples, offsets, weights, deficit[block])
        else:
            tile = sorted_classes(features[block], samples, offsets)
            _write_deficits(tile, weights, deficit[block])

    map_strips(test, *features.shape)
    if np.isnan(deficit).any():
        refuse_not_finite(X, int(np.argmax(np.isnan(deficit))))
    return deficit


@njit(nogil=True)
def _sort_and_write(
    features: np.ndarray,
    samples: np.ndarray,
    offsets: np.ndarray,
    weights: np.ndarray,
    deficit: np.ndarray,
) -> None:
    """Write 1 - W of features, `BESIDE` at a time, which stay in the fastest cache."""
    rows = np.empty((len(samples), BESIDE))
    for start in range(0, len(features), BESIDE):
        sort_beside(features, start, samples, offsets, rows)
        _write_deficits(rows, weights, deficit[start : start + BESIDE])


@njit(nogil=True)
def _write_deficits(tile: np.ndarray, weights: np.ndarray, deficit: np.ndarray) -> None:
    """Write 1 - W of sorted columns.

    ``W = (w·x)² / sum (x - mean)²``, where the weights w have sum 0 and length 1. One pass is
    accurate because values are shifted by the median, which is within a standard deviation of the
    mean. A value that is not finite makes the sums NaN. The tile may have more columns than there
    are values to write.
    """
    n, width = tile.shape
    scale = np.zeros(width)
    for f in range(width):
        spread = tile[n - 1, f] - tile[0, f]
        if spread >= _CONSTANT:
            scale[f] = 1 / spread if spread < np.inf else np.nan
    total = np.zeros(width)
    squares = np.zeros(width)
    weighted = np.zeros(width)
    for j in range(n):
        for f in range(width):
            deviation = (tile[j, f] - tile[n // 2, f]) * scale[f]
            total[f] += deviation
            squares[f] += deviation * deviation
            weighted[f] += weights[j] * deviation
    for f in range(len(deficit)):
        if squares[f] == 0:
            deficit[f] = -1
            continue
        square = squares[f] - total[f] * total[f] / n
        root = np.sqrt(square)
        # This product preserves the digits of a W near 1, which 1 - (w·x)² / square loses.
        product = (root - weighted[f]) * (root + weighted[f]) / square
        deficit[f] = 0.0 if product < 0 else product


def _royston_weights(n_samples: int) -> np.ndarray:
    """Return Royston's approximate weights of the order statistics, of length 1 and sum 0.

    The outer one or two weights are polynomials in ``n ** -0.5`` (Royston 1995); the inner ones are
    proportional to the expected normal order statistics by Blom's approximation.
    """
    if n_samples == 3:
        return np.array([-np.sqrt(0.5), 0.0, np.sqrt(0.5)])
    scores = ndtri((np.arange(1, n_samples + 1) - 0.375) / (n_samples + 0.25))
    square = scores @ scores
    u = n_samples**-0.5
    weights = scores / np.sqrt(square)
    outer = [weights[-1] + polyval(u, [0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056])]
    if n_samples > 5:
        second = [0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633]
        outer.append(weights[-2] + polyval(u, second))
    k = len(outer)
    inner = scores[k:-k]
    weights[k:-k] = inner * np.sqrt((1 - 2 * np.dot(outer, outer)) / (inner @ inner))
    weights[-k:] = outer[::-1]
    weights[:k] = -np.array(outer)
    return weights / np.linalg.norm(weights)


def _statistic_and_p(deficit: np.ndarray, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return W and p from 1 - W, which is negative for a constant feature: both are then 1.

    For 3 samples the distribution is exact. For more, a function of 1 - W is approximately normal,
    with moments that are polynomials in n or log n (Royston 1995).
    """
    constant = deficit < 0
    deficit = np.where(constant, 0.0, deficit)
    W = 1 - deficit
    with np.errstate(divide="ignore"):  # W = 1 gives the score -inf and p = 1
        score = np.log(deficit)
        if n_samples == 3:
            W = np.maximum(W, 0.75)
            p = 1 - 6 / np.pi * np.arccos(np.sqrt(W))
        elif n_samples > 11:
            log_n = np.log(n_samples)
            mean = polyval(log_n, [-1.5861, -0.31082, -0.083751, 0.0038915])
            sd = np.exp(polyval(log_n, [-0.4803, -0.082676, 0.0030302]))
            p = ndtr((mean - score) / sd)
        else:
            bound = -2.273 + 0.459 * n_samples
            beyond = score >= bound
            score = -np.log(bound - np.where(beyond, -np.inf, score))
            mean = polyval(n_samples, [0.5440, -0.39978, 0.025054, -0.0006714])
            sd = np.exp(polyval(n_samples, [1.3822, -0.77857, 0.062767, -0.0020322]))
            p = np.where(beyond, _SMALLEST_P, ndtr((mean - score) / sd))
    p[constant] = 1.0
    return W, p
