"""Bessel functions of the concentration, and its estimate from the mean resultant length.

On the unit sphere of R^d the order is ``d / 2 - 1``, and the circle is ``d = 2`` (Lopez-Cruz,
Bielza and Larranaga 2015, section 2).
"""

import numpy as np
from scipy.special import i0e, i1e, ive

#: The largest concentration: on the circle a standard deviation of 1e-4 radians. Samples with one
#: common direction would have an infinite concentration.
KAPPA_MAX = 1e8

#: Order from which on the uniform expansion is used; its error there is below 1e-8.
_UNIFORM_EXPANSION_FROM = 50
#: Resultant lengths within it of 1 have their concentration by a series.
_SPREAD_OF_SERIES = 1e-4
#: Steps of Newton's method, after which the relative error is below 1e-8.
_NEWTON_STEPS = 4


def log_bessel_quotient(order: float, kappa: np.ndarray) -> np.ndarray:
    """Return ``log(I_v(kappa) / kappa**v)``, finite at 0 and for large orders ``v``.

    Orders of at least 50 use the uniform expansion (NIST Digital Library of Mathematical Functions,
    10.41.3), whose error there is below 1e-8.
    """
    kappa = np.asarray(kappa, dtype=np.float64)
    if order >= _UNIFORM_EXPANSION_FROM:
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
    if order < _UNIFORM_EXPANSION_FROM:
        return _scaled_bessel(order + 1, kappa) / _scaled_bessel(order, kappa)
    # The large terms of both expansions cancel and are left out.
    above = order + 1
    length = np.hypot(order, kappa)
    length_above = np.hypot(above, kappa)
    difference = (
        (order + above) / (length + length_above)
        + order * np.arcsinh(order / kappa)
        - above * np.arcsinh(above / kappa)
        + 0.5 * np.log(length / length_above)
        + _uniform_correction(above, length_above)
        - _uniform_correction(order, length)
    )
    return np.exp(difference)


def concentration(resultant: np.ndarray, dimension: int) -> np.ndarray:
    """Return the maximum likelihood concentration, the ``kappa`` with ``A_d(kappa) = R``.

    Newton's method from the approximation of Banerjee et al. (2005); where ``R`` is within 1e-4 of
    1, the inverted asymptotic expansion of ``A_d``. ``resultant`` are mean resultant lengths ``R``,
    from 0 (uniform) to 1 (all samples equal), and ``dimension`` is that of the space around the
    sphere, 2 for angles. Concentrations are from 0 to `KAPPA_MAX`.
    """
    order = dimension / 2 - 1
    resultant = np.clip(resultant, 0.0, 1.0)
    spread = np.maximum(1 - resultant, np.finfo(np.float64).eps)
    # 1 - A_d(kappa) = half / kappa + bend / kappa² + ..., solved for kappa.
    half = order + 0.5
    bend = (order**2 - 0.25) / 2
    series = half / spread - bend / half - bend * (bend / half + 1) / half**2 * spread
    by_newton = spread > _SPREAD_OF_SERIES
    concentrations = np.where(by_newton, 0.0, np.minimum(series, KAPPA_MAX))
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
    """Return the least concentration at which ``I_v(kappa)`` does not underflow."""
    return 10.0 ** (-200 / (order + 2)) if order < _UNIFORM_EXPANSION_FROM else 1e-200


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
