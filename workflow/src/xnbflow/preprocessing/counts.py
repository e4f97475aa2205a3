"""Filter and normalisation of counts of reads, fitted to training samples (edgeR)."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import Declared, number_constraint, one_of
from xnbflow.data.read_counts import (
    PRIOR_COUNT,
    ReferenceProfile,
    check_counts,
    enough_reads,
    fit_reference,
    log_cpm,
)
from xnbflow.data.samples import Labels, SamplesLike, plain_labels
from xnbflow.preprocessing.estimator import UnsupervisedTransformer, refuse_bad_values
from xnbflow.preprocessing.selector import FeatureSelector


class ReadFilter(FeatureSelector, Declared):
    """Keep the features that have enough reads in the training samples (edgeR's `filterByExpr`).

    See `enough_reads`. The groups are the classes of the training samples.

    Parameters
    ----------
    min_count, min_total_count : float
        ``min_count`` reads per median library are needed in about as many samples as the smallest
        class has, and ``min_total_count`` reads in all samples together.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)

    See Also
    --------
    CountNormalizer : The step that follows.

    Examples
    --------
    >>> X = np.array([[500.0, 0, 9], [600, 0, 8], [700, 30, 2], [400, 20, 9]])
    >>> ReadFilter().fit_transform(X, ["a", "a", "b", "b"])[0].tolist()
    [500.0, 0.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_count": [number_constraint(0, closed="left")],
        "min_total_count": [number_constraint(0, closed="left")],
    }

    def __init__(self, *, min_count: float = 10.0, min_total_count: float = 15.0) -> None:
        self.min_count = min_count
        self.min_total_count = min_total_count

    def fit(self, X: SamplesLike, y: Labels) -> Self:
        """Find the features with enough reads; an `InputError` if there is none."""
        self._validate_params()
        with refuse_bad_values(self, X):
            counts = validate_data(self, X, dtype=np.float64).T
        check_counts(counts)
        _, sizes = np.unique(np.asarray(plain_labels(y, X)), return_counts=True)
        self.support_ = enough_reads(
            counts,
            sizes.min(),
            min_count=self.min_count,
            min_total_count=self.min_total_count,
        )
        if not self.support_.any():
            msg = (
                f"no feature has {self.min_count:g} reads per library in enough samples; lower "
                "min_count, or use values that are counts"
            )
            raise InputError(msg, key="min_count")
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        return tags


class CountNormalizer(OneToOneFeatureMixin, UnsupervisedTransformer):
    """Log2 counts per million, libraries adjusted for composition by TMM.

    A few strong features take a large share of a library, so that counts per million of all others
    are too low. TMM estimates this effect from the features between the extremes. The reference
    sample is one of the training samples, so that a new sample is normalised without others, and a
    training sample gets the value of edgeR's ``cpm(calcNormFactors(y), log=TRUE)``.

    Parameters
    ----------
    method : {"tmm", "none"}
        Without TMM, library sizes are the sums of counts.
    prior_count : float
        See `log_cpm`.

    Attributes
    ----------
    reference_counts_ : ndarray of shape (n_features,)
        The reference sample; zeros without TMM.
    reference_size_, factor_unit_ : float
        See `ReferenceProfile`.
    mean_size_ : float
        The mean effective library size of the training samples.

    References
    ----------
    M. D. Robinson, A. Oshlack, Genome Biology 11 (2010), R25.

    See Also
    --------
    ReadFilter : The step before, which selects the features with enough reads.

    Examples
    --------
    >>> X = np.array([[10.0, 20, 30, 40], [20, 40, 60, 80], [10, 20, 30, 940]])
    >>> CountNormalizer(prior_count=0.5).fit_transform(X).round(1)[:, :2].tolist()
    [[15.6, 16.5], [15.6, 16.5], [15.6, 16.5]]
    """

    _allows_missing = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [one_of("tmm", "none")],
        "prior_count": [number_constraint(0)],
    }

    def __init__(self, *, method: str = "tmm", prior_count: float = PRIOR_COUNT) -> None:
        self.method = method
        self.prior_count = prior_count

    def _learn(self, X: np.ndarray) -> None:
        """Learn the mean library size, and the reference of TMM."""
        counts = X.T
        check_counts(counts)
        sizes = counts.sum(axis=0)
        reference = ReferenceProfile(np.zeros(len(counts)), 1.0)
        if self.method == "tmm":
            reference = fit_reference(counts, sizes)
        self.reference_counts_ = reference.counts
        self.reference_size_ = reference.size
        self.factor_unit_ = reference.unit
        self.mean_size_ = float((sizes * reference.factors(counts, sizes)).mean())

    def library_sizes(self, X: np.ndarray) -> np.ndarray:
        """Return the effective library size of each sample: its reads times its factor.

        ``X`` (n_samples, n_features) has the features of `fit`.
        """
        counts = X.T
        check_counts(counts)
        reference = ReferenceProfile(
            self.reference_counts_, self.reference_size_, self.factor_unit_
        )
        sizes = counts.sum(axis=0)
        return np.asarray(sizes * reference.factors(counts, sizes))

    def _transform_values(self, X: np.ndarray) -> np.ndarray:
        sizes = self.library_sizes(X)
        return log_cpm(X.T, sizes, self.prior_count, self.mean_size_).T

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
