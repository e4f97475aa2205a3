"""The bandwidth with the best likelihood of left-out samples, as the authors' program of XNB.

The program (``best_estimator``) calls scikit-learn's ``GridSearchCV`` of a Gaussian
``KernelDensity`` with three folds: fifty bandwidths at equal distances between ``r / u`` and ``r``,
``r`` the range of the values and ``u`` the number of different ones. The score of a bandwidth is
the sum of the log densities of the left-out samples, averaged over folds. The folds are consecutive
blocks, so the bandwidth depends on the order of the samples.
"""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.kernels import exponentiate

#: Number of bandwidths that are tried.
CANDIDATES = 50

#: Folds by which a bandwidth is chosen; fewer if a class has fewer samples.
_FOLDS = 3
#: The bandwidth of a class with equal values.
_CONSTANT = 1e-7


@njit(nogil=True)
def write_validated_bandwidths(tile: np.ndarray, offsets: np.ndarray, out: np.ndarray) -> None:
    """Write the bandwidth of each class and feature, ``out`` (n_classes, n_features).

    In the tile (n_samples, n_features) class ``c`` has the rows ``offsets[c]`` to ``offsets[c +
    1]``, *in the order of the training samples*. The time grows with the square of a class's
    samples.
    """
    for c in range(len(offsets) - 1):
        rows = tile[offsets[c] : offsets[c + 1]]
        for f in range(tile.shape[1]):
            out[c, f] = validated_bandwidth(rows[:, f].copy())


@njit(nogil=True)
def validated_bandwidth(values: np.ndarray) -> float:
    """Return the bandwidth of values (n,) in the order of the samples.

    Two samples are two folds, where the authors' program ends with an error. Of equal scores the
    smaller bandwidth is taken.
    """
    ascending = np.sort(values)
    n = len(values)
    reach = ascending[n - 1] - ascending[0]
    if reach == 0.0:
        return _CONSTANT
    different = 1
    for i in range(1, n):
        different += ascending[i] > ascending[i - 1]
    candidates = np.linspace(reach / different, reach, CANDIDATES)

    scores = np.zeros(CANDIDATES)
    folds = min(_FOLDS, n)
    start = 0
    for fold in range(folds):
        size = n // folds + (1 if fold < n % folds else 0)
        stop = start + size
        training = np.concatenate((values[:start], values[stop:]))
        for position in range(CANDIDATES):
            h = candidates[position]
            scores[position] += _log_likelihood(values[start:stop], training, h) / folds
        start = stop
    return candidates[np.argmax(scores)]


@njit(nogil=True)
def _log_likelihood(points: np.ndarray, training: np.ndarray, h: float) -> float:
    """Return the sum of the log densities of points, without a constant of the kernel.

    Exponents are relative to that of the nearest sample, so that no density underflows.
    """
    terms = np.empty(len(training))
    total = 0.0
    for point in points:
        nearest = np.inf
        for i in range(len(training)):
            u = (point - training[i]) / h
            terms[i] = 0.5 * u * u
            nearest = min(nearest, terms[i])
        for i in range(len(training)):
            terms[i] = nearest - terms[i]
        exponentiate(terms)
        total += np.log(terms.sum()) - nearest
    return total - len(points) * np.log(len(training) * h)
