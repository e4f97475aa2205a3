"""Kernel densities, one per feature (XNB paper, Eqs. 3 and 8)."""

from dataclasses import dataclass

import numpy as np

from xnbflow.density.bandwidth import BANDWIDTHS, bandwidths_of
from xnbflow.density.blocks import map_blocks
from xnbflow.density.exponential import exponentiate
from xnbflow.density.kernels import KERNELS, apply_kernel, kernel_code
from xnbflow.density.tiles import class_offsets, sorted_classes
from xnbflow.distributions.base import FeatureDensities
from xnbflow.errors import require_choice
from xnbflow.jit import njit

__all__ = ["LOG_ZERO", "KernelDensities", "fit_kernel_densities"]

#: The log density where a kernel of bounded support says zero: a sample that lies outside in one
#: feature should not make all classes equally impossible.
LOG_ZERO = float(np.log(np.finfo(float).tiny))

_LOG_SQRT_2PI = 0.9189385332046727


@dataclass(frozen=True)
class KernelDensities(FeatureDensities):
    """A kernel density for each of several features.

    Attributes
    ----------
    samples : ndarray of shape (n_features, n_samples)
        What the densities were fitted on.
    bandwidths : ndarray of shape (n_features,) or (n_features, n_samples)
        Per feature, or per feature and sample.
    kernel : str
        One of `xnbflow.density.kernels.KERNELS`. Where a kernel of bounded support gives density
        zero, the log density is `LOG_ZERO`.

    Examples
    --------
    >>> density = KernelDensities(np.array([[0.0, 2.0]]), np.array([1.0]), "uniform")
    >>> np.exp(density.log_density(np.array([[0.5, 1.5]]))).round(4).tolist()
    [[0.25, 0.25]]
    """

    samples: np.ndarray
    bandwidths: np.ndarray
    kernel: str = "gaussian"

    @property
    def ns_per_point(self) -> float:
        """One kernel takes about a nanosecond."""
        return float(self.samples.shape[1])

    def _log_density(self, block: slice, tile: np.ndarray, out: np.ndarray) -> None:
        rows = np.array(self.samples[block].T, order="C")
        if self.kernel == "gaussian" and self.bandwidths.ndim == 1:
            _log_gaussians(rows, np.ascontiguousarray(self.bandwidths[block]), tile, out)
            return
        each = np.atleast_2d(self.bandwidths[block].T)
        each = np.ascontiguousarray(np.broadcast_to(each, rows.shape))
        _log_kernels(rows, each, kernel_code(self.kernel), tile, out)


def fit_kernel_densities(
    features: np.ndarray, codes: np.ndarray, n_classes: int, *, bandwidth: str, kernel: str
) -> list[KernelDensities]:
    """Fit one `KernelDensities` per class.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
    codes : ndarray of int, shape (n_samples,)
        Class of each sample.
    n_classes : int
    bandwidth : str
        Rule for the bandwidths, one of `xnbflow.density.bandwidth.BANDWIDTHS`.
    kernel : str
        One of `xnbflow.density.kernels.KERNELS`.

    Raises
    ------
    InputError
        If there is no such rule or kernel.
    """
    require_choice("bandwidth", bandwidth, BANDWIDTHS)
    require_choice("kernel", kernel, KERNELS)
    order, offsets = class_offsets(codes, n_classes)
    local = bandwidth == "adaptive"
    samples = np.empty(features.shape)
    bandwidths = np.empty((len(features), len(order) if local else n_classes))

    def work(block: slice) -> None:
        tile = sorted_classes(features[block], order, offsets)
        samples[block] = tile.T
        bandwidths[block] = bandwidths_of(tile, offsets, bandwidth, kernel).T

    map_blocks(work, *features.shape)
    classes = [slice(offsets[c], offsets[c + 1]) for c in range(n_classes)]
    return [
        KernelDensities(samples[:, each], bandwidths[:, each if local else c], kernel)
        for c, each in enumerate(classes)
    ]


@njit(nogil=True, fastmath={"contract", "nsz"})
def _log_gaussians(
    rows: np.ndarray, bandwidths: np.ndarray, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the log of the mean kernel at each point, scaled by the nearest sample's kernel.

    All arrays are tiles: ``rows`` (n_samples, n_features), ``points`` and ``out`` (n_points,
    n_features).
    """
    n, width = rows.shape
    terms = np.empty((n, width))
    nearest, total = np.empty(width), np.empty(width)
    per_h = 1.0 / bandwidths
    log_norm = np.log(n * bandwidths) + _LOG_SQRT_2PI
    for j in range(len(points)):
        x = points[j]
        nearest[:] = np.inf
        total[:] = 0.0
        for i in range(n):
            for f in range(width):
                u = (x[f] - rows[i, f]) * per_h[f]
                terms[i, f] = 0.5 * u * u
                nearest[f] = min(nearest[f], terms[i, f])
        for i in range(n):
            for f in range(width):
                terms[i, f] = nearest[f] - terms[i, f]
        exponentiate(terms.reshape(-1))
        for i in range(n):
            for f in range(width):
                total[f] += terms[i, f]
        for f in range(width):
            far = nearest[f] == np.inf  # the square of every distance overflows
            out[j, f] = -np.inf if far else np.log(total[f]) - nearest[f] - log_norm[f]


@njit(nogil=True)
def _log_kernels(
    rows: np.ndarray, bandwidths: np.ndarray, code: int, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the log of the mean kernel at each point, for any kernel and bandwidths like ``rows``.

    A Gaussian's exponents are taken relative to the greatest, so that nothing underflows.
    """
    n, width = rows.shape
    terms = np.empty((n, width))
    for j in range(len(points)):
        shift = np.zeros(width)
        for f in range(width):
            if code == 0:
                shift[f] = -np.inf
                for i in range(n):
                    u = (points[j, f] - rows[i, f]) / bandwidths[i, f]
                    shift[f] = max(shift[f], -0.5 * u * u)
            for i in range(n):
                u = (points[j, f] - rows[i, f]) / bandwidths[i, f]
                terms[i, f] = np.sqrt(max(0.0, u * u + 2.0 * shift[f]))
        apply_kernel(code, terms.reshape(-1))
        for f in range(width):
            total = 0.0
            for i in range(n):
                total += terms[i, f] / bandwidths[i, f]
            if shift[f] == -np.inf:
                out[j, f] = -np.inf
            else:
                out[j, f] = np.log(total / n) + shift[f] if total > 0.0 else LOG_ZERO
