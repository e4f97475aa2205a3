"""Discretization by entropy and minimum description length (Fayyad and Irani, IJCAI 1993)."""

import numpy as np
import pandas as pd
from scipy.special import xlogy
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags

from xnbflow.estimator import Estimator
from xnbflow.labels import class_codes

__all__ = ["MDLPDiscretizer", "mdlp_cut_points"]


class MDLPDiscretizer(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Cut each feature where that describes the classes in fewer bits.

    Attributes
    ----------
    cut_points_ : list of ndarray
        The ascending cut points of each feature; none where the feature tells nothing. A value
        equal to a cut point belongs to the interval below it.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features seen in `fit`, where X had them.

    References
    ----------
    U. M. Fayyad and K. B. Irani, Multi-interval discretization of continuous-valued attributes for
    classification learning, IJCAI 1993.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0], [7.0], [8.0], [9.0], [10.0]])
    >>> discretizer = MDLPDiscretizer().fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> discretizer.cut_points_[0].tolist(), discretizer.transform([[5.5], [5.6]]).ravel().tolist()
    ([5.5], [0.0, 1.0])
    """

    _squares_features = False

    def fit(self, X: np.ndarray | pd.DataFrame, y: np.ndarray) -> "MDLPDiscretizer":
        """Find the cut points of each feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self
        """
        X, y = self._validated(X, y)
        classes, codes, _ = class_codes(y)
        self.cut_points_ = [mdlp_cut_points(column, codes, len(classes)) for column in X.T]
        return self

    def transform(self, X: np.ndarray | pd.DataFrame) -> np.ndarray:
        """Return the number of each value's interval, 0, 1, ..., as floats of X's shape."""
        X = self._validated(X)
        intervals = [
            np.searchsorted(cuts, column)
            for cuts, column in zip(self.cut_points_, X.T, strict=True)
        ]
        return np.array(intervals, dtype=np.float64).T

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def mdlp_cut_points(values: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the cut points of one feature.

    Each interval is cut at the point of least class entropy, between two of its distinct values,
    as long as the gain exceeds the bits that the cut costs.

    Parameters
    ----------
    values : ndarray of float64, shape (n_samples,)
        The feature's values.
    codes : ndarray of int, shape (n_samples,)
        The class of each sample, 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of float64
        Ascending, each half-way between the values it separates.
    """
    distinct, position = np.unique(values, return_inverse=True)
    counts = np.bincount(position * n_classes + codes, minlength=len(distinct) * n_classes)
    below = np.zeros((len(distinct) + 1, n_classes))
    np.cumsum(counts.reshape(-1, n_classes), axis=0, out=below[1:])
    cuts = []
    intervals = [(0, len(distinct))]
    while intervals:
        start, stop = intervals.pop()
        cut = _accepted_cut(below[start : stop + 1] - below[start])
        if cut:
            cuts.append(start + cut)
            intervals += [(start, start + cut), (start + cut, stop)]
    cuts = np.sort(np.array(cuts, dtype=np.intp))
    return distinct[cuts - 1] + (distinct[cuts] - distinct[cuts - 1]) / 2


def _accepted_cut(below: np.ndarray) -> int:
    """Return how many distinct values lie below the interval's best cut; 0 if it costs too much.

    ``below`` (n_distinct + 1, n_classes) counts samples below each boundary.
    """
    whole = below[-1]
    n = whole.sum()
    left, right = below[1:-1], whole - below[1:-1]
    if not len(left) or whole.max() == n:
        return 0
    bits = _code_length(left) + _code_length(right)
    best = int(np.argmin(bits))
    total = _code_length(whole)
    gain = (total - bits[best]) / n
    k, k_left, k_right = (np.count_nonzero(part) for part in (whole, left[best], right[best]))
    # k * Ent(S) is k / n times the code length
    delta = (
        k * np.log2(3)
        + np.log2(1 - 2 * 3.0**-k)
        - (
            k * total / n
            - k_left * _code_length(left[best]) / left[best].sum()
            - k_right * _code_length(right[best]) / right[best].sum()
        )
    )
    return best + 1 if gain > (np.log2(n - 1) + delta) / n else 0


def _code_length(counts: np.ndarray) -> np.ndarray:
    """Return the class entropy of samples counted per class, times their number, in bits."""
    return (xlogy(counts.sum(-1), counts.sum(-1)) - xlogy(counts, counts).sum(-1)) / np.log(2)
