"""ClassSpecificNB: a set of features for each class, with densities relative to one reference."""

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array, check_is_fitted

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import PRIORS_CONSTRAINT, number_constraint, one_of, whole_constraint
from xnbflow.data.columns import name_bad_value, refuse_beyond_squares, refuse_repeated_names
from xnbflow.data.matrices import (
    as_dense,
    by_feature,
    dense_chunks,
    dense_parts,
    is_sparse,
    some_rows,
)
from xnbflow.data.samples import SamplesLike, named_samples
from xnbflow.density.families.kernel import DENSITY_CONSTRAINTS
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.evidence import DEFAULT_CONTAMINATION, fit_class_densities, weigh
from xnbflow.naive_bayes.evidence_calibration import Calibration
from xnbflow.naive_bayes.xnb import distance_table, warn_if_none
from xnbflow.preprocessing.selection.class_features import DEFAULT_THRESHOLD, pairs_with
from xnbflow.preprocessing.selection.pair_rankings import (
    PairRankings,
    RankedFeatures,
    Shortlist,
    levels,
)
from xnbflow.preprocessing.selection.pair_strengths import (
    DEFAULT_MIN_BANDWIDTH,
    PAIR_DISTANCES,
    distance_of_strength,
    pair_strengths,
)
from xnbflow.preprocessing.selector import FeatureSelector

#: Parameters of `ClassSpecificNB` and `ClassSpecificNBCV`.
COMMON_CONSTRAINTS: dict[str, list[Any]] = {
    **DENSITY_CONSTRAINTS,
    "distance": [one_of(*PAIR_DISTANCES)],
    "n_grid": [whole_constraint(2, 10_000)],
    "contamination": [number_constraint(0.0, 1.0, closed="left")],
    "priors": PRIORS_CONSTRAINT,
}


class BaseClassSpecificNB(FeatureSelector, BaseNaiveBayes):
    """Base of `ClassSpecificNB` and `ClassSpecificNBCV`, which differ in the number of features.

    As a selector it keeps the features that any class uses. X may be sparse, CSR or CSC. There is
    no ``sample_weight``: the rules for bandwidths and the distances between densities count
    samples. Give the weights of the classes as ``priors``.

    After a fit to named features it finds the used features by name in a DataFrame; other columns
    may be missing, in another order or of any content. The evidence of a feature that is absent, or
    NaN in a sample, is left out with a warning, which is exact as features are independent within
    classes; `evidence_left` is the remaining share.
    """

    distance: str
    n_grid: int
    _takes_sparse = True
    _any_layout = True
    #: Columns of the result of `explain`.
    explanation_scale_ = "evidence"

    def evidence_left(self, X: SamplesLike) -> np.ndarray:
        """Return the share of the evidence's weight with values in each sample, (n_samples,).

        It is the mean over classes. The evidence of features that a DataFrame lacks, or of missing
        values, is left out of predictions.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = ClassSpecificNB(n_features=2).fit(X, y)
        >>> model.evidence_left(X.iloc[:1].drop(columns="petal width (cm)")).tolist()
        [0.5]
        """
        check_is_fitted(self)
        features = self._read_features(X)
        if is_sparse(features):
            return np.ones(features.shape[1])
        present = ~np.isnan(features)
        left = np.zeros(features.shape[1])
        for columns, weights in zip(self.columns_, self._feature_weights, strict=True):
            if len(columns):
                left += weights @ present[columns] / weights.sum() / len(self.columns_)
        return left

    @property
    def _feature_weights(self) -> list[np.ndarray]:
        """The weight of each feature of each class."""
        return [np.ones(len(columns)) for columns in self.columns_]

    def _read_features(self, X: SamplesLike) -> np.ndarray:
        table, names = named_samples(X)
        is_frame = isinstance(table, pd.DataFrame)
        names = table.columns if is_frame else names
        if names is None or not hasattr(self, "feature_names_in_"):
            return super()._read_features(X)
        check_is_fitted(self)

        # An array with all features of the fit is checked and ordered like any other samples.
        fitted_names = self.feature_names_in_
        if not is_frame and (pd.Index(names).get_indexer(fitted_names) >= 0).all():
            return super()._read_features(X)

        # Else the used features are found by name; the others have no part in predictions.
        used = self.used_columns_
        values = select_columns(X, fitted_names[used], used)
        features = np.zeros((self.n_features_in_, values.shape[1]))
        features[used] = values
        return features

    def predict_joint_log_proba(self, X: SamplesLike) -> np.ndarray:
        """Return ``log P(c)`` and the evidence for each class, shape (n_samples, n_classes)."""
        features = self._read_features(X)
        if not is_sparse(features) and np.isnan(features[self.used_columns_]).any():
            left = self.evidence_left(X)
            msg = (
                f"{(left < 1.0).sum()} of {len(left)} samples lack features that the classifier "
                f"uses; {left.min():.0%} to {left.max():.0%} of the weight of the evidence is left"
            )
            warnings.warn(msg, UserWarning, stacklevel=2)
        return self._joint_log_likelihood(features)

    def explain(self, X: SamplesLike) -> pd.DataFrame:
        """Return what each feature contributes to each class: nats against the reference.

        One row per sample of X, class and feature that the class uses, with columns ``sample``,
        ``class``, ``feature`` and ``log_likelihood``: the evidence, divided by the temperature or
        times the class's slope; above 0 it is for the class, below 0 against it. With the class's
        ``class_log_prior_``, and the ``calibration_intercept_`` of `ClassSpecificNBCV`, the rows of
        a sample and class add up to its `predict_joint_log_proba`.
        """
        return super().explain(X)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Greatest distance of each feature in any class that uses it, else 0: (n_features,)."""
        check_is_fitted(self)
        importances = np.zeros(self.n_features_in_)
        for columns, distances in zip(self.columns_, self.distances_, strict=True):
            greatest = distances.max(axis=0, initial=0.0)
            importances[columns] = np.maximum(importances[columns], greatest)
        return importances

    @property
    def pair_distances_(self) -> pd.DataFrame:
        """One row per class, selected feature and other class, with their ``distance``, 0 to 1."""
        check_is_fitted(self)
        return distance_table(self.selected_features_, self.classes_, self.distances_)

    @property
    def used_columns_(self) -> np.ndarray:
        """Positions of the features that any class uses, ascending."""
        return np.unique(np.concatenate([np.empty(0, dtype=int), *self.columns_]))

    @property
    @abstractmethod
    def _calibration(self) -> Calibration:
        """The calibration of the summed evidence of each class."""

    @property
    def _density(self) -> dict[str, Any]:
        """The parameters of densities."""
        names = ("bandwidth", "min_bandwidth", "kernel")
        return {name: getattr(self, name) for name in names}

    def _ranked(
        self,
        features: Any,
        codes: np.ndarray,
        *limits: Any,
        samples: np.ndarray | None = None,
    ) -> tuple[Shortlist, PairRankings]:
        """Rank features by samples of the given classes; the shortlist has all samples' values.

        The ``limits`` are the number of features and the threshold of `Shortlist`.
        """
        n_classes = int(codes.max()) + 1
        measured = {"distance": self.distance, "n_grid": self.n_grid, **self._density}
        strengths = pair_strengths(features, codes, n_classes, samples=samples, **measured)
        shortlist = Shortlist(n_classes, *limits)
        shortlist.keep(strengths, features, getattr(self, "feature_names_in_", None))
        return shortlist, PairRankings(shortlist, codes, samples)

    def _keep(
        self,
        rankings: PairRankings,
        features: RankedFeatures,
        codes: np.ndarray,
        borrowed: float = 0.0,
    ) -> None:
        """Set the selected features of each class, and fit densities of all classes to them."""
        labels = self.classes_.tolist()
        chosen = [rankings.chosen(code) for code in range(len(labels))]
        used = np.unique(np.concatenate([np.empty(0, dtype=int), *chosen]))
        self.class_densities_ = fit_class_densities(
            some_rows(features.values, used),
            codes,
            len(labels),
            borrowed=borrowed,
            **self._density,
        )
        selections = {}
        for code, label in enumerate(labels):
            selections[label] = Selection.of_class(code, chosen[code], rankings, features, codes)
            warn_if_none(label, selections[label].columns)
        self.columns_ = [selection.columns for selection in selections.values()]
        self.distances_ = [selection.distances for selection in selections.values()]
        self.selected_features_ = {label: of_class.names for label, of_class in selections.items()}
        self.selected_distances_ = {
            label: of_class.greatest for label, of_class in selections.items()
        }
        self.direction_ = {label: of_class.directions for label, of_class in selections.items()}
        self.tied_features_ = {label: of_class.ties for label, of_class in selections.items()}

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        n_classes = len(self.classes_)
        n_points = features.shape[1]
        used = self.used_columns_
        rows = [np.searchsorted(used, np.sort(columns)) for columns in self.columns_]
        total = np.zeros((n_points, n_classes))
        for samples, points in dense_chunks(features, used, n_classes):
            terms = self._terms(points)
            for code, class_rows in enumerate(rows):
                total[samples, code] = terms[code, class_rows].sum(axis=0)
        return self.class_log_prior_ + self._calibration(total)

    def _all_class_terms(self, features: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        used = self.used_columns_
        # The evidence for one class needs the densities of all: they are computed once.
        terms = self._terms(as_dense(features[used]))
        for code, columns in enumerate(self.columns_):
            rows = np.searchsorted(used, columns)
            yield columns, terms[code, rows] * self._calibration.slope[code]

    def _terms(self, points: np.ndarray) -> np.ndarray:
        """Return the evidence of used features, (n_classes, n_used, n_points); 0 where missing."""
        missing = np.isnan(points)
        if missing.any():
            points = np.where(missing, self.class_densities_.standard.centres[:, None], points)
        terms = self._weigh(self.class_densities_.log_density(points))
        terms[:, missing] = 0.0
        return terms

    def _weigh(self, log_density: np.ndarray) -> np.ndarray:
        return weigh(log_density, self._log_reference, self.contamination)

    @property
    def _log_reference(self) -> np.ndarray:
        """The log weight of each class in the reference."""
        return self.class_log_prior_

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.used_columns_] = True
        return mask


class ClassSpecificNB(BaseClassSpecificNB):
    """Naive Bayes with class-specific features, independent of units, names and order.

    For each pair of classes the features that separate them best are selected; a class has the
    union over its pairs. Kernel densities of these are weighed against one common reference, the
    mixture of all classes, which makes classes with different features comparable [1]_. Unlike
    `XNB`, the published method, rescaling or shifting features, renaming or reordering them or the
    samples changes no selection, label or probability beyond rounding. X may be sparse, with the
    results of the same X as a dense array, to rounding.

    Parameters
    ----------
    n_features : int, default=None
        Features per pair of classes. None means the number that reaches the ``threshold``.
        `ClassSpecificNBCV` chooses by cross-validation.
    threshold : float, default=0.999
        Without ``n_features``, features are taken until ``1 - prod(1 - distance)`` reaches this.
    distance : {"combined", "separation", "hellinger", "jeffreys", "jensen_shannon", \
            "kullback_leibler", "wasserstein"}, default="combined"
        Distance of two kernel densities, from 0 to 1, see
        `xnbflow.preprocessing.selection.pair_strengths`.
    bandwidth, min_bandwidth, kernel : str, float, str or int, \
            default="silverman", 0.3, "gaussian"
        As in `FlexibleNB`.
    n_grid : int, default=50
        Points, over the range of a feature, at which densities are compared.
    contamination : float, default=0.01
        Share of a class's density that is replaced by the reference, so that no single value weighs
        more than ``log(contamination)`` against a class.
    temperature : float, default=1.0
        The summed evidence is divided by this: above 1 for features that depend on one another.
        `ClassSpecificNBCV` fits it.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes, also their weights in the reference. None means their
        shares of the training samples.

    Attributes
    ----------
    selected_features_ : dict
        For each class label the list of its features, by the greatest distance to another class:
        names where X has them, else column numbers.
    selected_distances_ : dict
        For each class label those greatest distances.
    tied_features_ : dict
        For each class label a list of groups: a selected feature, and those not selected that
        separate the same pair of classes equally well, by distance, means and ranges.
    direction_ : dict
        For each class label and selected feature "high" or "low": whether the mean of the class is
        above that of the other samples.
    columns_, distances_ : list of ndarray of shape (n_selected,), (n_classes - 1, n_selected)
        The features of each class, and their distances to every other class.
    class_densities_ : ClassDensities
        Densities of all classes in ``used_columns_``.

    See Also
    --------
    ClassSpecificNBCV : Chooses the number of features and the temperature.
    XNB : The published method.

    References
    ----------
    .. [1] Baggenstoss, "Class-specific feature sets in classification", IEEE Transactions on Signal
       Processing 47, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ClassSpecificNB(n_features=1).fit(X, y)
    >>> model.selected_features_[0], model.direction_[0]
    (['petal length (cm)'], ['low'])
    >>> model.explain(X.iloc[:1]).round(2).head(2)
       sample  class            feature  log_likelihood
    0       0      0  petal length (cm)            1.09
    1       0      1  petal length (cm)           -4.61
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features": [whole_constraint(1), None],
        "threshold": [number_constraint(0.0, 1.0)],
        "temperature": [number_constraint(0.0)],
        **COMMON_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        n_features: int | None = None,
        threshold: float = DEFAULT_THRESHOLD,
        distance: str = "combined",
        bandwidth: str = "silverman",
        min_bandwidth: float = DEFAULT_MIN_BANDWIDTH,
        kernel: str | int = "gaussian",
        n_grid: int = DEFAULT_N_GRID,
        contamination: float = DEFAULT_CONTAMINATION,
        temperature: float = 1.0,
        priors: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        self.n_features = n_features
        self.threshold = threshold
        self.distance = distance
        self.bandwidth = bandwidth
        self.min_bandwidth = min_bandwidth
        self.kernel = kernel
        self.n_grid = n_grid
        self.contamination = contamination
        self.temperature = temperature
        self.priors = priors

    def _fit(self, features: Any, codes: np.ndarray) -> None:
        features = by_feature(features) if is_sparse(features) else features
        shortlist, rankings = self._ranked(features, codes, self.n_features, self.threshold)
        self._keep(rankings, shortlist.features, codes)

    @property
    def _calibration(self) -> Calibration:
        return Calibration.of_temperature(self.temperature, len(self.classes_))


def select_columns(X: SamplesLike, names: np.ndarray, in_fit: np.ndarray) -> np.ndarray:
    """Return the named features of samples, shape (n_names, n_samples); NaN where X lacks one.

    X is a DataFrame of any other columns, in any order, or samples with names (`named_samples`).
    ``in_fit`` (n_names,) are the positions of the features in the training samples, where they are
    looked for first: an index of 20,000 names takes three milliseconds. Raises an `InputError` if X
    has none of the features, two of one name, or a value that is not a number.

    Examples
    --------
    >>> X = pd.DataFrame({"site": ["a", "b"], "g2": [5.0, 6.0], "g1": [1.0, np.nan]})
    >>> names = np.array(["g1", "g2", "g3"], dtype=object)
    >>> select_columns(X, names, np.array([0, 1, 2])).tolist()
    [[1.0, nan], [5.0, 6.0], [nan, nan]]
    """
    table, table_names = named_samples(X)
    refuse_repeated_names(table)
    is_frame = isinstance(table, pd.DataFrame)
    columns = np.asarray(table.columns if is_frame else table_names, dtype=object)
    positions = in_fit
    if len(columns) <= in_fit.max(initial=-1) or (columns[in_fit] != names).any():
        positions = pd.Index(columns).get_indexer(names)
    present = np.flatnonzero(positions >= 0)
    if len(names) and not len(present):
        msg = "X has none of the features that the classifier uses; are they named as in fit?"
        raise InputError(msg)

    # These columns as a dense DataFrame, whose cells a message can name.
    where = positions[present]
    if is_frame:
        selected = table.iloc[:, where]
        dense = {
            name: kind.subtype
            for name, kind in selected.dtypes.items()
            if isinstance(kind, pd.SparseDtype)
        }
        selected = selected.astype(dense) if dense else selected
    else:
        selected = table.tocsc()[:, where].toarray() if is_sparse(table) else table[:, where]
        selected = pd.DataFrame(selected)

    # Numbers, of which only NaN need not be finite.
    try:
        checked = check_array(selected, dtype=np.float64, ensure_all_finite="allow-nan")
    except (TypeError, ValueError) as error:
        name_bad_value(selected.where(selected.notna(), 0.0), error)
        raise InputError(str(error)) from error
    refuse_beyond_squares(np.nan_to_num(checked), names[present])
    values = np.full((len(names), len(checked)), np.nan)
    values[present] = checked.T
    return values


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The selected features of one class, by their greatest distance to another class.

    ``columns`` (n_selected,) are positions of features, ``names`` their names, ``distances``
    (n_classes - 1, n_selected) those to every other class. ``directions`` are "high" or "low", and
    ``ties`` the groups of a selected feature and those that separate as well.
    """

    columns: np.ndarray
    names: list[Any]
    distances: np.ndarray
    directions: list[str]
    ties: list[list[Any]]

    @property
    def greatest(self) -> np.ndarray:
        """The greatest distance of each feature to another class, shape (n_selected,)."""
        return self.distances.max(axis=0, initial=0.0)

    @classmethod
    def of_class(
        cls,
        code: int,
        chosen: np.ndarray,
        rankings: PairRankings,
        features: RankedFeatures,
        codes: np.ndarray,
    ) -> "Selection":
        """Return a class's ``chosen`` features (positions among ``features``) in their order."""
        strengths = rankings.strengths[np.ix_(pairs_with(code, rankings.n_classes), chosen)]
        greatest = strengths.max(axis=0, initial=0.0)
        order = np.argsort(levels(-greatest), kind="stable")
        ranked = chosen[order]
        interchangeable = rankings.interchangeable(ranked, code)
        return cls(
            columns=features.positions[ranked],
            names=features.names[ranked].tolist(),
            distances=distance_of_strength(strengths[:, order]),
            directions=_directions(some_rows(features.values, ranked), codes == code),
            ties=[
                features.names[[feature, *others]].tolist()
                for feature, others in interchangeable.items()
            ],
        )


def _directions(values: Any, in_class: np.ndarray) -> list[str]:
    """Return for each feature whether it is "high" or "low" in a class, by the means."""
    if in_class.all():
        return ["high"] * values.shape[0]
    in_others = ~in_class
    directions = []
    for rows in dense_parts(values):
        # Relative to one sample, to avoid rounding errors in means of large numbers.
        relative = rows - rows[:, :1]
        class_mean = np.einsum("fi,i->f", relative, in_class.astype(float)) / in_class.sum()
        other_mean = np.einsum("fi,i->f", relative, in_others.astype(float)) / in_others.sum()
        directions += np.where(class_mean >= other_mean, "high", "low").tolist()
    return directions
