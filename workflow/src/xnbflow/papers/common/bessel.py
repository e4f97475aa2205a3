"""Bessel functions of the concentration, and its estimate from the mean resultant length.

On the unit sphere of R^d the order is ``d / 2 - 1``, and the circle is ``d = 2`` (Lopez-Cruz,
Bielza and Larranaga 2015, section 2).
"""

import numpy as np
from scipy.special import i0e, i1e, ive

#: The largest concentration: on the circle a standard deviation of 1e-4 radians. Samples with one
#: common direction would have an infinite concentration.
_KAPPA_MAX = 1e8

#: Least order for which the uniform expansion is used; its error there is below 1e-8.
_LEAST_UNIFORM_ORDER = 50
#: Resultant lengths closer to 1 than this have their concentration by a series.
_NEAR_ONE = 1e-4
#: Steps of Newton's method, after which the relative error is below 1e-8.
_NEWTON_STEPS = 4


def log_bessel_quotient(order: float, kappa: np.ndarray) -> np.ndarray:
    """Return ``log(I_v(kappa) / kappa**v)``, finite at 0 and for large orders ``v``.

    Orders of at least 50 use the uniform expansion (NIST Digital Library of Mathematical Functions,
    10.41.3), whose error there is below 1e-8.
    """
    kappa = np.asarray(kappa, dtype=np.float64)
    if order >= _LEAST_UNIFORM_ORDER:
        # In the library's terms z = kappa / v and length = v sqrt(1 + z^2), so that
        # v eta = length + v log(kappa / (v + length)); kappa**v is divided out.
        length = np.hypot(order, kappa)
        leading = length - order * np.log(order + length) - 0.5 * np.log(2 * np.pi * length)
        return leading + _uniform_correction(order, length)
    kappa = np.maximum(kappa, _least(order))
    return np.log(_scaled_bessel(order, kappa)) + kappa - order * np.log(kappa)


def bessel_ratio(order: float, kappa: np.ndarray) -> np.ndarray:
    """Return ``I_{v+1}(kappa) / I_v(kappa)``, the mean resultant length at ``kappa``.

    Examples
    --------
    >>> float(bessel_ratio(0.5, np.array(2.0)).round(6))  # coth(2) - 1 / 2
    0.537315
    """
    kappa = np.maximum(kappa, _least(order))
    if order < _LEAST_UNIFORM_ORDER:
        return _scaled_bessel(order + 1, kappa) / _scaled_bessel(order, kappa)

    # The difference of the expansions of log I_w and log I_v, w = v + 1, each of which is
    #     length - v arcsinh(v / kappa) - log(2 pi length) / 2 + correction
    # The lengths are large and nearly equal, so that their difference is computed by
    #     length_w - length_v = (w^2 - v^2) / (length_w + length_v) = (w + v) / (...)
    next_order = order + 1
    length = np.hypot(order, kappa)
    next_length = np.hypot(next_order, kappa)
    log_ratio = (
        (order + next_order) / (length + next_length)
        + order * np.arcsinh(order / kappa)
        - next_order * np.arcsinh(next_order / kappa)
        + 0.5 * np.log(length / next_length)
        + _uniform_correction(next_order, next_length)
        - _uniform_correction(order, length)
    )
    return np.exp(log_ratio)


def concentration(resultant: np.ndarray, dimension: int) -> np.ndarray:
    """Return the maximum likelihood concentration, the ``kappa`` with ``A_d(kappa) = R``.

    ``resultant`` are mean resultant lengths ``R``, from 0 (uniform) to 1 (all samples equal), and
    ``dimension`` is that of the space around the sphere, 2 for angles. Concentrations are from 0 to
    `_KAPPA_MAX`.

    Newton's method begins at the approximation of Banerjee et al. (2005). If ``R`` is within 1e-4
    of 1, the concentration is so large that the asymptotic expansion of ``A_d`` is inverted
    instead.
    """
    order = dimension / 2 - 1
    resultant = np.clip(resultant, 0.0, 1.0)
    spread = np.maximum(1 - resultant, np.finfo(np.float64).eps)
    # 1 - A_d(kappa) = first / kappa + second / kappa² + ..., solved for kappa. The coefficients are
    # those of the quotient of the expansions of I_{v+1} and I_v for large kappa (10.40.1 of the
    # NIST Digital Library of Mathematical Functions).
    first = order + 0.5
    second = (order**2 - 0.25) / 2
    series = first / spread - second / first - second * (second / first + 1) / first**2 * spread
    by_newton = spread > _NEAR_ONE
    concentrations = np.where(by_newton, 0.0, np.minimum(series, _KAPPA_MAX))
    resultant = resultant[by_newton]
    kappa = resultant * (dimension - resultant**2) / (1 - resultant**2)
    for _ in range(_NEWTON_STEPS):
        kappa = np.maximum(kappa, _least(order))
        ratio = bessel_ratio(order, kappa)
        slope = 1 - ratio * (ratio + (dimension - 1) / kappa)
        kappa = kappa - (ratio - resultant) / slope
    concentrations[by_newton] = np.where(resultant > 0, np.maximum(kappa, 0.0), 0.0)
    return concentrations


def _scaled_bessel(order: float, kappa: np.ndarray) -> np.ndarray:
    """Return ``exp(-kappa) I_v(kappa)``; orders 0 and 1, the circle's, have faster routines."""
    if order == 0:
        return i0e(kappa)
    return i1e(kappa) if order == 1 else ive(order, kappa)


def _least(order: float) -> float:
    """Return a small concentration at which ``I_v(kappa)`` and ``I_{v+1}(kappa)`` do not underflow.

    Near 0, ``I_v(kappa)`` is ``(kappa / 2)**v / Gamma(v + 1)``. With ``kappa**(v + 2)`` of 1e-200,
    both are above 1e-282 for all orders below 50, and the smallest double is 2e-308. The uniform
    expansion needs logarithms only.
    """
    return 10.0 ** (-200 / (order + 2)) if order < _LEAST_UNIFORM_ORDER else 1e-200


def _uniform_correction(order: float, length: np.ndarray) -> np.ndarray:
    """Return ``log(1 + sum_k U_k(t) / order**k)`` of the expansion, ``t = order / length``.

    The polynomials U are those of the NIST Digital Library, 10.41.10.
    """
    t = order / length
    square = t * t
    terms = (
        t * (3 - 5 * square) / 24,
        square * (81 + square * (-462 + square * 385)) / 1152,
        t * square * (30375 + square * (-369603 + square * (765765 - square * 425425))) / 414720,
    )
    return np.log1p(sum(term / order ** (k + 1) for k, term in enumerate(terms)))
