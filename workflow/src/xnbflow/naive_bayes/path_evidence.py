"""The summed evidence of test samples at every size of a path."""

from typing import Any

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.data.matrices import as_array
from xnbflow.naive_bayes.evidence import class_evidence, fit_class_densities
from xnbflow.naive_bayes.modules import ModuleWeights

#: Evidence is tabulated at half as many quantiles of the points, and as many equidistant values.
_NODES = 48

#: Lower bound of evidence, in nats, so that impossible values have finite evidence.
_LEAST_EVIDENCE = -1e6


def sum_path_evidence(
    modules: ModuleWeights,
    values: Any,
    codes: np.ndarray,
    *,
    train: np.ndarray,
    test: np.ndarray,
    log_prior: np.ndarray,
    contamination: float,
    **density: Any,
) -> np.ndarray:
    """Sum the weighted evidence for every size at once, shape (n_sizes, n_test, n_classes).

    Densities (`fit_class_densities`) of the features ``values`` (n_features, n_samples) are fitted
    to the samples ``train``, of classes ``codes`` (n_train,), a block of features at a time. If
    ``test`` has more than 48 samples, the evidence (`class_evidence`) is computed at 48 values of
    each feature and interpolated linearly between them.
    """
    n_classes, n_sizes, _ = modules.shape
    sums = np.zeros((n_classes, n_sizes, len(test)))
    for block in modules.blocks(len(test)):
        block_values = as_array(values[block])
        points = np.ascontiguousarray(block_values[:, test])
        nodes = _nodes(points)
        # Tables of densities would take longer than the few values of each that are needed here.
        densities = fit_class_densities(
            block_values[:, train], codes, n_classes, exact=True, **density
        )
        log_density = densities.log_density(nodes, approximate=nodes is not points)
        evidence = class_evidence(log_density, log_prior, contamination, approximate=True)
        np.maximum(evidence, _LEAST_EVIDENCE, out=evidence)
        if nodes is not points:
            evidence = _interpolate(points, nodes, evidence)
        sums += modules.of(block) @ evidence
    return np.moveaxis(sums, 0, 2)


def _nodes(points: np.ndarray) -> np.ndarray:
    """Return where the evidence of each feature is computed, ascending, or the points if few."""
    n_points = points.shape[1]
    if n_points <= _NODES:
        return points
    ordered = np.sort(points, axis=1)
    positions = np.linspace(0, n_points - 1, _NODES // 2).round().astype(int)
    equidistant = np.linspace(ordered[:, 0], ordered[:, -1], _NODES - _NODES // 2, axis=1)
    return np.sort(np.hstack([ordered[:, positions], equidistant]), axis=1)


@njit(nogil=True)
def _interpolate(points: np.ndarray, nodes: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """Return curves (n_classes, n_features, n_nodes) at points between the nodes of a feature.

    ``points`` (n_features, n_points) and ``nodes`` (n_features, n_nodes), ascending.
    """
    n_classes, n_features, n_nodes = curves.shape
    n_points = points.shape[1]
    evidence = np.empty((n_classes, n_features, n_points))
    share = np.empty(n_points)
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
                evidence[c, f, i] = low + share[i] * (curve[above[i]] - low)
    return evidence
