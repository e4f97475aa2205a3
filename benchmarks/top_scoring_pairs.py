"""k-TSP: pairs of features that vote by which of the two is the larger (Tan and others, 2005)."""

from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import whole_constraint
from xnbflow.data.labels import class_codes
from xnbflow.data.samples import Labels, SamplesLike
from xnbflow.preprocessing.estimator import Estimator

__all__ = ["TopScoringPairs"]


class TopScoringPairs(ClassifierMixin, Estimator):
    """Two classes by the votes of k disjoint pairs of features: which of the two is the larger.

    A pair scores by the difference between the classes in how often the first is below the second,
    ties by the difference in the mean distance of their ranks within a sample. No change of scale
    that keeps the order of a sample's values changes a label, so nothing has to be normalised. A
    baseline, no naive Bayes; with several classes use scikit-learn's `OneVsRestClassifier`.

    Parameters
    ----------
    n_pairs : int, default=9
        The most pairs. An odd number leaves no sample undecided; a tie is for the first class. The
        paper chooses it from 1 to 9 by cross-validation, as scikit-learn's `GridSearchCV` can.
    n_candidates : int, default=200
        Features that can be in a pair: those with the greatest sums of ranks over samples in either
        class, half of them each.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels, sorted.
    pairs_ : ndarray of int, shape (k, 2)
        Positions of the features of each pair, best first. The first below the second is a vote for
        the second class.
    scores_ : ndarray of shape (k,)
        How much more often that is so in the second class than in the first, 0 to 1.

    See Also
    --------
    ClassSpecificNBCV : Few features of each class, with their densities.

    References
    ----------
    Tan, Naiman, Xu, Winslow and Geman, "Simple decision rules for classifying human cancers from
    gene expression profiles", Bioinformatics 21, 2005. Candidates: Afsari, Fertig, Geman and
    Marchionni, "switchBox", Bioinformatics 31, 2015.

    Examples
    --------
    >>> X = [[1, 2, 9], [3, 4, 0], [6, 5, 9], [8, 7, 0]]
    >>> model = TopScoringPairs(n_pairs=1).fit(X, ["a", "a", "b", "b"])
    >>> model.pairs_.tolist(), model.scores_.tolist(), model.predict([[20, 10, 15]]).tolist()
    ([[1, 0]], [1.0], ['b'])
    """

    _squares_features = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_pairs": [whole_constraint(1)],
        "n_candidates": [whole_constraint(2)],
    }

    def __init__(self, n_pairs: int = 9, *, n_candidates: int = 200) -> None:
        self.n_pairs = n_pairs
        self.n_candidates = n_candidates

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: SamplesLike, y: Labels) -> Self:
        """Find the pairs. Raises an `InputError` if there are not two classes and two features."""
        values, labels = self._validate_training(X, y, ensure_min_features=2)
        classes, codes, _ = class_codes(labels)
        if len(classes) != 2:
            msg = (
                "Only binary classification is supported. The type of the target is multiclass: y "
                f"has {len(classes)} classes; put it into sklearn.multiclass.OneVsRestClassifier"
            )
            raise InputError(msg)
        self.classes_ = classes
        self.pairs_, self.scores_ = self._top_pairs(values, codes)
        return self

    def decision_function(self, X: SamplesLike) -> np.ndarray:
        """Return the balance of the votes, from -1 to 1, positive for the second class."""
        values = self._validate_samples(X)
        return 2.0 * _votes(values, self.pairs_).mean(axis=1) - 1.0

    def predict(self, X: SamplesLike) -> np.ndarray:
        """Return the class with most votes, the first if both have as many."""
        second = self.decision_function(X) > 0.0
        return self.classes_[second.astype(int)]

    def _top_pairs(self, values: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the best pairs that share no feature, (k, 2), and their scores (k,)."""
        second = codes == 1
        used = np.arange(values.shape[1])
        if len(used) > self.n_candidates:
            order = np.argsort(_mean_difference(rankdata(values, axis=0), second), kind="stable")
            half = self.n_candidates // 2
            used = np.unique(np.concatenate([order[:half], order[-half:]]))
        i, j = np.array(list(combinations(range(len(used)), 2))).T
        candidates = values[:, used]
        scores = _mean_difference(candidates[:, i] < candidates[:, j], second)
        distances = _mean_difference(rankdata(values, axis=1)[:, used], second)
        ranked = np.lexsort((-np.abs(distances[i] - distances[j]), -np.abs(scores)))
        chosen: list[int] = []
        free = np.ones(len(used), dtype=bool)
        for pair in ranked.tolist():
            if free[i[pair]] and free[j[pair]]:
                chosen.append(pair)
                free[[i[pair], j[pair]]] = False
            if len(chosen) == self.n_pairs:
                break
        pairs = np.column_stack([used[i[chosen]], used[j[chosen]]])
        falling = scores[chosen] < 0.0
        pairs[falling] = pairs[falling, ::-1]
        return pairs, _mean_difference(_votes(values, pairs), second)


def _mean_difference(values: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return by how much the mean of each column is greater in the second class."""
    return values[second].mean(axis=0) - values[~second].mean(axis=0)


def _votes(values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return which samples each pair counts for the second class, (n_samples, n_pairs)."""
    return values[:, pairs[:, 0]] < values[:, pairs[:, 1]]
