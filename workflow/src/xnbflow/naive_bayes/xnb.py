"""XNB: naive Bayes with a separate set of features for each class (XNB paper, section 5)."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.parameters import PRIORS_CONSTRAINT, number_constraint, one_of, whole_constraint
from xnbflow.data.matrices import as_array, feature_blocks, sample_blocks, select_rows
from xnbflow.density.bandwidth import overall_spread
from xnbflow.density.distances import DISTANCES
from xnbflow.density.families.kernel import DENSITY_CONSTRAINTS, Kernel
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.preprocessing.selection.class_features import (
    DEFAULT_THRESHOLD,
    PairSelection,
    pair_distances,
)
from xnbflow.preprocessing.selector import FeatureSelector

#: Whole numbers up to this are considered grades or codes, not raw counts.
_FEW_COUNTS = 20


class XNB(FeatureSelector, BaseNaiveBayes):
    """Explainable class-specific naive Bayes.

    Every class has kernel densities of only those features that separate it from the other classes.
    As a selector it keeps the features that any class uses.

    A density has the unit one over its feature's. Classes with different numbers of features are
    thus compared with different powers of it, and **other units give other labels** (accuracy of
    wine at scales 1e-3, 1 and 1e3: .775, .942 and .813). All features should share one scale (log2
    intensities or logarithms of counts per million); `fit` warns on raw counts.

    Parameters
    ----------
    bandwidth, kernel : str, str or int, default="silverman", "gaussian"
        As in `FlexibleNB`.
    n_grid : int, default=50
        Points, over the range of a feature, at which densities are compared.
    distance : {"hellinger", "jeffreys", "jensen_shannon", "kullback_leibler", "wasserstein"}, \
            default="hellinger"
        Distance of two densities, scaled to [0, 1]; see `xnbflow.density.distances`. The paper uses
        Hellinger's and names the others as future work.
    threshold : float, default=0.999
        For each pair of classes the features with the greatest distance are taken until ``1 -
        prod(1 - distance)`` reaches this; a class gets the union over its pairs.
    min_distance : float or "mean", default=0.5
        Only greater distances count. 0.5 in the authors' program as of the paper; "mean", the mean
        distance over all features and pairs of classes, in their later releases.
    selection : {"greedy", "joint", "minimal"}, default="greedy"
        "greedy": as described above, and in the authors' program. "joint": Eq. 11 as it is printed,
        one product over all other classes. "minimal": Eq. 10, the smallest set that reaches the
        threshold against every other class, found by integer programming among the 300 best
        features of each pair. Eq. 10 has no least distance: as printed it is
        ``selection="minimal", min_distance=0``.
    class_independent : bool, default=False
        Give every class the union of the features of all classes, as a selection that is not
        class-specific does (the left half of the paper's Figure 1).
    underflow : {"as_published", "uniform", "log"}, default="as_published"
        A Gaussian or exponential kernel density that underflows at every grid point, as that of a
        class almost constant against the range of the feature, is zero and its distances are 1, as
        in the authors' program since 23 July 2024; or it is uniform, as in that program before; or
        it is normalised in log space.
    min_bandwidth, priors
        As in `FlexibleNB`; the floor holds in selection and in classification.

    Attributes
    ----------
    selected_features_ : dict
        For each class label the list of its features in rank order: names where X has them, else
        column numbers. The rank is by the greatest distance to another class, ties by feature.
    selected_distances_ : dict
        For each class label those greatest distances.
    tied_features_ : dict
        For each class label the groups of features, some taken and some not, that tie at the end
        of a pair's ranking.
    columns_, distances_ : list of ndarray of shape (n_selected,), (n_classes - 1, n_selected)
        For each class the positions of its features, and their distances to each other class.
    densities_ : list of Kernel
        For each class the densities of its features.
    bandwidths_ : dict
        For each class label the bandwidths of its features, shape (n_selected,); with "adaptive"
        those that the factors of the samples multiply.
    mean_distance_ : float
        Mean distance over all features and pairs of classes.
    optimality_gap_ : dict
        With ``selection="minimal"``: for each class label an upper bound on its set's excess over
        the smallest size (0: proven smallest).

    See Also
    --------
    ClassSpecificNB : Our recommendation: the same idea, independent of units.
    FlexibleNB : Kernel densities of all features.

    References
    ----------
    .. [1] Aguilar-Ruiz, Romero, Cicconardi, "XNB: Explainable Class-Specific Naive-Bayes
       Classifier", 2024. Algorithm 1, Eqs. 9 to 12.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = XNB().fit(X, y)
    >>> model.selected_features_[0], model.selected_features_[1]
    (['petal length (cm)'], ['petal length (cm)', 'petal width (cm)'])
    >>> model.explain(X.iloc[:1]).round(2).head(2)
       sample  class            feature  log_likelihood
    0       0      0  petal length (cm)            0.87
    1       0      1  petal length (cm)          -41.33
    """

    _any_layout = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DENSITY_CONSTRAINTS,
        "n_grid": [whole_constraint(2, 10_000)],
        "distance": [one_of(*DISTANCES)],
        "threshold": [number_constraint(0.0, 1.0)],
        "min_distance": [one_of("mean"), number_constraint(0.0, 1.0, closed="left")],
        "selection": [one_of("greedy", "joint", "minimal")],
        "class_independent": ["boolean"],
        "underflow": [one_of("as_published", "uniform", "log")],
        "priors": PRIORS_CONSTRAINT,
    }

    def __init__(
        self,
        *,
        bandwidth: str = "silverman",
        kernel: str | int = "gaussian",
        n_grid: int = DEFAULT_N_GRID,
        distance: str = "hellinger",
        threshold: float = DEFAULT_THRESHOLD,
        min_distance: float | str = 0.5,
        selection: str = "greedy",
        class_independent: bool = False,
        underflow: str = "as_published",
        min_bandwidth: float = 0.0,
        priors: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.n_grid = n_grid
        self.distance = distance
        self.threshold = threshold
        self.min_distance = min_distance
        self.selection = selection
        self.class_independent = class_independent
        self.underflow = underflow
        self.min_bandwidth = min_bandwidth
        self.priors = priors

    def _fit(self, features: Any, codes: np.ndarray) -> None:
        """Select features by the distances of class pairs, and fit the densities of each class."""
        n_classes = len(self.classes_)
        labels = self.classes_.tolist()

        # Distances of every pair of classes, and what is selected by them.
        options: dict[str, Any] = {
            "bandwidth": self.bandwidth,
            "kernel": self.kernel,
            "n_grid": self.n_grid,
            "distance": self.distance,
            "min_bandwidth": self.min_bandwidth,
        }
        distances = pair_distances(features, codes, n_classes, underflow=self.underflow, **options)
        names = getattr(self, "feature_names_in_", np.arange(features.shape[0]))
        selection = PairSelection(
            distances=distances,
            names=names,
            n_classes=n_classes,
            threshold=self.threshold,
            min_distance=self.min_distance,
            selection=self.selection,
        )
        if self.class_independent:
            selection.share()

        _warn_of_raw_counts(features)

        # The densities of each class, in its features.
        self.mean_distance_ = selection.mean_distance
        self.tied_features_: dict[Any, list[list[Any]]] = {}
        self.columns_ = []
        self.distances_ = []
        self.densities_ = []
        self.selected_features_ = {}
        self.selected_distances_ = {}
        self.bandwidths_ = {}
        for code, label in enumerate(labels):
            ranked, to_others = selection.ranked(code)
            density = self._fit_density(select_rows(features, ranked), codes == code)
            self.columns_.append(ranked)
            self.distances_.append(to_others)
            self.densities_.append(density)
            self.selected_features_[label] = names[ranked].tolist()
            self.tied_features_[label] = selection.ties(code)
            self.selected_distances_[label] = to_others.max(axis=0, initial=0.0)
            self.bandwidths_[label] = density.bandwidths_[0]
            warn_if_none(label, ranked, stacklevel=3)  # the line that calls fit
        if self.selection == "minimal":
            self.optimality_gap_ = dict(zip(labels, selection.gaps, strict=True))

    def _fit_density(self, features: Any, members: np.ndarray) -> Kernel:
        """Fit a class's densities of its features to its samples, a mask ``members``."""
        family = Kernel(
            bandwidth=self.bandwidth,
            kernel=self.kernel,
            min_bandwidth=self.min_bandwidth,
        )
        spreads = None
        if self.min_bandwidth:
            parts = [
                overall_spread(np.ascontiguousarray(rows.T)) for rows in feature_blocks(features)
            ]
            spreads = np.concatenate(parts)
        samples = np.flatnonzero(members)
        codes = np.zeros(len(samples), dtype=int)  # of a single class
        return family.fit(features, codes, n_classes=1, spreads=spreads, samples=samples)

    @property
    def pair_distances_(self) -> pd.DataFrame:
        """One row per class, selected feature and other class, with their distance."""
        check_is_fitted(self)
        return distance_table(self.selected_features_, self.classes_, self.distances_)

    def _get_support_mask(self) -> np.ndarray:
        """Return a mask of the features that any class uses, for `FeatureSelector`."""
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[np.concatenate(self.columns_)] = True
        return mask

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        joint = np.empty((len(self.classes_), features.shape[1]))
        for code, (columns, density) in enumerate(zip(self.columns_, self.densities_, strict=True)):
            for samples, values in sample_blocks(features, columns):
                joint[code, samples] = density.log_likelihood(values)[0]
        return self.class_log_prior_ + joint.T

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        columns = self.columns_[code]
        return columns, self.densities_[code].log_density(as_array(features[columns]))[:, 0]


def distance_table(
    selected: dict[Any, list[Any]], classes: np.ndarray, distances: list[np.ndarray]
) -> pd.DataFrame:
    """Return one row per class, feature and other class.

    ``selected`` are each class's features; its ``distances`` have shape (n_others, n_selected).
    """
    tables = []
    for code, (features, class_distances) in enumerate(
        zip(selected.values(), distances, strict=True)
    ):
        others = np.delete(classes, code)
        columns = {
            "class": np.repeat(classes[code : code + 1], class_distances.size),
            "feature": np.repeat(np.array(features, dtype=object), len(others)),
            "other_class": np.tile(others, len(features)),
            "distance": class_distances.T.reshape(-1),
        }
        tables.append(columns)
    joined = {}
    for name in ("class", "feature", "other_class", "distance"):
        joined[name] = np.concatenate([table[name] for table in tables])
    return pd.DataFrame(joined)


def _warn_of_raw_counts(features: np.ndarray) -> None:
    """Warn if features (n_features, n_samples) are whole numbers as raw counts are, none below 0.

    Whole numbers up to `_FEW_COUNTS` are grades or codes.
    """
    if not _are_whole(features[:, 0]):  # the first sample decides almost always
        return
    greatest = float(features.max(initial=0.0))
    if _FEW_COUNTS < greatest < np.inf and _are_whole(features):
        msg = (
            f"all features are whole numbers from 0 to {greatest:,.0f}, as raw counts are; XNB's "
            "labels depend on the unit of measurement, and its densities on the scale: take "
            "logarithms of normalised counts, for example log1p of counts per 10,000"
        )
        warnings.warn(msg, UserWarning, stacklevel=4)


def _are_whole(values: np.ndarray) -> bool:
    """Return whether all values are whole numbers of at least 0.

    Examples
    --------
    >>> _are_whole(np.array([0.0, 3.0])), _are_whole(np.array([0.0, 3.5]))
    (True, False)
    """
    return bool((values >= 0.0).all() and (values == np.floor(values)).all())


def warn_if_none(label: object, chosen: np.ndarray, stacklevel: int) -> None:
    """Warn of a class without a selected feature, at the line ``stacklevel`` calls above."""
    if not len(chosen):
        msg = f"class {label!r} has no feature that separates it from another; its prior decides"
        warnings.warn(msg, UserWarning, stacklevel=stacklevel + 1)
