"""What a family of class-conditional densities is: fitted per class, evaluated term by term."""

from abc import abstractmethod
from typing import Self

import numpy as np

from xnbflow.parameters import Declared

__all__ = ["Distribution", "class_means", "composite_gauss_legendre"]

_CHUNK_VALUES = 4_000_000


class Distribution(Declared):
    """Base class of a family: densities of the rows of a feature-major block, given the class.

    A *term* is a factor of the likelihood: one per row of the block for a univariate family, one
    for the whole block for a multivariate family. Subclasses implement `fit`,
    `log_density` and `n_parameters`, and `quadrature` where the integral over a term's values is
    cheap.

    Attributes
    ----------
    multivariate : bool
        Whether the block is one term rather than one term per row.
    """

    multivariate = False

    @abstractmethod
    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Fit one density per term and class.

        Parameters
        ----------
        features : ndarray of float64, shape (n_features, n_samples)
            The block, one row per feature.
        codes : ndarray of int, shape (n_samples,)
            The class of each sample, 0 to ``n_classes - 1``; every class occurs.
        n_classes : int
            Number of classes.
        """

    @abstractmethod
    def log_density(self, features: np.ndarray) -> np.ndarray:
        """Return log densities.

        Parameters
        ----------
        features : ndarray of float64, shape (n_features, n_samples)
            Samples of the block.

        Returns
        -------
        ndarray of float64, shape (n_terms, n_classes, n_samples)
        """

    @abstractmethod
    def n_parameters(self) -> np.ndarray:
        """Return the free parameters of each term, all classes together, shape (n_terms,)."""

    def quadrature(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return nodes and weights that integrate over each term's values.

        Returns
        -------
        nodes : ndarray of float64, shape (n_terms, n_nodes)
            Values of each feature, fine enough for every class's density.
        weights : ndarray of float64, shape (n_terms, n_nodes)
            ``sum(weights * f(nodes))`` is the integral of ``f``, or for a category the sum.
            None stands for both where the family has no affordable rule.
        """
        return None

    def log_likelihood(self, features: np.ndarray) -> np.ndarray:
        """Return the sum of `log_density` over terms, shape (n_classes, n_samples)."""
        parts = [self.log_density(part).sum(axis=0) for part in self.in_chunks(features)]
        return np.concatenate(parts, axis=1)

    def in_chunks(self, features: np.ndarray) -> list[np.ndarray]:
        """Split samples so that a chunk's log densities take some 32 MB."""
        n_features, n_samples = features.shape
        width = max(1, _CHUNK_VALUES // max(1, n_features * self.n_classes_))
        return [features[:, start : start + width] for start in range(0, max(1, n_samples), width)]


def class_means(features: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return each row's mean within each class, shape (n_features, n_classes)."""
    counts = np.bincount(codes, minlength=n_classes)
    by_class = features[:, np.argsort(codes, kind="stable")]
    return np.add.reduceat(by_class, np.cumsum(counts) - counts, axis=1) / counts


def composite_gauss_legendre(breaks: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a Gauss-Legendre rule on every interval between successive break points.

    Break points that follow every class's own scale keep the rule accurate where classes differ
    in width by orders of magnitude. With more classes the intervals grow finer by themselves, so
    fewer nodes per interval are enough.

    Parameters
    ----------
    breaks : ndarray of shape (n_terms, n_breaks)
        Ascending break points; equal ones make empty intervals.
    n_classes : int
        Number of classes the break points come from.

    Returns
    -------
    nodes, weights : ndarray of shape (n_terms, n_nodes)
    """
    order = 4 if n_classes <= 10 else 2
    unit_nodes, unit_weights = np.polynomial.legendre.leggauss(order)
    half = np.diff(breaks, axis=1)[:, :, None] / 2
    centre = breaks[:, :-1, None] + half
    shape = (len(breaks), -1)
    return (centre + half * unit_nodes).reshape(shape), (half * unit_weights).reshape(shape)
