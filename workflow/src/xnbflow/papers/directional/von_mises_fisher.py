"""The von Mises-Fisher distribution of unit vectors (Directional naive Bayes, section 2.2)."""

from typing import Any, ClassVar, Self

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.density.families.distribution import Distribution, class_means
from xnbflow.papers.common.bessel import concentration, log_bessel_quotient

#: Largest deviation of a vector's length from 1.
_TOLERANCE = 1e-6


class VonMisesFisher(Distribution):
    """Von Mises-Fisher density of one unit vector, Eq. 2; all its columns are one term.

    Parameters
    ----------
    normalize : bool, default=False
        Divide each vector by its length instead of refusing lengths other than 1. A zero vector
        carries no information about the class.

    Attributes
    ----------
    mean_direction_ : ndarray of shape (dimension, n_classes)
        Unit vectors; 0 where a class has no direction at all.
    concentration_ : ndarray of shape (n_classes,)
        Maximum likelihood concentration, from 0 (uniform) to 1e8 (all vectors equal).

    References
    ----------
    P. L. Lopez-Cruz, C. Bielza and P. Larranaga, Directional naive Bayes classifiers, section 2.2.

    Examples
    --------
    >>> vectors = np.array([[1.0, 0.6, 0.0], [0.0, 0.8, 1.0]])
    >>> family = VonMisesFisher().fit(vectors, np.zeros(3, int), 1)
    >>> family.mean_direction_.round(3).ravel().tolist()
    [0.664, 0.747]
    """

    multivariate = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "normalize": ["boolean"],
    }

    def __init__(self, *, normalize: bool = False) -> None:
        self.normalize = normalize

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Fit mean direction and concentration per class; see `Distribution.fit`."""
        self._validate_params()
        dimension = len(features)
        if dimension < 2:
            msg = "a unit vector needs at least 2 columns; found 1 feature(s)"
            raise InputError(msg)
        self.n_classes_ = n_classes
        resultant = class_means(self._unit_vectors(features), codes, n_classes)
        length = np.linalg.norm(resultant, axis=0)
        self.mean_direction_ = resultant / np.where(length > 0, length, 1.0)
        self.concentration_ = concentration(length, dimension)
        return self

    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Return log densities on the sphere, shape (1, n_classes, n_points)."""
        weights = self.mean_direction_ * self.concentration_
        density = weights.T @ self._unit_vectors(features)
        return (density + log_sphere_normalizer(self.concentration_, len(features))[:, None])[None]

    def n_parameters(self) -> np.ndarray:
        """Return the dimension per class: a direction and the concentration."""
        return np.array([self.mean_direction_.size])

    def _unit_vectors(self, features: np.ndarray) -> np.ndarray:
        """Return vectors of length 1: divided by their length, or refused if it differs."""
        length = np.linalg.norm(features, axis=0)
        if self.normalize:
            return features / np.where(length > 0, length, 1.0)
        is_off_sphere = np.abs(length - 1) > _TOLERANCE
        if is_off_sphere.any():
            sample = int(np.argmax(is_off_sphere))
            msg = (
                f"the vector of sample {sample} has length {length[sample]:.9g}, not 1; divide "
                "each by its length, or set normalize=True"
            )
            raise InputError(msg)
        return features


def log_sphere_normalizer(kappa: np.ndarray, dimension: int) -> np.ndarray:
    """Return the logarithm of the von Mises-Fisher density's constant.

    It is ``(d/2 - 1) log(kappa) - (d/2) log(2 pi) - log I_{d/2-1}(kappa)`` with ``d >= 2`` the
    dimension of the space around the sphere, and like the concentrations ``kappa >= 0`` in shape.

    Examples
    --------
    >>> float(log_sphere_normalizer(np.array(0.0), 3).round(6))  # -log(4 pi)
    -2.531024
    """
    return -log_bessel_quotient(dimension / 2 - 1, kappa) - dimension / 2 * np.log(2 * np.pi)
