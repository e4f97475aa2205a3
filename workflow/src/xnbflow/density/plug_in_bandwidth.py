"""The plug-in bandwidth of Sheather and Jones, as the authors' program of XNB computes it.

The bandwidth with the least asymptotic mean integrated squared error depends on the integral of the
squared second derivative of the unknown density. Sheather and Jones estimate this integral from the
samples, with a pilot bandwidth that itself depends on the bandwidth, and solve the equation.

The authors' program has a translation of ``hsj`` of the R package sm, and so has this module: the
pilots use the interquartile range, and the root is interpolated linearly between two bandwidths
whose ratio is 1.1, so that it is within a few per cent of the exact one.

References
----------
.. [1] Sheather, Jones, "A reliable data-based bandwidth selection method for kernel density
   estimation", Journal of the Royal Statistical Society B 53, 1991, section 5.
.. [2] Bowman, Azzalini, "Applied smoothing techniques for data analysis", 1997 (R package sm).
"""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.kernels import exponentiate

#: The bandwidth where the equation has no solution: equal values, or equal quartiles.
UNSOLVED = 1e-7

_PER_SQRT_2PI = 0.3989422804014327
_PER_2_SQRT_PI = 0.28209479177387814  # the integral of the squared normal density
_STEP_UP = 1.1
_STEP_DOWN = 0.9


@njit(nogil=True)
def write_plug_in_bandwidths(tile: np.ndarray, offsets: np.ndarray, out: np.ndarray) -> None:
    """Write the bandwidth of each class and feature, ``out`` (n_classes, n_features).

    The tile and the offsets are those of `xnbflow.density.bandwidth.bandwidths_of`. The time grows
    with the square of a class's samples.
    """
    for c in range(len(offsets) - 1):
        rows = tile[offsets[c] : offsets[c + 1]]
        for f in range(tile.shape[1]):
            out[c, f] = plug_in_bandwidth(rows[:, f].copy())


@njit(nogil=True, error_model="numpy")
def plug_in_bandwidth(values: np.ndarray) -> float:
    """Return the bandwidth of ascending values (n,).

    The search starts at the normal-reference bandwidth ``s (4 / 3n)**(1/5)`` and multiplies it by
    1.1, or by .9, until the difference of the two sides of the equation changes its sign.
    """
    n = len(values)
    if values[0] == values[n - 1]:
        return UNSOLVED
    mean = values.mean()
    deviation = np.sqrt(((values - mean) ** 2).sum() / (n - 1))
    # In standard units, so that no power of a bandwidth overflows or underflows.
    distances = _squared_distances((values - mean) / deviation)
    quartiles = (_linear_quantile(values, 0.75) - _linear_quantile(values, 0.25)) / deviation
    fourth = _roughness(distances, n, 0.92 * quartiles * n ** (-1.0 / 7.0), 4)
    sixth = -_roughness(distances, n, 0.912 * quartiles * n ** (-1.0 / 9.0), 6)
    slope = 1.357 * abs(fourth / sixth) ** (1.0 / 7.0)

    before = (4.0 / (3.0 * n)) ** 0.2
    excess_before = _excess(distances, n, slope, before)
    step = _STEP_UP if excess_before > 0.0 else _STEP_DOWN
    after = before * step
    excess_after = _excess(distances, n, slope, after)
    while excess_after * excess_before > 0.0:
        before = after
        excess_before = excess_after
        after = before * step
        excess_after = _excess(distances, n, slope, after)
    share = abs(excess_before) / (abs(excess_before) + abs(excess_after))
    solution = before + (after - before) * share
    return UNSOLVED if np.isnan(solution) else solution * deviation


@njit(nogil=True, error_model="numpy")
def _excess(distances: np.ndarray, n: int, slope: float, h: float) -> float:
    """Return the right side of the plug-in equation minus the left side, ``h``."""
    roughness = abs(_roughness(distances, n, slope * h ** (5.0 / 7.0), 4))
    return (_PER_2_SQRT_PI / (n * roughness)) ** 0.2 - h


@njit(nogil=True, error_model="numpy")
def _roughness(distances: np.ndarray, n: int, h: float, order: int) -> float:
    """Estimate the integral of the density times its derivative of order 4 or 6.

    It is the mean over all pairs of samples, each with itself included, of the derivative of a
    normal kernel with bandwidth ``h``. ``distances`` are the squared distances of pairs.
    """
    squares = distances / (h * h)
    weights = -0.5 * squares
    exponentiate(weights)
    total = 0.0
    for pair in range(len(squares)):
        d = squares[pair]
        if order == 4:
            total += weights[pair] * ((d - 6.0) * d + 3.0)
        else:
            total += weights[pair] * (((d - 15.0) * d + 45.0) * d - 15.0)
    of_itself = 3.0 if order == 4 else -15.0
    return _PER_SQRT_2PI * (2.0 * total + n * of_itself) / (n * (n - 1.0) * h ** (order + 1))


@njit(nogil=True)
def _squared_distances(values: np.ndarray) -> np.ndarray:
    """Return the squared distance of every pair of different samples, shape (n (n - 1) / 2,)."""
    n = len(values)
    distances = np.empty(n * (n - 1) // 2)
    pair = 0
    for i in range(n):
        for j in range(i):
            distances[pair] = (values[i] - values[j]) ** 2
            pair += 1
    return distances


@njit(nogil=True)
def _linear_quantile(values: np.ndarray, p: float) -> float:
    """Return a quantile of ascending values, interpolated as `numpy.percentile` does."""
    position = p * (len(values) - 1)
    below = int(position)
    above = min(below + 1, len(values) - 1)
    return values[below] + (position - below) * (values[above] - values[below])
