"""The distribution of categories, with Lidstone smoothing."""

from typing import Any, ClassVar, Self

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.core.jit import njit
from xnbflow.core.parameters import number_constraint
from xnbflow.density.families.distribution import Distribution
from xnbflow.density.tiles import map_strips

#: Larger codes would make large tables; they are probably not categories.
_MAX_CODE = 65_535


class Categorical(Distribution):
    """Probabilities of a feature's categories, coded 0, 1, ...; one term per feature.

    A category that no training sample of the feature has counts as seen zero times in every
    class: its probability is ``alpha / (n_c + alpha * n_categories)``, not zero.

    Parameters
    ----------
    alpha : float, default=1
        Lidstone's addition to each count; 1 is Laplace's.

    Attributes
    ----------
    n_categories_ : ndarray of int, shape (n_features,)
        Distinct categories among the training samples.
    log_probability_ : ndarray of shape (n_features, n_classes, n_codes + 1)
        Log probability of each code; the last one is for codes beyond the largest seen.

    Examples
    --------
    >>> family = Categorical().fit(np.array([[0.0, 0.0, 1.0]]), np.array([0, 0, 0]), 1)
    >>> np.exp(family.log_density(np.array([[0.0, 1.0, 7.0]]))).round(2).tolist()
    [[[0.6, 0.4, 0.2]]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"alpha": [number_constraint(0.0)]}

    def __init__(self, *, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Count categories per feature and class; see `Distribution.fit`."""
        self._validate_params()

        def check(strip: slice) -> bool:
            return bool(_are_codes(features[strip]).all())

        if not all(map_strips(check, len(features), features.shape[1], ns_per_value=3.0)):
            feature, sample = np.argwhere(~_are_codes(features))[0]
            value = features[feature, sample]
            msg = (
                f"column {feature} holds {value:g}, which is not a category; number "
                f"the categories 0, 1, ... (at most {_MAX_CODE}), as OrdinalEncoder does"
            )
            raise InputError(msg)
        self.n_classes_ = n_classes
        n_codes = int(features.max(initial=0)) + 1
        counts = np.zeros((len(features), n_classes, n_codes + 1))

        def work(strip: slice) -> None:
            _count(features[strip].astype(np.intp), codes, counts[strip])

        map_strips(work, len(features), features.shape[1], ns_per_value=2.0)
        self._seen = counts.any(axis=1)
        self.n_categories_ = self._seen.sum(axis=1)
        total: np.ndarray = (
            np.bincount(codes, minlength=n_classes) + self.alpha * self.n_categories_[:, None]
        )
        self.log_probability_ = np.log((counts + self.alpha) / total[:, :, None])
        return self

    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:
        features = features[terms]
        log_probability = self.log_probability_[terms]
        unseen = log_probability.shape[2] - 1  # the last position is for all other codes
        is_code = (features >= 0) & (features < unseen) & (features == np.floor(features))
        positions = np.where(is_code, features, unseen).astype(np.intp)
        return np.take_along_axis(log_probability, positions[:, None, :], axis=2)

    def n_parameters(self) -> np.ndarray:
        """Return one fewer than categories per class."""
        return (self.n_categories_ - 1) * self.n_classes_

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all codes as nodes; the feature's categories have weight 1, other codes 0."""
        n_features, _, n_codes = self.log_probability_.shape
        nodes = np.tile(np.arange(n_codes, dtype=np.float64), (n_features, 1))
        return nodes, np.asarray(self._seen, dtype=np.float64)


def _are_codes(features: np.ndarray) -> np.ndarray:
    """Return where values are whole numbers from 0 to the largest code."""
    return (features >= 0) & (features <= _MAX_CODE) & (features == np.floor(features))


@njit(nogil=True)
def _count(categories: np.ndarray, codes: np.ndarray, out: np.ndarray) -> None:
    """Add the samples of each feature, class and category to ``out``."""
    for f in range(len(categories)):
        for i in range(len(codes)):
            out[f, codes[i], categories[f, i]] += 1.0
