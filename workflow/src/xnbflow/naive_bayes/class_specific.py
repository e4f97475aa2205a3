"""XNB: naive Bayes in which every class has features of its own (XNB paper, section 5)."""

import warnings

import numpy as np
import pandas as pd

from xnbflow.distributions.kernel import KernelDensities, fit_kernel_densities
from xnbflow.naive_bayes.independent import IndependentNB
from xnbflow.selection.class_specific import Candidates, class_pairs, pair_distances

__all__ = ["XNB"]


class XNB(IndependentNB):
    """Explainable class-specific naive Bayes.

    Parameters
    ----------
    bandwidth : {"silverman", "scott"}, default="silverman"
        Rule for the bandwidth of each class and feature.
    n_grid : int, default=50
        Points of the grid on which densities are compared.
    threshold : float, default=0.999
        Features are added for a pair of classes until ``1 - prod(1 - distance)`` reaches this.
    min_distance : float or "mean", default=0.5
        Only features with a greater distance count for a pair of classes; "mean" is the mean
        distance over all features and pairs, as in the authors' program since version 0.2.
    underflow : {"as_published", "log"}, default="as_published"
        What becomes of a density that underflows at every grid point: zero, so that its distances
        are 1, as in the authors' program; or normalised in log space.

    Attributes
    ----------
    selected_features_ : dict
        For each class label its features in rank order: names where X has them, else column
        numbers. The rank is by the greatest distance to another class.
    selected_distances_ : dict
        For each class label those greatest distances.
    pair_distances_ : DataFrame
        One row per class, selected feature and other class, with their distance.

    References
    ----------
    .. [1] Aguilar-Ruiz, Romero, Cicconardi, "XNB: Explainable Class-Specific Naive-Bayes
       Classifier", 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> XNB().fit(X, y).selected_features_[0]
    ['petal length (cm)']
    """

    def __init__(
        self,
        *,
        bandwidth: str = "silverman",
        n_grid: int = 50,
        threshold: float = 0.999,
        min_distance: float | str = 0.5,
        underflow: str = "as_published",
    ) -> None:
        self.bandwidth = bandwidth
        self.n_grid = n_grid
        self.threshold = threshold
        self.min_distance = min_distance
        self.underflow = underflow

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        candidates = Candidates(self.threshold)
        distances = pair_distances(
            features,
            codes,
            len(self.classes_),
            bandwidth=self.bandwidth,
            n_grid=self.n_grid,
            underflow=self.underflow,
        )
        candidates.absorb(distances, getattr(self, "feature_names_in_", None))
        self._choose(candidates)
        self.densities_ = [
            fit_kernel_densities(
                features[columns][:, codes == code], np.zeros(count, int), 1, self.bandwidth
            )[0]
            for code, (columns, count) in enumerate(
                zip(self.columns_, self.class_count_, strict=True)
            )
        ]

    def _choose(self, candidates: Candidates) -> None:
        """Set what is selected for each class: the union over its pairs."""
        n_classes = len(self.classes_)
        pairs = class_pairs(n_classes)
        chosen = candidates.select(self.min_distance)
        names = self._feature_names()
        self.columns_, self.selected_features_, self.selected_distances_ = [], {}, {}
        tables = []
        for code, label in enumerate(self.classes_.tolist()):
            mine = np.flatnonzero((pairs == code).any(axis=1))
            union = np.unique(np.concatenate([*(chosen[pair] for pair in mine), np.empty(0, int)]))
            distances = candidates.distances[np.ix_(mine, union)]
            greatest = distances.max(axis=0, initial=0.0)
            order = np.lexsort((candidates.names[union].astype(str), -greatest))
            columns = candidates.positions[union[order]]
            self.columns_.append(columns)
            self.selected_features_[label] = names[columns].tolist()
            self.selected_distances_[label] = greatest[order]
            others = np.delete(self.classes_, code)
            tables.append(
                pd.DataFrame(
                    {
                        "class": label,
                        "feature": np.repeat(names[columns], len(others)),
                        "other_class": np.tile(others, len(columns)),
                        "distance": distances[:, order].T.reshape(-1),
                    }
                )
            )
            if not len(columns):
                warnings.warn(
                    f"class {label!r} has no feature that separates it from another class; "
                    "it is decided by its prior",
                    UserWarning,
                    stacklevel=4,
                )
        self.pair_distances_ = pd.concat(tables, ignore_index=True)

    def _class_densities(self, code: int) -> tuple[np.ndarray, KernelDensities]:
        return self.columns_[code], self.densities_[code]
