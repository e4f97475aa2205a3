"""Typicality of a sample relative to held-out training samples.

A sample's *score* is the mean, over the features that the model uses, of the log of the reference
density, that of all classes mixed by their shares. Training samples are scored without themselves;
a sample's *typicality* is the share of their scores below its own.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import logsumexp, ndtr

from xnbflow.density.kernels import LOG_SQRT_2PI

#: Samples whose typicality is below this are marked.
ATYPICAL = 0.01

#: Least bandwidth of a class of n samples: this times n^(-1/5) times the spread of the feature.
_FLOOR = 0.3
#: Factor of the normal-reference rule for the bandwidth of a kernel density (Scott 1992).
_NORMAL_REFERENCE = 1.06
#: Factor for the distribution of scores, twice that of Silverman's rule (0.9).
_SCORE_WIDTH = 1.8
#: Least width of that distribution, so that equal scores have one.
_LEAST_WIDTH = 1e-9
#: Evenly spaced features by which samples are described, so that many cost no more.
_MOST_FEATURES = 2000
#: Cells of a block of points and centres: 400 kB stay in the cache.
_BLOCK = 50_000


@dataclass(frozen=True)
class Typicality:
    """The distribution of samples from the source of the training data.

    Attributes
    ----------
    centres : ndarray of shape (n_features, n_samples)
        Training values of the features that are used.
    bandwidths : ndarray of shape (n_features, n_samples)
        Width of each sample's kernel, that of its class.
    held_out : ndarray of shape (n_samples,)
        The score of each training sample without itself, ascending.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> features, codes = rng.normal(size=(5, 100)), np.repeat([0, 1], 50)
    >>> model = Typicality.fit(features, codes)
    >>> new = np.column_stack([np.zeros(5), np.full(5, 20.0)])
    >>> (model.typicality(new) < 0.01).tolist()
    [False, True]
    """

    centres: np.ndarray
    bandwidths: np.ndarray
    held_out: np.ndarray = field(repr=False)

    @classmethod
    def fit(cls, features: np.ndarray, codes: np.ndarray) -> "Typicality":
        """Fit the distribution to training samples.

        Parameters
        ----------
        features : ndarray of shape (n_features, n_samples)
            The features to use; constant ones are left out of every score.
        codes : ndarray of int, shape (n_samples,)
            Class of each sample.
        """
        # Normal-reference bandwidths within classes, none below the floor.
        spread = _spreads(features)
        bandwidths = np.empty(features.shape)
        for code in np.unique(codes):
            members = codes == code
            within = _NORMAL_REFERENCE * _spreads(features[:, members])
            widths = np.maximum(within, _FLOOR * spread) * members.sum() ** -0.2
            bandwidths[:, members] = widths[:, None]

        scores = _mean_log_densities(features, bandwidths, features, leave_self=True)
        return cls(np.ascontiguousarray(features), bandwidths, np.sort(scores))

    def restricted(self, rows: np.ndarray) -> "Typicality":
        """Return the same for some of the features, given as positions or a mask."""
        centres = self.centres[rows]
        bandwidths = self.bandwidths[rows]
        scores = _mean_log_densities(centres, bandwidths, centres, leave_self=True)
        return Typicality(centres, bandwidths, np.sort(scores))

    def scores(self, features: np.ndarray) -> np.ndarray:
        """Return the mean log reference density of samples (n_features, n_new), shape (n_new,)."""
        return _mean_log_densities(self.centres, self.bandwidths, features, leave_self=False)

    def log_reference(self, row: int, points: np.ndarray) -> np.ndarray:
        """Return the log density of one feature in all classes together, per unit of the feature.

        Missing where the feature is constant in training. Shape (n_points,), as ``points``.
        """
        widths = self.bandwidths[row]
        if not (widths > 0).all():
            return np.full(len(points), np.nan)
        terms = -0.5 * ((points[:, None] - self.centres[row]) / widths) ** 2 - np.log(widths)
        return logsumexp(terms, axis=1) - np.log(len(widths)) - LOG_SQRT_2PI

    def typicality(self, features: np.ndarray) -> np.ndarray:
        """Return the share of held-out training samples that are less typical, shape (n_new,).

        The distribution of their scores is smoothed (Gaussian kernel, twice as wide as Silverman's
        rule), so that the 1% point exists also with fewer than a hundred samples. In simulations 1
        to 1.4% of new samples of the same source are below it with 60 to 200 training samples,
        about 4% with 20.
        """
        n = len(self.held_out)
        spread = self.held_out.std(ddof=1) if n > 1 else 0.0
        width = max(_SCORE_WIDTH * spread * n**-0.2, _LEAST_WIDTH)
        distances = (self.scores(features)[:, None] - self.held_out) / width
        return ndtr(distances).mean(axis=1)


def typicality_features(used: np.ndarray) -> np.ndarray:
    """Return the positions of features for typicality: all, or evenly spaced ones if many."""
    if len(used) <= _MOST_FEATURES:
        return used
    return used[np.linspace(0, len(used) - 1, _MOST_FEATURES).astype(int)]


def _spreads(features: np.ndarray) -> np.ndarray:
    """Return standard deviations (n_features,); 0 of a single sample, and of constant features.

    The deviation of a constant is not always exactly 0, because its mean is rounded.

    Examples
    --------
    >>> _spreads(np.full((1, 40), np.log2(100)))
    array([0.])
    """
    if features.shape[1] < 2:
        return np.zeros(len(features))
    spreads = features.std(axis=1, ddof=1)
    spreads[features.min(axis=1) == features.max(axis=1)] = 0.0
    return np.asarray(spreads)


def _mean_log_densities(
    centres: np.ndarray, bandwidths: np.ndarray, features: np.ndarray, *, leave_self: bool
) -> np.ndarray:
    """Return each sample's score: the mean log density, in training spreads, of varying features.

    ``features`` (n_features, n_new) are the samples' values. With ``leave_self`` they are the
    ``centres`` (n_features, n_samples), and the kernel of a sample is left out at its own value.
    """
    total = np.zeros(features.shape[1])
    n_varying = 0
    for row, widths, points in zip(centres, bandwidths, features, strict=True):
        if (widths > 0).all():
            # At each point ``log(sum_i exp(-((x - c_i) / h_i)² / 2) / h_i)``,
            # (n_points,). The greatest term is subtracted before the exponential, so
            # that none underflows to a sum of 0. Steps are in place, in blocks of
            # points: the terms stay in the cache.
            log_sums = np.empty(len(points))
            log_widths = np.log(widths)
            n_points = max(1, _BLOCK // len(row))
            for start in range(0, len(points), n_points):
                terms = points[start : start + n_points, None] - row
                terms /= widths
                terms *= terms
                terms *= -0.5
                terms -= log_widths
                if leave_self:
                    np.fill_diagonal(terms[:, start:], -np.inf)
                greatest = terms.max(axis=1, keepdims=True)
                terms -= np.where(np.isfinite(greatest), greatest, 0.0)
                np.exp(terms, out=terms)
                with np.errstate(divide="ignore"):  # a single sample, left out, leaves no kernel
                    log_sums[start : start + n_points] = np.log(terms.sum(axis=1)) + greatest[:, 0]

            total += log_sums + np.log(row.std())
            n_varying += 1
    if not n_varying:
        return total
    n_kernels = centres.shape[1] - leave_self
    return total / n_varying - np.log(n_kernels) - LOG_SQRT_2PI
