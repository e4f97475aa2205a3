"""ClassSpecificNB: a set of features for each class, with densities relative to one reference.

A fit ranks the features for each pair of classes (`BaseClassSpecificNB._rank_features`), gives each
class the features of its pairs (`ClassSelection`), and fits the densities of all classes to the
features that any class uses. A prediction adds up the evidence of a class's features (`_evidence`),
calibrates the sums, and adds the log prior.

Three sets of column numbers recur: ``columns_[c]``, the features of class ``c`` by their distance;
``used_columns_``, the features of any class, ascending; and rows of arrays that have one row per
used feature, which are positions in ``used_columns_``.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, check_is_fitted

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.core.parameters import PRIORS_CONSTRAINT, number_constraint, one_of, whole_constraint
from xnbflow.data.columns import name_bad_value, refuse_beyond_squares, refuse_repeated_names
from xnbflow.data.matrices import as_array, feature_blocks, sample_blocks, select_rows
from xnbflow.data.samples import SamplesLike, named_samples
from xnbflow.density.families.kernel import DENSITY_CONSTRAINTS
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.evidence import (
    DEFAULT_CONTAMINATION,
    class_evidence,
    fit_class_densities,
)
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


@dataclass(frozen=True, kw_only=True)
class ClassSelection:
    """The selected features of one class, by their greatest distance to another class.

    Attributes
    ----------
    columns : ndarray of int, shape (n_selected,)
        Column numbers in X.
    names : list
        Names of the features; column numbers if X has no names.
    distances : ndarray of shape (n_classes - 1, n_selected)
        Distances, from 0 to 1, to every other class.
    directions : list of str
        "high" or "low": whether the mean of the class is above the mean of the other samples.
    ties : list of list
        For each selected feature that has equivalents its name, followed by theirs.
    """

    columns: np.ndarray
    names: list[Any]
    distances: np.ndarray
    directions: list[str]
    ties: list[list[Any]]

    @property
    def greatest_distances(self) -> np.ndarray:
        """The greatest distance of each feature to another class, shape (n_selected,)."""
        return self.distances.max(axis=0, initial=0.0)

    @classmethod
    def from_rankings(
        cls, code: int, rankings: PairRankings, features: RankedFeatures, codes: np.ndarray
    ) -> "ClassSelection":
        """Return the features that the pairs of class ``code`` take, in their order.

        ``features`` are the ranked features, ``codes`` (n_samples,) the classes of the samples.
        """
        # Positions among the ranked features, and their strengths (n_classes - 1, n_selected).
        positions = rankings.chosen(code)
        strengths = rankings.strengths[np.ix_(pairs_with(code, rankings.n_classes), positions)]
        order = np.argsort(levels(-strengths.max(axis=0, initial=0.0)), kind="stable")
        positions = positions[order]
        equivalents = rankings.interchangeable(positions, code)
        return cls(
            columns=features.positions[positions],
            names=features.names[positions].tolist(),
            distances=distance_of_strength(strengths[:, order]),
            directions=_directions(select_rows(features.values, positions), codes == code),
            ties=[
                features.names[[position, *others]].tolist()
                for position, others in equivalents.items()
            ],
        )


def _directions(values: Any, in_class: np.ndarray) -> list[str]:
    """Return for each feature whether it is "high" or "low" in a class, by the means."""
    if in_class.all():
        return ["high"] * values.shape[0]
    in_others = ~in_class
    directions = []
    for rows in feature_blocks(values):
        # Relative to one sample, to avoid rounding errors in means of large numbers.
        relative = rows - rows[:, :1]
        class_mean = np.einsum("fi,i->f", relative, in_class.astype(float)) / in_class.sum()
        other_mean = np.einsum("fi,i->f", relative, in_others.astype(float)) / in_others.sum()
        directions += np.where(class_mean >= other_mean, "high", "low").tolist()
    return directions


class BaseClassSpecificNB(FeatureSelector, BaseNaiveBayes):
    """Base of `ClassSpecificNB` and `ClassSpecificNBCV`, which differ in the number of features.

    As a selector it keeps the features that any class uses. There is no ``sample_weight``: the
    rules for bandwidths and the distances between densities count samples. Give the weights of the
    classes as ``priors``.

    After a fit to named features it finds the used features by name in a DataFrame; other columns
    may be missing, in another order or of any content. The evidence of a feature that is absent, or
    NaN in a sample, is left out with a warning, which is exact as features are independent within
    classes; `evidence_left` is the remaining share.
    """

    distance: str
    n_grid: int
    _any_layout = True
    explanation_scale_ = "evidence"

    # The fit: ranking, selection, densities.

    def _rank_features(
        self,
        features: Any,
        codes: np.ndarray,
        *,
        n_features: int | None,
        threshold: float = DEFAULT_THRESHOLD,
        samples: np.ndarray | None = None,
    ) -> tuple[RankedFeatures, PairRankings]:
        """Return the features that may be selected, and their ranking for each pair of classes.

        Features (n_features, n_samples) are ranked by some ``samples``, or all if None, whose
        classes are ``codes``. A pair takes ``n_features``, or as many as reach the ``threshold``.
        The ranked features have the values of all samples.
        """
        n_classes = int(codes.max()) + 1
        strengths = pair_strengths(
            features,
            codes,
            n_classes,
            samples=samples,
            distance=self.distance,
            n_grid=self.n_grid,
            **self._density_parameters,
        )
        shortlist = Shortlist(n_classes, n_features, threshold)
        shortlist.keep(strengths, features, getattr(self, "feature_names_in_", None))
        return shortlist.features, PairRankings(shortlist, codes, samples)

    def _set_selection(
        self, features: RankedFeatures, rankings: PairRankings, codes: np.ndarray
    ) -> None:
        """Set the selected features of each class, and fit densities of all classes to them."""
        n_classes = len(self.classes_)
        chosen = [rankings.chosen(code) for code in range(n_classes)]
        used = np.unique(np.concatenate([np.empty(0, dtype=int), *chosen]))
        self.class_densities_ = fit_class_densities(
            select_rows(features.values, used),
            codes,
            n_classes,
            borrowed=self._borrowed_samples,
            **self._density_parameters,
        )
        self.columns_ = []
        self.distances_ = []
        self.selected_features_ = {}
        self.selected_distances_ = {}
        self.direction_ = {}
        self.tied_features_ = {}
        for code, label in enumerate(self.classes_.tolist()):
            selection = ClassSelection.from_rankings(code, rankings, features, codes)
            warn_if_none(label, selection.columns, stacklevel=4)  # the line that calls fit
            self.columns_.append(selection.columns)
            self.distances_.append(selection.distances)
            self.selected_features_[label] = selection.names
            self.selected_distances_[label] = selection.greatest_distances
            self.direction_[label] = selection.directions
            self.tied_features_[label] = selection.ties

    @property
    def _density_parameters(self) -> dict[str, Any]:
        """The parameters of the kernel densities."""
        names = ("bandwidth", "min_bandwidth", "kernel")
        return {name: getattr(self, name) for name in names}

    @property
    def _borrowed_samples(self) -> float:
        """How many samples the spread within all classes counts as in a class's density; 0: none.

        See `xnbflow.density.borrowed`.
        """
        return 0.0

    @property
    def used_columns_(self) -> np.ndarray:
        """Positions of the features that any class uses, ascending."""
        return np.unique(np.concatenate([np.empty(0, dtype=int), *self.columns_]))

    @property
    def _needed_columns(self) -> np.ndarray:
        """Positions of the features on which predictions depend, ascending."""
        return self.used_columns_

    # The prediction: evidence of the used features, its sum for each class, calibration.

    def predict_joint_log_proba(self, X: SamplesLike) -> np.ndarray:
        """Return ``log P(c)`` and the evidence for each class, shape (n_samples, n_classes)."""
        features = self._read_features(X)
        if np.isnan(features[self._needed_columns]).any():
            left = self.evidence_left(X)
            least = f"{left.min():.0%}"
            most = f"{left.max():.0%}"
            shares = least if least == most else f"{least} to {most}"
            msg = (
                f"{(left < 1.0).sum()} of {len(left)} samples lack features that the classifier "
                f"uses; {shares} of the weight of the evidence is left"
            )
            warnings.warn(msg, UserWarning, stacklevel=2)
        return self._joint_log_likelihood(features)

    def _read_features(self, X: SamplesLike) -> np.ndarray:
        """Return checked samples, (n_features, n_samples); used features are found by their names.

        Features that X lacks are NaN; features that no class uses may be 0, because they have no
        part in predictions.
        """
        table, names = named_samples(X)
        is_frame = isinstance(table, pd.DataFrame)
        names = table.columns if is_frame else names
        if names is None or issparse(table) or not hasattr(self, "feature_names_in_"):
            return super()._read_features(X)
        check_is_fitted(self)

        # An array with all features of the fit is checked and ordered like any other samples.
        fitted_names = self.feature_names_in_
        if not is_frame and (pd.Index(names).get_indexer(fitted_names) >= 0).all():
            return super()._read_features(X)

        used = self._needed_columns
        used_values = select_columns(X, fitted_names[used], used)
        features = np.zeros((self.n_features_in_, used_values.shape[1]))
        features[used] = used_values
        return features

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        """Return the log prior and the calibrated sum of evidence, (n_samples, n_classes)."""
        n_classes = len(self.classes_)
        used = self.used_columns_
        # Ascending rows, so that the sums do not depend on the order of a class's features.
        class_rows = [np.searchsorted(used, np.sort(columns)) for columns in self.columns_]
        sums = np.zeros((features.shape[1], n_classes))
        for samples, points in sample_blocks(features, used, n_classes):
            evidence = self._evidence(points)
            for code, rows in enumerate(class_rows):
                sums[samples, code] = evidence[code, rows].sum(axis=0)
        return self.class_log_prior_ + self._calibration(sums)

    def _evidence(self, points: np.ndarray) -> np.ndarray:
        """Return the evidence of used features, (n_classes, n_used, n_points); 0 where missing.

        ``points`` (n_used, n_points) are values as measured, NaN where missing.
        """
        missing = np.isnan(points)
        if missing.any():
            points = np.where(missing, self.class_densities_.standard.centres[:, None], points)
        log_density = self.class_densities_.log_density(points)
        evidence = class_evidence(log_density, self._log_reference, self.contamination)
        evidence[:, missing] = 0.0
        self._multiply_by_weights(evidence)
        return evidence

    @property
    def _log_reference(self) -> np.ndarray:
        """The log weight of each class in the reference, shape (n_classes,)."""
        return self.class_log_prior_

    def _multiply_by_weights(self, evidence: np.ndarray) -> None:
        """Multiply the evidence of `_evidence` in place by weights of features; here all are 1."""

    @property
    @abstractmethod
    def _calibration(self) -> Calibration:
        """The calibration of the summed evidence of each class."""

    # Explanations, and what is left of the evidence where values are missing.

    def explain(self, X: SamplesLike) -> pd.DataFrame:
        """Return what each feature contributes to each class: nats against the reference.

        One row per sample of X, class and feature that the class uses, with columns ``sample``,
        ``class``, ``feature`` and ``evidence``, divided by the temperature or times the class's
        slope; above 0 it is for the class, below 0 against it. With the class's
        ``class_log_prior_``, and the ``calibration_intercept_`` of `ClassSpecificNBCV`, the rows of
        a sample and class add up to its `predict_joint_log_proba`:

        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = ClassSpecificNB(n_features=1).fit(X, y)
        >>> evidence = model.explain(X).groupby(["sample", "class"])["evidence"].sum().unstack()
        >>> joint = evidence + model.class_log_prior_
        >>> log_posterior = joint.sub(np.logaddexp.reduce(joint.to_numpy(), axis=1), axis=0)
        >>> np.allclose(log_posterior, model.predict_log_proba(X))
        True
        """
        return super().explain(X)

    def _all_class_terms(self, features: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the columns of each class, and their calibrated evidence (n_columns, n_samples).

        The evidence for one class needs the densities of all classes, which are computed once.
        """
        used = self.used_columns_
        evidence = self._evidence(as_array(features[used]))
        for code, columns in enumerate(self.columns_):
            rows = np.searchsorted(used, columns)
            yield columns, evidence[code, rows] * self._calibration.slope[code]

    def evidence_left(self, X: SamplesLike) -> np.ndarray:
        """Return the share of the evidence's weight with values in each sample, (n_samples,).

        It is the mean over classes, and 1 where no value is missing. The evidence of features that
        a DataFrame lacks, or of missing values, is left out of predictions.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> model = ClassSpecificNB(n_features=2).fit(X, y)
        >>> model.evidence_left(X.iloc[:1].drop(columns="petal width (cm)")).tolist()
        [0.5]
        """
        check_is_fitted(self)
        return self._share_left(~np.isnan(self._read_features(X)))

    def _share_left(self, present: np.ndarray) -> np.ndarray:
        """Return the share of the weight where values are ``present`` (n_features, n_samples).

        It is the mean over the classes that have features. The share that is missing is summed, so
        that a complete sample has exactly 1.
        """
        missing_shares = [
            weights @ ~present[columns] / weights.sum()
            for columns, weights in zip(self.columns_, self._feature_weights, strict=True)
            if len(columns)
        ]
        if not missing_shares:
            return np.ones(present.shape[1])
        return 1.0 - np.mean(missing_shares, axis=0)

    @property
    def _feature_weights(self) -> list[np.ndarray]:
        """The weight of each feature in each class's evidence, one array per class."""
        return [np.ones(len(columns)) for columns in self.columns_]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Greatest distance of each feature in any class that uses it; 0 if none does."""
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

    def _get_support_mask(self) -> np.ndarray:
        """Return a mask of the features that any class uses, for `FeatureSelector`."""
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
    samples changes no selection, label or probability beyond rounding.

    Parameters
    ----------
    n_features : int, default=None
        Features per pair of classes. None means the number that reaches the ``threshold``.
        `ClassSpecificNBCV` chooses by cross-validation.
    threshold : float, default=0.999
        Features are taken until ``1 - prod(1 - distance)`` reaches this; not beside ``n_features``.
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
       sample  class            feature  evidence
    0       0      0  petal length (cm)      1.09
    1       0      1  petal length (cm)     -4.61
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
        """Rank the features, and keep those that each pair of classes takes."""
        if self.n_features is not None and self.threshold != DEFAULT_THRESHOLD:
            msg = (
                f"n_features={self.n_features} and threshold={self.threshold} both state how many "
                "features a pair of classes takes; give one of them"
            )
            raise InputError(msg)
        ranked, rankings = self._rank_features(
            features, codes, n_features=self.n_features, threshold=self.threshold
        )
        self._set_selection(ranked, rankings, codes)

    @property
    def _calibration(self) -> Calibration:
        """The calibration by the parameter ``temperature``."""
        return Calibration.of_temperature(self.temperature, len(self.classes_))


def select_columns(X: SamplesLike, names: np.ndarray, fitted_positions: np.ndarray) -> np.ndarray:
    """Return the named features of samples, shape (n_names, n_samples); NaN where X lacks one.

    X is a DataFrame, whose other columns may have any content and order, or samples with names
    (`named_samples`). ``fitted_positions`` (n_names,) are the positions of the features in the
    training samples. If X has the names there, they need no search, which takes three milliseconds
    for 20,000 names. Raises an `InputError` if X has none of the features, two of one name, or a
    value that is not a number.

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

    # The position of each name in X, and -1 for a name that X lacks.
    n_needed = fitted_positions.max(initial=-1) + 1
    has_fitted_order = len(columns) >= n_needed and (columns[fitted_positions] == names).all()
    positions = fitted_positions if has_fitted_order else pd.Index(columns).get_indexer(names)
    is_present = positions >= 0
    if not len(names):  # no feature varies in the training samples: priors alone predict
        return np.empty((0, table.shape[0]))
    if not is_present.any():
        msg = (
            f"X has none of the features that the classifier uses: {listed(map(str, names))}; name "
            "the columns as in fit"
        )
        raise InputError(msg)

    # The present columns as a DataFrame, whose cells a message can name.
    present_positions = positions[is_present]
    if is_frame:
        selected = table.iloc[:, present_positions]
    else:
        selected = pd.DataFrame(table[:, present_positions])

    # Finite numbers; NaN means a missing value.
    try:
        checked = check_array(selected, dtype=np.float64, ensure_all_finite="allow-nan")
    except (TypeError, ValueError) as error:
        name_bad_value(selected.where(selected.notna(), 0.0), error)
        raise InputError(str(error)) from error
    refuse_beyond_squares(np.nan_to_num(checked), names[is_present])
    values = np.full((len(names), len(checked)), np.nan)
    values[is_present] = checked.T
    return values
