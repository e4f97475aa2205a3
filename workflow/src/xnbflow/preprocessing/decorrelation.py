"""Values of features beyond the features that they are correlated with within classes."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from xnbflow.core.parameters import number_constraint
from xnbflow.data.labels import class_codes
from xnbflow.data.samples import Labels, SamplesLike
from xnbflow.preprocessing.estimator import Estimator

#: Share of the median variance in the variance of a feature, so that features that hardly vary
#: within classes are not multiplied by large numbers.
_COMMON_VARIANCE = 0.2
#: Below this share of the largest, eigenvalues, and singular values of the rows that a sample has,
#: are rounding errors; so are deviations below this share of a feature's mean.
_ROUNDING = 1e-9


class Decorrelator(OneToOneFeatureMixin, TransformerMixin, Estimator):
    r"""Remove from each feature a part of what correlated features have in common within classes.

    A sample, in standard units, is multiplied by :math:`R^{-1/2}` (ZCA-cor whitening [1]_), with
    :math:`R = (1 - a) I + a C`, ``C`` the correlation of the training samples within classes and
    ``a`` the parameter ``strength``. The result is the symmetric transformation after which
    features are as close as possible to what they were. A new feature is thus the same gene, less
    what it shares with its correlated genes.

    Matrices have the size of the number of samples: with the eigenvectors :math:`V` of ``C`` (at
    most as many as samples) and eigenvalues ``w``, the product is proportional to :math:`z + V (f
    \circ V^T z)` with :math:`f = (1 + w a / (1 - a))^{-1/2} - 1`. A fit takes in the order of
    n_samples² n_features operations, the transformation of a sample n_samples n_features.

    Parameters
    ----------
    strength : float, default=0.2
        Weight of the correlation, from 0 (values are only standardised) to below 1.

    Attributes
    ----------
    means_, scales_ : ndarray of shape (n_features,)
        Mean over the training samples, and standard deviation within classes, whose variance is
        shrunken by a fifth to the median of all features.
    eigenvectors_ : ndarray of shape (n_features, n_eigenvalues)
        Eigenvectors of the correlation within classes whose eigenvalues are above 0.
    factors_ : ndarray of shape (n_eigenvalues,)
        The factor ``f`` of each, between -1 and 0.

    See Also
    --------
    xnbflow.naive_bayes.ClassSpecificNBCV : Fits it in every inner fold (``decorrelation``).

    Notes
    -----
    Labels take part in the fit, by the class means. A cross-validation that chooses something by
    transformed samples must therefore fit the transformation in each of its training sets.

    References
    ----------
    .. [1] Kessy, Lewin, Strimmer, "Optimal whitening and decorrelation", The American Statistician
       72, 2018.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> common = rng.normal(size=(200, 1))  # a factor that all features share
    >>> y = np.arange(200) % 2
    >>> X = rng.normal(size=(200, 30)) + 2.0 * common
    >>> Z = Decorrelator().fit(X, y).transform(X)
    >>> [round(float(np.corrcoef(values.T)[0, 1:].mean()), 1) for values in (X, Z)]
    [0.8, 0.3]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "strength": [number_constraint(0.0, 1.0, closed="left")]
    }

    def __init__(self, *, strength: float = 0.2) -> None:
        self.strength = strength

    def fit(self, X: SamplesLike, y: Labels) -> "Decorrelator":
        """Learn scales and eigenvectors from training samples of classes y."""
        values, labels = self._validate_training(X, y)
        _, codes, counts = class_codes(labels)
        members = (codes == np.arange(len(counts))[:, np.newaxis]) / counts[:, np.newaxis]
        class_means = (members @ values)[codes]
        residuals = np.subtract(values, class_means, out=class_means)
        self.means_ = values.mean(axis=0)
        freedom = max(1, len(values) - len(counts))
        variances = np.einsum("ij,ij->j", residuals, residuals) / freedom
        # Features that are constant within classes correlate with nothing, not by rounding errors.
        constant = variances <= (_ROUNDING * self.means_) ** 2
        residuals[:, constant] = 0.0
        variances[constant] = 0.0
        common = np.median(variances)
        if common == 0.0:  # most features are constant within classes
            common = variances.mean() if variances.any() else 1.0
        self.scales_ = np.sqrt((1.0 - _COMMON_VARIANCE) * variances + _COMMON_VARIANCE * common)

        # The eigenvectors of the correlation, by the smaller matrix of products of samples.
        scales = self.scales_ * np.sqrt(freedom)
        standard = np.divide(residuals, scales, out=residuals)
        eigenvalues, coordinates = np.linalg.eigh(standard @ standard.T)
        above = eigenvalues > _ROUNDING * max(1.0, eigenvalues[-1])
        eigenvalues = eigenvalues[above]
        self.eigenvectors_ = standard.T @ (coordinates[:, above] / np.sqrt(eigenvalues))
        # w a / (1 - a) of the class's formula, with the odds a / (1 - a)
        odds = self.strength / (1.0 - self.strength)
        self.factors_ = 1.0 / np.sqrt(1.0 + odds * eigenvalues) - 1.0
        return self

    def transform(self, X: SamplesLike) -> np.ndarray:
        """Return samples beyond their correlated features, in standard units.

        A missing value (NaN) remains missing. The coordinates :math:`V^T z` of a sample with
        missing values are those with the least squared deviations from its other values.
        """
        values = self._validate_samples(X, ensure_all_finite="allow-nan")
        standard = values - self.means_
        standard /= self.scales_
        coordinates = standard @ self.eigenvectors_
        incomplete = np.flatnonzero(np.isnan(coordinates).any(axis=1))
        if len(incomplete):
            coordinates[incomplete] = self._estimate_coordinates(standard[incomplete])
        coordinates *= self.factors_
        standard += coordinates @ self.eigenvectors_.T
        return standard

    def _estimate_coordinates(self, standard: np.ndarray) -> np.ndarray:
        """Return the coordinates of samples with missing values, by least squares.

        Samples that lack the same features share one system of equations.
        """
        coordinates = np.empty((len(standard), len(self.factors_)))
        patterns, pattern_of_sample = np.unique(np.isnan(standard), axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            samples = np.flatnonzero(pattern_of_sample.reshape(-1) == number)
            present = ~pattern
            coordinates[samples] = np.linalg.lstsq(
                self.eigenvectors_[present], standard[np.ix_(samples, present)].T, rcond=_ROUNDING
            )[0].T
        return coordinates
