"""The strength of every feature for each pair of classes, in standard units.

The strength is a Bhattacharyya distance in nats, ``-log(1 - H²)`` with ``H`` the Hellinger distance
(or another one from 0 to 1). It is 0 for equal densities, and has no upper bound, so that strong
features do not tie at 1.
"""

from typing import Any

import numpy as np

from xnbflow.density.class_tiles import ClassTile, map_class_tiles
from xnbflow.density.distances import DISTANCES, density_distances
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.preprocessing.selection.class_features import pairs_of_codes

#: Least bandwidth of a class, in standard deviations of the feature times ``n ** -0.2``: a class
#: that is almost constant in a feature has no spike.
DEFAULT_MIN_BANDWIDTH = 0.3

#: "separation" compares means and variances of the kernel densities; "combined" is the geometric
#: mean of its strength and Hellinger's. Hellinger's and all others compare the densities on a grid.
PAIR_DISTANCES = ("combined", "separation", *DISTANCES)

#: Distances on a grid are limited by rounding near 1.
_LEAST_AFFINITY = np.finfo(np.float64).eps


def pair_strengths(
    features: Any,
    codes: np.ndarray,
    n_classes: int,
    *,
    samples: np.ndarray | None = None,
    distance: str = "combined",
    bandwidth: str = "silverman",
    min_bandwidth: float = DEFAULT_MIN_BANDWIDTH,
    kernel: str | int = "gaussian",
    n_grid: int = DEFAULT_N_GRID,
) -> np.ndarray:
    """Return the strength of every feature for each pair of classes, shape (n_pairs, n_features).

    Features are an array or `Rows` (n_features, n_samples). ``samples`` are the positions of the
    samples to use, by default all, and ``codes`` their classes. The pairs are those of
    `pairs_of_codes`. A feature that is constant over all samples has strength 0.

    The ``distance`` "separation" is the Bhattacharyya distance of two normal densities with the
    means of the two kernel densities and the variance of both, pooled: ``d² / 8`` with ``d`` the
    difference of means in pooled standard deviations. "hellinger" is ``-log(1 - H²)`` of the kernel
    densities on a grid. "combined" is the geometric mean of the two: the densities overlap little
    *and* lie apart, rather than being of different width. A further distance of
    `xnbflow.density.distances` takes the place of ``H``. All other parameters are as in
    `xnbflow.naive_bayes.ClassSpecificNB`.

    Examples
    --------
    >>> features = np.array([[0.0, 1.0, 2.0, 8.0, 9.0, 10.0], [0.0, 5.0, 9.0, 1.0, 5.0, 8.0]])
    >>> codes = np.array([0, 0, 0, 1, 1, 1])
    >>> pair_strengths(features, codes, 2, distance="separation").round(2)
    array([[4.38, 0.  ]])
    """
    pairs = pairs_of_codes(n_classes)
    strengths = np.empty((len(pairs), features.shape[0]))
    on_grid = "hellinger" if distance == "combined" else distance

    def work(tile: ClassTile, strip: slice) -> None:
        tile = tile.standardised()
        widths = tile.bandwidths(bandwidth, min_bandwidth)
        factors = tile.factors(widths, rule=bandwidth, kernel=kernel, min_bandwidth=min_bandwidth)
        if distance == "separation":
            strengths[:, strip] = tile.separation(widths, pairs, factors)
            return
        densities = tile.densities(
            widths, kernel=kernel, n_grid=n_grid, underflow="log", factors=factors
        )
        distances = density_distances(densities, pairs, on_grid)
        nats = -np.log(np.maximum(1.0 - distances * distances, _LEAST_AFFINITY))
        if distance == "combined":
            nats = np.sqrt(tile.separation(widths, pairs, factors) * nats)
        strengths[:, strip] = nats

    map_class_tiles(work, features, codes, n_classes, samples=samples, rule=bandwidth)
    return strengths


def distance_of_strength(strengths: np.ndarray) -> np.ndarray:
    """Return the Hellinger distance ``sqrt(1 - exp(-strength))``, from 0 to 1.

    Examples
    --------
    >>> distance_of_strength(np.array([0.0, 0.5, 40.0])).round(3).tolist()
    [0.0, 0.627, 1.0]
    """
    return np.sqrt(-np.expm1(-strengths))
