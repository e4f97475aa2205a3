"""Features in standard units: centred at their mean, measured in their standard deviation.

What is computed in these units does not know the unit in which a feature was measured.
"""

import numpy as np

from xnbflow.density.bandwidth import overall_spread
from xnbflow.errors import InputError

__all__ = ["StandardUnits"]

#: Spreads below this share of a feature's size are rounding errors: the feature is constant.
_ROUNDING = 64.0 * np.finfo(np.float64).eps


class StandardUnits:
    """Centres and units of features, learned from training samples.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        Training samples, in any order (see `xnbflow.density.tiles`).

    Attributes
    ----------
    centres, units : ndarray of shape (n_features,)
        Mean and standard deviation (ddof=1). A feature that is constant but for rounding has an
        infinite unit, so that all its values, whatever they are, become 0.

    Raises
    ------
    InputError
        If a feature is so large that its range overflows.

    Examples
    --------
    >>> standard = StandardUnits(np.array([[1.0, 7.0], [3.0, 7.0]]))
    >>> standard.apply(np.array([[2.0, 7.0], [5.0, 8.0]])).round(3).tolist()
    [[0.0, 0.0], [2.121, 0.0]]
    """

    def __init__(self, tile: np.ndarray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            size = np.abs(tile).max(axis=0)
            self.centres = tile.mean(axis=0)
            units = overall_spread(tile)
        if not np.isfinite(units).all() or not np.isfinite(self.centres).all():
            msg = "a feature is so large that its range overflows; scale the features down"
            raise InputError(msg)
        self.units = np.where(units > _ROUNDING * size, units, np.inf)

    @property
    def spreads(self) -> np.ndarray:
        """Standard deviations in standard units, shape (n_features,): 1, or 0 for a constant."""
        return np.where(np.isfinite(self.units), 1.0, 0.0)

    def apply(self, tile: np.ndarray) -> np.ndarray:
        """Return a tile (n_samples, n_features) in standard units; infinity where it overflows."""
        with np.errstate(over="ignore"):
            return (tile - self.centres) / self.units
