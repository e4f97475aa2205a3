"""The mixing distribution H of block separation scores (Pavlenko and von Rosen, section 3).

A block of true score g = gamma² has the score u, non-central chi-square with m degrees of freedom
and non-centrality g. H, the distribution of g over blocks, gives the weight of a score (Eq. 17);
see ``docs/methods/separation.md``.
"""

from dataclasses import dataclass

import numpy as np

from xnbflow.papers.common.bessel import bessel_ratio, log_bessel_quotient

#: Scores are binned, and weights tabulated, in steps of this on the scale of square roots, on which
#: the noise of a score has standard deviation 1.
_STEP = 1 / 64
#: Step of the grid of true scores on the same scale, and its fewest and most points.
_GRID_STEP = 1 / 8
_FEWEST_POINTS = 64
_MOST_POINTS = 1000
#: Most steps of the EM algorithm.
_MAX_STEPS = 5000
#: Smaller masses are left out.
_NEGLIGIBLE = 1e-12
#: Replaces smaller Bessel arguments, among them 0: I_{v+1}(z) / (z I_v(z)) and h_v(z) are then
#: within 1e-7 of their limits, and I_v(z) does not underflow at any order for which it is needed.
_LEAST_ARGUMENT = 2e-4


@dataclass(frozen=True)
class MixingDistribution:
    """A discrete distribution of true scores: ``scores`` gamma² and ``masses``, both (n_atoms,).

    Examples
    --------
    >>> half_useless = MixingDistribution(np.array([0.0, 30.0]), np.array([0.5, 0.5]))
    >>> half_useless.weights(np.array([5.0, 20.0, 40.0]), 4).round(3)
    array([0.002, 1.137, 0.829])
    """

    scores: np.ndarray
    masses: np.ndarray

    def density(self, observed: np.ndarray, degrees: float) -> np.ndarray:
        """Return the density of observed scores (n,), above 0: ``∫ chi(u; m, g) dH(g)``."""
        log_kernel, _ = _log_kernel(observed, degrees, self.scores)
        largest = log_kernel.max(axis=1)
        order = degrees / 2 - 1
        scale = np.exp(largest + order * np.log(observed) - observed / 2) / 2
        return scale * (np.exp(log_kernel - largest[:, None]) @ self.masses)

    def weights(self, observed: np.ndarray, degrees: float) -> np.ndarray:
        """Return the optimal weights of observed scores (n,), Eq. 17.

        The weight of a score u is ``E[gamma' T | u] / u``, where T is the estimated and gamma the
        true standardised difference of the block's parameters and ``u = |T|²``: near 0 where T is
        most likely noise, near 1 where it is real, above 1 where it is smaller than most real ones.
        Of many scores they are interpolated from a table in which the root advances by 1/64.
        """
        roots = np.sqrt(observed)
        below = np.floor(roots / _STEP)
        table = np.union1d(below, below + 1) * _STEP
        if len(table) >= len(observed):
            return self._weights(observed, degrees)
        return np.interp(roots, table, self._weights(table**2, degrees))

    def _weights(self, observed: np.ndarray, degrees: float) -> np.ndarray:
        # The posterior mean of I_{v+1}(z) / (z I_v(z)) gamma² over the atoms of H.
        log_kernel, z = _log_kernel(observed, degrees, self.scores)
        kernel = np.exp(log_kernel - log_kernel.max(axis=1, keepdims=True)) * self.masses
        shares = bessel_ratio(degrees / 2 - 1, z) / z * self.scores
        return (kernel * shares).sum(axis=1) / kernel.sum(axis=1)


def estimate_mixing(observed: np.ndarray, degrees: np.ndarray) -> MixingDistribution:
    """Estimate H by nonparametric maximum likelihood on a grid (Laird 1978).

    The EM algorithm starts from the uniform distribution on the roots of the scores and stops as
    soon as the log-likelihood is within 1 of its maximum, which the largest component of its
    gradient bounds (Lindsay, Annals of Statistics 11, 1983), or after 5,000 steps: smoother than
    the maximum itself, which has few atoms that follow the noise of the scores. Observed scores and
    their degrees of freedom have shape (n_blocks,).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> observed = rng.noncentral_chisquare(4, np.repeat([1e-9, 30.0], 500))
    >>> mixing = estimate_mixing(observed, np.full(1000, 4))
    >>> float(mixing.masses[mixing.scores < 5].sum().round(2))
    0.5
    """
    roots = np.sqrt(observed)
    n_grid = int(np.clip(roots.max() / _GRID_STEP, _FEWEST_POINTS, _MOST_POINTS))
    grid = np.linspace(0, max(roots.max(), 1.0), n_grid) ** 2
    kernels = []
    counts = []
    for m in np.unique(degrees):
        bins, count = np.unique(np.round(roots[degrees == m] / _STEP), return_counts=True)
        log_kernel, _ = _log_kernel((bins * _STEP) ** 2, m, grid)
        kernels.append(np.exp(log_kernel - log_kernel.max(axis=1, keepdims=True)))
        counts.append(count)
    masses = _expectation_maximisation(np.concatenate(kernels), np.concatenate(counts))
    is_atom = masses > _NEGLIGIBLE
    return MixingDistribution(grid[is_atom], masses[is_atom] / masses[is_atom].sum())


def _expectation_maximisation(kernel: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the masses of the grid, from likelihoods (n_bins, n_grid) and counts of the bins."""
    n = counts.sum()
    masses = np.full(kernel.shape[1], 1 / kernel.shape[1])
    for _ in range(_MAX_STEPS):
        gradient = (counts / (kernel @ masses)) @ kernel
        if gradient.max() - n <= 1:  # Lindsay's bound of what is missing to the maximum
            break
        masses *= gradient / n
    return masses


def _log_kernel(
    observed: np.ndarray, degrees: float, scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``log h_v(z) - g / 2`` and z, both (n, n_atoms): the density without factors of u."""
    z = np.maximum(np.sqrt(observed)[:, None] * np.sqrt(scores), _LEAST_ARGUMENT)
    return log_bessel_quotient(degrees / 2 - 1, z) - scores / 2, z
