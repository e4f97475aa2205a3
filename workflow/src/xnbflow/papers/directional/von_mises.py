"""The von Mises distribution of angles (Directional naive Bayes classifiers, section 2.1)."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import i0e

from xnbflow.core.parameters import number_constraint
from xnbflow.density.families.distribution import (
    Distribution,
    class_means,
    composite_gauss_legendre,
)
from xnbflow.density.tiles import map_strips
from xnbflow.papers.common.bessel import concentration

#: Turns by which angles of one unit differ at most: differences of two angles are between minus one
#: and one turn.
_MOST_TURNS = 2.0
#: Ends of the intervals of integration around a mode, in widths of the density.
_STEPS = np.arange(-8.0, 9.0)


class VonMises(Distribution):
    """Von Mises densities of angles of any range, Eq. 1; one term per feature.

    Parameters
    ----------
    period : float, default=2*pi
        A full turn in the unit of the angles: 2 pi for radians, 360 for degrees, 24 for hours.

    Attributes
    ----------
    mean_direction_ : ndarray of shape (n_features, n_classes)
        Mean direction in the unit of the angles, from minus half a period to half a period.
    concentration_ : ndarray of shape (n_features, n_classes)
        Maximum likelihood concentration, from 0 (uniform) to 1e8 (all angles equal).

    References
    ----------
    P. L. Lopez-Cruz, C. Bielza and P. Larranaga, Directional naive Bayes classifiers, section 2.1.

    Examples
    --------
    >>> wind = VonMises(period=360).fit(np.array([[350.0, 10.0, 370.0]]), np.zeros(3, int), 1)
    >>> float(wind.mean_direction_[0, 0].round(2))
    3.36
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"period": [number_constraint(0.0)]}

    def __init__(self, *, period: float = 2 * np.pi) -> None:
        self.period = period

    def _warn_of_other_units(self, features: np.ndarray) -> None:
        """Warn if angles of a feature differ by many turns: they may be in another unit."""
        widest = np.ptp(features, axis=1).max(initial=0.0)
        if widest > self.period * _MOST_TURNS:
            msg = (
                f"angles of a feature differ by up to {widest:.4g}, more than two full turns of "
                f"{self.period:.4g}; if they are in degrees, the period is 360"
            )
            warnings.warn(msg, UserWarning, stacklevel=6)

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Fit mean direction and concentration per feature and class; see `Distribution.fit`."""
        self._validate_params()
        self.n_classes_ = n_classes
        self._warn_of_other_units(features)
        # The mean resultant vectors; their length is the R that determines the concentration.
        cosine = np.empty((len(features), n_classes))
        sine = np.empty((len(features), n_classes))

        def work(rows: slice) -> None:
            angles = features[rows] * (2 * np.pi / self.period)
            cosine[rows] = class_means(np.cos(angles), codes, n_classes)
            sine[rows] = class_means(np.sin(angles), codes, n_classes)

        map_strips(work, *features.shape)
        direction = np.arctan2(sine, cosine)
        kappa = concentration(np.hypot(cosine, sine), 2)
        self.mean_direction_ = direction * (self.period / (2 * np.pi))
        self.concentration_ = kappa
        # log f = kappa cos(angle - mu) - log(2 pi I0(kappa))
        #       = x cos(angle) + y sin(angle) + constant
        self._x = kappa * np.cos(direction)
        self._y = kappa * np.sin(direction)
        self._constant = -np.log(self.period * i0e(kappa)) - kappa
        return self

    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:
        """Return log densities per unit of angle."""
        angles = features[terms] * (2 * np.pi / self.period)
        density = self._x[terms, :, None] * np.cos(angles)[:, None, :]
        density += self._y[terms, :, None] * np.sin(angles)[:, None, :]
        density += self._constant[terms, :, None]
        return density

    def n_parameters(self) -> np.ndarray:
        """Return 2 per class: mean direction and concentration."""
        return np.full(len(self.mean_direction_), 2 * self.n_classes_)

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a rule over one period whose intervals follow every class's concentration."""
        unit = self.period / (2 * np.pi)
        width = np.minimum(np.pi / 8, 1 / np.sqrt(np.maximum(self.concentration_, 1.0))) * unit
        breaks = self.mean_direction_[:, :, None] + width[:, :, None] * _STEPS
        ends = np.tile([0.0, self.period], (len(breaks), 1))
        breaks = np.hstack([breaks.reshape(len(breaks), -1) % self.period, ends])
        return composite_gauss_legendre(np.sort(breaks, axis=1), self.n_classes_)
