"""Multivariate normal densities of many small blocks of features at once.

The local densities of a block Bayesian network (Pavlenko, Rosen: feature selection by separation
score, section 2.1), all of them one array (n_blocks, size, size).
"""

from typing import Any, ClassVar, NamedTuple, Self

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

    Covariances are unbiased: sums of squares and products about the class means over the degrees of
    freedom, ``n - k`` if pooled over k classes, and ``n_c - 1`` of each class if not. If there are
    fewer than ten degrees of freedom per feature of the block, or if the matrix is singular, the
    correlation matrix is shrunk towards the identity by Ledoit and Wolf's rule. Variances are not
    shrunk, so the result is independent of units.

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
        Blocks whose sample covariance has no inverse although there are enough samples, because
        their features depend on each other exactly. Per class: (n_classes, n_blocks).

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
        # (n_samples, n_classes): a product with the values gives the means of the classes.
        averaging = np.equal.outer(codes, np.arange(n_classes)) / counts
        # Each covariance is estimated from some samples: all, or those of a class.
        is_pooled = self.covariance == "pooled"
        if is_pooled:
            sample_masks = [np.ones(len(codes), dtype=bool)]
            degrees_of_freedom = [len(codes) - n_classes]
        else:
            sample_masks = [codes == code for code in range(n_classes)]
            degrees_of_freedom = (counts - 1).tolist()
        n_covariances = len(sample_masks)
        means = np.empty((n_classes, n_blocks, size))
        factors = np.empty((n_covariances, n_blocks, size, size))
        whitenings = np.empty_like(factors)
        shrinkage = np.empty((n_covariances, n_blocks))
        singular = np.empty((n_covariances, n_blocks), dtype=bool)

        def fit_blocks(strip: slice) -> None:
            values = features[self.columns[strip]]
            means[:, strip] = (values @ averaging).transpose(2, 0, 1)
            residuals = values - means[:, strip].transpose(1, 2, 0)[:, :, codes]
            for i, (mask, dof) in enumerate(zip(sample_masks, degrees_of_freedom, strict=True)):
                shrunken = _shrunken_covariance(
                    residuals if is_pooled else residuals[:, :, mask], dof
                )
                shrinkage[i, strip] = shrunken.shrinkage
                singular[i, strip] = shrunken.singular
                # With S = L L' the Mahalanobis distance of x is |L^-1 (x - mean)|^2.
                factors[i, strip] = np.linalg.cholesky(shrunken.covariance)
                whitenings[i, strip] = np.linalg.inv(factors[i, strip])

        map_strips(fit_blocks, n_blocks, size * len(codes))
        # A pooled covariance has no axis of classes.
        self.means_ = means
        self.factors_ = factors[0] if is_pooled else factors
        self.whitenings_ = whitenings[0] if is_pooled else whitenings
        self.shrinkage_ = shrinkage[0] if is_pooled else shrinkage
        self.singular_ = singular[0] if is_pooled else singular
        return self

    def _matrices_of(self, matrices: np.ndarray, code: int) -> np.ndarray:
        """Return the matrices of a class, (n_blocks, size, size): `factors_` or `whitenings_`."""
        return matrices if matrices.ndim == 3 else matrices[code]

    def log_density_terms(self, features: np.ndarray, code: int, blocks: np.ndarray) -> np.ndarray:
        """Return the log densities of some blocks in the class ``code``, split over their features.

        A block's density is a product of densities: of its first feature, of the second given the
        first, of the third given both, and so on.

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

        def evaluate_blocks(strip: slice) -> None:
            chosen = blocks[strip]
            with np.errstate(over="ignore", invalid="ignore"):
                centred = features[self.columns[chosen]] - self.means_[code, chosen, :, None]
                standard = whitenings[chosen] @ centred
                terms[strip] = log_normal(standard**2, log_scale[strip])

        map_strips(evaluate_blocks, len(blocks), size * n_samples)
        return terms

    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:
        """Return the log densities of some blocks, (n_terms, n_classes, n_samples)."""
        blocks = np.arange(len(self.columns))[terms]
        log_densities = [
            self.log_density_terms(features, code, blocks).sum(axis=1)
            for code in range(self.n_classes_)
        ]
        return np.stack(log_densities, axis=1)

    def _n_terms(self, features: np.ndarray) -> int:  # noqa: ARG002
        """Return the number of blocks, each of which is a term of the likelihood."""
        return len(self.columns)

    def n_parameters(self) -> np.ndarray:
        """Return the number of free parameters of each block, shape (n_blocks,).

        They are the means, and one triangle of each covariance matrix with its diagonal.
        """
        n_blocks, size = self.columns.shape
        n_covariances = 1 if self.covariance == "pooled" else self.n_classes_
        n_parameters = self.n_classes_ * size + n_covariances * size * (size + 1) // 2
        return np.full(n_blocks, n_parameters)

    def distances(self, first: int, second: int) -> np.ndarray:
        """Return the cross-entropy distance J of two classes in each block, shape (n_blocks,).

        It is the sum of the Kullback-Leibler divergences from the first to the second density, and
        from the second to the first (Eqs. 10 and 11). For means d apart it is ``d' A^-1 d`` if both
        classes have the covariance A, and ``d' (A^-1 + B^-1) d / 2 + tr(A^-1 B + B^-1 A) / 2 -
        size`` if they have A and B.
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


class ShrunkenCovariance(NamedTuple):
    """The covariances of several blocks, after shrinkage.

    Attributes
    ----------
    covariance : ndarray of shape (n_blocks, size, size)
    shrinkage : ndarray of shape (n_blocks,)
        From 0 (none) to 1 (independent features).
    singular : ndarray of bool, shape (n_blocks,)
        Whether the sample covariance has no inverse although there are enough samples.
    """

    covariance: np.ndarray
    shrinkage: np.ndarray
    singular: np.ndarray


def _shrunken_covariance(residuals: np.ndarray, dof: int) -> ShrunkenCovariance:
    """Return the covariances of blocks from residuals (n_blocks, size, n_samples).

    ``dof`` are the degrees of freedom. Raises a `numpy.linalg.LinAlgError` for two samples.
    """
    size = residuals.shape[1]
    if residuals.shape[2] == 2 and size > 1:
        # The residuals of two samples are opposite, so that all features are multiples of each
        # other. Rounding may make such a matrix invertible.
        msg = "the covariance of two samples has no inverse"
        raise np.linalg.LinAlgError(msg)
    covariance = residuals @ residuals.transpose(0, 2, 1) / dof
    scale = np.sqrt(np.einsum("bii->bi", covariance))
    correlation = covariance / (scale[:, :, None] * scale[:, None, :])
    singular = np.zeros(len(residuals), dtype=bool)
    if dof >= size > 1:
        singular = np.linalg.eigvalsh(correlation)[:, 0] < _SINGULAR
    needs_shrinkage = singular | (dof < ENOUGH_PER_FEATURE * size)
    shrinkage = np.zeros(len(residuals))
    if size > 1 and needs_shrinkage.any():
        shrinkage[needs_shrinkage] = _ledoit_wolf_intensity(residuals[needs_shrinkage])
        off_diagonal = ~np.eye(size, dtype=bool)
        covariance[:, off_diagonal] *= (1 - shrinkage)[:, None]
    return ShrunkenCovariance(covariance, shrinkage, singular)


def _ledoit_wolf_intensity(residuals: np.ndarray) -> np.ndarray:
    """Return Ledoit and Wolf's shrinkage of each block's correlation matrix to the identity.

    ``residuals`` (n_blocks, size, n_samples) are values minus their means. With ``x_k`` the vector
    of sample k, scaled to mean square 1, and ``R`` the mean of the ``x_k x_k'``, Lemma 3.3 has,
    with the identity as the target and squared Frobenius norms::

        d^2 = |R - I|^2 = |R|^2 - size                           the distance of R from the target
        b^2 = sum_k |x_k x_k' - R|^2 / n^2 = (mean_k |x_k|^4 - |R|^2) / n      the sampling error
        shrinkage = min(b^2, d^2) / d^2

    The result has shape (n_blocks,), from 0 to 1.
    """
    n_samples = residuals.shape[2]
    values = residuals / np.sqrt((residuals**2).mean(axis=2, keepdims=True))
    correlation = values @ values.transpose(0, 2, 1) / n_samples
    squared_lengths = (values**2).sum(axis=1)
    squared_norm = (correlation**2).sum(axis=(1, 2))
    b2 = ((squared_lengths**2).mean(axis=1) - squared_norm) / n_samples
    d2 = np.maximum(squared_norm - values.shape[1], 0)
    return np.clip(b2, 0, d2) / np.where(d2 > 0, d2, 1.0)
