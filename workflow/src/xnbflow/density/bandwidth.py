"""Bandwidths of kernel densities, per class and feature (XNB paper, section 4.1).

================== ===================================================================
silverman, scott   rules of thumb, here; of standard deviation and quartiles
normal_reference   the rule of thumb of the standard deviation alone, here
sheather_jones     the plug-in equation, `xnbflow.density.plug_in_bandwidth`
cross_validation   likelihood of left-out samples, `xnbflow.density.validated_bandwidth`
adaptive           Silverman's times a factor for each sample,
                   `xnbflow.density.adaptive_bandwidth`
================== ===================================================================
"""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.plug_in_bandwidth import write_plug_in_bandwidths
from xnbflow.density.tiles import tile_moments
from xnbflow.density.validated_bandwidth import write_validated_bandwidths

#: The spread of a class with equal values only, as in the authors' program.
SMALLEST_SPREAD = 1e-7

#: Spreads below are taken as 0.
_SMALLEST_DEVIATION = 1e-300


@njit(nogil=True)
def _write_spreads(
    tile: np.ndarray, offsets: np.ndarray, factor: float, use_quartiles: bool, out: np.ndarray
) -> None:
    """Write ``factor * A * n_c**-0.2`` of each class and feature.

    ``A`` is the smaller of the standard deviation and, with ``use_quartiles``, the interquartile
    range (of Hazen's quartiles) over 1.349. Where the quartiles are equal it is the standard
    deviation, and where that is 0 or undefined, `SMALLEST_SPREAD`.
    """
    width = tile.shape[1]
    means = np.empty(out.shape)
    squares = np.empty(out.shape)
    tile_moments(tile, offsets, means, squares)
    for c in range(len(offsets) - 1):
        rows = tile[offsets[c] : offsets[c + 1]]
        n = len(rows)
        # Rows are sorted: a quartile lies between two of them, at a share of their distance, which
        # is the same for all features. 1.349 is the interquartile range of the standard normal.
        scale = factor * n**-0.2
        below_first, first, share_first = _hazen(n, 0.25)
        below_third, third, share_third = _hazen(n, 0.75)
        for f in range(width):
            low = rows[below_first, f] + share_first * (rows[first, f] - rows[below_first, f])
            high = rows[below_third, f] + share_third * (rows[third, f] - rows[below_third, f])
            quartiles = (high - low) / 1.349
            deviation = np.sqrt(squares[c, f] / max(n - 1, 1))
            has_quartiles = use_quartiles and quartiles > 0.0
            spread = min(deviation, quartiles) if has_quartiles else deviation
            constant = rows[0, f] == rows[n - 1, f]
            out[c, f] = scale * (
                SMALLEST_SPREAD if constant | (spread < _SMALLEST_DEVIATION) else spread
            )


@njit(nogil=True, inline="always")
def _hazen(n: int, p: float) -> tuple[int, int, float]:
    """Return the two of n ascending values around Hazen's quantile, and its place between them."""
    position = min(max(p * n - 0.5, 0.0), n - 1.0)
    below = int(position)
    return below, min(below + 1, n - 1), position - below


#: The factor of each rule of thumb; adaptive bandwidths begin with Silverman's. The text of the XNB
#: paper (section 4.1) has 1.059 with the standard deviation alone, and calls it Silverman's.
_RULES_OF_THUMB = {"silverman": 0.9, "scott": 1.059, "normal_reference": 1.059, "adaptive": 0.9}
#: The rule of thumb without quartiles.
_DEVIATION_RULE = "normal_reference"

#: The names of the rules.
BANDWIDTHS = (
    *("silverman", "scott", "normal_reference"),
    *("sheather_jones", "cross_validation", "adaptive"),
)

#: The rule that depends on the order of the samples.
ORDERED_RULE = "cross_validation"


def bandwidths_of(
    tile: np.ndarray,
    offsets: np.ndarray,
    rule: str,
    min_bandwidth: float = 0.0,
    spreads: np.ndarray | None = None,
    *,
    in_order: np.ndarray | None = None,
) -> np.ndarray:
    """Return the bandwidths, shape (n_classes, n_features).

    The tile (n_samples, n_features) holds class after class, ascending within each; class ``c`` has
    the rows ``offsets[c]`` to ``offsets[c + 1]`` (see `xnbflow.density.tiles`). ``in_order`` is the
    same with the samples of a class in their own order, which "cross_validation" needs. With
    "adaptive" the bandwidths are those that `xnbflow.density.adaptive_bandwidth` multiplies.

    A class (almost) constant in a feature has a spike there, and a value beside it weighs hundreds
    of nats. No bandwidth is below `bandwidth_floor`. A class whose values are all equal has the
    floor as its bandwidth. A feature that is constant over all samples has no floor.
    """
    widths = np.empty((len(offsets) - 1, tile.shape[1]))
    if rule == "sheather_jones":
        write_plug_in_bandwidths(tile, offsets, widths)
    elif rule == ORDERED_RULE:
        if in_order is None:
            msg = f"{rule} needs the samples in their order"
            raise TypeError(msg)
        write_validated_bandwidths(in_order, offsets, widths)
    else:
        _write_spreads(tile, offsets, _RULES_OF_THUMB[rule], rule != _DEVIATION_RULE, widths)
    if min_bandwidth > 0.0:
        floor = bandwidth_floor(tile, offsets, min_bandwidth, spreads)
        constant = (tile[offsets[:-1]] == tile[offsets[1:] - 1]) & (floor > 0.0)
        widths = np.where(constant, floor, np.maximum(widths, floor))
    return widths


def bandwidth_floor(
    tile: np.ndarray,
    offsets: np.ndarray,
    min_bandwidth: float,
    spreads: np.ndarray | None = None,
) -> np.ndarray:
    """Return the least bandwidths, ``min_bandwidth * s * n_c**-0.2``, (n_classes, n_features).

    Rules of thumb have 0.9 or 1.06 in place of ``min_bandwidth``. ``s`` is the feature's standard
    deviation (ddof=1) over all training samples, so that the floor is independent of the unit.
    ``spreads`` (n_features,) has ``s`` where the tile lacks some training samples.
    """
    spreads = overall_spread(tile) if spreads is None else spreads
    return np.asarray(min_bandwidth * spreads * np.diff(offsets)[:, np.newaxis] ** -0.2)


@njit(nogil=True)
def overall_spread(tile: np.ndarray) -> np.ndarray:
    """Return the standard deviation (ddof=1) of each feature of a tile, over all samples.

    It is 0 for a constant feature and for a single sample. No square overflows or underflows.
    """
    n, width = tile.shape
    means = np.zeros(width)
    peaks = np.zeros(width)
    squares = np.zeros(width)
    # Deviations are divided by the largest distance from the first sample before they are squared.
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
