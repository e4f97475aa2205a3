"""Joint kernel estimates of components and a target on a mesh, linear in the number of samples.

`xnbflow.density.joint` visits every pair of samples that see each other. With wide kernels these
are nearly all pairs, and the density is so smooth that a mesh of a few thousand cells holds it.
Samples are spread over the mesh by cubic B-splines, the mesh is convolved with the kernel, and its
values are read at the samples by the same splines (the particle-mesh method, Hockney and Eastwood
1988). The spline's blur is taken out of the kernel in Fourier space (`mesh_kernel`), so that only
its aliases are left: with four cells a width a density is within 1e-5 of a kernel's height. The
score is the exact derivative of the approximate density, so that a descent has a true gradient.
"""

from dataclasses import dataclass

import numpy as np

from xnbflow.density.jit import njit

__all__ = ["CELLS_PER_WIDTH", "MeshTarget", "component_mesh_scores", "mesh_cells", "mesh_kernel"]

#: Cells of the mesh in a kernel width.
CELLS_PER_WIDTH = 4

# Kernels are cut at so many widths, where they have fallen to 4e-8.
_REACH = 6
_SUMS = {"contract", "reassoc", "nsz"}


def mesh_kernel() -> np.ndarray:
    """Return the Gaussian kernel at a distance of 0, 1, ... cells, without the splines' blur.

    Its transform is that of the Gaussian, divided by the square of the cubic B-spline's.

    Examples
    --------
    >>> kernel = mesh_kernel()
    >>> round(float(kernel[0]), 3), bool(abs(kernel[-1]) < 1e-6)  # 1 but for the blur
    (1.022, True)
    """
    n = 1 << 12
    frequency = 2.0 * np.pi * np.fft.fftfreq(n)
    gaussian = np.exp(-0.5 * (CELLS_PER_WIDTH * frequency) ** 2)
    spline = np.sinc(frequency / (2.0 * np.pi)) ** 4
    kernel = np.fft.ifft(gaussian / spline**2).real * CELLS_PER_WIDTH * np.sqrt(2.0 * np.pi)
    return kernel[: _REACH * CELLS_PER_WIDTH + 1]


@dataclass(frozen=True)
class MeshTarget:
    """The mesh's axis of the target, and where each sample lies on it.

    Attributes
    ----------
    first : ndarray of int, shape (n_samples,)
        The first row of the mesh that a sample is spread over.
    weights : ndarray of shape (n_samples, n_rows_each)
        Its shares of that row and the next ones: 4 of a spline, 1 of a class.
    n_rows : int
    kernel : ndarray of shape (n_distances,)
        The kernel between rows; a 1 alone between classes.
    """

    first: np.ndarray
    weights: np.ndarray
    n_rows: int
    kernel: np.ndarray

    @classmethod
    def of(cls, target: np.ndarray) -> "MeshTarget":
        """Lay out a real target, in kernel widths.

        Examples
        --------
        >>> mesh = MeshTarget.of(np.array([0.0, 0.5, 10.0]))
        >>> mesh.n_rows, mesh.first.tolist(), mesh.weights[0].round(3).tolist()
        (44, [0, 2, 40], [0.167, 0.667, 0.167, 0.0])
        """
        first = np.empty(len(target), dtype=np.int64)
        weights, slopes = np.empty((2, len(target), 4))
        spread(target * CELLS_PER_WIDTH, first, weights, slopes)
        return cls(first, weights, int(first.max()) + 4, mesh_kernel())

    @classmethod
    def of_classes(cls, codes: np.ndarray) -> "MeshTarget":
        """Lay out classes, each a row of its own.

        Examples
        --------
        >>> MeshTarget.of_classes(np.array([0, 0, 1])).n_rows
        2
        """
        codes = codes.astype(np.int64)
        return cls(codes, np.ones((len(codes), 1)), int(codes.max()) + 1, np.ones(1))


def mesh_cells(n_rows: int, width: float) -> int:
    """Return about how many cells a component of unit variance takes, from -4 to 4."""
    return int(n_rows * 8.0 * CELLS_PER_WIDTH / width)


@njit(nogil=True)
def spread(
    positions: np.ndarray, first: np.ndarray, weights: np.ndarray, slopes: np.ndarray
) -> None:
    """Write the cubic B-spline's weights at each position, in cells, and their derivatives."""
    low = np.floor(positions.min())  # the cells rest when samples move: so has the sum a derivative
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


@njit(nogil=True)
def component_mesh_scores(
    z: np.ndarray,
    first: np.ndarray,
    weights: np.ndarray,
    n_rows: int,
    row_kernel: np.ndarray,
    column_kernel: np.ndarray,
    width: float,
    background: np.ndarray,
    sums: np.ndarray,
    score: np.ndarray,
) -> None:
    """Write each sample's sum of the others' kernels, with the background, and the score.

    Parameters
    ----------
    z : ndarray of shape (n_samples,)
        A component.
    first, weights, n_rows, row_kernel
        The target's axis, see `MeshTarget`.
    column_kernel : ndarray
        `mesh_kernel`.
    width : float
        Kernel width of the component.
    background : ndarray of shape (n_samples,)
        What is added to each sum.
    sums : ndarray of shape (n_samples,)
        Written.
    score : ndarray of shape (n_samples,)
        Minus the background's derivative by z; the derivative of minus the sum of ``log sums``
        is written.
    """
    cells = len(column_kernel) // _REACH / width
    column = np.empty(len(z), dtype=np.int64)
    across = np.empty((len(z), 4))
    slopes = np.empty((len(z), 4))
    spread(z * cells, column, across, slopes)
    mesh = np.zeros((n_rows, column.max() + 4))
    other = np.empty_like(mesh)
    slope = np.empty(len(z))
    _add(mesh, first, weights, column, across, np.ones(len(z)))
    _convolve(mesh, other, row_kernel, column_kernel)
    _read(mesh, first, weights, column, across, sums)
    _read(mesh, first, weights, column, slopes, slope)
    inverse = np.empty(len(z))
    for a in range(len(z)):
        # a sample does not count itself; the mesh's error must not make the sum negative
        alone = sums[a] <= 1.0
        sums[a] = background[a] + (0.0 if alone else sums[a] - 1.0)
        score[a] = (score[a] - (0.0 if alone else slope[a] * cells)) / sums[a]
        inverse[a] = 0.0 if alone else 1.0 / sums[a]
    mesh[:] = 0.0
    _add(mesh, first, weights, column, across, inverse)
    _convolve(mesh, other, row_kernel, column_kernel)
    _read(mesh, first, weights, column, slopes, slope)
    for a in range(len(z)):
        score[a] -= slope[a] * cells


@njit(nogil=True)
def _add(
    mesh: np.ndarray,
    first: np.ndarray,
    weights: np.ndarray,
    column: np.ndarray,
    across: np.ndarray,
    amounts: np.ndarray,
) -> None:
    for a in range(len(first)):
        for i in range(weights.shape[1]):
            share = amounts[a] * weights[a, i]
            for j in range(4):
                mesh[first[a] + i, column[a] + j] += share * across[a, j]


@njit(nogil=True)
def _read(
    mesh: np.ndarray,
    first: np.ndarray,
    weights: np.ndarray,
    column: np.ndarray,
    across: np.ndarray,
    out: np.ndarray,
) -> None:
    for a in range(len(first)):
        total = 0.0
        for i in range(weights.shape[1]):
            part = 0.0
            for j in range(4):
                part += mesh[first[a] + i, column[a] + j] * across[a, j]
            total += weights[a, i] * part
        out[a] = total


@njit(nogil=True, fastmath=_SUMS)
def _convolve_row(row: np.ndarray, kernel: np.ndarray, out: np.ndarray) -> None:
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
    mesh: np.ndarray, other: np.ndarray, row_kernel: np.ndarray, column_kernel: np.ndarray
) -> None:
    """Convolve both axes with their symmetric kernels, in place; ``other`` is scratch."""
    n_rows, n_columns = mesh.shape
    for r in range(n_rows):
        _convolve_row(mesh[r], column_kernel, other[r])
    for r in range(n_rows):
        out = mesh[r]
        for c in range(n_columns):
            out[c] = row_kernel[0] * other[r, c]
        for m in range(1, len(row_kernel)):
            k = row_kernel[m]
            for near in (r - m, r + m):
                if 0 <= near < n_rows:
                    row = other[near]
                    for c in range(n_columns):
                        out[c] += k * row[c]
