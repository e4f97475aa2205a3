"""Normalisation of samples: quantiles, z-scores, ranks."""

import numpy as np
import scipy  # scipy.stats, half a second, is imported where it is used
from sklearn.base import OneToOneFeatureMixin

from xnbflow.core.errors import InputError
from xnbflow.preprocessing.estimator import UnsupervisedTransformer


class SampleStandardizer(OneToOneFeatureMixin, UnsupervisedTransformer):
    """Z-score of each sample: its values less their mean, divided by their standard deviation.

    Missing values are ignored and remain missing. A sample of equal values becomes zero.

    See Also
    --------
    SampleRanks : Ranks within the sample.
    QuantileNormalizer : The distribution of the training samples.

    Examples
    --------
    >>> SampleStandardizer().fit_transform([[1.0, 3.0], [10.0, 30.0]]).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """

    def _transform_values(self, X: np.ndarray) -> np.ndarray:
        _refuse_empty_samples(X)
        mean = np.nanmean(X, axis=1, keepdims=True)
        sd = np.nanstd(X, axis=1, keepdims=True)
        # Rounding of the mean would make the deviations of equal values a multiple of their unit.
        constant = np.nanmax(X, axis=1) == np.nanmin(X, axis=1)
        sd[constant] = np.inf
        sd[sd <= np.finfo(float).eps * np.abs(mean)] = np.inf  # equal up to rounding
        return (X - mean) / sd


class SampleRanks(OneToOneFeatureMixin, UnsupervisedTransformer):
    """Rank of each value within its sample, between 0 and 1: (rank - 1/2) / count.

    Ties have their mean rank. Missing values are ignored and remain missing.

    See Also
    --------
    QuantileNormalizer : The distribution of the training samples instead.
    SampleStandardizer : The sample's mean and spread alone.

    Examples
    --------
    >>> SampleRanks().fit_transform([[5.0, 1.0, 9.0, 9.0]]).tolist()
    [[0.375, 0.125, 0.75, 0.75]]
    """

    def _transform_values(self, X: np.ndarray) -> np.ndarray:
        _refuse_empty_samples(X)
        ranks = scipy.stats.rankdata(X, axis=1, nan_policy="omit")
        return (ranks - 0.5) / (~np.isnan(X)).sum(axis=1, keepdims=True)


class QuantileNormalizer(OneToOneFeatureMixin, UnsupervisedTransformer):
    """Give every sample the same distribution: the mean distribution of the training samples.

    This is Bolstad's quantile normalization against a fixed target, so that a test sample is
    normalised without the others: its values become the target's quantiles at their ranks. Tied
    values become the mean of the quantiles that their ranks span.

    Attributes
    ----------
    target_ : ndarray, shape (n_features,)
        The ascending means of the training samples' order statistics.

    See Also
    --------
    SampleRanks : Ranks within the sample, without parameters.
    SampleStandardizer : The sample's mean and spread alone.

    References
    ----------
    B. M. Bolstad, R. A. Irizarry, M. Åstrand and T. P. Speed, Bioinformatics 19 (2003), 185-193.

    Examples
    --------
    >>> X = np.array([[5.0, 2.0, 3.0, 4.0], [4.0, 1.0, 4.0, 2.0], [3.0, 4.0, 6.0, 8.0]])
    >>> QuantileNormalizer().fit(X).transform(X[:2]).round(2).tolist()
    [[5.67, 2.0, 3.0, 4.67], [5.17, 2.0, 5.17, 3.0]]
    """

    _allows_missing = False

    def _learn(self, X: np.ndarray) -> None:
        target = np.zeros(X.shape[1])
        for sample in X:  # one at a time, so that no sorted copy of X is in memory
            target += np.sort(sample)
        self.target_ = target / len(X)

    def _transform_values(self, X: np.ndarray) -> np.ndarray:
        # The values of ranks first + 1 to last, which are tied, become the mean of the targets
        # first to last - 1: a difference of cumulative sums.
        cumulative = np.concatenate([[0.0], np.cumsum(self.target_)])
        normalised = np.empty(X.shape, order="F")
        for i, sample in enumerate(X):
            first = scipy.stats.rankdata(sample, "min").astype(np.intp) - 1
            last = scipy.stats.rankdata(sample, "max").astype(np.intp)
            values = self.target_[first]
            tied = last - first > 1
            sums = cumulative[last[tied]] - cumulative[first[tied]]
            values[tied] = sums / (last - first)[tied]
            normalised[i] = values
        return normalised


def _refuse_empty_samples(X: np.ndarray) -> None:
    empty = np.isnan(X).all(axis=1)
    if empty.any():
        msg = f"sample {int(np.argmax(empty))} (from 0) of these has no value at all; leave it out"
        raise InputError(msg)
