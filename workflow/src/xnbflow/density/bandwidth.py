"""Bandwidths of kernel densities, per class and feature (XNB paper, section 4.1).

Sheather and Jones' plug-in equation, the greatest leave-one-out likelihood and Abramson's local
bandwidths start from Silverman's rule of thumb.
"""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.density_tables import merge_samples
from xnbflow.density.kernels import apply_kernel, exponentiate, kernel_code
from xnbflow.density.tiles import class_moments

__all__ = [
    "BANDWIDTHS",
    "RULES_OF_THUMB",
    "SMALLEST_SPREAD",
    "bandwidths_of",
    "hazen",
    "leave_one_out_likelihood",
    "overall_spread",
]

#: The spread of a class whose values are all equal, as in the authors' program.
SMALLEST_SPREAD = 1e-7

_TINY = 1e-300


@njit(nogil=True)
def _write_spreads(
    tile: np.ndarray, offsets: np.ndarray, factor: float, power: float, out: np.ndarray
) -> None:
    """Write ``factor * A * n_c**power`` of each class and feature.

    ``A`` is the smaller of the standard deviation and the interquartile range (of Hazen's
    quartiles) over 1.349. Where the quartiles are equal it is the standard deviation, and where
    that is 0 or undefined, `SMALLEST_SPREAD`.
    """
    width = tile.shape[1]
    means, squares = np.empty(out.shape), np.empty(out.shape)
    class_moments(tile, offsets, means, squares)
    for c in range(len(offsets) - 1):
        rows = tile[offsets[c] : offsets[c + 1]]
        n = len(rows)
        scale = factor * n**power
        below_first, first, share_first = hazen(n, 0.25)
        below_third, third, share_third = hazen(n, 0.75)
        for f in range(width):
            low = rows[below_first, f] + share_first * (rows[first, f] - rows[below_first, f])
            high = rows[below_third, f] + share_third * (rows[third, f] - rows[below_third, f])
            quartiles, deviation = (high - low) / 1.349, np.sqrt(squares[c, f] / max(n - 1, 1))
            spread = min(deviation, quartiles) if quartiles > 0.0 else deviation
            constant = rows[0, f] == rows[n - 1, f]
            out[c, f] = scale * (SMALLEST_SPREAD if constant | (spread < _TINY) else spread)


@njit(nogil=True, inline="always")
def hazen(n: int, p: float) -> tuple[int, int, float]:
    """Return the two of n ascending values around Hazen's quantile, and its place between them."""
    position = min(max(p * n - 0.5, 0.0), n - 1.0)
    below = int(position)
    return below, min(below + 1, n - 1), position - below


_SQRT_2PI = 2.5066282746310002
_MANY_SAMPLES = 1024
_PER_WIDTH = 32.0
_REFINEMENTS = 8
_FURTHEST_PAIR = 9.0  # bandwidths
_STEPS = 33
_FURTHEST = 8.0
_GOLDEN = 0.6180339887498949


#: Means, counts and variances of merged samples; without counts, the samples.
_Groups = tuple[np.ndarray, np.ndarray, np.ndarray]


@njit(nogil=True)
def _plug_in_bandwidth(values: np.ndarray, scale: float, fallback: float) -> float:
    """Solve Sheather and Jones' plug-in equation for a Gaussian kernel.

    ``h = (R(K) / (n S(alpha(h))))**(1/5)`` with ``alpha(h) = 1.357 (S(a) / T(b))**(1/7) h**(5/7)``,
    ``a = 1.24 A n**(-1/7)``, ``b = 1.23 A n**(-1/9)``; ``S`` and ``T`` estimate the integrals of
    the density times its fourth and, negative, sixth derivative.

    The estimates are sums over pairs of samples. From `_MANY_SAMPLES` on samples within 1/32 of
    ``a`` are merged, and the bandwidth differs by less than 1e-5 of itself; should ``alpha(h)`` be
    much smaller than ``a``, they are merged anew within 1/32 of that. Where the equation has no
    solution between 1/1000 and 1000 times ``fallback``, this is returned.

    Reference: Sheather, Jones, "A reliable data-based bandwidth selection method for kernel
    density estimation", Journal of the Royal Statistical Society B 53, 1991, section 5.
    """
    n = len(values)
    narrow = 1.24 * scale * n ** (-1.0 / 7.0)
    if n < _MANY_SAMPLES:
        groups = values, np.empty(0), np.empty(0)
        return _solve(groups, _slope(groups, scale, n), n, fallback)
    for _ in range(_REFINEMENTS):
        groups = merge_samples(values, np.ones(n), narrow / _PER_WIDTH)
        slope = _slope(groups, scale, n)
        found = _solve(groups, slope, n, fallback)
        alpha = slope * found ** (5.0 / 7.0)
        if alpha > 0.5 * narrow:
            break
        narrow = alpha
    return found


@njit(nogil=True)
def _slope(groups: _Groups, scale: float, n: int) -> float:
    """Return ``alpha(h) / h**(5/7)``."""
    s_pilot = _curvature(groups, n, 1.24 * scale * n ** (-1.0 / 7.0), 4)
    t_pilot = -_curvature(groups, n, 1.23 * scale * n ** (-1.0 / 9.0), 6)
    return 1.357 * abs(s_pilot / t_pilot) ** (1.0 / 7.0)


@njit(nogil=True)
def _solve(groups: _Groups, slope: float, n: int, fallback: float) -> float:
    """Find the bandwidth by bisection; ``fallback`` where there is none."""
    low, high = fallback, fallback
    below, above = _excess(groups, slope, n, low), _excess(groups, slope, n, high)
    while below < 0.0 and low > 1e-3 * fallback:
        low /= 1.2
        below = _excess(groups, slope, n, low)
    while above > 0.0 and high < 1e3 * fallback:
        high *= 1.2
        above = _excess(groups, slope, n, high)
    if not below * above <= 0.0:
        return fallback
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        if _excess(groups, slope, n, middle) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@njit(nogil=True)
def _excess(groups: _Groups, slope: float, n: int, h: float) -> float:
    """Return how far the plug-in equation's right side is above ``h``."""
    s = abs(_curvature(groups, n, slope * h ** (5.0 / 7.0), 4))
    return (0.5 / (np.sqrt(np.pi) * n * s)) ** 0.2 - h


@njit(nogil=True)
def _curvature(groups: _Groups, n: int, h: float, order: int) -> float:
    """Estimate the integral of the density times its derivative of order 4 or 6."""
    values, counts, variances = groups
    if len(counts):
        total = _sum_over_groups(values, counts, variances, h, order)
    else:
        total = _sum_over_pairs(values, h, order)
    return total / (n * (n - 1) * h ** (order + 1) * _SQRT_2PI)


@njit(nogil=True)
def _sum_over_groups(
    means: np.ndarray, counts: np.ndarray, variances: np.ndarray, h: float, order: int
) -> float:
    """Sum the derivative of the kernel over all pairs of samples, merged ones."""
    total = 0.0
    reach = _FURTHEST_PAIR * h
    for i in range(len(means)):
        around = 0.0
        for j in range(i + 1):
            k = i - j
            distance = means[i] - means[k]
            if distance > reach:
                break
            d = (distance / h) ** 2
            spread = 0.5 * (variances[i] + variances[k]) / (h * h)
            sixth = ((d - 15.0) * d + 45.0) * d - 15.0
            if order == 4:
                value = (d - 6.0) * d + 3.0 + spread * sixth
            else:
                value = sixth + spread * ((((d - 28.0) * d + 210.0) * d - 420.0) * d + 105.0)
            share = 0.5 if j == 0 else 1.0
            around += share * counts[k] * value * np.exp(-0.5 * d)
        total += 2.0 * counts[i] * around
    return total


@njit(nogil=True)
def _sum_over_pairs(values: np.ndarray, h: float, order: int) -> float:
    """Sum the derivative of the kernel over all pairs of samples."""
    n = len(values)
    squares = np.empty(n * (n - 1) // 2)
    pair = 0
    for i in range(n):
        for j in range(i):
            squares[pair] = ((values[i] - values[j]) / h) ** 2
            pair += 1
    weights = -0.5 * squares
    exponentiate(weights)
    total = 0.0
    for pair in range(len(squares)):
        d = squares[pair]
        if order == 4:
            total += weights[pair] * (d * d - 6.0 * d + 3.0)
        else:
            total += weights[pair] * (d * d * d - 15.0 * d * d + 45.0 * d - 15.0)
    diagonal = 3.0 if order == 4 else -15.0
    return 2.0 * total + n * diagonal


@njit(nogil=True)
def _likelihood_bandwidth(values: np.ndarray, start: float, code: int) -> float:
    """Return the bandwidth with the greatest leave-one-out likelihood.

    It is searched for on a logarithmic grid from 1/8 to 8 times ``start``, since tied values would
    drive it to 0, and then by golden section around the best grid point. Where no bandwidth has a
    likelihood above 0, ``start`` is returned.
    """
    ratio = _FURTHEST ** (2.0 / (_STEPS - 1))
    best, best_h = -np.inf, start
    for step in range(_STEPS):
        h = start / _FURTHEST * ratio**step
        likelihood = leave_one_out_likelihood(values, h, code)
        if likelihood > best:
            best, best_h = likelihood, h
    if best == -np.inf:
        return start
    low, high = np.log(best_h / ratio), np.log(best_h * ratio)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left = leave_one_out_likelihood(values, np.exp(left), code)
    at_right = leave_one_out_likelihood(values, np.exp(right), code)
    while high - low > 1e-6:
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = leave_one_out_likelihood(values, np.exp(left), code)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = leave_one_out_likelihood(values, np.exp(right), code)
    middle = np.exp(0.5 * (low + high))
    return middle if leave_one_out_likelihood(values, middle, code) > best else best_h


@njit(nogil=True)
def leave_one_out_likelihood(values: np.ndarray, h: float, code: int) -> float:
    """Return the sum over samples of the log density that the other samples give it."""
    n = len(values)
    terms = np.empty(n)
    likelihood = 0.0
    for i in range(n):
        for j in range(n):
            terms[j] = (values[i] - values[j]) / h
        terms[i] = np.inf
        apply_kernel(code, terms)
        total = terms.sum()
        if total <= 0.0:
            return -np.inf
        likelihood += np.log(total / ((n - 1) * h))
    return likelihood


@njit(nogil=True)
def _adapt(
    tile: np.ndarray, offsets: np.ndarray, pilots: np.ndarray, code: int, out: np.ndarray
) -> None:
    """Write a bandwidth per sample by Abramson's square-root law.

    ``h_i = h (g / f(x_i))**0.5`` with ``f`` the density of the pilot bandwidth ``h`` and ``g`` the
    geometric mean of the ``f(x_i)``: wide where samples are sparse.
    """
    for c in range(len(offsets) - 1):
        a, b = offsets[c], offsets[c + 1]
        terms = np.empty(b - a)
        logs = np.empty(b - a)
        for f in range(tile.shape[1]):
            for i in range(b - a):
                for j in range(b - a):
                    terms[j] = (tile[a + i, f] - tile[a + j, f]) / pilots[c, f]
                apply_kernel(code, terms)
                logs[i] = np.log(terms.sum())
            mean = logs.mean()
            for i in range(b - a):
                out[a + i, f] = pilots[c, f] * np.exp(0.5 * (mean - logs[i]))


BANDWIDTHS = ("silverman", "scott", "sheather_jones", "cross_validation", "adaptive")

#: The factor of the rule of thumb; the other rules start from Silverman's.
RULES_OF_THUMB = {"silverman": 0.9, "scott": 1.059}


def bandwidths_of(
    tile: np.ndarray,
    offsets: np.ndarray,
    rule: str,
    kernel: str = "gaussian",
    min_bandwidth: float = 0.0,
    spreads: np.ndarray | None = None,
) -> np.ndarray:
    """Return the bandwidths (n_classes, n_features); of each sample for "adaptive".

    The tile (n_samples, n_features) holds class after class, ascending within each; class ``c`` has
    the rows ``offsets[c]`` to ``offsets[c + 1]`` (see `xnbflow.density.tiles`). "cross_validation"
    and "adaptive" depend on the kernel.

    A class (almost) constant in a feature has a spike there, and a value beside it weighs hundreds
    of nats. No bandwidth is below ``min_bandwidth * s * n_c**-0.2``, where rules of thumb have 0.9
    or 1.06; ``s`` is the feature's standard deviation (ddof=1) over all training samples, so that
    no unit of measurement matters. It is given as ``spreads`` (n_features,) where the tile does not
    hold all training samples. A class whose values are all equal has the floor as its bandwidth. A
    feature that is constant over all samples has no floor.
    """
    sizes = np.diff(offsets)
    robust, widths = np.empty((2, len(sizes), tile.shape[1]))
    _write_spreads(tile, offsets, RULES_OF_THUMB.get(rule, 0.9), -0.2, widths)
    if rule == "adaptive":
        pilots, widths = widths, np.empty(tile.shape)
        _adapt(tile, offsets, pilots, kernel_code(kernel), widths)
    elif rule not in RULES_OF_THUMB:
        _write_spreads(tile, offsets, 1.0, 0.0, robust)
        varies = tile[offsets[:-1]] < tile[offsets[1:] - 1]
        for c, f in np.argwhere(varies):
            values = tile[offsets[c] : offsets[c + 1], f].copy()
            if rule == "sheather_jones":
                widths[c, f] = _plug_in_bandwidth(values, robust[c, f], widths[c, f])
            else:
                widths[c, f] = _likelihood_bandwidth(values, widths[c, f], kernel_code(kernel))
    if min_bandwidth > 0.0:
        spreads = overall_spread(tile) if spreads is None else spreads
        floor = min_bandwidth * spreads * sizes[:, np.newaxis] ** -0.2
        constant = (tile[offsets[:-1]] == tile[offsets[1:] - 1]) & (floor > 0.0)
        if rule == "adaptive":
            floor, constant = (np.repeat(each, sizes, axis=0) for each in (floor, constant))
        widths = np.where(constant, floor, np.maximum(widths, floor))
    return widths


@njit(nogil=True)
def overall_spread(tile: np.ndarray) -> np.ndarray:
    """Return the standard deviation (ddof=1) of each feature of a tile, over all samples.

    It is 0 for a constant feature and for a single sample. No square overflows or underflows.
    """
    n, width = tile.shape
    means, peaks, squares = np.zeros(width), np.zeros(width), np.zeros(width)
    for i in range(n):
        for f in range(width):
            means[f] += tile[i, f] / n
    for i in range(n):
        for f in range(width):
            peaks[f] = max(peaks[f], abs(tile[i, f] - tile[0, f]))
    for i in range(n):
        for f in range(width):
            if peaks[f] > 0.0:
                d = (tile[i, f] - means[f]) / peaks[f]
                squares[f] += d * d
    for f in range(width):
        squares[f] = peaks[f] * np.sqrt(squares[f] / max(n - 1, 1))
    return squares
