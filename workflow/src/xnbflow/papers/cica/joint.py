"""Joint kernel estimates of components and a target, and their scores (CICA paper, Eqs. 10-11).

Two changes make the likelihood suitable for the choice of a kernel width and for gradient steps. A
sample does not count itself; a tenth of an observation from a standard Cauchy distribution replaces
its own kernel. The kernels move with their samples: the score is the whole derivative.

Each pair of samples is used once, except pairs of different classes or with kernels of the target
below 2e-8 (6 widths). With wide kernels a mesh of a few thousand cells (`MeshTarget`) takes time
linear in the samples (the particle-mesh method, Hockney and Eastwood 1988): these are spread over
it by cubic B-splines, whose blur is taken out of the kernel in Fourier space. With four cells a
width the sum of a sample's kernels is within 2e-4 of a kernel's height where it has one neighbour,
and within 1e-3 where it has a thousand; the score is its exact derivative.
"""

from typing import NamedTuple

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.kernels import exponentiate
from xnbflow.density.tiles import map_parts

#: Widths to choose from, in units of ``sigma * n_samples**(-1/6)``: the paper's and narrower ones.
WIDTH_FACTORS = 2.0 ** -np.arange(0.0, 4.5, 0.5)

#: Samples whose targets are farther apart, in widths, do not interact.
TARGET_REACH = 6.0

#: Cells of the mesh per kernel width: with four, a kernel is within 1e-4 of its height.
_CELLS_PER_WIDTH = 4
#: Widths at which the mesh's kernels are cut; they have fallen to 2e-8 there.
_REACH = 6
#: Weight of the Cauchy observation; a sample with the same target has weight 1.
_BACKGROUND = 0.1
#: Kernels of pairs that are kept between the two passes, 16 MB.
_MOST_KEPT = 2_000_000
_SQRT_2PI = 2.5066282746310002

# Measured times in nanoseconds, by which pairs or the mesh are chosen.
_NS_PER_PAIR = 5.0
_NS_PER_CELL = 0.3
_NS_PER_SAMPLE = 150.0
#: Distances at which a row of the mesh is convolved: 6 widths of 4 cells, and 0.
_COLUMN_DISTANCES = 25

#: Fast-math flags of sums, whose order may change.
_SUMS = {"contract", "reassoc", "nsz"}


def _mesh_kernel() -> np.ndarray:
    """Return the Gaussian kernel at a distance of 0, 1, ... cells, without the splines' blur.

    Its transform is that of the Gaussian, divided by the square of the cubic B-spline's.

    Examples
    --------
    >>> kernel = _mesh_kernel()
    >>> round(float(kernel[0]), 3), bool(abs(kernel[-1]) < 1e-6)  # 1 but for the blur
    (1.022, True)
    """
    n = 1 << 12
    frequency = 2.0 * np.pi * np.fft.fftfreq(n)
    gaussian = np.exp(-0.5 * (_CELLS_PER_WIDTH * frequency) ** 2)
    spline = np.sinc(frequency / (2.0 * np.pi)) ** 4
    kernel = np.fft.ifft(gaussian / spline**2).real * _CELLS_PER_WIDTH * np.sqrt(2.0 * np.pi)
    return kernel[: _REACH * _CELLS_PER_WIDTH + 1]


class MeshTarget(NamedTuple):
    """The mesh's axis of the target, and where each sample lies on it.

    A sample is spread over rows of the mesh from ``first`` (n_samples,) on by its ``weights``
    (n_samples, n_rows_each), 4 of a spline, 1 of a class. The ``kernel`` (n_distances,) is that
    between rows; a 1 alone between classes.
    """

    first: np.ndarray
    weights: np.ndarray
    n_rows: int
    kernel: np.ndarray

    @classmethod
    def from_numbers(cls, target: np.ndarray) -> "MeshTarget":
        """Lay out a real target, in kernel widths.

        Examples
        --------
        >>> mesh = MeshTarget.from_numbers(np.array([0.0, 0.5, 10.0]))
        >>> mesh.n_rows, mesh.first.tolist(), mesh.weights[0].round(3).tolist()
        (44, [0, 2, 40], [0.167, 0.667, 0.167, 0.0])
        """
        first, weights, _ = _spread(target * _CELLS_PER_WIDTH)
        n_rows = int(first.max()) + 4
        return cls(first=first, weights=weights, n_rows=n_rows, kernel=_mesh_kernel())

    @classmethod
    def from_classes(cls, codes: np.ndarray) -> "MeshTarget":
        """Lay out classes, each a row of its own.

        Examples
        --------
        >>> MeshTarget.from_classes(np.array([0, 0, 1])).n_rows
        2
        """
        codes = codes.astype(np.int64)
        n_rows = int(codes.max()) + 1
        weights = np.ones((len(codes), 1))
        return cls(first=codes, weights=weights, n_rows=n_rows, kernel=np.ones(1))


@njit(nogil=True)
def _spread(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each position's first cell, and the cubic B-spline's weights and their derivatives.

    A position at ``t`` in [0, 1) of its cell has the four weights of the cubic B-spline, which add
    up to 1: at t = 0 they are 1/6, 2/3, 1/6 and 0.
    """
    first = np.empty(len(positions), dtype=np.int64)
    weights = np.empty((len(positions), 4))
    slopes = np.empty((len(positions), 4))
    # A whole number stays the same when samples move a little, so that sums have a derivative.
    low = np.floor(positions.min())
    for a in range(len(positions)):
        x = positions[a] - low
        first[a] = int(x)
        t = x - first[a]
        s = 1.0 - t
        weights[a, 0] = s * s * s / 6.0
        weights[a, 1] = (4.0 + t * t * (3.0 * t - 6.0)) / 6.0
        weights[a, 2] = (1.0 + t * (3.0 + t * (3.0 - 3.0 * t))) / 6.0
        weights[a, 3] = t * t * t / 6.0
        slopes[a, 0] = -s * s / 2.0
        slopes[a, 1] = t * (3.0 * t - 4.0) / 2.0
        slopes[a, 2] = (1.0 + t * (2.0 - 3.0 * t)) / 2.0
        slopes[a, 3] = t * t / 2.0
    return first, weights, slopes


@njit(nogil=True)
def _mesh_scores(
    z: np.ndarray,
    target: MeshTarget,
    column_kernel: np.ndarray,
    width: float,
    background: np.ndarray,
    sums: np.ndarray,
    score: np.ndarray,
) -> None:
    """Write each sample's sum of the others' kernels and its background, and the score.

    On entry ``score`` contains minus the derivative of the background. On return it is the
    derivative of ``-sum_a log sums[a]`` by each value of z. A value moves its own sum (first
    reading of the mesh) and those of all others (second reading, of a mesh in which each sample
    has the mass ``1 / sums``).
    """
    cells_per_unit = len(column_kernel) // _REACH / width
    column, across, slopes = _spread(z * cells_per_unit)
    mesh = np.zeros((target.n_rows, column.max() + 4))
    scratch = np.empty_like(mesh)
    slope = np.empty(len(z))
    _add(mesh, target, column, across, np.ones(len(z)))
    _convolve(mesh, scratch, target.kernel, column_kernel)
    _read(mesh, target, column, across, sums)
    _read(mesh, target, column, slopes, slope)
    inverse = np.empty(len(z))
    for a in range(len(z)):
        # A sample does not count its own kernel, which is 1. The mesh's error can make the rest
        # negative; the sample then has no neighbours, and only its background remains.
        has_neighbours = sums[a] > 1.0
        if has_neighbours:
            sums[a] = background[a] + (sums[a] - 1.0)
            score[a] = (score[a] - slope[a] * cells_per_unit) / sums[a]
            inverse[a] = 1.0 / sums[a]
        else:
            sums[a] = background[a]
            score[a] /= sums[a]
            inverse[a] = 0.0
    mesh[:] = 0.0
    _add(mesh, target, column, across, inverse)
    _convolve(mesh, scratch, target.kernel, column_kernel)
    _read(mesh, target, column, slopes, slope)
    for a in range(len(z)):
        score[a] -= slope[a] * cells_per_unit


@njit(nogil=True)
def _add(
    mesh: np.ndarray, target: MeshTarget, column: np.ndarray, across: np.ndarray, scale: np.ndarray
) -> None:
    """Spread masses ``scale`` (n_samples,) over the cells around each sample.

    ``column`` (n_samples,) is a sample's first column, and ``across`` (n_samples, 4) its weights.
    """
    first = target.first
    weights = target.weights
    for a in range(len(first)):
        for i in range(weights.shape[1]):
            share = scale[a] * weights[a, i]
            for j in range(4):
                mesh[first[a] + i, column[a] + j] += share * across[a, j]


@njit(nogil=True)
def _read(
    mesh: np.ndarray, target: MeshTarget, column: np.ndarray, across: np.ndarray, out: np.ndarray
) -> None:
    """Write the mesh's value at each sample, with the weights ``across`` of the columns."""
    first = target.first
    weights = target.weights
    for a in range(len(first)):
        total = 0.0
        for i in range(weights.shape[1]):
            row_value = 0.0
            for j in range(4):
                row_value += mesh[first[a] + i, column[a] + j] * across[a, j]
            total += weights[a, i] * row_value
        out[a] = total


@njit(nogil=True, fastmath=_SUMS)
def _convolve_row(row: np.ndarray, kernel: np.ndarray, out: np.ndarray) -> None:
    """Write the convolution of a row with a symmetric kernel, given from distance 0 on."""
    n = len(row)
    for c in range(n):
        out[c] = kernel[0] * row[c]
    for m in range(1, min(len(kernel), n)):
        for c in range(n - m):
            out[c] += kernel[m] * row[c + m]
        for c in range(m, n):
            out[c] += kernel[m] * row[c - m]


@njit(nogil=True, fastmath=_SUMS)
def _convolve(
    mesh: np.ndarray, scratch: np.ndarray, row_kernel: np.ndarray, column_kernel: np.ndarray
) -> None:
    """Convolve both axes with their symmetric kernels, in place; ``scratch`` is of its shape."""
    n_rows, n_columns = mesh.shape
    for r in range(n_rows):
        _convolve_row(mesh[r], column_kernel, scratch[r])
    for r in range(n_rows):
        out = mesh[r]
        for c in range(n_columns):
            out[c] = row_kernel[0] * scratch[r, c]
        for m in range(1, len(row_kernel)):
            weight = row_kernel[m]
            for neighbour in (r - m, r + m):
                if 0 <= neighbour < n_rows:
                    row = scratch[neighbour]
                    for c in range(n_columns):
                        out[c] += weight * row[c]


class JointDensity:
    """The joint densities of any components with one target.

    The ``target`` (n_samples,) is ascending, in its kernel widths; ``reach`` is one past the last
    sample that a sample sees, at least its own position plus one; ``width`` is that of a
    component's kernel. A ``mesh`` of the target replaces the pairs where that is faster.
    """

    def __init__(
        self, target: np.ndarray, reach: np.ndarray, width: float, mesh: MeshTarget | None = None
    ) -> None:
        self.target = target
        self.reach = reach
        self.width = width
        weights = np.empty(len(target))
        _target_weights(target, reach, weights)
        self._log_weights = np.log(weights)
        self._effort = _NS_PER_PAIR * int(np.sum(reach - np.arange(1, len(reach) + 1)))
        self.mesh: MeshTarget | None = None
        if mesh is not None and self._mesh_effort(mesh) < self._effort:
            self.use_mesh(mesh)

    def _mesh_effort(self, mesh: MeshTarget) -> float:
        """Return about how many nanoseconds a component of unit variance, -4 to 4, takes."""
        per_cell = 4.0 * (len(mesh.kernel) + _COLUMN_DISTANCES) * _NS_PER_CELL
        cells = int(mesh.n_rows * 8.0 * _CELLS_PER_WIDTH / self.width)
        return cells * per_cell + _NS_PER_SAMPLE * len(mesh.first)

    def use_mesh(self, mesh: MeshTarget) -> None:
        """Use the mesh even if it is slower."""
        self.mesh = mesh
        self._kernel = _mesh_kernel()
        self._effort = self._mesh_effort(mesh)

    def scores(self, components: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return each component's log-density given the target, at its own samples, and its score.

        Components (n_components, n_samples) are of about unit variance, samples ordered by target.
        Log-densities estimate ``log p(z_i, y) - log p(y)`` at each sample, from the other samples;
        a score is the derivative of minus the sum of a component's log-densities by each of its
        values.
        """
        sums = np.empty_like(components)
        score = np.empty_like(components)
        backgrounds = _BACKGROUND * self.width * _SQRT_2PI / (np.pi * (1.0 + components**2))

        def score_component(i: int) -> None:
            z = components[i]
            background = backgrounds[i]
            score[i] = 2.0 * z / (1.0 + z * z) * background
            if self.mesh is None:
                sums[i] = background
                _pair_sums(
                    z,
                    self.target,
                    reach=self.reach,
                    width=self.width,
                    sums=sums[i],
                    score=score[i],
                )
            else:
                _mesh_scores(
                    z,
                    self.mesh,
                    column_kernel=self._kernel,
                    width=self.width,
                    background=background,
                    sums=sums[i],
                    score=score[i],
                )

        map_parts(score_component, range(len(components)), len(components) * self._effort)
        return np.log(sums / (self.width * _SQRT_2PI)) - self._log_weights, score


def conditional_log_density(
    components: np.ndarray,
    target: np.ndarray,
    width: float,
    new_components: np.ndarray,
    new_target: np.ndarray,
) -> np.ndarray:
    """Return the log-densities, given the target, of new components (n_components, n_new).

    ``components``, ``target`` and ``width`` are as in `JointDensity`, samples in any order, and
    ``new_target`` (n_new,) in kernel widths of the target.
    """
    target_kernels = np.exp(-0.5 * (new_target[:, np.newaxis] - target) ** 2)
    weights = target_kernels.sum(axis=1) + _BACKGROUND
    log_density = np.empty_like(new_components)
    for i, (z, new) in enumerate(zip(components, new_components, strict=True)):
        kernels = np.exp(-0.5 * ((new[:, np.newaxis] - z) / width) ** 2)
        sums = np.einsum("ab,ab->a", kernels, target_kernels) / (width * _SQRT_2PI)
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
def _pair_sums(
    z: np.ndarray,
    target: np.ndarray,
    reach: np.ndarray,
    width: float,
    sums: np.ndarray,
    score: np.ndarray,
) -> None:
    """Add the kernels of all pairs to each sample's sum, and turn the score into that of the sums.

    The kernels of not too many pairs are kept for the second pass. With ``S_a`` the sum of kernels
    at sample a, the derivative of ``-log S_a - log S_b`` by ``z_a`` through their pair is
    ``(z_a - z_b) / h² · k_ab · (1 / S_a + 1 / S_b)``.
    """
    n_samples = len(z)
    n_pairs = np.sum(reach) - n_samples * (n_samples + 1) // 2
    keeps_kernels = n_pairs <= _MOST_KEPT
    store = np.empty(n_pairs if keeps_kernels else n_samples)
    # First pass: the sums. Sample a meets those after it, up to reach[a].
    position = 0
    for a in range(n_samples):
        kernels = store[position : position + reach[a] - a - 1]
        _exponents(z, target, a, 1.0 / width, kernels)
        exponentiate(kernels)
        sums[a] += _add_row(kernels, sums[a + 1 :])
        if keeps_kernels:
            position += len(kernels)
    inverse = 1.0 / sums
    score *= inverse
    # Second pass: the scores, which need all sums.
    position = 0
    for a in range(n_samples):
        kernels = store[position : position + reach[a] - a - 1]
        if keeps_kernels:
            position += len(kernels)
        else:
            _exponents(z, target, a, 1.0 / width, kernels)
            exponentiate(kernels)
        _pair_scores(z, inverse, a, 1.0 / width**2, kernels)
        score[a] -= _add_row(kernels, score[a + 1 :])


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
