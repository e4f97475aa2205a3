"""Joint kernel estimates of components and a target, and their scores (CICA paper, Eqs. 10-11).

Gaussian kernels, as everywhere, in the direction of a component and of the target. Two changes to
the paper's estimate make its likelihood fit to choose a kernel width by, and an objective that
gradient steps descend:

* A sample does not count itself, else the narrowest width would always look best. In place of its
  own kernel stands a tenth of an observation from a standard Cauchy distribution, so that a
  sample far from all others has a small density, but not none.
* Eq. 11 moves a sample against resting kernels. The kernels sit on samples and move with them:
  the score here is the whole derivative.

Kernels are symmetric: each pair of samples is visited once. Where kernels of the target have
fallen below 2e-8 (6 widths), or classes differ, pairs are not visited at all.
"""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from xnbflow.density.exponential import exponentiate
from xnbflow.density.jit import njit
from xnbflow.density.joint_mesh import (
    MeshTarget,
    component_mesh_scores,
    mesh_cells,
    mesh_kernel,
)

__all__ = [
    "TARGET_REACH",
    "WIDTH_FACTORS",
    "JointDensity",
    "conditional_log_density",
    "joint_scores",
]

#: Widths to choose from, in units of ``sigma * n_samples**(-1/6)``: the paper's and narrower ones.
WIDTH_FACTORS = 2.0 ** -np.arange(0.0, 4.5, 0.5)

#: Samples whose targets are farther apart, in widths, do not see each other.
TARGET_REACH = 6.0

#: The Cauchy observation counts this much; a sample with the very same target counts 1.
_BACKGROUND = 0.1
#: Some milliseconds of work: with less, starting threads takes longer than it saves.
_NS_WORTH_THREADS = 5e6
_NS_PER_PAIR = 5.0
_NS_PER_CELL = 0.3
_NS_PER_SAMPLE = 150.0
_COLUMN_DISTANCES = 25
#: Kernels that are kept, 16 MB of them.
_MOST_KEPT = 2_000_000
_SQRT_2PI = 2.5066282746310002

_SUMS = {"contract", "reassoc", "nsz"}


def joint_scores(
    components: np.ndarray, target: np.ndarray, reach: np.ndarray, width: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return each component's log-density given the target, at its own samples, and its score.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_samples)
        Of about unit variance, samples ordered by target.
    target : ndarray of shape (n_samples,)
        Ascending, in kernel widths of the target.
    reach : ndarray of int, shape (n_samples,)
        One past the last sample that a sample sees, at least its own position plus one.
    width : float
        Kernel width of a component.

    Returns
    -------
    log_density : ndarray of shape (n_components, n_samples)
        Estimates of ``log p(z_i, y) - log p(y)`` at each sample, from the other samples.
    score : ndarray of shape (n_components, n_samples)
        Derivative of minus the sum of a component's log-densities by each of its values.

    Notes
    -----
    Components are shared between threads where that is worth it. O(n_samples²) per component, in
    O(n_samples) memory.

    Examples
    --------
    >>> values = np.array([[-1.0, 0.0, 1.0]])
    >>> log_density, score = joint_scores(values, np.zeros(3), np.full(3, 3), 0.5)
    >>> print(log_density.round(3), score.round(3))
    [[-2.828 -2.137 -2.828]] [[-5.384  0.     5.384]]
    """
    return JointDensity(target, reach, width).scores(components)


class JointDensity:
    """What the joint densities of any components with one target have in common.

    Parameters
    ----------
    target, reach, width
        As for `joint_scores`.
    mesh : MeshTarget, optional
        The target on a mesh. If given, pairs are not visited but the mesh is taken where that is
        faster.
    """

    def __init__(
        self, target: np.ndarray, reach: np.ndarray, width: float, mesh: MeshTarget | None = None
    ) -> None:
        self.target, self.reach, self.width = target, reach, width
        weights = np.empty(len(target))
        _target_weights(target, reach, weights)
        self._log_weights = np.log(weights)
        self._effort = _NS_PER_PAIR * int(np.sum(reach - np.arange(1, len(reach) + 1)))
        self.mesh: MeshTarget | None = None
        if mesh is not None and _mesh_effort(mesh, width) < self._effort:
            self.use_mesh(mesh)

    def use_mesh(self, mesh: MeshTarget) -> None:
        """Take the mesh, whether or not it is faster."""
        self.mesh, self._kernel = mesh, mesh_kernel()
        self._effort = _mesh_effort(mesh, self.width)

    def scores(self, components: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return log-densities and scores, as `joint_scores`."""
        log_density, score = np.empty_like(components), np.empty_like(components)

        def work(i: int) -> None:
            if self.mesh is None:
                _component_scores(
                    components[i], self.target, self.reach, self.width, log_density[i], score[i]
                )
            else:
                self._mesh_scores(self.mesh, components[i], log_density[i], score[i])

        n_threads = min(numba.get_num_threads(), len(components))
        if n_threads == 1 or len(components) * self._effort < _NS_WORTH_THREADS:
            for i in range(len(components)):
                work(i)
        else:
            with ThreadPoolExecutor(n_threads) as pool:
                list(pool.map(work, range(len(components))))
        return log_density - self._log_weights, score

    def _mesh_scores(
        self, mesh: MeshTarget, z: np.ndarray, log_density: np.ndarray, score: np.ndarray
    ) -> None:
        background = _BACKGROUND * self.width * _SQRT_2PI / (np.pi * (1.0 + z * z))
        score[:] = 2.0 * z / (1.0 + z * z) * background
        component_mesh_scores(
            z,
            mesh.first,
            mesh.weights,
            mesh.n_rows,
            mesh.kernel,
            self._kernel,
            self.width,
            background,
            log_density,
            score,
        )
        log_density[:] = np.log(log_density / (self.width * _SQRT_2PI))


def _mesh_effort(mesh: MeshTarget, width: float) -> float:
    """Return about how many nanoseconds a component takes on the mesh."""
    per_cell = 4.0 * (len(mesh.kernel) + _COLUMN_DISTANCES) * _NS_PER_CELL
    return mesh_cells(mesh.n_rows, width) * per_cell + _NS_PER_SAMPLE * len(mesh.first)


def conditional_log_density(
    components: np.ndarray,
    target: np.ndarray,
    width: float,
    new_components: np.ndarray,
    new_target: np.ndarray,
) -> np.ndarray:
    """Return each component's log-density given the target, at new samples.

    Parameters
    ----------
    components, target, width
        The samples that the densities rest on, as for `joint_scores`, in any order.
    new_components : ndarray of shape (n_components, n_new)
    new_target : ndarray of shape (n_new,)
        In kernel widths of the target.

    Returns
    -------
    ndarray of shape (n_components, n_new)

    Examples
    --------
    >>> values, new = np.array([[-1.0, 0.0, 1.0]]), np.array([[0.0, 9.0]])
    >>> conditional_log_density(values, np.zeros(3), 0.5, new, np.zeros(2)).round(3)
    array([[-1.087, -8.985]])
    """
    near = np.exp(-0.5 * (new_target[:, np.newaxis] - target) ** 2)
    weights = near.sum(axis=1) + _BACKGROUND
    log_density = np.empty_like(new_components)
    for i, (z, new) in enumerate(zip(components, new_components, strict=True)):
        kernels = np.exp(-0.5 * ((new[:, np.newaxis] - z) / width) ** 2)
        sums = np.einsum("ab,ab->a", kernels, near) / (width * _SQRT_2PI)
        sums += _BACKGROUND / (np.pi * (1.0 + new**2))
        log_density[i] = np.log(sums / weights)
    return log_density


@njit(nogil=True)
def _target_weights(target: np.ndarray, reach: np.ndarray, out: np.ndarray) -> None:
    """Write the sum of the target's kernels at each sample, with the background's weight."""
    out[:] = _BACKGROUND
    row = np.empty(len(target))
    for a in range(len(target)):
        weights = row[: reach[a] - a - 1]
        for b in range(len(weights)):
            weights[b] = -0.5 * (target[a + 1 + b] - target[a]) ** 2
        exponentiate(weights)
        out[a] += _add_row(weights, out[a + 1 :])


@njit(nogil=True)
def _component_scores(
    z: np.ndarray,
    target: np.ndarray,
    reach: np.ndarray,
    width: float,
    log_density: np.ndarray,
    score: np.ndarray,
) -> None:
    """Do one component: a pass over the pairs for the densities, one for the scores.

    The kernels of not too many pairs are kept for the second pass.

    With ``S_a`` the sum of kernels at sample a, the derivative of ``-log S_a - log S_b`` by
    ``z_a`` through their pair is ``(z_a - z_b) / h² · k_ab · (1 / S_a + 1 / S_b)``.
    """
    n_samples = len(z)
    n_pairs = np.sum(reach) - n_samples * (n_samples + 1) // 2
    kept = n_pairs <= _MOST_KEPT
    store = np.empty(n_pairs if kept else n_samples)
    sums = _BACKGROUND * width * _SQRT_2PI / (np.pi * (1.0 + z * z))
    score[:] = 2.0 * z / (1.0 + z * z) * sums
    at = 0
    for a in range(n_samples):
        kernels = store[at : at + reach[a] - a - 1]
        _exponents(z, target, a, 1.0 / width, kernels)
        exponentiate(kernels)
        sums[a] += _add_row(kernels, sums[a + 1 :])
        if kept:
            at += len(kernels)
    inverse = 1.0 / sums
    score *= inverse
    at = 0
    for a in range(n_samples):
        kernels = store[at : at + reach[a] - a - 1]
        if kept:
            at += len(kernels)
        else:
            _exponents(z, target, a, 1.0 / width, kernels)
            exponentiate(kernels)
        _pair_scores(z, inverse, a, 1.0 / width**2, kernels)
        score[a] -= _add_row(kernels, score[a + 1 :])
    log_density[:] = np.log(sums / (width * _SQRT_2PI))


@njit(nogil=True, fastmath=_SUMS)
def _exponents(
    z: np.ndarray, target: np.ndarray, a: int, inverse_width: float, row: np.ndarray
) -> None:
    """Write the exponents of the kernels between sample a and those after it."""
    for b in range(len(row)):
        u = (z[a + 1 + b] - z[a]) * inverse_width
        v = target[a + 1 + b] - target[a]
        row[b] = -0.5 * (u * u + v * v)


@njit(nogil=True, fastmath=_SUMS)
def _pair_scores(
    z: np.ndarray, inverse: np.ndarray, a: int, inverse_square: float, row: np.ndarray
) -> None:
    """Turn the kernels between sample a and those after it into the latter's scores."""
    for b in range(len(row)):
        distance = (z[a + 1 + b] - z[a]) * inverse_square
        row[b] *= distance * (inverse[a] + inverse[a + 1 + b])


@njit(nogil=True, fastmath=_SUMS)
def _add_row(row: np.ndarray, out: np.ndarray) -> float:
    """Add a row to the start of ``out`` and return its sum."""
    total = 0.0
    for b in range(len(row)):
        out[b] += row[b]
        total += row[b]
    return total
