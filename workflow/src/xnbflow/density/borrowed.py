"""Densities of classes that are shrunk to a normal density with the pooled variance.

A class of few samples has a ragged kernel density. Its density becomes ``n_c / (n_c + k)`` times
its own kernel density plus ``k / (n_c + k)`` times a normal density around its mean, whose variance
is that within all classes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from xnbflow.data.matrices import feature_blocks
from xnbflow.density.bandwidth import SMALLEST_SPREAD
from xnbflow.density.kernels import LOG_SQRT_2PI


@dataclass(frozen=True)
class BorrowedShape:
    """Normal densities of several features around the mean of each class, and their shares.

    ``means`` and ``spreads`` have shape (n_classes, n_features); ``shares`` (n_classes,) are the
    weights of a class's own density, from 0 to 1.
    """

    means: np.ndarray
    spreads: np.ndarray
    shares: np.ndarray

    def mix(self, class_densities: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Return log densities mixed with the normal densities, (n_classes, n_features, n_points).

        ``class_densities`` of this shape are log densities from the samples of each class alone at
        ``points`` (n_features, n_points). With the share ``s`` of a class its mixed density is
        ``s`` times that of its samples plus ``1 - s`` times the normal density.
        """
        mixed = np.empty_like(class_densities)
        for code, share in enumerate(self.shares):
            means = self.means[code][:, None]
            spreads = self.spreads[code][:, None]
            with np.errstate(over="ignore"):
                normal = -0.5 * ((points - means) / spreads) ** 2
            # log of 1 - share and of the normal density's constant, in one subtraction
            normal -= np.log(spreads) + (LOG_SQRT_2PI - np.log1p(-share))
            np.logaddexp(class_densities[code] + np.log(share), normal, out=mixed[code])
        return mixed


def fit_borrowed_shape(
    values: Any, codes: np.ndarray, n_classes: int, borrowed: float, least: np.ndarray
) -> BorrowedShape:
    """Fit the normal densities, which have the weight of ``borrowed`` samples.

    The variance is the pooled one within classes times ``1 + 1 / n_c``: that of a new sample around
    a mean of ``n_c``. No standard deviation is below ``least`` (n_features,). A slice of ``values``
    (n_features, n_samples) makes an array, and ``codes`` (n_samples,) are the classes.

    Examples
    --------
    >>> values, codes = np.array([[0.0, 2.0, 5.0, 7.0]]), np.array([0, 0, 1, 1])
    >>> shape = fit_borrowed_shape(values, codes, 2, 6.0, np.zeros(1))
    >>> shape.means.tolist(), shape.shares.tolist()
    ([[1.0], [6.0]], [0.25, 0.25])
    >>> (shape.spreads**2).round(6).tolist()  # 2 within classes, times 3 / 2
    [[3.0], [3.0]]
    """
    counts = np.bincount(codes, minlength=n_classes)
    members = (codes[:, None] == np.arange(n_classes)) / counts
    means = []
    variances = []
    for rows in feature_blocks(values):
        mean = rows @ members
        within = rows - mean[:, codes]
        means.append(mean.T)
        variances.append(np.einsum("fi,fi->f", within, within))
    pooled = np.concatenate(variances) / max(len(codes) - n_classes, 1)
    spreads = np.sqrt(pooled * (1.0 + 1.0 / counts[:, None]))
    spreads = np.maximum(spreads, np.maximum(least, SMALLEST_SPREAD))
    return BorrowedShape(np.hstack(means), spreads, counts / (counts + borrowed))
