"""Tabulated joint kernel densities of features and a target: a sparse product instead of sums.

With kernels ``k`` of a feature x and ``K`` of the target y, at a grid point g of the target,

    S(x, g) = sum_b k(x - x_b) K(g - y_b)        (Eq. 10 without its factor)

is computed at *nodes*, a sixteenth of a kernel width apart along x. Each sample is spread over the
ten nodes around it by Lagrange's weights, the nodes are convolved with the kernel, and between
nodes S is the polynomial of degree 9 through the ten nodes around x. The time is linear in the
samples.

Error bound. Such a polynomial of a function f errs by ``f^(10) / 10! * prod_j |x - node_j|``; the
product is at most ``872 / 16**10`` widths, and ``f^(10)`` of a Gaussian kernel at u widths is
``He_10(u) k(u)``. A kernel within 7 widths therefore errs by at most 7e-8 of itself, once as its
sample is spread and once as it is read, and the kernel of a sample at the sample's own place (u
below a cell) by 2e-13. All kernels are positive, so a sum errs by at most 1.4e-7 of itself as long
as samples within 7 widths determine it: above `_LEAST_SUM`. A sample is left out by subtracting
its own kernel ``K(g - y_a)``; what remains is accurate above `_LEAST_REST` of that kernel. Rows of
which other grid points hold hardly any probability are *certain*; the caller sums the remaining
rows over all samples.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xnbflow.core.jit import njit

#: Nodes per kernel width, and nodes of a polynomial.
_NODES_PER_WIDTH = 16
_POLYNOMIAL_NODES = 10
#: Nodes of a polynomial below the cell that it is used in.
_NODES_BELOW = 4
#: Nodes to either side beyond which kernels are cut: 10 widths, exp(-10**2 / 2) = 2e-22.
_REACH = 10 * _NODES_PER_WIDTH
#: A sum above it is determined by samples within 7 widths: exp(-7**2 / 2).
_LEAST_SUM = 2.3e-11
#: Smallest accurate rest after the own kernel is subtracted, as a share of that kernel.
_LEAST_REST = 1e-5
#: Largest probability of inaccurate grid points in a row that is certain.
_TOLERANCE = 1e-7
#: Values of all tables, 128 MB.
_MOST_TABLE_VALUES = 16_000_000


@dataclass(frozen=True, kw_only=True)
class _FeatureTable:
    """Sums of kernels of one feature and the target.

    Node ``nodes[j]`` (ascending whole numbers) lies at ``origin + nodes[j] * step`` and has the
    sums ``sums[j]`` (n_grid,).
    """

    origin: float
    step: float
    nodes: np.ndarray
    sums: np.ndarray

    def interpolate(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums at values (n_values, n_grid), and which values lie among the nodes."""
        cells, offsets = _cells(values, self.origin, self.step)
        matrix, covered = _polynomials(cells, offsets, self.nodes)
        return matrix @ self.sums, covered


class JointTables:
    """Tables of the joint densities of every feature with the target.

    Examples
    --------
    The density of y = x with kernels of width .2, at x = .5:

    >>> y = np.linspace(-1.0, 1.0, 2001)
    >>> tables = JointTables.tabulate(
    ...     y[:, None], y, widths=np.array([0.2]), target_width=0.2, grid=np.array([-1.0, 0.0, 1.0])
    ... )
    >>> tables.posterior(np.array([[0.5]]))[0].round(3).tolist()
    [[0.0, 0.675, 0.649]]
    """

    def __init__(
        self,
        features: list[_FeatureTable],
        marginal: np.ndarray,
        target_width: float,
        grid: np.ndarray,
    ) -> None:
        self.features = features
        self._marginal = marginal
        self._target_width = target_width
        self._grid = grid

    @classmethod
    def tabulate(
        cls,
        samples: np.ndarray,
        targets: np.ndarray,
        *,
        widths: np.ndarray,
        target_width: float,
        grid: np.ndarray,
    ) -> "JointTables | None":
        """Return the tables of training samples, or None where direct sums take less.

        Parameters
        ----------
        samples : ndarray of shape (n_samples, n_features)
        targets : ndarray of shape (n_samples,)
        widths : ndarray of shape (n_features,)
            Kernel widths of the features, above 0.
        target_width : float
            Kernel width of the target.
        grid : ndarray of shape (n_grid,)
            Values of the target.
        """
        n_samples, n_features = samples.shape
        origins = samples.min(axis=0)
        steps = widths / _NODES_PER_WIDTH
        nodes = [_nodes_around(samples[:, i], origins[i], steps[i]) for i in range(n_features)]
        n_nodes = sum(map(len, nodes))
        # Kernels to be multiplied for each grid point: between nodes, and between samples.
        n_tabulated = n_nodes * 2 * _REACH
        n_direct = n_samples**2 * n_features
        if n_tabulated >= n_direct or n_nodes * len(grid) > _MOST_TABLE_VALUES:
            return None
        target_kernels = kernels(targets, grid, target_width)
        node_kernel = np.exp(-0.5 * (np.arange(_REACH + 1) / _NODES_PER_WIDTH) ** 2)
        features = []
        for i in range(n_features):
            cells, offsets = _cells(samples[:, i], origins[i], steps[i])
            matrix, _ = _polynomials(cells, offsets, nodes[i])
            sums = _convolve(matrix.T @ target_kernels, nodes[i], node_kernel)
            features.append(
                _FeatureTable(origin=origins[i], step=steps[i], nodes=nodes[i], sums=sums)
            )
        return cls(features, target_kernels.sum(axis=0), target_width, grid)

    def posterior(
        self, samples: np.ndarray, own_targets: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the density of the target by naive Bayes (Eq. 1), and which rows are certain.

        Parameters
        ----------
        samples : ndarray of shape (n_samples, n_features)
        own_targets : ndarray of shape (n_samples,), optional
            The targets of the samples if these are training samples; each is then left out of its
            own density.

        Returns
        -------
        density : ndarray of shape (n_samples, n_grid)
            Each row integrates to 1 over the grid (trapezoids).
        certain : ndarray of bool, shape (n_samples,)
            Rows that differ from direct sums by less than 1e-6 in total. Others must be summed
            directly.
        """
        shape = (len(samples), len(self._grid))
        # A training sample's own kernel of its feature is 1, so that of its target remains.
        own_kernels = np.zeros(shape)
        if own_targets is not None:
            own_kernels = kernels(own_targets, self._grid, self._target_width)
        # Below this bound a sum is inaccurate; the bound itself takes its place.
        least = np.maximum(_LEAST_SUM, _LEAST_REST * own_kernels)
        log_marginal = np.log(np.maximum(self._marginal - own_kernels, least))
        log_density = (1 - len(self.features)) * log_marginal
        inaccurate = np.zeros(shape, dtype=bool)
        certain = np.ones(len(samples), dtype=bool)
        for table, values in zip(self.features, samples.T, strict=True):
            sums, covered = table.interpolate(values)
            sums -= own_kernels
            inaccurate |= sums < least
            certain &= covered
            log_density += np.log(np.maximum(sums, least, out=sums))
        density = normalise(log_density, self._grid)
        # The spacing of the grid turns a sum of densities into a probability.
        spacing = self._grid[1] - self._grid[0]
        certain &= spacing * np.sum(density, axis=1, where=inaccurate) <= _TOLERANCE
        return density, certain


def normalise(log_density: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Return densities that integrate to 1 over the grid, from rows of logarithms."""
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    trapezoids = np.gradient(grid)
    trapezoids[[0, -1]] /= 2.0
    density /= np.einsum("rg,g->r", density, trapezoids)[:, np.newaxis]
    return density


def _lagrange_weights(offsets: np.ndarray) -> np.ndarray:
    """Return the weights of ten nodes for the polynomial through them, shape (n, 10).

    The nodes are -4, ..., 5 and the ``offsets`` (n,) in [0, 1) the places between 0 and 1.

    Examples
    --------
    >>> weights = _lagrange_weights(np.array([0.25]))[0]
    >>> nodes = np.arange(-4.0, 6.0)
    >>> (weights @ nodes**2).round(9), (weights @ nodes**9 - 0.25**9).round(6) + 0
    (np.float64(0.0625), np.float64(0.0))
    """
    nodes = np.arange(_POLYNOMIAL_NODES) - _NODES_BELOW
    weights = np.ones((len(offsets), _POLYNOMIAL_NODES))
    for j, node in enumerate(nodes):
        for other in np.delete(nodes, j):
            weights[:, j] *= (offsets - other) / (node - other)
    return weights


def _cells(values: np.ndarray, origin: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the node at or below each value, and the rest in steps."""
    # Values far beyond all samples are in no cell that has nodes.
    places = np.clip((values - origin) / step, -1e15, 1e15)
    cells = np.floor(places)
    return cells.astype(np.int64), places - cells


def _polynomials(
    cells: np.ndarray, offsets: np.ndarray, nodes: np.ndarray
) -> tuple[sparse.csr_array, np.ndarray]:
    """Return the weights of all nodes at each value, (n_values, n_nodes), and covered values.

    A value is covered if all ten nodes around its cell are among the ``nodes``; the weights of
    others are 0.
    """
    first = np.searchsorted(nodes, cells - _NODES_BELOW)
    last = np.minimum(first + _POLYNOMIAL_NODES - 1, len(nodes) - 1)
    # With a node missing, the ninth after the first is not the last of the ten.
    covered = nodes[last] == cells - _NODES_BELOW + _POLYNOMIAL_NODES - 1
    weights = _lagrange_weights(offsets) * covered[:, np.newaxis]
    columns = np.where(covered, first, 0)[:, np.newaxis] + np.arange(_POLYNOMIAL_NODES)
    starts = np.arange(len(cells) + 1) * _POLYNOMIAL_NODES
    shape = (len(cells), len(nodes))
    return sparse.csr_array((weights.ravel(), columns.ravel(), starts), shape=shape), covered


@njit(nogil=True, fastmath={"contract"})
def _convolve(masses: np.ndarray, nodes: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Return the sums of kernels at the nodes, of masses (n_nodes, n_grid) at the nodes.

    ``nodes`` are ascending whole numbers, ``kernel[m]`` is the kernel of two nodes m apart, and 0
    beyond its end.
    """
    n_nodes, n_grid = masses.shape
    sums = np.zeros((n_nodes, n_grid))
    first = stop = 0
    for a in range(n_nodes):
        while nodes[a] - nodes[first] >= len(kernel):
            first += 1
        while stop < n_nodes and nodes[stop] - nodes[a] < len(kernel):
            stop += 1
        for b in range(first, stop):
            weight = kernel[abs(nodes[b] - nodes[a])]
            for g in range(n_grid):
                sums[a, g] += weight * masses[b, g]
    return sums


def _nodes_around(values: np.ndarray, origin: float, step: float) -> np.ndarray:
    """Return the nodes of the polynomials in all cells that have a sample, ascending."""
    cells = np.unique(_cells(values, origin, step)[0])
    offsets = np.arange(_POLYNOMIAL_NODES) - _NODES_BELOW
    return np.unique(cells[:, np.newaxis] + offsets)


def kernels(points: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Return the Gaussian kernels between points and centres, 1 at distance 0."""
    return np.exp(-0.5 * ((points[:, np.newaxis] - centres) / width) ** 2)
