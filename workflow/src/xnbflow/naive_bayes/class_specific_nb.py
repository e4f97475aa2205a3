"""ClassSpecificNB: every class has features of its own, weighed against one common reference."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from xnbflow.data.errors import InputError
from xnbflow.data.labels import refuse_missing
from xnbflow.data.parameters import number, one_of, whole
from xnbflow.density.bandwidth import BANDWIDTHS
from xnbflow.density.kernels import KERNELS
from xnbflow.density.matrices import dense_parts, some_rows
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.class_specific import distance_table, warn_if_none
from xnbflow.naive_bayes.evidence import EVIDENCES, fit_class_densities, weigh
from xnbflow.naive_bayes.evidence_calibration import Calibration
from xnbflow.naive_bayes.sparse_input import checked_chunks, chunks_of, dense_chunks, rows_of
from xnbflow.preprocessing.selection.class_specific import CANDIDATES_PER_PAIR, FeatureDistances
from xnbflow.preprocessing.selection.covering import smallest_cover
from xnbflow.preprocessing.selection.pair_rankings import PairRankings, Shortlist, levels
from xnbflow.preprocessing.selection.pair_strengths import (
    PAIR_DISTANCES,
    distance_of_strength,
    pair_strengths,
)

__all__ = ["COMMON_CONSTRAINTS", "BaseClassSpecificNB", "ClassSpecificNB"]

_SELECTIONS = ("greedy", "minimal")

COMMON_CONSTRAINTS: dict[str, list[Any]] = {
    "bandwidth": [one_of(*BANDWIDTHS)],
    "kernel": [one_of(*KERNELS)],
    "n_grid": [whole(2, 10_000)],
    "evidence": [one_of(*EVIDENCES)],
    "contamination": [number(0.0, 1.0, closed="left")],
    "priors": ["array-like", None],
    "exact": ["boolean"],
}


class BaseClassSpecificNB(SelectorMixin, BaseNaiveBayes):
    """What `ClassSpecificNB` and `ClassSpecificNBCV` share: everything but how many features.

    As a selector it keeps the features that any class uses. X may be sparse, CSR or CSC.
    """

    _takes_sparse = True

    def fit(self, X: np.ndarray | pd.DataFrame, y: np.ndarray) -> "BaseClassSpecificNB":
        """Fit the classifier.

        There is no ``sample_weight``: the rules for bandwidths and the distances between densities
        count samples. Give the weights of the classes as ``priors``.
        """
        return super().fit(X, y)

    def explain(self, X: np.ndarray | pd.DataFrame) -> pd.DataFrame:
        """Return what each feature contributes to each class: nats against the reference.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples to explain.

        Returns
        -------
        DataFrame
            One row per sample, class and feature that the class uses, with columns ``sample``,
            ``class``, ``feature`` and ``log_likelihood``: the evidence, divided by the temperature
            or times the class's slope. Above 0 the feature speaks for the class, below 0 against
            it; 0 says nothing. With the class's ``class_log_prior_``, and the
            ``calibration_intercept_`` of `ClassSpecificNBCV`, the rows of a sample and class add up
            to its `predict_joint_log_proba`.
        """
        return super().explain(X)

    @property
    def explanation_scale_(self) -> str:
        """What `explain` tells: "evidence", or "scaled" log densities if it is absolute."""
        return "scaled" if self.evidence == "absolute" else "evidence"

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
        labels = self.classes_.tolist()
        names = [np.array(self.selected_features_[label], dtype=object) for label in labels]
        return distance_table(self.classes_, names, self.distances_)

    @property
    @abstractmethod
    def _calibration(self) -> Calibration:
        """What the summed evidence of each class is worth."""

    def _keep(
        self,
        rankings: PairRankings,
        features: FeatureDistances,
        chosen: Sequence[np.ndarray],
        codes: np.ndarray,
        **density: Any,
    ) -> None:
        """Set what each class has selected, and fit densities of all classes to it."""
        labels = self.classes_.tolist()
        used = np.unique(np.concatenate([np.empty(0, dtype=int), *chosen]))
        self.used_columns_ = features.positions[used]
        self.class_densities_ = fit_class_densities(
            some_rows(features.values, used), codes, len(labels), exact=self.exact, **density
        )
        self.columns_, self.distances_ = [], []
        self.selected_features_, self.selected_distances_ = {}, {}
        self.direction_, self.tied_features_ = {}, {}
        for code, label in enumerate(labels):
            mine = rankings.strengths[rankings.of_class(code)]
            greatest = mine[:, chosen[code]].max(axis=0, initial=0.0)
            ranked = chosen[code][np.argsort(levels(-greatest), kind="stable")]
            mine = distance_of_strength(mine)
            names = features.names
            self.columns_.append(features.positions[ranked])
            self.distances_.append(mine[:, ranked])
            self.selected_features_[label] = names[ranked].tolist()
            self.selected_distances_[label] = mine[:, ranked].max(axis=0, initial=0.0)
            self.direction_[label] = _directions(some_rows(features.values, ranked), codes == code)
            ties = rankings.interchangeable(ranked, code)
            self.tied_features_[label] = [
                names[[feature, *others]].tolist() for feature, others in ties.items()
            ]
            warn_if_none(label, ranked)

    def _arrange(self, X: np.ndarray) -> np.ndarray:
        """Return the transpose as a view: tiles are gathered from any memory layout."""
        return X.T

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        n_classes, n_points = len(self.classes_), features.shape[1]
        rows = [np.searchsorted(self.used_columns_, columns) for columns in self.columns_]
        rows = [np.sort(each) for each in rows]
        total = np.zeros((n_points, n_classes))
        for part, points in dense_chunks(features, self.used_columns_, n_classes):
            terms = self._weigh(self.class_densities_.log_density(points))
            for code, mine in enumerate(rows):
                total[part, code] = terms[code, mine].sum(axis=0)
        return self.class_log_prior_ + self._calibration(total)

    def _class_terms(self, features: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        columns = self.columns_[code]
        terms = self._weigh(
            self.class_densities_.log_density(rows_of(features, self.used_columns_))
        )
        rows = np.searchsorted(self.used_columns_, columns)
        return columns, terms[code, rows] * self._calibration.slope[code]

    def _weigh(self, log_density: np.ndarray) -> np.ndarray:
        return weigh(log_density, self.class_log_prior_, self.evidence, self.contamination)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.used_columns_] = True
        return mask


class ClassSpecificNB(BaseClassSpecificNB):
    """Naive Bayes with features of each class's own, independent of units, names and order.

    For each pair of classes the features that tell them apart best are selected; a class has the
    union over its pairs. Kernel densities of these are weighed against one common reference, the
    mixture of all classes, which makes classes with different features comparable [1]_. Unlike
    `XNB`, the published method, rescaling or shifting features, renaming or reordering them or the
    samples changes no selection, label or probability beyond rounding. X may be sparse: zeros are
    counted, and give what the same X gives as a dense array, to rounding.

    Parameters
    ----------
    n_features : int, default=None
        Features per pair of classes. None takes as many as reach the ``threshold``.
        `ClassSpecificNBCV` chooses by cross-validation.
    threshold : float, default=0.999
        Without ``n_features``, features are taken until ``1 - prod(1 - distance)`` reaches this.
    selection : {"greedy", "minimal"}, default="greedy"
        "greedy": the best features of each pair. "minimal": the smallest set that reaches the
        threshold against every other class, found by integer programming among the 300 best
        features of each pair; sets that are equally small and strong it does not tell apart.
    distance : {"combined", "separation", "hellinger", "jeffreys", "jensen_shannon", \
            "wasserstein"}, default="combined"
        Distance of two kernel densities, from 0 to 1. "separation" compares their means in pooled
        standard deviations, "combined" is the geometric mean of it and "hellinger" on the scale of
        the Bhattacharyya distance; see `xnbflow.preprocessing.selection.pair_strengths`.
    bandwidth : {"silverman", "scott", "sheather_jones", "cross_validation", "adaptive"}, \
            default="silverman"
        Rule for the bandwidth of each class and feature, see `FlexibleNB`.
    min_bandwidth : float, default=0.3
        No bandwidth is below ``min_bandwidth * s * n_c**-0.2``, with ``s`` the feature's standard
        deviation over all training samples and ``n_c`` the size of the class.
    kernel : {"gaussian", "uniform", "epanechnikov", "biweight", "triweight", "cosine", \
            "triangular"}, default="gaussian"
        Kernel of the densities, see `FlexibleNB`.
    n_grid : int, default=50
        Points, over the range of a feature, at which densities are compared.
    evidence : {"relative", "odds", "absolute"}, default="relative"
        What a class scores by: ``log p(x | c) / p(x)``, ``log p(x | c) / p(x | not c)``, or
        ``log p(x | c)`` as in `XNB`, but per standard deviation of the feature.
    contamination : float, default=0.01
        Share of the samples whose value says nothing of their class: so much of a class's density
        is replaced by the reference. No single value weighs more than ``log(contamination)``
        against a class then.
    temperature : float, default=1.0
        The summed evidence is divided by this: above 1 for features that depend on one another and
        together say less than they seem to. `ClassSpecificNBCV` fits it.
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes, also their weights in the reference. None takes their
        shares of the training samples.
    exact : bool, default=False
        Sum the densities of the selected features over all training samples however many there are,
        see `FlexibleNB`. What they are selected by is always summed over all.

    Attributes
    ----------
    selected_features_ : dict
        For each class label the list of its features, by the greatest distance to another class:
        names where X has them, else column numbers.
    selected_distances_ : dict
        For each class label those greatest distances.
    tied_features_ : dict
        For each class label a list of groups: a selected feature, and those not selected that tell
        the same pair of classes apart equally well: as far away, as far separated, and with ranges
        that overlap as much.
    direction_ : dict
        For each class label and selected feature "high" or "low": whether the mean of the class is
        above that of the other samples.
    pair_distances_ : DataFrame
        One row per class, selected feature and other class, with their distance.
    feature_importances_ : ndarray of shape (n_features,)
        Greatest distance of a feature in any class that uses it, else 0.
    explanation_scale_ : str
        What `explain` tells: "evidence", or "scaled" log densities if ``evidence`` is absolute.
    used_columns_ : ndarray of int
        The features that any class uses.
    columns_ : list of ndarray of int
        The features of each class, as in ``selected_features_``.
    distances_ : list of ndarray of shape (n_classes - 1, n_selected)
        The distances of each class's features to every other class.
    class_densities_ : ClassDensities
        Densities of all classes in ``used_columns_``.
    optimality_gap_ : dict
        With ``selection="minimal"``: for each class label by how many features at most its set is
        larger than the smallest of all features (0: proven smallest).

    See Also
    --------
    ClassSpecificNBCV : Chooses the number of features and the temperature.
    XNB : The published method.

    References
    ----------
    .. [1] Baggenstoss, "Class-specific feature sets in classification", IEEE Transactions on Signal
       Processing 47, 1999.
    .. [2] Aguilar-Ruiz, Romero, Cicconardi, "XNB: Explainable Class-Specific Naive-Bayes
       Classifier", 2024.

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
        "n_features": [whole(1), None],
        "threshold": [number(0.0, 1.0)],
        "selection": [one_of(*_SELECTIONS)],
        "distance": [one_of(*PAIR_DISTANCES)],
        "min_bandwidth": [number(0.0, closed="left")],
        "temperature": [number(0.0)],
        **COMMON_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        n_features: int | None = None,
        threshold: float = 0.999,
        selection: str = "greedy",
        distance: str = "combined",
        bandwidth: str = "silverman",
        min_bandwidth: float = 0.3,
        kernel: str = "gaussian",
        n_grid: int = 50,
        evidence: str = "relative",
        contamination: float = 0.01,
        temperature: float = 1.0,
        priors: Sequence[float] | np.ndarray | None = None,
        exact: bool = False,
    ) -> None:
        self.n_features = n_features
        self.threshold = threshold
        self.selection = selection
        self.distance = distance
        self.bandwidth = bandwidth
        self.min_bandwidth = min_bandwidth
        self.kernel = kernel
        self.n_grid = n_grid
        self.evidence = evidence
        self.contamination = contamination
        self.temperature = temperature
        self.priors = priors
        self.exact = exact

    def fit_stream(
        self, chunks: Iterable[tuple[np.ndarray, np.ndarray]], y: np.ndarray
    ) -> "ClassSpecificNB":
        """Fit on a series that need not fit into memory.

        Afterwards the classifier knows the selected features only: ``feature_names_in_`` are
        their names, and `predict` takes samples of these (`xnbflow.data.dataset.read_features`).

        Parameters
        ----------
        chunks : iterable of (names, features)
            Feature names (n_chunk,) and samples (n_chunk, n_samples), as
            `xnbflow.data.dataset.iterate_features` yields them, or `xnbflow.data.cells.CellFile`
            the genes of an ``.h5ad`` file. Samples may be sparse, in any format of SciPy. Read
            once.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If a value is not finite or a chunk has another number of samples than ``y``.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat(["a", "b"], 20)
        >>> chunks = (([f"g{i}"], rng.normal(size=(1, 40)) + 9 * i * (y == "b")) for i in range(2))
        >>> ClassSpecificNB(n_features=1).fit_stream(chunks, y).selected_features_
        {'a': ['g1'], 'b': ['g1']}
        """
        self._validate_params()
        refuse_missing(y)
        codes = self._learn_classes(column_or_1d(y))
        self._select(checked_chunks(chunks, len(codes)), codes)
        used = self.used_columns_
        names = dict(
            pair
            for label, columns in zip(self.selected_features_, self.columns_, strict=True)
            for pair in zip(columns.tolist(), self.selected_features_[label], strict=True)
        )
        self.columns_ = [np.searchsorted(used, columns) for columns in self.columns_]
        self.feature_names_in_ = np.array([names[column] for column in used.tolist()], dtype=object)
        self.n_features_in_ = len(used)
        self.used_columns_ = np.arange(len(used))
        return self

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        self._select(chunks_of(features, getattr(self, "feature_names_in_", None)), codes)

    def _select(
        self, chunks: Iterable[tuple[np.ndarray | None, np.ndarray]], codes: np.ndarray
    ) -> None:
        if self.n_features is not None and self.selection == "minimal":
            msg = (
                f'n_features is {self.n_features}, but selection="minimal" finds the number of '
                "features by itself; leave n_features None"
            )
            raise InputError(msg)
        density: dict[str, Any] = {
            "bandwidth": self.bandwidth,
            "min_bandwidth": self.min_bandwidth,
            "kernel": self.kernel,
        }
        least = CANDIDATES_PER_PAIR if self.selection == "minimal" else 1
        shortlist = Shortlist(len(self.classes_), self.n_features, self.threshold, least)
        for names, features in chunks:
            strengths = pair_strengths(
                features,
                codes,
                len(self.classes_),
                distance=self.distance,
                n_grid=self.n_grid,
                **density,
            )
            shortlist.absorb(strengths, features, names)
        rankings = PairRankings(shortlist, codes)
        if self.selection == "minimal":
            chosen = self._select_minimal(rankings, shortlist)
        else:
            chosen = [rankings.chosen(code) for code in range(len(self.classes_))]
        self._keep(rankings, shortlist.features, chosen, codes, **density)

    def _select_minimal(self, rankings: PairRankings, shortlist: Shortlist) -> list[np.ndarray]:
        with np.errstate(divide="ignore"):
            lengths = -np.log1p(-distance_of_strength(rankings.strengths))
        lengths /= -np.log1p(-self.threshold)
        # Where fewer are left than a pair may keep, the others tell no pair apart.
        cut = CANDIDATES_PER_PAIR <= lengths.shape[1] < shortlist.n_seen
        n_top = CANDIDATES_PER_PAIR if cut else None
        labels = self.classes_.tolist()
        covers = [
            smallest_cover(lengths[rankings.of_class(code)], n_top) for code in range(len(labels))
        ]
        self.optimality_gap_ = {label: gap for label, (_, gap) in zip(labels, covers, strict=True)}
        return [chosen for chosen, _ in covers]

    @property
    def _calibration(self) -> Calibration:
        n_classes = len(self.classes_)
        return Calibration(
            self.temperature, np.full(n_classes, 1.0 / self.temperature), np.zeros(n_classes)
        )


def _directions(values: Any, mine: np.ndarray) -> list[str]:
    """Return for each feature whether it is "high" or "low" in a class, by the means."""
    if mine.all():
        return ["high"] * values.shape[0]
    found = []
    for part in dense_parts(values):
        # Relative to one of the samples, so that a mean of great numbers is no rounding error.
        relative = part - part[:, :1]
        own, others = (np.einsum("fi,i->f", relative, each.astype(float)) for each in (mine, ~mine))
        high = own / mine.sum() >= others / (~mine).sum()
        found += np.where(high, "high", "low").tolist()
    return found
