"""Base classes of families of class-conditional densities, fitted per class."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self, TypeVar

import numpy as np

from xnbflow.core.parameters import Declared
from xnbflow.density.tiles import feature_strips, map_parts

_T = TypeVar("_T")

#: Log densities that are held at once: 32 MB.
_CHUNK_VALUES = 4_000_000
#: Points that a thread evaluates at once.
_CHUNK_POINTS = 4096


class Distribution(Declared, ABC):
    """Base class of a family: densities of the rows of a feature-major array, given the class.

    A *term* is a factor of the likelihood: one per row for a univariate family, one for all rows
    for a multivariate family.

    Attributes
    ----------
    multivariate : bool
        Whether all rows are one term rather than one term each.
    n_classes_ : int
        Number of classes fitted.

    Examples
    --------
    >>> from xnbflow.density.families import Gaussian
    >>> features = np.array([[1.0, 2.0, 5.0, 6.0]])
    >>> fitted = Gaussian().fit(features, np.array([0, 0, 1, 1]), n_classes=2)
    >>> isinstance(fitted, Distribution), fitted.log_density(np.array([[1.5, 5.5]])).argmax(axis=1)
    (True, array([[0, 1]]))
    """

    multivariate = False

    @property
    def ns_per_point(self) -> float:
        """Nanoseconds that one log density takes, roughly; see `xnbflow.density.tiles`."""
        return 10.0

    @abstractmethod
    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Fit one density per term and class.

        Parameters
        ----------
        features : ndarray of float64, shape (n_features, n_samples)
            One row per feature.
        codes : ndarray of int, shape (n_samples,)
            The class of each sample, 0 to ``n_classes - 1``; every class occurs.
        n_classes : int
            Number of classes.
        """

    @abstractmethod
    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:
        """Return log densities of some terms, shape (n_some, n_classes, n_points).

        ``features`` (n_features, n_points) holds all rows.
        """

    @abstractmethod
    def n_parameters(self) -> np.ndarray:
        """Return the free parameters of each term, all classes together, shape (n_terms,)."""

    def quadrature(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return a rule to integrate over each term's values.

        Returns
        -------
        nodes, weights : ndarray of float64, shape (n_terms, n_nodes)
            ``sum(weights * f(nodes))`` is the integral of ``f``, or for a category the sum. None
            where the family has no affordable rule.
        """
        return None

    def log_density(self, features: np.ndarray) -> np.ndarray:
        """Return the log density of each term and class at points (n_features, n_points).

        Returns
        -------
        ndarray of float64, shape (n_terms, n_classes, n_points)
        """
        out = np.empty((self._n_terms(features), self.n_classes_, features.shape[1]))

        def work(terms: slice, points: slice) -> None:
            out[terms, :, points] = self._evaluate(terms, features[:, points])

        self._over_parts(work, features)
        return out

    def log_likelihood(self, features: np.ndarray) -> np.ndarray:
        """Return the sums of `log_density` over terms, without all terms in memory.

        Returns
        -------
        ndarray of float64, shape (n_classes, n_points)
        """
        total = np.zeros((self.n_classes_, features.shape[1]))

        def work(terms: slice, points: slice) -> tuple[slice, np.ndarray]:
            return points, self._sum_terms(terms, features[:, points])

        for points, sums in self._over_parts(work, features):
            total[:, points] += sums
        return total

    def in_chunks(self, features: np.ndarray) -> list[np.ndarray]:
        """Split points so that a chunk's log densities take some 32 MB."""
        n_features, n_points = features.shape
        width = max(1, _CHUNK_VALUES // max(1, n_features * self.n_classes_))
        return [features[:, start : start + width] for start in range(0, max(1, n_points), width)]

    def _n_terms(self, features: np.ndarray) -> int:
        return 1 if self.multivariate else len(features)

    def _sum_terms(self, terms: slice, features: np.ndarray) -> np.ndarray:
        """Return log densities summed over some terms, shape (n_classes, n_points)."""
        return self._evaluate(terms, features).sum(axis=0)

    def _over_parts(self, work: Callable[[slice, slice], _T], features: np.ndarray) -> list[_T]:
        """Return ``work(terms, points)`` of all terms and points, on threads, in a fixed order."""
        n_points = features.shape[1]
        strips = feature_strips(self._n_terms(features), min(n_points, _CHUNK_POINTS))
        starts = range(0, n_points, _CHUNK_POINTS)
        parts = [(terms, slice(at, at + _CHUNK_POINTS)) for at in starts for terms in strips]
        effort = features.size * self.n_classes_ * self.ns_per_point
        return map_parts(lambda part: work(*part), parts, effort)


class TiledDistribution(Distribution):
    """Base class of univariate families that evaluate neighbouring features side by side.

    Subclasses implement ``_log_density`` instead of ``_evaluate``.
    """

    @abstractmethod
    def _log_density(self, terms: slice, code: int, tile: np.ndarray, out: np.ndarray) -> None:
        """Write the log densities of some features and a class at a tile (n_points, n_some)."""

    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:
        tile = np.array(features[terms].T, order="C")
        out = np.empty((self.n_classes_, *tile.shape))
        for code in range(self.n_classes_):
            self._log_density(terms, code, tile, out[code])
        return out.transpose(2, 0, 1)

    def _sum_terms(self, terms: slice, features: np.ndarray) -> np.ndarray:
        tile = np.array(features[terms].T, order="C")
        out = np.empty(tile.shape)
        sums = np.empty((self.n_classes_, len(tile)))
        for code in range(self.n_classes_):
            self._log_density(terms, code, tile, out)
            out.sum(axis=1, out=sums[code])
        return sums


def class_means(features: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return each row's mean within each class, shape (n_features, n_classes)."""
    counts = np.bincount(codes, minlength=n_classes)
    by_class = features[:, np.argsort(codes, kind="stable")]
    return np.add.reduceat(by_class, np.cumsum(counts) - counts, axis=1) / counts


def composite_gauss_legendre(breaks: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights (n_terms, n_nodes) of Gauss-Legendre rules between break points.

    ``breaks`` (n_terms, n_breaks) are ascending; equal ones make empty intervals. Those that follow
    the scale of each of ``n_classes`` classes keep the rule accurate where these differ by orders
    of magnitude.
    """
    order = 4 if n_classes <= 10 else 2
    unit_nodes, unit_weights = np.polynomial.legendre.leggauss(order)
    half = np.diff(breaks, axis=1)[:, :, None] / 2
    centre = breaks[:, :-1, None] + half
    shape = (len(breaks), -1)
    return (centre + half * unit_nodes).reshape(shape), (half * unit_weights).reshape(shape)
