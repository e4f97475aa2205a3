"""Strips of features by class, from which distances are computed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.data.matrices import as_array
from xnbflow.density.adaptive_bandwidth import adaptive_factors, kernel_spreads
from xnbflow.density.bandwidth import ORDERED_RULE, bandwidth_floor, bandwidths_of
from xnbflow.density.distances import separation
from xnbflow.density.grid import grid_densities
from xnbflow.density.standard import StandardUnits
from xnbflow.density.tiles import class_offsets, map_strips, sorted_classes


@dataclass(frozen=True)
class ClassTile:
    """Some features with their samples as rows.

    ``values`` (n_samples, n_features) are class after class, ascending within each; class ``c`` has
    the rows ``offsets[c]`` to ``offsets[c + 1]``. ``spreads`` (n_features,) are standard deviations
    (ddof=1) where they are known exactly, as in standard units. ``in_order`` are the values with
    the samples of a class in their own order, for the rule that depends on it.
    """

    values: np.ndarray
    offsets: np.ndarray
    spreads: np.ndarray | None = None
    in_order: np.ndarray | None = None

    @property
    def sizes(self) -> np.ndarray:
        """Samples of each class, shape (n_classes,)."""
        return np.diff(self.offsets)

    def deviations(self) -> np.ndarray:
        """Return the standard deviation (ddof=0) of each feature, shape (n_features,)."""
        return self.values.std(axis=0)

    def standardised(self) -> "ClassTile":
        """Return the tile in standard units."""
        standard = StandardUnits.of(self.values)
        in_order = None if self.in_order is None else standard.apply(self.in_order)
        return ClassTile(standard.apply(self.values), self.offsets, standard.spreads, in_order)

    def bandwidths(self, rule: str, min_bandwidth: float) -> np.ndarray:
        """Return bandwidths per class and feature."""
        return bandwidths_of(
            self.values,
            self.offsets,
            rule=rule,
            min_bandwidth=min_bandwidth,
            spreads=self.spreads,
            in_order=self.in_order,
        )

    def factors(
        self, widths: np.ndarray, *, rule: str, kernel: str | int, min_bandwidth: float
    ) -> np.ndarray | None:
        """Return the factors of samples (n_samples, n_features) by which "adaptive" multiplies."""
        if rule != "adaptive":
            return None
        floor = bandwidth_floor(self.values, self.offsets, min_bandwidth, self.spreads)
        return adaptive_factors(
            self.values, self.offsets, bandwidths=widths, kernel=kernel, floor=floor
        )

    def densities(
        self,
        widths: np.ndarray,
        *,
        kernel: str | int,
        n_grid: int,
        underflow: str,
        factors: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return densities on a grid, (n_classes, n_grid, n_features); see `grid_densities`."""
        return grid_densities(
            self.values,
            self.offsets,
            widths,
            kernel=kernel,
            n_grid=n_grid,
            underflow=underflow,
            factors=factors,
        )

    def separation(
        self, widths: np.ndarray, pairs: np.ndarray, factors: np.ndarray | None = None
    ) -> np.ndarray:
        """Return ``d² / (8 v)`` of class pairs, shape (n_pairs, n_features)."""
        means, squares = np.zeros((2, len(self.sizes), self.values.shape[1]))
        if factors is not None:
            widths = kernel_spreads(widths, factors, self.offsets)
        _write_moments(self.values, self.offsets, widths, means, squares)
        return separation(means, squares, self.sizes, pairs)


def map_class_tiles(
    work: Callable[[ClassTile, slice], None],
    features: Any,
    codes: np.ndarray,
    n_classes: int,
    *,
    samples: np.ndarray | None = None,
    rule: str | None = None,
) -> None:
    """Call ``work(tile, strip)`` for every strip of features, on threads; it writes its results.

    ``features`` are an array or `Rows` (n_features, n_samples), of which ``samples`` (n_chosen,)
    are used, by default all, and ``codes`` are their classes. Tiles have the samples in order if
    the ``rule`` for bandwidths needs it.
    """
    order, offsets = class_offsets(codes, n_classes)
    order = order if samples is None else samples[order]

    def work_on_strip(strip: slice) -> None:
        # No reference to the tile here, so the work can free the values after standardisation.
        work(class_tile(as_array(features[strip]), order, offsets, rule), strip)

    map_strips(work_on_strip, features.shape[0], len(order))


def class_tile(
    features: np.ndarray, order: np.ndarray, offsets: np.ndarray, rule: str | None = None
) -> ClassTile:
    """Return the tile of a strip of features (n_features, n_samples); see `sorted_classes`."""
    in_order = None
    if rule == ORDERED_RULE:
        in_order = np.ascontiguousarray(features[:, order].T)
    return ClassTile(sorted_classes(features, order, offsets), offsets, in_order=in_order)


@njit(nogil=True)
def _write_moments(
    tile: np.ndarray,
    offsets: np.ndarray,
    widths: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
) -> None:
    """Write each class's mean and sum of squares about it, of the kernels too."""
    n_classes, width = means.shape
    for c in range(n_classes):
        a, b = offsets[c], offsets[c + 1]
        for i in range(a, b):
            for f in range(width):
                means[c, f] += tile[i, f] / (b - a)
        for i in range(a, b):
            for f in range(width):
                # the variance of a mixture of kernels: that of the samples, plus each kernel's h^2
                d = tile[i, f] - means[c, f]
                squares[c, f] += d * d + widths[c, f] * widths[c, f]
