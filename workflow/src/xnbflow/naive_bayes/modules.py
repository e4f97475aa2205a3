"""Modules of correlated features: each module counts once in the evidence of a class."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from xnbflow.core.jit import njit
from xnbflow.data.matrices import as_dense, dense_chunks
from xnbflow.density.standard import StandardFeatures
from xnbflow.naive_bayes.evidence import fit_class_densities, weigh

#: Residuals below this share of a feature's standard deviation are rounding errors.
_ROUNDING = 1e-7

#: Values of an array that is computed for a block of features.
_BLOCK_VALUES = 4_000_000

#: Evidence is tabulated at half as many quantiles of the points, and as many equidistant values.
_NODES = 48

#: Lower bound of evidence, in nats, so that impossible values have finite evidence.
_LEAST_EVIDENCE = -1e6


class ResidualCorrelation:
    """The correlation of features within classes, some columns at a time.

    The residuals or the correlation are stored, whichever is smaller. Values are an array, `Rows`
    or CSR (n_features, n_samples) as measured; no class is empty.
    """

    def __init__(self, values: Any, codes: np.ndarray) -> None:
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
        scatter, sums = np.zeros((n_features, n_features)), np.zeros((n_features, members.shape[1]))
        for which, part in dense_chunks(values, np.arange(n_features)):
            standard = features.standard.apply(part.T).T
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

    Without a correlation every weight is 1. ``entries`` (n_classes, n_features) are the least sizes
    with which a class has a feature (`PairRankings.entries`); ``sizes`` (n_sizes,) are ascending.
    """

    def __init__(
        self, correlation: ResidualCorrelation | None, entries: np.ndarray, sizes: np.ndarray
    ) -> None:
        self._correlation = correlation
        self._first = np.searchsorted(sizes, entries)
        self.shape = len(entries), len(sizes), entries.shape[1]
        code, feature = np.nonzero(self._first < len(sizes))
        place = code * len(sizes) + self._first[code, feature]
        ones, (n_classes, n_sizes, n_features) = np.ones(len(code)), self.shape
        self._enter = csr_array((ones, (place, feature)), shape=(n_classes * n_sizes, n_features))

    def counts(self) -> np.ndarray:
        """Return how many features each class has at each size, shape (n_sizes, n_classes)."""
        n_classes, n_sizes, _ = self.shape
        return self._enter.sum(axis=1).reshape(n_classes, n_sizes).cumsum(axis=1).T

    def of(self, which: slice) -> np.ndarray:
        """Return the weights of some features, shape (n_classes, n_sizes, n_some)."""
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
        parts = [np.tensordot(weights, self.of(which), (0, 1)) for which in self._blocks(1)]
        return np.hstack([np.zeros((self.shape[0], 0)), *parts])

    def sum_evidence(
        self,
        values: Any,
        codes: np.ndarray,
        train: np.ndarray,
        test: np.ndarray,
        log_prior: np.ndarray,
        *,
        contamination: float,
        **density: Any,
    ) -> np.ndarray:
        """Sum the weighted evidence for every size at once, shape (n_sizes, n_test, n_classes).

        Densities (`fit_class_densities`) are fitted to the samples ``train``, of classes ``codes``
        (n_train,), a block of features at a time. Of more than 48 samples in ``test`` the evidence
        (`weigh`) is interpolated linearly between 48 values of each feature.
        """
        n_classes, n_sizes, _ = self.shape
        sums = np.zeros((n_classes, n_sizes, len(test)))
        for which in self._blocks(len(test)):
            own = as_dense(values[which])
            points = np.ascontiguousarray(own[:, test])
            nodes = _nodes(points)
            # Tables of densities would take longer than the few values of each that are needed
            # here.
            densities = fit_class_densities(own[:, train], codes, n_classes, exact=True, **density)
            log_density = densities.log_density(nodes, approximate=nodes is not points)
            found = weigh(log_density, log_prior, contamination, approximate=True)
            np.maximum(found, _LEAST_EVIDENCE, out=found)
            sums += self.of(which) @ (found if nodes is points else _between(points, nodes, found))
        return np.moveaxis(sums, 0, 2)

    def _blocks(self, n_points: int) -> Iterator[slice]:
        """Yield runs of features, so many that what is computed of ``n_points`` takes 32 MB."""
        n_classes, n_sizes, n_features = self.shape
        width = max(1, _BLOCK_VALUES // max(n_classes * max(n_sizes, n_points), n_features))
        for start in range(0, n_features, width):
            yield slice(start, min(start + width, n_features))


def _nodes(points: np.ndarray) -> np.ndarray:
    """Return where the evidence of each feature is computed, ascending, or the points if few."""
    n_points = points.shape[1]
    if n_points <= _NODES:
        return points
    ordered = np.sort(points, axis=1)
    places = np.linspace(0, n_points - 1, _NODES // 2).round().astype(int)
    equidistant = np.linspace(ordered[:, 0], ordered[:, -1], _NODES - _NODES // 2, axis=1)
    return np.sort(np.hstack([ordered[:, places], equidistant]), axis=1)


@njit(nogil=True)
def _between(points: np.ndarray, nodes: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """Return curves (n_classes, n_features, n_nodes) at points between the nodes of a feature.

    ``points`` (n_features, n_points) and ``nodes`` (n_features, n_nodes), ascending.
    """
    n_classes, n_features, n_nodes = curves.shape
    n_points = points.shape[1]
    found, share = np.empty((n_classes, n_features, n_points)), np.empty(n_points)
    above = np.empty(n_points, np.intp)
    for f in range(n_features):
        above[:] = 0
        for node in nodes[f]:  # counting is vectorised, and faster than bisection
            for i in range(n_points):
                above[i] += node < points[f, i]
        for i in range(n_points):
            above[i] = min(max(above[i], 1), n_nodes - 1)
            low = nodes[f, above[i] - 1]
            width = nodes[f, above[i]] - low
            share[i] = (points[f, i] - low) / width if width > 0.0 else 0.0
        for c in range(n_classes):
            curve = curves[c, f]
            for i in range(n_points):
                low = curve[above[i] - 1]
                found[c, f, i] = low + share[i] * (curve[above[i]] - low)
    return found
