"""Discretized naive Bayes, the paper's dNB: continuous columns cut by MDLP, then categorical.

Lopez-Cruz, Bielza and Larranaga, Directional naive Bayes classifiers, section 4.1.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from xnbflow.core.parameters import columns_constraint
from xnbflow.density.families.distribution import Distribution
from xnbflow.papers.directional.categorical import Categorical
from xnbflow.papers.directional.grouped import GroupedNB
from xnbflow.papers.directional.mdlp import cut_features, interval_numbers


class DiscretizedNB(GroupedNB):
    """Naive Bayes on intervals found by Fayyad and Irani's MDLP within the training samples.

    Parameters
    ----------
    categorical : columns, default=()
        The columns that hold categories already, coded 0, 1, ..., in any form that a group of
        `HybridNB` takes. Every other column is discretized.
    alpha : float, default=1
        Lidstone smoothing.

    Attributes
    ----------
    groups_ : list of ColumnGroup
        The groups "categorical" and "discretized", as far as they have columns; the latter's
        family holds the ``cut_points_``.

    See Also
    --------
    FlexibleNB : Kernel densities instead of intervals.
    HybridNB : Other families for other columns.

    References
    ----------
    U. M. Fayyad and K. B. Irani, Multi-interval discretization of continuous-valued attributes for
    classification learning, IJCAI 1993.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0], [7.0], [8.0], [9.0], [10.0]])
    >>> nb = DiscretizedNB().fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> nb.predict_proba([[5.0]]).round(3).tolist()
    [[0.833, 0.167]]
    """

    _squares_features = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "categorical": [columns_constraint()],
        **Categorical._parameter_constraints,
    }

    def __init__(self, *, categorical: Any = (), alpha: float = 1.0) -> None:
        self.categorical = categorical
        self.alpha = alpha

    def _groups(self) -> Sequence[tuple[str, Any, Any]]:
        categorical = self._columns(self.categorical)
        continuous = np.setdiff1d(np.arange(self.n_features_in_), categorical)
        return [
            ("categorical", Categorical(alpha=self.alpha), categorical),
            ("discretized", _Discretized(alpha=self.alpha), continuous),
        ]


class _Discretized(Distribution):
    """Probabilities of the intervals of continuous features; one term per feature."""

    def __init__(self, *, alpha: float) -> None:
        self.alpha = alpha

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """See `Distribution.fit`."""
        self.n_classes_ = n_classes
        self.cut_points_ = cut_features(features, codes, n_classes)
        self.intervals_ = Categorical(alpha=self.alpha)
        self.intervals_.fit(interval_numbers(features, self.cut_points_), codes, n_classes)
        return self

    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:
        """Return log probabilities of the values' intervals."""
        intervals = np.empty(features.shape)
        intervals[terms] = interval_numbers(features[terms], self.cut_points_[terms])
        return self.intervals_._evaluate(terms, intervals)

    def n_parameters(self) -> np.ndarray:
        """Return one fewer than intervals per class."""
        return self.intervals_.n_parameters()

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a value in each interval, with weight 1."""
        _, weights = self.intervals_.quadrature()
        # A cut point belongs to the interval below it. Infinity is in the last interval; where it
        # represents an interval that the feature does not have, its weight is 0.
        nodes = np.full(weights.shape, np.inf)
        for feature_nodes, cuts in zip(nodes, self.cut_points_, strict=True):
            feature_nodes[: len(cuts)] = cuts
        return nodes, weights
