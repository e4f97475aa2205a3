"""Multivariate normal densities of many small blocks of features at once.

The local densities of a block Bayesian network (Pavlenko, Rosen: feature selection by separation
score, section 2.1): every class and block has a normal density, blocks are independent given the
class. Thousands of small covariance matrices are estimated, shrunk, factorised and inverted as one
array (n_blocks, size, size).
"""

from dataclasses import dataclass

import numpy as np

from xnbflow.density.blocks import map_blocks

__all__ = ["GaussianBlocks", "fit_gaussian_blocks", "ledoit_wolf_intensity"]

#: A covariance estimated with fewer degrees of freedom per feature of its block is shrunk.
ENOUGH_PER_FEATURE = 10
#: A block is singular if an eigenvalue of its correlation matrix is below this.
_SINGULAR = 1e-10


@dataclass(frozen=True)
class GaussianBlocks:
    """A normal density for each class and block; all blocks have the same size.

    Attributes
    ----------
    columns : ndarray of int, shape (n_blocks, size)
        The features of each block.
    means : ndarray of shape (n_classes, n_blocks, size)
        Class means.
    factors : ndarray of shape (n_covariances, n_blocks, size, size)
        Lower Cholesky factors of the covariances: one per class, or one for all.
    whitenings : ndarray of shape (n_covariances, n_blocks, size, size)
        Their inverses.
    shrinkage : ndarray of shape (n_covariances, n_blocks)
        How far each correlation matrix was shrunk: 0 for not at all, 1 to independent features.
    singular : ndarray of bool, shape (n_covariances, n_blocks)
        Where the sample covariance has no inverse although there were samples enough for one:
        where features depend on each other exactly.
    """

    columns: np.ndarray
    means: np.ndarray
    factors: np.ndarray
    whitenings: np.ndarray
    shrinkage: np.ndarray
    singular: np.ndarray

    def log_density_terms(self, features: np.ndarray, code: int, blocks: np.ndarray) -> np.ndarray:
        """Return the log densities of a class, split over the features of each block.

        A block's density is the product of that of its first feature, that of the second given
        the first, and so on.

        Parameters
        ----------
        features : ndarray of shape (n_features, n_samples)
        code : int
            The class.
        blocks : ndarray of int, shape (n_chosen,)
            The blocks wanted.

        Returns
        -------
        ndarray of shape (n_chosen, size, n_samples)
            Its sum over the second axis is the blocks' log density.
        """
        size, n_samples = self.columns.shape[1], features.shape[1]
        matrix = code if len(self.factors) > 1 else 0
        diagonal = np.einsum("bii->bi", self.factors[matrix, blocks])
        log_norm = np.log(diagonal) + 0.5 * np.log(2 * np.pi)
        terms = np.empty((len(blocks), size, n_samples))

        def work(part: slice) -> None:
            chosen = blocks[part]
            with np.errstate(over="ignore", invalid="ignore"):
                centred = features[self.columns[chosen]] - self.means[code, chosen, :, None]
                standard = self.whitenings[matrix, chosen] @ centred
                terms[part] = -0.5 * standard**2 - log_norm[part, :, None]

        map_blocks(work, len(blocks), size * n_samples)
        return terms

    def distances(self, first: int, second: int) -> np.ndarray:
        """Return the cross-entropy distance J of two classes in each block, shape (n_blocks,).

        The Kullback-Leibler divergence from the first to the second density plus that from the
        second to the first (Eqs. 10 and 11): ``d' (A^-1 + B^-1) d / 2 + tr(A^-1 B + B^-1 A) / 2 -
        size`` for means d apart and covariances A and B.
        """
        difference = (self.means[first] - self.means[second])[:, :, None]
        if len(self.factors) == 1:
            return ((self.whitenings[0] @ difference) ** 2).sum(axis=(1, 2))
        total = np.full(len(self.columns), -float(self.columns.shape[1]))
        for one, other in ((first, second), (second, first)):
            whitening = self.whitenings[one]
            total += 0.5 * ((whitening @ difference) ** 2).sum(axis=(1, 2))
            total += 0.5 * ((whitening @ self.factors[other]) ** 2).sum(axis=(1, 2))
        return np.maximum(total, 0.0)


def fit_gaussian_blocks(
    features: np.ndarray, codes: np.ndarray, columns: np.ndarray, *, pooled: bool
) -> GaussianBlocks:
    """Estimate the densities of blocks of one size.

    Covariances are unbiased: sums of squares and products about the class means over ``n - k``
    samples if pooled, else over ``n_c - 1``. Where that is fewer than ten per feature of the
    block, or where the matrix is singular, the correlation matrix is shrunk towards the identity
    by Ledoit and Wolf's rule; variances stay as they are, so that no unit of measurement matters.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
        No feature may be constant within the classes (if pooled) or within any class (if not).
    codes : ndarray of int, shape (n_samples,)
        Class of each sample, 0 to k - 1.
    columns : ndarray of int, shape (n_blocks, size)
        The features of each block.
    pooled : bool
        One covariance for all classes, or one per class.

    Returns
    -------
    GaussianBlocks

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix remains singular after shrinking, as that of two samples can.

    References
    ----------
    O. Ledoit and M. Wolf, A well-conditioned estimator for large-dimensional covariance matrices,
    Journal of Multivariate Analysis 88 (2004), Lemma 3.3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> blocks = fit_gaussian_blocks(
    ...     rng.normal(size=(4, 100)), np.arange(100) % 2, np.array([[0, 1], [2, 3]]), pooled=True
    ... )
    >>> blocks.distances(0, 1).shape
    (2,)
    """
    counts = np.bincount(codes)
    n_classes, (n_blocks, size) = len(counts), columns.shape
    membership = np.equal.outer(codes, np.arange(n_classes)) / counts
    groups = [slice(None)] if pooled else [codes == code for code in range(n_classes)]
    freedom = [len(codes) - n_classes] if pooled else counts - 1
    means = np.empty((n_classes, n_blocks, size))
    factors, whitenings = np.empty((2, len(groups), n_blocks, size, size))
    shrinkage = np.empty((len(groups), n_blocks))
    singular = np.empty((len(groups), n_blocks), dtype=bool)

    def work(part: slice) -> None:
        values = features[columns[part]]
        means[:, part] = (values @ membership).transpose(2, 0, 1)
        residuals = values - means[:, part].transpose(1, 2, 0)[:, :, codes]
        for i, (group, dof) in enumerate(zip(groups, freedom, strict=True)):
            covariance, shrinkage[i, part], singular[i, part] = _covariance(
                residuals[:, :, group], dof
            )
            factors[i, part] = np.linalg.cholesky(covariance)
            whitenings[i, part] = np.linalg.inv(factors[i, part])

    map_blocks(work, n_blocks, size * len(codes))
    return GaussianBlocks(columns, means, factors, whitenings, shrinkage, singular)


def _covariance(residuals: np.ndarray, dof: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return covariances, shrinkage and which are singular, from residuals (b, size, n)."""
    size = residuals.shape[1]
    covariance = residuals @ residuals.transpose(0, 2, 1) / dof
    scale = np.sqrt(np.einsum("bii->bi", covariance))
    correlation = covariance / (scale[:, :, None] * scale[:, None, :])
    singular = np.zeros(len(residuals), dtype=bool)
    if dof >= size > 1:
        singular = np.linalg.eigvalsh(correlation)[:, 0] < _SINGULAR
    shrunk = singular | (dof < ENOUGH_PER_FEATURE * size)
    shrinkage = np.zeros(len(residuals))
    if size > 1 and shrunk.any():
        shrinkage[shrunk] = ledoit_wolf_intensity(residuals[shrunk])
        off_diagonal = ~np.eye(size, dtype=bool)
        covariance[:, off_diagonal] *= (1 - shrinkage)[:, None]
    return covariance, shrinkage, singular


def ledoit_wolf_intensity(residuals: np.ndarray) -> np.ndarray:
    """Return Ledoit and Wolf's shrinkage of each block's correlation matrix to the identity.

    Parameters
    ----------
    residuals : ndarray of shape (n_blocks, size, n_samples)
        Values about their means; scaled here to mean square 1.

    Returns
    -------
    ndarray of shape (n_blocks,)
        In [0, 1]: the estimated share of the squared distance between sample matrix and identity
        that is sampling error.

    Examples
    --------
    >>> ledoit_wolf_intensity(np.array([[[1.0, -1, 2, -2], [1, -1, 2, -2.5]]])).round(3)
    array([0.217])
    """
    n_samples = residuals.shape[2]
    values = residuals / np.sqrt((residuals**2).mean(axis=2, keepdims=True))
    correlation = values @ values.transpose(0, 2, 1) / n_samples
    squares = (values**2).sum(axis=1)
    norm = (correlation**2).sum(axis=(1, 2))
    error = ((squares**2).mean(axis=1) - norm) / n_samples
    distance = np.maximum(norm - values.shape[1], 0)
    return np.clip(error, 0, distance) / np.where(distance > 0, distance, 1.0)
