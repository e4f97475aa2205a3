"""Features in standard units: centred at their mean, measured in their standard deviation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.data.matrices import as_array, feature_blocks
from xnbflow.density.bandwidth import overall_spread

#: Spreads below this share of a feature's size are rounding errors: the feature is constant.
_ROUNDING = 64.0 * np.finfo(np.float64).eps

#: Values of a part of the features: 16 MB.
_PART_VALUES = 2_000_000


@dataclass(frozen=True)
class StandardUnits:
    """Centres and units of features, learned from training samples.

    They are mean and standard deviation (ddof=1), both (n_features,). A feature that is constant up
    to rounding has an infinite unit, so that all its values become 0.

    Examples
    --------
    >>> standard = StandardUnits.of(np.array([[1.0, 7.0], [3.0, 7.0]]))
    >>> standard.apply(np.array([[2.0, 7.0], [5.0, 8.0]])).round(3).tolist()
    [[0.0, 0.0], [2.121, 0.0]]
    """

    centres: np.ndarray
    units: np.ndarray

    @classmethod
    def of(cls, tile: np.ndarray) -> "StandardUnits":
        """Learn them from samples (n_samples, n_features) in any order and memory layout.

        A feature whose range overflows is an `InputError`.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            size = np.maximum(tile.max(axis=0), -tile.min(axis=0))
            centres = tile.mean(axis=0)
            deviations = overall_spread(np.ascontiguousarray(tile))
        if not np.isfinite(deviations).all() or not np.isfinite(centres).all():
            msg = "a feature is so large that its range overflows; scale the features down"
            raise InputError(msg)
        return cls(centres, np.where(deviations > _ROUNDING * size, deviations, np.inf))

    @property
    def spreads(self) -> np.ndarray:
        """Standard deviations in standard units, shape (n_features,): 1, or 0 for a constant."""
        return np.where(np.isfinite(self.units), 1.0, 0.0)

    def apply(self, tile: np.ndarray) -> np.ndarray:
        """Return a tile (n_samples, n_features) in standard units; infinity where it overflows."""
        with np.errstate(over="ignore"):
            standard = tile - self.centres
            standard /= self.units
        return standard

    def take(self, which: slice | np.ndarray) -> "StandardUnits":
        """Return the units of some features."""
        return StandardUnits(self.centres[which], self.units[which])


class StandardFeatures:
    """Features (n_features, n_samples), of an array or `Rows`, whose slices are standardised.

    Examples
    --------
    >>> StandardFeatures(np.array([[1.0, 0.0, 2.0]]))[0:1].tolist()
    [[0.0, -1.0, 1.0]]
    """

    def __init__(self, values: Any) -> None:
        self.shape = values.shape
        self._values = values
        units = [StandardUnits.of(features.T) for features in feature_blocks(values)]
        self.standard = StandardUnits(
            np.concatenate([tile.centres for tile in units]),
            np.concatenate([tile.units for tile in units]),
        )

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: slice | np.ndarray) -> np.ndarray:
        tile = np.ascontiguousarray(as_array(self._values[which]).T)
        return self.standard.take(which).apply(tile).T

    def parts(self, which: np.ndarray) -> Iterator[np.ndarray]:
        """Yield some features in standard units, 2 million values at a time."""
        width = max(1, _PART_VALUES // max(1, self.shape[1]))
        for start in range(0, len(which), width):
            yield self[which[start : start + width]]

    def mean(self) -> np.ndarray:
        """Return the mean over features of each sample, shape (n_samples,)."""
        tiles = self.parts(np.arange(len(self)))
        return sum(features.sum(axis=0) for features in tiles) / len(self)
