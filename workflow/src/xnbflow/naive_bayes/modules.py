"""Modules of correlated features: each module counts once in the evidence of a class."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from xnbflow.data.matrices import sample_blocks
from xnbflow.density.standard import StandardFeatures

#: Residuals below this share of a feature's standard deviation are rounding errors.
_ROUNDING = 1e-7

#: Values of an array that is computed for a block of features.
_BLOCK_VALUES = 4_000_000


class ResidualCorrelation:
    """The correlation of features within classes, some columns at a time.

    It is the correlation of the residuals, the values less the mean of their class. The residuals
    or the correlation are stored, whichever is smaller. Values are an array or `Rows`
    (n_features, n_samples) as measured; no class is empty.
    """

    def __init__(self, values: Any, codes: np.ndarray) -> None:
        # Unit vectors, one per class: their products with a feature are sqrt(n_c) times its means.
        members = (codes[:, None] == np.arange(codes.max() + 1)).astype(float)
        members /= np.sqrt(members.sum(axis=0))
        features = StandardFeatures(values)
        n_features, n_samples = features.shape
        self._correlation: np.ndarray | None = None
        self._residuals = np.empty((0, n_features))
        if n_features > n_samples:
            residuals = features[:]
            residuals -= (residuals @ members) @ members.T
            norms = np.linalg.norm(residuals, axis=1)
            self._residuals = residuals * _inverse(norms, n_samples)[:, None]
            return
        # With few features: products of all values less those of the class means.
        scatter = np.zeros((n_features, n_features))
        sums = np.zeros((n_features, members.shape[1]))
        for which, rows in sample_blocks(values, np.arange(n_features)):
            standard = features.standard.apply(rows.T).T
            scatter += standard @ standard.T
            sums += standard @ members[which]
        scatter -= sums @ sums.T
        inverse = _inverse(np.sqrt(np.maximum(np.diag(scatter), 0.0)), n_samples)
        scatter *= inverse
        scatter *= inverse[:, None]
        self._correlation = scatter

    def columns(self, which: slice) -> np.ndarray:
        """Return the correlation of all features with some, shape (n_features, n_some)."""
        if self._correlation is not None:
            return self._correlation[:, which]
        return self._residuals @ self._residuals[which].T


def _inverse(norms: np.ndarray, n_samples: int) -> np.ndarray:
    """Return one over each norm, 0 for a feature that is constant within all classes."""
    varies = norms > _ROUNDING * np.sqrt(n_samples)
    return np.where(varies, 1.0 / np.where(varies, norms, 1.0), 0.0)


class ModuleWeights:
    """The weight of each feature at each size, such that correlated features share one.

    The weight of feature ``j`` in class ``c`` at size ``m`` is ``1 / sum r_jk**2`` over the
    features ``k`` that the class has at that size, with ``r`` their correlation within classes: ten
    copies of a feature weigh as much as one.

    Without a correlation every weight is 1. ``entry_sizes`` (n_classes, n_features) are the least
    sizes with which a class has a feature (`PairRankings.entry_sizes`); ``sizes`` (n_sizes,) are
    ascending.
    """

    def __init__(
        self, correlation: ResidualCorrelation | None, entry_sizes: np.ndarray, sizes: np.ndarray
    ) -> None:
        self._correlation = correlation
        n_classes, n_features = entry_sizes.shape
        n_sizes = len(sizes)
        self.shape = n_classes, n_sizes, n_features
        #: The position of the first size at which a class has a feature; n_sizes if never.
        self._first = np.searchsorted(sizes, entry_sizes)
        code, feature = np.nonzero(self._first < n_sizes)
        class_and_size = code * n_sizes + self._first[code, feature]
        #: 1 where a feature enters a class at a size, (n_classes * n_sizes, n_features).
        self._enter = csr_array(
            (np.ones(len(code)), (class_and_size, feature)),
            shape=(n_classes * n_sizes, n_features),
        )

    def counts(self) -> np.ndarray:
        """Return how many features each class has at each size, shape (n_sizes, n_classes)."""
        n_classes, n_sizes, _ = self.shape
        return self._enter.sum(axis=1).reshape(n_classes, n_sizes).cumsum(axis=1).T

    def of(self, which: slice) -> np.ndarray:
        """Return the weights of some features, shape (n_classes, n_sizes, n_some).

        The squared correlations with the features that enter at a size, added up over the sizes,
        are the sums over all features that the class has there.
        """
        has = self._first[:, None, which] <= np.arange(self.shape[1])[:, None]
        if self._correlation is None:
            return has.astype(float)
        shared = self._enter @ np.square(self._correlation.columns(which))
        shared = shared.reshape(*self.shape[:2], -1)
        np.cumsum(shared, axis=1, out=shared)
        np.maximum(shared, 1.0, out=shared)
        return np.divide(has, shared, out=shared)

    def average(self, weights: np.ndarray) -> np.ndarray:
        """Return the sum over sizes, with their weights (n_sizes,): (n_classes, n_features)."""
        parts = [np.tensordot(weights, self.of(which), (0, 1)) for which in self.blocks(1)]
        return np.hstack([np.zeros((self.shape[0], 0)), *parts])

    def blocks(self, n_points: int) -> Iterator[slice]:
        """Yield runs of features whose results at ``n_points`` points take 32 MB together."""
        n_classes, n_sizes, n_features = self.shape
        width = max(1, _BLOCK_VALUES // max(n_classes * max(n_sizes, n_points), n_features))
        for start in range(0, n_features, width):
            yield slice(start, min(start + width, n_features))
