"""Abramson's adaptive bandwidths: every sample has a bandwidth of its own.

A sample's bandwidth is that of its class times a factor: above 1 where the class's samples are
sparse, below 1 where they are dense. This suits long tails and several modes; the XNB paper names
it as future work (section 7).

References
----------
.. [1] Abramson, "On bandwidth variation in kernel estimates: a square root law", Annals of
   Statistics 10, 1982.
.. [2] Silverman, "Density estimation for statistics and data analysis", 1986, section 5.3.
"""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.kernels import kernel_code
from xnbflow.density.log_sums import log_density_at


def adaptive_factors(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    kernel: str | int,
    floor: np.ndarray,
) -> np.ndarray:
    """Return the factor of each sample and feature, shape (n_samples, n_features).

    Parameters
    ----------
    tile, offsets : ndarray
        As of `xnbflow.density.bandwidth.bandwidths_of`.
    bandwidths : ndarray of shape (n_classes, n_features)
        The bandwidths ``h`` of the pilot densities ``f``, which the factors multiply.
    kernel : str or int
        The kernel of the pilot densities.
    floor : ndarray of shape (n_classes, n_features)
        No ``h`` times a factor is below.

    Notes
    -----
    The factor of sample ``i`` is ``(g / f(x_i))**0.5``, with ``g`` the geometric mean of the
    ``f(x_i)`` of its class (Silverman's Eqs. 5.6 and 5.7).

    Examples
    --------
    >>> tile, offsets = np.array([[0.0], [1.0], [1.5], [9.0]]), np.array([0, 4])
    >>> ones, zeros = np.ones((1, 1)), np.zeros((1, 1))
    >>> adaptive_factors(tile, offsets, ones, "gaussian", zeros).ravel().round(2).tolist()
    [0.97, 0.85, 0.9, 1.34]
    """
    factors = np.empty(tile.shape)
    _write_factors(tile, offsets, bandwidths, kernel_code(kernel), factors)
    least = np.repeat(floor / bandwidths, np.diff(offsets), axis=0)
    return np.maximum(factors, least)


def kernel_spreads(bandwidths: np.ndarray, factors: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the root mean square of the samples' bandwidths, shape (n_classes, n_features).

    Its square is what the kernels add to the variance of a class's density, in units of the
    kernel's own variance.
    """
    sizes = np.diff(offsets)[:, np.newaxis]
    squares = np.add.reduceat(factors**2, offsets[:-1], axis=0)
    return bandwidths * np.sqrt(squares / sizes)


@njit(nogil=True)
def _write_factors(
    tile: np.ndarray, offsets: np.ndarray, bandwidths: np.ndarray, code: int, out: np.ndarray
) -> None:
    """Write each sample's factor of its bandwidth, ``out`` (n_samples, n_features)."""
    for c in range(len(offsets) - 1):
        start, stop = offsets[c], offsets[c + 1]
        widths = np.empty(stop - start)
        logs = np.empty(stop - start)
        for f in range(tile.shape[1]):
            values = tile[start:stop, f].copy()
            widths[:] = bandwidths[c, f]
            log_density_at(values, widths, code, values, logs)
            mean = logs.mean()
            for i in range(stop - start):
                out[start + i, f] = np.exp(0.5 * (mean - logs[i]))
