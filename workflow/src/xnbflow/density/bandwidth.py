"""Bandwidths of kernel densities, per class and feature (XNB paper, section 4.1)."""

from numbers import Real

import numpy as np

from xnbflow.data.errors import InputError, require_choice
from xnbflow.density.bandwidth_search import adapt, search_likelihood, solve_plug_in
from xnbflow.density.jit import njit
from xnbflow.density.kernels import kernel_code
from xnbflow.density.rule_of_thumb import rule_of_thumb

__all__ = ["BANDWIDTHS", "bandwidths_of", "check_min_bandwidth", "overall_spread", "raise_to_floor"]

BANDWIDTHS = ("silverman", "scott", "sheather_jones", "cross_validation", "adaptive")

#: The factor of the rule of thumb; the other rules start from Silverman's.
_FACTORS = dict.fromkeys(BANDWIDTHS, 0.9) | {"scott": 1.059}


def bandwidths_of(
    tile: np.ndarray,
    offsets: np.ndarray,
    rule: str,
    kernel: str = "gaussian",
    min_bandwidth: float = 0.0,
    spreads: np.ndarray | None = None,
) -> np.ndarray:
    """Return the bandwidths of every class and feature.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        Class after class, ascending within each (see `xnbflow.density.tiles`).
    offsets : ndarray of int, shape (n_classes + 1,)
        Class ``c`` has the rows ``offsets[c]`` to ``offsets[c + 1]``.
    rule : str
        One of `BANDWIDTHS`.
    kernel : str
        One of `xnbflow.density.kernels.KERNELS`; "cross_validation" and "adaptive" depend on it.
    min_bandwidth : float
        No bandwidth is below ``min_bandwidth * s * n_c**-0.2``; see `raise_to_floor`.
    spreads : ndarray of shape (n_features,), optional
        The ``s``, where the tile does not hold all training samples; else it is computed.

    Returns
    -------
    ndarray of shape (n_classes, n_features), or (n_samples, n_features) for "adaptive"

    Raises
    ------
    InputError
        If there is no such rule or kernel, or ``min_bandwidth`` is no finite number from 0 on.

    Examples
    --------
    >>> tile = np.arange(5.0)[:, None]
    >>> bandwidths_of(tile, np.array([0, 5]), "silverman").round(4)
    array([[1.0314]])
    >>> bandwidths_of(tile, np.array([0, 5]), "silverman", min_bandwidth=1.0).round(4)
    array([[1.146]])
    """
    require_choice("bandwidth", rule, BANDWIDTHS)
    check_min_bandwidth(min_bandwidth)
    widths = _by_rule(tile, offsets, rule, kernel)
    if min_bandwidth > 0.0:
        raise_to_floor(tile, offsets, min_bandwidth, widths, spreads)
    return widths


def raise_to_floor(
    tile: np.ndarray,
    offsets: np.ndarray,
    min_bandwidth: float,
    widths: np.ndarray,
    spreads: np.ndarray | None = None,
) -> None:
    """Raise bandwidths to ``min_bandwidth * s * n_c**-0.2``, ``s`` of the feature over all classes.

    A class (almost) constant in a feature has else a spike there, and one value beside it weighs
    hundreds of nats. The floor is relative to the feature, so that no unit of measurement matters:
    a class whose values are all equal has it as its bandwidth, whatever constant stood there. A
    feature that is constant over all samples has no floor.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        Class after class, ascending within each.
    offsets : ndarray of int, shape (n_classes + 1,)
        Class ``c`` has the ``n_c`` rows ``offsets[c]`` to ``offsets[c + 1]``.
    min_bandwidth : float
        The factor, above 0. As a rule of thumb has 0.9 or 1.06, 0.2 to 0.5 is a floor.
    widths : ndarray of shape (n_classes, n_features) or (n_samples, n_features)
        Bandwidths per class or per sample; raised in place.
    spreads : ndarray of shape (n_features,), optional
        Standard deviation of each feature over all training samples; see `overall_spread`.
    """
    if spreads is None:
        spreads = overall_spread(tile)
    sizes = np.diff(offsets)
    floor = min_bandwidth * spreads * sizes[:, np.newaxis] ** -0.2
    constant = (tile[offsets[:-1]] == tile[offsets[1:] - 1]) & (floor > 0.0)
    if len(widths) != len(sizes):
        floor, constant = (np.repeat(each, sizes, axis=0) for each in (floor, constant))
    widths[:] = np.where(constant, floor, np.maximum(widths, floor))


@njit(nogil=True)
def overall_spread(tile: np.ndarray) -> np.ndarray:
    """Return the standard deviation (ddof=1) of each feature over all samples.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        In any order of the samples.

    Returns
    -------
    ndarray of shape (n_features,)
        0 for a constant feature and for a single sample. No square overflows or underflows.
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


def check_min_bandwidth(min_bandwidth: float) -> None:
    """Raise an `InputError` unless ``min_bandwidth`` is a finite number from 0 on."""
    if not (isinstance(min_bandwidth, Real) and 0.0 <= min_bandwidth < np.inf):
        msg = (
            f"min_bandwidth is {min_bandwidth!r}; use 0 for none, or a share of the feature's "
            "standard deviation such as 0.2"
        )
        raise InputError(msg)


def _by_rule(tile: np.ndarray, offsets: np.ndarray, rule: str, kernel: str) -> np.ndarray:
    widths = np.empty((len(offsets) - 1, tile.shape[1]))
    rule_of_thumb(tile, offsets, _FACTORS[rule], widths)
    if rule == "adaptive":
        local = np.empty(tile.shape)
        adapt(tile, offsets, widths, kernel_code(kernel), local)
        return local
    if rule == "sheather_jones":
        solve_plug_in(tile, offsets, widths)
    elif rule == "cross_validation":
        search_likelihood(tile, offsets, widths, kernel_code(kernel))
    return widths
