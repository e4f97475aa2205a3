"""Nearest shrunken centroids, with the whole path over thresholds from one pass.

The method of Tibshirani, Hastie, Narasimhan, Chu, "Diagnosis of multiple cancer types by shrunken
centroids of gene expression", PNAS 99, 2002 (the program PAM): naive Bayes with normal densities
whose variances all classes share, and whose means are shrunk to the overall mean, so that a class
keeps the features in which it differs from it.

In standard units, with ``s_j`` the standard deviation of feature ``j`` within classes and ``s_0``
the median of these, class ``k`` with ``n_k`` of ``n`` samples has the deviation (Eq. 1)

    d_jk = (mean_jk - mean_j) / (m_k (s_j + s_0)),    m_k = sqrt(1 / n_k - 1 / n),

which the threshold ``t`` shrinks to ``sign(d) max(|d| - t, 0)`` (Eq. 4). With ``b_jk = m_k (s_j +
s_0) sign(d_jk)`` the centroid is ``mean_j + b_jk (|d_jk| - t)`` where ``|d_jk| > t``, and the log
likelihood of a sample relative to the overall mean is the sum over these features of

    b_jk (|d_jk| - t) z_j - b_jk² (|d_jk| - t)² / (2 s_j²),    z_j = (x_j - mean_j) / s_j²,

a quadratic function of ``t`` until the next feature leaves. So the scores at all thresholds need
one product of the samples with the features' ``b |d|`` and ``b``, added up between neighbouring
thresholds, and cumulative sums from the greatest threshold down.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.jit import njit
from xnbflow.core.parameters import PRIORS_CONSTRAINT, number_constraint, whole_constraint
from xnbflow.data.samples import Labels, SamplesLike
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.evidence_calibration import log_losses
from xnbflow.naive_bayes.inner_folds import CV_CONSTRAINTS, inner_folds, sample_groups

#: Deviations below this share of a feature's size are rounding errors: the feature is constant.
_ROUNDING = 64.0 * np.finfo(np.float64).eps


class ShrunkenCentroids(BaseNaiveBayes):
    """Nearest shrunken centroids (PAM); the threshold is chosen by cross-validation.

    Features are taken in standard units, so that their units change nothing. At each threshold the
    discriminant scores are those of scikit-learn's `NearestCentroid` with ``priors="empirical"``
    after `StandardScaler`, and so are the predictions unless all classes are of one size, where
    scikit-learn compares distances without the features' variances. Probabilities are those of the
    paper (Eq. 8): half of the difference between scores, as in a normal density.

    Parameters
    ----------
    threshold : float, default=None
        By how much deviations are shrunk. None chooses it by inner cross-validation: the fewest
        errors, and of equal ones the greatest threshold, which has the fewest features.
    n_thresholds : int, default=30
        Thresholds to try, equidistant from 0 to the greatest deviation, which leaves no feature.
    cv : int, cross-validation splitter or list, default=None
        The inner folds, as in `ClassSpecificNBCV`.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None means their shares of the training samples.

    Attributes
    ----------
    threshold_ : float
        The threshold of the model.
    deviations_ : ndarray of shape (n_classes, n_features)
        Shrunken deviations, in standard errors; 0 where the class does not use the feature.
    centroids_ : ndarray of shape (n_classes, n_features)
        Shrunken centroids, in the features' units.
    selected_features_ : dict
        For each class label the features whose deviation is not 0, by its size: names where X has
        them, else column numbers.
    direction_ : dict
        For each class label and selected feature "high" or "low".
    path_ : DataFrame
        One row per threshold, ascending: ``threshold``, ``n_features`` that any class uses there,
        ``accuracy`` and ``log_loss`` (nats) over all inner test samples, and ``chosen``. A given
        threshold has one row without scores.

    See Also
    --------
    ClassSpecificNBCV : Densities of any shape, and a set of features for each class.
    GaussianNB : A variance for each class, and all features.

    References
    ----------
    Tibshirani, Hastie, Narasimhan, Chu, "Diagnosis of multiple cancer types by shrunken centroids
    of gene expression", PNAS 99, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = ShrunkenCentroids(threshold=6.0).fit(X, y)
    >>> model.selected_features_[1], model.direction_[1]
    (['alcohol', 'color_intensity', 'proline'], ['low', 'low', 'low'])
    """

    explanation_scale_ = "evidence"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [number_constraint(0.0, closed="left"), None],
        "n_thresholds": [whole_constraint(2)],
        "cv": CV_CONSTRAINTS,
        "priors": PRIORS_CONSTRAINT,
    }

    def __init__(
        self,
        *,
        threshold: float | None = None,
        n_thresholds: int = 30,
        cv: Any = None,
        priors: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        self.threshold = threshold
        self.n_thresholds = n_thresholds
        self.cv = cv
        self.priors = priors

    def fit(self, X: SamplesLike, y: Labels, groups: Labels | None = None) -> "ShrunkenCentroids":
        """Fit the classifier.

        Samples of one of the ``groups`` (n_samples,), for example a patient, stay in one inner
        fold.
        """
        values, labels = self._validate_training(X, y)
        group_labels = sample_groups(groups, len(labels))
        codes = self._learn_classes(labels)
        self._fit(self._arrange(values), codes, group_labels)
        return self

    def _fit(self, features: Any, codes: np.ndarray, groups: np.ndarray | None = None) -> None:
        """Choose the threshold by inner cross-validation, and shrink the centroids by it."""
        centroids = Centroids.of(features, codes, len(self.classes_))
        if self.threshold is not None:
            thresholds = np.array([float(self.threshold)])
        else:
            thresholds = np.linspace(0.0, centroids.greatest_deviation, self.n_thresholds)
        path = {"threshold": thresholds, "n_features": centroids.count_features(thresholds)}
        chosen = 0
        if self.threshold is None and len(self.classes_) > 1:
            # Accuracy and log loss at each threshold over all inner test samples.
            right = []
            losses = []
            for train, test in inner_folds(self.cv, codes, groups, features):
                present, inner_codes = np.unique(codes[train], return_inverse=True)
                fold_centroids = Centroids.of(features, inner_codes, len(present), samples=train)
                log_prior = np.full(len(self.classes_), -np.inf)
                shares = np.bincount(inner_codes) / len(train)
                if self.priors is not None:
                    shares = np.exp(self.class_log_prior_[present])
                with np.errstate(divide="ignore"):
                    log_prior[present] = np.log(shares / shares.sum())
                evidence = np.zeros((len(thresholds), len(test), len(self.classes_)))
                evidence[:, :, present] = fold_centroids.evidence(
                    features, thresholds, samples=test
                )
                right.append((evidence + log_prior).argmax(axis=2) == codes[test])
                losses.append([log_losses(scores, log_prior, codes[test]) for scores in evidence])
            scores = {
                "accuracy": np.concatenate(right, axis=1).mean(axis=1),
                "log_loss": np.concatenate(losses, axis=1).mean(axis=1),
            }

            path |= scores
            accuracy = scores["accuracy"]
            chosen = int(np.flatnonzero(accuracy == accuracy.max())[-1])  # the last of equal ones
        self._path_columns = path | {"chosen": np.arange(len(thresholds)) == chosen}
        self.threshold_ = float(thresholds[chosen])

        # Set the fitted attributes at the chosen threshold.
        self.deviations_ = centroids.shrunken(self.threshold_)
        self._shifts = centroids.steps * self.deviations_  # from the overall mean, standard units
        self._means = centroids.means
        self._units = centroids.units
        self._variances = centroids.spreads**2
        self.centroids_ = centroids.means + centroids.units * self._shifts
        names = self._feature_names()
        self.columns_ = []
        self.selected_features_ = {}
        self.direction_ = {}
        for label, deviations in zip(self.classes_.tolist(), self.deviations_, strict=True):
            used = np.flatnonzero(deviations)
            ranked = used[np.argsort(-np.abs(deviations[used]), kind="stable")]
            self.columns_.append(ranked)
            self.selected_features_[label] = names[ranked].tolist()
            self.direction_[label] = np.where(deviations[ranked] > 0.0, "high", "low").tolist()
        if len(self.classes_) > 1 and not self.deviations_.any():
            msg = "no feature separates the classes at the threshold; the priors decide"
            warnings.warn(msg, UserWarning, stacklevel=3)

    @property
    def path_(self) -> pd.DataFrame:
        """The path over thresholds, see the class."""
        check_is_fitted(self)
        return pd.DataFrame(self._path_columns)

    def _joint_log_likelihood(self, features: Any) -> np.ndarray:
        joint = np.tile(self.class_log_prior_, (features.shape[1], 1))
        for code in range(len(self.classes_)):
            joint[:, code] += self._class_terms(features, code)[1].sum(axis=0)
        return joint

    def _class_terms(self, features: Any, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Return a class's features and their log likelihoods relative to the overall mean."""
        columns = self.columns_[code]
        shifts = (self._shifts[code, columns] / self._variances[columns])[:, np.newaxis]
        halves = self._shifts[code, columns][:, np.newaxis] / 2.0
        values = features[columns] - self._means[columns][:, np.newaxis]
        return columns, shifts * (values / self._units[columns][:, np.newaxis] - halves)


@dataclass(frozen=True, kw_only=True)
class Centroids:
    """What nearest shrunken centroids learn, before a threshold is chosen.

    ``means`` and ``units`` (n_features,) are the overall means and standard deviations (ddof=0) of
    the features, 1 for a constant one; everything else is in these units. ``spreads`` (n_features,)
    are standard deviations within classes, and 1 where that is 0. ``deviations`` and ``steps``
    (n_classes, n_features) are the ``d`` and ``m_k (s_j + s_0)`` of the module.
    """

    means: np.ndarray
    units: np.ndarray
    spreads: np.ndarray
    deviations: np.ndarray
    steps: np.ndarray

    @classmethod
    def of(
        cls, features: Any, codes: np.ndarray, n_classes: int, *, samples: np.ndarray | None = None
    ) -> "Centroids":
        """Learn them from features (n_features, n_samples), an array or CSR without duplicates.

        ``codes`` are the classes of the ``samples``, positions of columns; all without.
        """
        n = len(codes)
        counts = np.bincount(codes, minlength=n_classes)
        class_means, squares = _class_moments(features, codes, n_classes, samples=samples)
        means = counts @ class_means / n
        between = class_means - means
        deviation = np.sqrt((squares + counts @ between**2) / n)
        varies = deviation > _ROUNDING * np.abs(means)
        units = np.where(varies, deviation, 1.0)
        within = np.where(varies, np.sqrt(squares / max(n - n_classes, 1)) / units, 0.0)
        within[within < _ROUNDING] = 0.0
        scale = np.sqrt(np.maximum(1.0 / counts - 1.0 / n, 0.0))
        steps = scale[:, np.newaxis] * (within + np.median(within))
        deviations = np.zeros(steps.shape)
        np.divide(between / units, steps, out=deviations, where=varies & (steps > 0.0))
        return cls(
            means=means,
            units=units,
            spreads=np.where(within > 0.0, within, 1.0),
            deviations=deviations,
            steps=steps,
        )

    @property
    def greatest_deviation(self) -> float:
        """The threshold from which on no feature is left."""
        return float(np.abs(self.deviations).max(initial=0.0))

    def shrunken(self, threshold: float) -> np.ndarray:
        """Return the deviations after soft thresholding (Eq. 4), shape (n_classes, n_features)."""
        left = np.maximum(np.abs(self.deviations) - threshold, 0.0)
        return np.sign(self.deviations) * left

    def count_features(self, thresholds: np.ndarray) -> np.ndarray:
        """Return how many features any class uses at each threshold, shape (n_thresholds,)."""
        greatest = np.sort(np.abs(self.deviations).max(axis=0))
        return len(greatest) - np.searchsorted(greatest, thresholds, side="right")

    def evidence(
        self, features: Any, thresholds: np.ndarray, *, samples: np.ndarray | None = None
    ) -> np.ndarray:
        """Return log likelihoods relative to the overall mean at ascending thresholds.

        The shape is (n_thresholds, n_samples, n_classes), for the ``samples``, positions of columns
        of ``features`` (n_features, n_all_samples); all without.
        """
        columns = np.arange(features.shape[1]) if samples is None else samples
        n_classes = len(self.deviations)
        n_thresholds = len(thresholds)
        n_samples = len(columns)
        sizes = np.abs(self.deviations)
        # The thresholds below a deviation use its feature: the last of them, or -1.
        last = np.searchsorted(thresholds, sizes, side="left") - 1
        code, feature = np.nonzero(last >= 0)
        row = last[code, feature] * n_classes + code
        n_rows = n_thresholds * n_classes
        size = sizes[code, feature]
        step = self.steps[code, feature]
        slope = np.sign(self.deviations[code, feature]) * step / self.spreads[feature] ** 2
        half = (step / self.spreads[feature]) ** 2 / 2.0
        # Sums over the features that a threshold is the last to use: a row for each threshold and
        # class, and for the two products a column for each sample.
        constant_part = np.bincount(row, half * size**2, minlength=n_rows)
        linear_part = np.bincount(row, half * 2.0 * size, minlength=n_rows)
        quadratic_part = np.bincount(row, half, minlength=n_rows)
        per_unit = slope / self.units[feature]
        weights = np.array([size * per_unit, per_unit])
        by_size, by_step = self._products(
            features, columns, row=row, feature=feature, weights=weights, n_rows=n_rows
        )

        def from_last(sums: np.ndarray) -> np.ndarray:
            """Add up what the greater thresholds use too: (n_thresholds, n_classes, n_columns)."""
            sums = sums.reshape(n_thresholds, n_classes, -1)
            return np.cumsum(sums[::-1], axis=0)[::-1]

        t = thresholds[:, np.newaxis, np.newaxis]
        squares = from_last(constant_part) - t * from_last(linear_part)
        squares = squares + t**2 * from_last(quadratic_part)
        evidence = from_last(by_size) - t * from_last(by_step) - squares
        return evidence.transpose(0, 2, 1).reshape(n_thresholds, n_samples, n_classes)

    def _products(
        self,
        features: Any,
        samples: np.ndarray,
        *,
        row: np.ndarray,
        feature: np.ndarray,
        weights: np.ndarray,
        n_rows: int,
    ) -> np.ndarray:
        """Return two products of weights with centred features, shape (2, n_rows, n_samples).

        Each term of the ``weights`` (2, n_terms) has a ``row`` of the result and a ``feature``,
        whose mean is subtracted from the samples' values.
        """
        products = np.zeros((2, n_rows, len(samples)))
        _add_products(
            features,
            samples,
            self.means,
            row=row,
            feature=feature,
            weights=weights,
            products=products,
        )
        return products


def _class_moments(
    features: Any, codes: np.ndarray, n_classes: int, *, samples: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return means (n_classes, n_features) and sums of squares within all classes (n_features,).

    ``features`` (n_features, n_all_samples) are an array; ``codes`` are the
    classes of the ``samples``, positions of columns, or of all. No class is empty.

    Examples
    --------
    >>> _class_moments(np.array([[0.0, 2.0, 7.0]]), np.array([0, 0, 1]), 2)
    (array([[1.],
           [7.]]), array([2.]))
    """
    n_features = features.shape[0]
    counts = np.bincount(codes, minlength=n_classes)
    means = np.zeros((n_classes, n_features))
    squares = np.zeros(n_features)
    columns = np.arange(len(codes)) if samples is None else samples
    _write_moments(features, columns, codes, counts, means, squares)
    return means, squares


@njit(nogil=True)
def _write_moments(
    features: np.ndarray,
    samples: np.ndarray,
    codes: np.ndarray,
    counts: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
) -> None:
    """Write the results of `_class_moments`: the mean of each class, then squares about it."""
    n_samples = len(samples)
    n_classes = len(counts)
    values = np.empty(n_samples)
    class_means = np.empty(n_classes)
    for f in range(features.shape[0]):
        class_means[:] = 0.0
        for i in range(n_samples):
            values[i] = features[f, samples[i]]
            class_means[codes[i]] += values[i]
        for c in range(n_classes):
            class_means[c] /= counts[c]
            means[c, f] = class_means[c]
        total = 0.0
        for i in range(n_samples):
            difference = values[i] - class_means[codes[i]]
            total += difference * difference
        squares[f] = total


@njit(nogil=True)
def _add_products(
    features: np.ndarray,
    samples: np.ndarray,
    means: np.ndarray,
    row: np.ndarray,
    feature: np.ndarray,
    weights: np.ndarray,
    products: np.ndarray,
) -> None:
    """Add each term's two weights times its feature, less the mean, to the term's row."""
    for k in range(len(row)):
        f = feature[k]
        for i in range(len(samples)):
            difference = features[f, samples[i]] - means[f]
            products[0, row[k], i] += weights[0, k] * difference
            products[1, row[k], i] += weights[1, k] * difference
