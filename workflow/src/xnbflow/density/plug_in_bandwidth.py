"""The plug-in bandwidth of Sheather and Jones, as the authors' program of XNB computes it.

The bandwidth with the least asymptotic mean integrated squared error depends on the integral of the
squared second derivative of the unknown density. Sheather and Jones estimate this integral from the
samples, with a pilot bandwidth that itself depends on the bandwidth, and solve the equation::

    h = [R / (n S(a2(h)))]**(1/5),      R = 1 / (2 sqrt(pi)), the integral of the squared kernel
    a2(h) = 1.357 |S(a) / T(b)|**(1/7) h**(5/7)
    a = .920 IQR n**(-1/7),   b = .912 IQR n**(-1/9)

``S(g)`` and ``T(g)`` are the means over all pairs of samples of the fourth and (less) the sixth
derivative of a normal density with standard deviation g, at the distance of the pair: estimates of
the integrals of ``f f`` and ``-f f''``. The constants .920, .912 and 1.357 hold for normal
kernels ([1]_, section 5), IQR is the interquartile range.

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
_UNSOLVED = 1e-7

#: 1 / sqrt(2 pi), the greatest value of the normal density.
_PER_SQRT_2PI = 0.3989422804014327
#: 1 / (2 sqrt(pi)), the integral of the squared normal density: R of the equation.
_PER_2_SQRT_PI = 0.28209479177387814
#: Factors of Sheather and Jones for normal kernels: of the pilots a and b, and of a2.
_FACTOR_A = 0.92
_FACTOR_B = 0.912
_FACTOR_A2 = 1.357
#: Ratio of two successive bandwidths of the search, upwards and downwards, as in ``hsj``.
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
        return _UNSOLVED
    mean = values.mean()
    deviation = np.sqrt(((values - mean) ** 2).sum() / (n - 1))
    # In standard units, so that no power of a bandwidth overflows or underflows.
    distances = _squared_distances((values - mean) / deviation)
    iqr = (_linear_quantile(values, 0.75) - _linear_quantile(values, 0.25)) / deviation
    s_a = _mean_derivative(distances, n, _FACTOR_A * iqr * n ** (-1.0 / 7.0), 4)
    t_b = -_mean_derivative(distances, n, _FACTOR_B * iqr * n ** (-1.0 / 9.0), 6)
    pilot_factor = _FACTOR_A2 * abs(s_a / t_b) ** (1.0 / 7.0)  # a2(h) = pilot_factor h**(5/7)

    # Two successive bandwidths between which the difference of the sides changes its sign.
    previous = (4.0 / (3.0 * n)) ** 0.2
    previous_excess = _excess(distances, n, pilot_factor, previous)
    step = _STEP_UP if previous_excess > 0.0 else _STEP_DOWN
    h = previous * step
    excess = _excess(distances, n, pilot_factor, h)
    while excess * previous_excess > 0.0:
        previous = h
        previous_excess = excess
        h = previous * step
        excess = _excess(distances, n, pilot_factor, h)

    # The root of the straight line between them.
    share = abs(previous_excess) / (abs(previous_excess) + abs(excess))
    solution = previous + (h - previous) * share
    return _UNSOLVED if np.isnan(solution) else solution * deviation


@njit(nogil=True, error_model="numpy")
def _excess(distances: np.ndarray, n: int, pilot_factor: float, h: float) -> float:
    """Return the right side of the module's equation minus the left side, ``h``."""
    roughness = abs(_mean_derivative(distances, n, pilot_factor * h ** (5.0 / 7.0), 4))
    return (_PER_2_SQRT_PI / (n * roughness)) ** 0.2 - h


@njit(nogil=True, error_model="numpy")
def _mean_derivative(distances: np.ndarray, n: int, h: float, order: int) -> float:
    """Return the mean derivative, of order 4 or 6, of a normal kernel over all pairs of samples.

    ``h`` is the kernel's bandwidth, ``distances`` (n (n - 1) / 2,) are the squared distances of
    different samples. The n pairs of a sample with itself, of distance 0, are added.
    """
    # The derivative is the kernel times a Hermite polynomial of the distance u in bandwidths:
    # He4 = u^4 - 6 u^2 + 3 or He6 = u^6 - 15 u^4 + 45 u^2 - 15, here in d = u^2.
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
    at_zero = 3.0 if order == 4 else -15.0
    return _PER_SQRT_2PI * (2.0 * total + n * at_zero) / (n * (n - 1.0) * h ** (order + 1))


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
