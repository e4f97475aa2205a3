"""Blocks of features that depend on each other given the class (Pavlenko and von Rosen, 2.1)."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.jit import njit
from xnbflow.core.parameters import whole_constraint
from xnbflow.data.labels import class_codes
from xnbflow.diagnostics.correlation import normalised_residuals, top_partners
from xnbflow.preprocessing.estimator import Estimator

#: Number of partners of each feature, in multiples of the block size.
_PARTNERS_PER_PLACE = 8


class CorrelationBlocks(TransformerMixin, Estimator):
    """Group features whose within-class residuals correlate most.

    Pairs of features are taken by falling absolute correlation of their residuals from the class
    means, and each pair's groups are united if they fit in one block. The features of groups that
    could not be completed are compared with each other again, until no two groups fit together; the
    remaining features are joined in their order.

    Parameters
    ----------
    size : int, default=2
        Features per block.

    Attributes
    ----------
    blocks_ : list of ndarray of int
        The features of each block, ascending: all of `size`, but the last may be smaller.

    See Also
    --------
    xnbflow.naive_bayes.BlockNB : Naive Bayes with blocks.

    Notes
    -----
    Time grows with n_features² n_samples, see `xnbflow.diagnostics.correlation`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 4))
    >>> X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=50)
    >>> finder = CorrelationBlocks(size=2).fit(X, np.arange(50) % 2)
    >>> [block.tolist() for block in finder.blocks_]
    [[0, 3], [1, 2]]

    `BlockNB(blocks=CorrelationBlocks(size=2))` finds the blocks within its own training samples.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"size": [whole_constraint(1)]}

    def __init__(self, *, size: int = 2) -> None:
        self.size = size

    def fit(self, X: np.ndarray | pd.DataFrame, y: np.ndarray) -> "CorrelationBlocks":
        """Find the blocks, of at least 2 more samples than there are classes."""
        X, y = self._validate_training(X, y)
        class_codes(y)  # raises if labels are missing
        group = np.arange(X.shape[1])
        if self.size > 1:
            group = _unite_correlated(normalised_residuals(X, y), self.size)
        # Complete groups first, then the other features, group by group; cut in blocks.
        order = np.argsort(group, kind="stable")
        is_complete = np.bincount(group)[group[order]] == self.size
        columns = np.concatenate([order[is_complete], order[~is_complete]])
        starts = range(0, len(columns), self.size)
        self.blocks_ = [np.sort(columns[start : start + self.size]) for start in starts]
        return self

    def transform(self, X: np.ndarray | pd.DataFrame) -> np.ndarray:
        """Return X with its columns in the order of the blocks."""
        X = self._validate_samples(X)
        return X[:, np.concatenate(self.blocks_)]

    def get_feature_names_out(self, input_features: np.ndarray | None = None) -> np.ndarray:
        """Return the names of the columns of `transform`, in their order.

        ``input_features`` (n_features,) name the columns of X; by default the names of `fit`, else
        ``x0``, ``x1``, ...
        """
        check_is_fitted(self)
        if input_features is None:
            numbered = [f"x{column}" for column in range(self.n_features_in_)]
            input_features = np.asarray(getattr(self, "feature_names_in_", numbered))
        return np.asarray(input_features, dtype=object)[np.concatenate(self.blocks_)]


def _unite_correlated(residuals: np.ndarray, size: int) -> np.ndarray:
    """Return each feature's group, numbered by its first feature.

    Only the strongest partners of each feature are compared. Features whose partners are all in
    complete groups are compared again among themselves.
    """
    n_features = len(residuals)
    group = np.arange(n_features)
    count = np.ones(n_features, dtype=np.intp)
    incomplete = np.arange(n_features)
    n_partners = _PARTNERS_PER_PLACE * size
    while len(incomplete) > 1:
        partner, r = top_partners(residuals[incomplete], min(n_partners, len(incomplete) - 1))
        # Pairs by falling |r|: the pair at a flat position has its feature in the row, and a
        # missing partner is -1.
        position = np.argsort(-np.abs(r), axis=None, kind="stable")
        position = position[partner.reshape(-1)[position] >= 0]
        first = incomplete[position // r.shape[1]]
        second = incomplete[partner.reshape(-1)[position]]
        if not _unite(first, second, group, count, size):
            break
        incomplete = np.flatnonzero(count[group] < size)
    return group


@njit(nogil=True)
def _unite(
    first: np.ndarray, second: np.ndarray, group: np.ndarray, count: np.ndarray, size: int
) -> int:
    """Unite the groups of each pair in turn if they fit in one block; return how many were.

    A group is numbered by its first feature, and ``count`` at that number is its size. While pairs
    are taken, features point to their group through earlier ones, as in a disjoint-set forest.
    """
    n_united = 0
    for pair in range(len(first)):
        a = first[pair]
        b = second[pair]
        while group[a] != a:
            a = group[a]
        while group[b] != b:
            b = group[b]
        if a != b and count[a] + count[b] <= size:
            lower = min(a, b)
            upper = max(a, b)
            group[upper] = lower
            count[lower] += count[upper]
            n_united += 1
    for i in range(len(group)):
        group[i] = group[group[i]]
    return n_united
