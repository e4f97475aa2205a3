"""Multivariate normal densities of many small blocks of features at once.

The local densities of a block Bayesian network (Pavlenko, Rosen: feature selection by separation
score, section 2.1), all of them one array (n_blocks, size, size).
"""

from typing import Any, ClassVar, Self

import numpy as np

from xnbflow.core.parameters import one_of
from xnbflow.density.families.distribution import Distribution
from xnbflow.density.families.gaussian import log_normal
from xnbflow.density.families.multivariate_gaussian import COVARIANCES
from xnbflow.density.tiles import map_strips

#: A covariance estimated with fewer degrees of freedom per feature of its block is shrunk.
ENOUGH_PER_FEATURE = 10
#: A block is singular if an eigenvalue of its correlation matrix is below this.
_SINGULAR = 1e-10


class GaussianBlocks(Distribution):
    """A normal density for each class and block; all blocks have the same size, each is a term.

    Covariances are unbiased: sums of squares and products about the class means over ``n - k``
    samples if pooled, over ``n_c - 1`` samples of each class if not. Where that is fewer than ten
    per feature of the block, or where the matrix is singular, the correlation matrix is shrunk
    towards the identity by Ledoit and Wolf's rule; variances are not shrunk, so the result is
    independent of units.

    Parameters
    ----------
    columns : ndarray of int, shape (n_blocks, size)
        The features of each block.
    covariance : {"pooled", "per_class"}, default="pooled"
        One covariance matrix per block for all classes, or one for each class.

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, n_blocks, size)
        Class means.
    factors_ : ndarray of shape (n_blocks, size, size)
        Lower Cholesky factors of the covariances. Per class: (n_classes, n_blocks, size, size).
    whitenings_ : ndarray
        Their inverses, of the same shape.
    shrinkage_ : ndarray of shape (n_blocks,)
        Shrinkage of each correlation matrix, from 0 (none) to 1 (independent features). Per class:
        (n_classes, n_blocks).
    singular_ : ndarray of bool, shape (n_blocks,)
        Where the sample covariance has no inverse although there were samples enough for one:
        where features depend on each other exactly. Per class: (n_classes, n_blocks).

    References
    ----------
    O. Ledoit and M. Wolf, A well-conditioned estimator for large-dimensional covariance matrices,
    Journal of Multivariate Analysis 88 (2004), Lemma 3.3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> blocks = GaussianBlocks(columns=np.array([[0, 1], [2, 3]]))
    >>> blocks.fit(rng.normal(size=(4, 100)), np.arange(100) % 2, 2).distances(0, 1).shape
    (2,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "columns": ["array-like"],
        "covariance": [one_of(*COVARIANCES)],
    }

    def __init__(self, *, columns: np.ndarray, covariance: str = "pooled") -> None:
        self.columns = columns
        self.covariance = covariance

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Estimate the densities of all blocks; see `Distribution.fit`.

        No feature may be constant within all classes, or, with a covariance per class, within any.

        Raises
        ------
        numpy.linalg.LinAlgError
            If a matrix remains singular after shrinking, as that of two samples does.
        """
        self._validate_params()
        self.n_classes_ = n_classes
        n_blocks, size = self.columns.shape
        counts = np.bincount(codes, minlength=n_classes)
        # (n_samples, n_classes): a product with the values gives the means of the classes
        averaging = np.equal.outer(codes, np.arange(n_classes)) / counts
        if self.covariance == "pooled":
            groups = [np.ones(len(codes), dtype=bool)]
            freedom = [len(codes) - n_classes]
        else:
            groups = [codes == code for code in range(n_classes)]
            freedom = (counts - 1).tolist()
        means = np.empty((n_classes, n_blocks, size))
        factors = np.empty((len(groups), n_blocks, size, size))
        whitenings = np.empty_like(factors)
        shrinkage = np.empty((len(groups), n_blocks))
        singular = np.empty((len(groups), n_blocks), dtype=bool)

        def work(strip: slice) -> None:
            values = features[self.columns[strip]]
            means[:, strip] = (values @ averaging).transpose(2, 0, 1)
            residuals = values - means[:, strip].transpose(1, 2, 0)[:, :, codes]
            for i, (group, dof) in enumerate(zip(groups, freedom, strict=True)):
                of_group = residuals if len(groups) == 1 else residuals[:, :, group]
                covariance, shrinkage[i, strip], singular[i, strip] = shrunken_covariance(
                    of_group, dof
                )
                # With S = L L' the Mahalanobis distance of x is |L^-1 (x - mean)|^2.
                factors[i, strip] = np.linalg.cholesky(covariance)
                whitenings[i, strip] = np.linalg.inv(factors[i, strip])

        map_strips(work, n_blocks, size * len(codes))
        self.means_ = means
        pooled = self.covariance == "pooled"
        self.factors_ = factors[0] if pooled else factors
        self.whitenings_ = whitenings[0] if pooled else whitenings
        self.shrinkage_ = shrinkage[0] if pooled else shrinkage
        self.singular_ = singular[0] if pooled else singular
        return self

    def _matrices_of(self, matrices: np.ndarray, code: int) -> np.ndarray:
        """Return the matrices of a class, (n_blocks, size, size): `factors_` or `whitenings_`."""
        return matrices if matrices.ndim == 3 else matrices[code]

    def log_density_terms(self, features: np.ndarray, code: int, blocks: np.ndarray) -> np.ndarray:
        """Return the log densities of some blocks in the class ``code``, split over their features.

        A block's density is the product of that of its first feature, that of the second given
        the first, and so on.

        Returns
        -------
        ndarray of shape (n_chosen, size, n_samples)
            Its sum over the second axis is the blocks' log density.
        """
        size = self.columns.shape[1]
        n_samples = features.shape[1]
        whitenings = self._matrices_of(self.whitenings_, code)
        diagonal = np.einsum("bii->bi", self._matrices_of(self.factors_, code)[blocks])
        log_scale = np.log(diagonal)[:, :, None]
        terms = np.empty((len(blocks), size, n_samples))

        def work(strip: slice) -> None:
            chosen = blocks[strip]
            with np.errstate(over="ignore", invalid="ignore"):
                centred = features[self.columns[chosen]] - self.means_[code, chosen, :, None]
                standard = whitenings[chosen] @ centred
                terms[strip] = log_normal(standard**2, log_scale[strip])

        map_strips(work, len(blocks), size * n_samples)
        return terms

    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:
        blocks = np.arange(len(self.columns))[terms]
        log_densities = [
            self.log_density_terms(features, code, blocks).sum(axis=1)
            for code in range(self.n_classes_)
        ]
        return np.stack(log_densities, axis=1)

    def _n_terms(self, features: np.ndarray) -> int:  # noqa: ARG002
        return len(self.columns)

    def n_parameters(self) -> np.ndarray:
        """Return the means and the halves of the covariance matrices with their diagonals."""
        n_blocks, size = self.columns.shape
        n_covariances = 1 if self.covariance == "pooled" else self.n_classes_
        n_parameters = self.n_classes_ * size + n_covariances * size * (size + 1) // 2
        return np.full(n_blocks, n_parameters)

    def distances(self, first: int, second: int) -> np.ndarray:
        """Return the cross-entropy distance J of two classes in each block, shape (n_blocks,).

        The Kullback-Leibler divergence from the first to the second density plus that from the
        second to the first (Eqs. 10 and 11). For means d apart it is ``d' A^-1 d`` if both classes
        have the covariance A, and ``d' (A^-1 + B^-1) d / 2 + tr(A^-1 B + B^-1 A) / 2 - size`` if
        they have A and B.
        """
        difference = (self.means_[first] - self.means_[second])[:, :, None]
        if self.covariance == "pooled":
            return ((self.whitenings_ @ difference) ** 2).sum(axis=(1, 2))
        distance = np.full(len(self.columns), -float(self.columns.shape[1]))
        for code, other in ((first, second), (second, first)):
            # With A = L L' and the whitening W = L^-1: d' A^-1 d = |W d|², and with B = M M'
            # tr(A^-1 B) = |W M|², the sum of its squared elements.
            whitening = self.whitenings_[code]
            distance += ((whitening @ difference) ** 2).sum(axis=(1, 2)) / 2
            distance += ((whitening @ self.factors_[other]) ** 2).sum(axis=(1, 2)) / 2
        return np.maximum(distance, 0.0)


def shrunken_covariance(
    residuals: np.ndarray, dof: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return covariances, shrinkage and a mask of singular ones, from residuals (b, size, n)."""
    size = residuals.shape[1]
    if residuals.shape[2] == 2 and size > 1:  # singular, where rounding may hide it
        raise np.linalg.LinAlgError
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

    In [0, 1], shape (n_blocks,): the estimated share of the squared distance between sample matrix
    and identity that is sampling error. ``residuals`` (n_blocks, size, n_samples) are values about
    their means; they are scaled to mean square 1.
    """
    n_samples = residuals.shape[2]
    values = residuals / np.sqrt((residuals**2).mean(axis=2, keepdims=True))
    correlation = values @ values.transpose(0, 2, 1) / n_samples
    squares = (values**2).sum(axis=1)
    norm = (correlation**2).sum(axis=(1, 2))
    error = ((squares**2).mean(axis=1) - norm) / n_samples
    distance = np.maximum(norm - values.shape[1], 0)
    return np.clip(error, 0, distance) / np.where(distance > 0, distance, 1.0)
