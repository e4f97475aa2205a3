"""ClassSpecificNBCV: how many features, and how sure, by inner cross-validation."""

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from xnbflow.data.errors import InputError
from xnbflow.data.parameters import Instance, ListOf, number, one_of, whole
from xnbflow.density.matrices import as_dense, by_feature, is_sparse
from xnbflow.naive_bayes.class_specific_nb import COMMON_CONSTRAINTS, BaseClassSpecificNB
from xnbflow.naive_bayes.evidence import fit_class_densities
from xnbflow.naive_bayes.evidence_calibration import CALIBRATIONS, Calibration, fit_vector
from xnbflow.naive_bayes.inner_folds import inner_folds
from xnbflow.naive_bayes.modules import ModuleWeights, sum_modules
from xnbflow.naive_bayes.size_average import SizeAverage
from xnbflow.naive_bayes.size_path import (
    SCORINGS,
    InnerPredictions,
    checked_sizes,
    choose,
    geometric_sizes,
    row_of_one_class,
    sum_along_path,
)
from xnbflow.preprocessing.selection.pair_rankings import PairRankings, Shortlist
from xnbflow.preprocessing.selection.pair_strengths import PAIR_DISTANCES, pair_strengths

__all__ = ["ClassSpecificNBCV", "geometric_sizes"]

_RULES = ("average", "one_standard_error", "best")

#: Samples that the spread within all classes counts for in an averaged model's densities.
_BORROWED = 10.0


#: The calibration of a row of the path, and the average that the row is in.
_Fitted = tuple[Calibration, SizeAverage | None]


class ClassSpecificNBCV(BaseClassSpecificNB):
    """`ClassSpecificNB` whose number of features and calibration are cross-validated.

    In every inner fold the distances of all features are computed once, and the summed evidence
    along each ranking predicts with every number of features: the whole path costs little more
    than one fit per fold.

    Parameters
    ----------
    sizes : list of int, default=None
        Numbers of features per pair of classes to try. None tries 30 from 1 to 200, or to all
        features, in geometric steps.
    cv : int or cross-validation splitter, default=10
        The inner folds. An int makes stratified folds in the order of the samples, or, where
        ``groups`` are given to `fit`, stratified folds that keep groups together.
    scoring : {"log_loss", "accuracy", "balanced_accuracy"}, default="log_loss"
        What is compared along the path, over all inner test samples; the log loss after the
        calibration.
    rule : {"average", "one_standard_error", "best"}, default="average"
        "average" averages over all sizes, see the notes. "best" takes the best score;
        "one_standard_error" the fewest features whose score is within one standard error of it, or
        within what one sample counts: fewer errors than that nobody can see.
    calibration : {"vector", "temperature"}, default="vector"
        What the summed evidence of a class is worth, fitted on the inner predictions.
        "temperature": one divisor for all classes. "vector": a slope and an intercept for each
        class, for the features of one class may repeat one another more than those of another (two
        classes, whose features are the same, get the temperature);
        see `xnbflow.naive_bayes.evidence_calibration.fit_vector`.
    distance : str or list of str, default="combined"
        As in `ClassSpecificNB`; of several the best is chosen.
    bandwidth : str, default="silverman"
        As in `ClassSpecificNB`.
    min_bandwidth : float or list of float, default=0.3
        As in `ClassSpecificNB`; of several the best is chosen.
    kernel, n_grid, evidence, contamination, priors, exact
        As in `ClassSpecificNB`.

    Attributes
    ----------
    n_features_ : int
        Features per pair of classes that were chosen; with ``rule="average"`` those of the core.
    weights_ : dict
        For each class label what the evidence of each of its features is multiplied by, above 0.
    core_features_ : dict
        For each class label the features of the smallest size within one standard error of the
        best: a short list to measure. Without ``rule="average"`` all that are selected.
    distance_, min_bandwidth_ : str, float
        What was chosen of these.
    temperature_ : float
        The temperature, 1 or more, with the least log loss of the inner predictions.
    calibration_slope_, calibration_intercept_ : ndarray of shape (n_classes,)
        What the summed evidence of each class is multiplied by, at most 1, and what is added to it,
        in nats; with ``calibration="temperature"`` the inverse temperature and 0. With
        ``rule="average"`` temperature and slopes are 1, for the calibration is in the weights.
    path_ : DataFrame
        One row per distance, floor and size: ``distance``, ``min_bandwidth``,
        ``n_features_per_pair``, ``n_features_per_class`` (mean over inner folds and classes),
        ``temperature``, and over all inner test samples, after the calibration, ``accuracy``,
        ``balanced_accuracy`` and ``log_loss`` (nats), each with its standard error, ``accuracy_se``
        and so on: over folds, of the balanced accuracy over samples. ``chosen`` marks one row. With
        ``rule="average"`` the sums are those of the notes, the temperature is one over the
        sharpness, and ``weight`` is what a size has in the average of its distance and floor.
    selected_features_, selected_distances_, tied_features_, direction_, pair_distances_, \
            feature_importances_, explanation_scale_, used_columns_, columns_, distances_, \
            class_densities_
        As in `ClassSpecificNB`.

    See Also
    --------
    ClassSpecificNB : With a given number of features.

    Notes
    -----
    ``rule="average"``: no single size is chosen. Modules of correlated features are counted once,
    see `xnbflow.naive_bayes.modules`; densities borrow the spread within all classes, as of 10
    samples, see `xnbflow.density.borrowed`. The sum at each size is multiplied by its sharpness,
    which minimises the cross-entropy of the inner predictions to smoothed targets, and averaged
    with weights ``exp(-n L)``, ``L`` this cross-entropy and ``n`` the number of samples or groups,
    see `xnbflow.naive_bayes.size_average`. The average is calibrated again. As it remains a sum
    over features, every feature of a class has one curve and one weight. Of several distances and
    floors those with the least cross-entropy of the average are taken.

    An int for ``cv`` makes folds in the order of the samples, as everywhere in scikit-learn: give
    a splitter with ``shuffle`` for others. Otherwise order and names change nothing. A class that
    an inner training set lacks has probability 0 there. There is no ``sample_weight``, as in
    `ClassSpecificNB`.

    References
    ----------
    Breiman, Friedman, Olshen, Stone, "Classification and Regression Trees", 1984: the
    one-standard-error rule. Guo, Pleiss, Sun, Weinberger, "On Calibration of Modern Neural
    Networks", ICML 2017: temperature and vector scaling.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ClassSpecificNBCV(cv=5).fit(X, y)
    >>> model.n_features_, round(model.score(X, y), 2)
    (1, 0.96)
    >>> model.path_[["n_features_per_pair", "accuracy", "chosen"]].round(3).head(2)
       n_features_per_pair  accuracy  chosen
    0                    1      0.96    True
    1                    2      0.96   False
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sizes": [ListOf(whole(1)), None],
        "cv": [whole(2), Instance("split", "get_n_splits")],
        "calibration": [one_of(*CALIBRATIONS)],
        "scoring": [one_of(*SCORINGS)],
        "rule": [one_of(*_RULES)],
        "distance": [one_of(*PAIR_DISTANCES), ListOf(one_of(*PAIR_DISTANCES))],
        "min_bandwidth": [number(0.0, closed="left"), ListOf(number(0.0, closed="left"))],
        **COMMON_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        sizes: Sequence[int] | None = None,
        cv: Any = 10,
        scoring: str = "log_loss",
        rule: str = "average",
        calibration: str = "vector",
        distance: str | Sequence[str] = "combined",
        bandwidth: str = "silverman",
        min_bandwidth: float | Sequence[float] = 0.3,
        kernel: str = "gaussian",
        n_grid: int = 50,
        evidence: str = "relative",
        contamination: float = 0.01,
        priors: Sequence[float] | np.ndarray | None = None,
        exact: bool = False,
    ) -> None:
        self.sizes = sizes
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.calibration = calibration
        self.distance = distance
        self.bandwidth = bandwidth
        self.min_bandwidth = min_bandwidth
        self.kernel = kernel
        self.n_grid = n_grid
        self.evidence = evidence
        self.contamination = contamination
        self.priors = priors
        self.exact = exact

    def fit(
        self, X: np.ndarray | pd.DataFrame, y: np.ndarray, groups: np.ndarray | None = None
    ) -> "ClassSpecificNBCV":
        """Fit the classifier.

        Parameters
        ----------
        groups : array-like of shape (n_samples,), default=None
            Patients, batches: what must not be on both sides of an inner fold.

        Raises
        ------
        InputError
            If a parameter is out of range, or there are too few samples for inner folds.
        """
        X, y = self._validated(X, y)
        check_consistent_length(y, groups)
        codes = self._learn_classes(y)
        self._fit(self._arrange(X), codes, groups)
        return self

    @property
    def path_(self) -> pd.DataFrame:
        """The path over sizes, see the class."""
        check_is_fitted(self)
        return pd.DataFrame(self._path_columns)

    #: Models of files that were written before there was an average are none.
    _averaged = False

    @property
    def _calibration(self) -> Calibration:
        return Calibration(self.temperature_, self.calibration_slope_, self.calibration_intercept_)

    def _fit(self, features: Any, codes: np.ndarray, groups: np.ndarray | None = None) -> None:
        features = by_feature(features) if is_sparse(features) else features
        rows, fitted = self._path(features, codes, groups)
        best, size, average = self._choose(rows, fitted, len(codes))
        table = pd.DataFrame(rows)
        table["chosen"] = table.index == best
        self._path_columns = {name: table[name].to_numpy() for name in table}
        self.n_features_ = rows[best]["n_features_per_pair"]
        self.distance_ = rows[best]["distance"]
        self.min_bandwidth_ = rows[best]["min_bandwidth"]
        shortlist, rankings = self._ranked(
            features, codes, None, size, self.distance_, self.min_bandwidth_
        )
        chosen = [rankings.chosen(code) for code in range(len(self.classes_))]
        density = self._density(self.min_bandwidth_) | self._borrowed
        self._keep(rankings, shortlist.features, chosen, codes, **density)
        calibration = fitted[best][0]
        self.temperature_, self._averaged = calibration.temperature, average is not None
        self.calibration_slope_ = calibration.slope
        self.calibration_intercept_ = calibration.intercept
        self._weigh_features(shortlist, rankings, codes, average)

    def _choose(
        self, rows: list[dict[str, Any]], fitted: list[_Fitted], n_samples: int
    ) -> tuple[int, int, SizeAverage | None]:
        """Return which row is chosen, how many features a pair takes, and the average if any."""
        averages = [average for _, average in fitted if average is not None]
        if not averages:
            best = choose(rows, self.scoring, self.rule, n_samples)
            return best, rows[best]["n_features_per_pair"], None
        least = min(averages, key=lambda average: average.loss)
        own = [i for i, (_, average) in enumerate(fitted) if average is least]
        sizes = [rows[i]["n_features_per_pair"] for i in own]
        last = int(np.flatnonzero(least.shares)[-1])
        own_rows = [rows[i] for i in own[: last + 1]]
        best = own[choose(own_rows, self.scoring, "one_standard_error", n_samples)]
        return best, sizes[last], least

    def _weigh_features(
        self,
        shortlist: Shortlist,
        rankings: PairRankings,
        codes: np.ndarray,
        average: SizeAverage | None,
    ) -> None:
        """Set the weights of the selected features, and which of them are the core."""
        if average is None:
            slopes = zip(self.selected_features_.items(), self.calibration_slope_, strict=True)
            self.weights_ = {label: np.full(len(own), slope) for (label, own), slope in slopes}
            self.core_features_ = {label: [*own] for label, own in self.selected_features_.items()}
            return
        entries, features = rankings.entries(), shortlist.features
        sizes = checked_sizes(self.sizes, shortlist.n_seen)
        modules = ModuleWeights(features.values, codes, entries, sizes[average.shares > 0.0])
        weights = modules.average(average.weights[average.shares > 0.0])
        weights *= self.calibration_slope_[:, None]
        self.calibration_slope_ = np.ones(len(self.classes_))
        self.weights_, self.core_features_ = {}, {}
        for code, (label, names) in enumerate(self.selected_features_.items()):
            own = np.searchsorted(features.positions, self.columns_[code])
            core = entries[code, own] <= self.n_features_
            self.weights_[label] = weights[code, own]
            self.core_features_[label] = [
                name for name, is_core in zip(names, core, strict=True) if is_core
            ]

    def _weigh(self, log_density: np.ndarray) -> np.ndarray:
        terms = super()._weigh(log_density)
        if self._averaged:
            for own, columns, mine in zip(
                terms, self.columns_, self.weights_.values(), strict=True
            ):
                own[np.searchsorted(self.used_columns_, columns)] *= mine[:, None]
        return terms

    def _path(
        self, features: Any, codes: np.ndarray, groups: np.ndarray | None
    ) -> tuple[list[dict[str, Any]], list[_Fitted]]:
        """Return the rows of the path, and of each its calibration and the average it is in."""
        candidates = list(itertools.product(_listed(self.distance), _listed(self.min_bandwidth)))
        if not candidates:
            msg = "distance or min_bandwidth is empty; name at least one value of each to try"
            raise InputError(msg)
        sizes = checked_sizes(self.sizes, features.shape[0])
        if len(self.classes_) == 1:
            certain = Calibration(1.0, np.ones(1), np.zeros(1))
            return [row_of_one_class(*candidates[0], sizes[0])], [(certain, None)]
        folds = inner_folds(self.cv, codes, groups)
        n_units = len(codes) if groups is None else len(np.unique(groups))
        rows: list[dict[str, Any]] = []
        fitted: list[_Fitted] = []
        for distance, floor in candidates:
            predictions = self._predict_inside(features, codes, folds, sizes, distance, floor)
            if self.rule == "average":
                scores, average = predictions.averaged_rows(n_units)
                fitted += [(self._calibrate(predictions, average), average)] * len(sizes)
            else:
                scores, calibrations = predictions.rows(self.calibration)
                fitted += [(calibration, None) for calibration in calibrations]
            rows += [
                {
                    "distance": distance,
                    "min_bandwidth": float(floor),
                    "n_features_per_pair": int(size),
                    **row,
                }
                for size, row in zip(sizes, scores, strict=True)
            ]
        return rows, fitted

    def _calibrate(self, predictions: InnerPredictions, average: SizeAverage) -> Calibration:
        """Return the slopes and intercepts of an average, which has its sharpness."""
        n_classes = len(self.classes_)
        start = Calibration(1.0, np.ones(n_classes), np.zeros(n_classes))
        if self.calibration == "temperature":
            return start
        given = predictions.log_prior, predictions.codes, predictions.weights
        return fit_vector(average.sums, *given, start)

    def _predict_inside(
        self,
        features: np.ndarray,
        codes: np.ndarray,
        folds: list[tuple[np.ndarray, np.ndarray]],
        sizes: np.ndarray,
        distance: str,
        floor: float,
    ) -> InnerPredictions:
        """Predict every inner test sample with every size."""
        n_tested = sum(len(test) for _, test in folds)
        sums = np.zeros((len(sizes), n_tested, len(self.classes_)))
        log_prior = np.full((n_tested, len(self.classes_)), -np.inf)
        counts, stop = [], 0
        for train, test in folds:
            start, stop = stop, stop + len(test)
            present, inner_codes, inner_counts = np.unique(
                codes[train], return_inverse=True, return_counts=True
            )
            prior = self._inner_log_prior(present, inner_counts / len(train))
            shortlist, rankings = self._ranked(
                features, inner_codes, train, sizes[-1], distance, floor
            )
            values = shortlist.features.values
            sums[:, start:stop, present], count = self._sums(
                values, inner_codes, train, test, rankings.entries(), sizes, prior, floor
            )
            log_prior[start:stop, present] = prior
            counts.append(count.mean(axis=1))
        tested = np.concatenate([test for _, test in folds])
        numbers = np.repeat(np.arange(len(folds)), [len(test) for _, test in folds])
        return InnerPredictions(
            sums,
            log_prior,
            codes[tested],
            numbers,
            np.mean(counts, axis=0),
            self._inner_weights(codes[tested]),
        )

    def _sums(
        self,
        values: Any,
        codes: np.ndarray,
        train: np.ndarray,
        test: np.ndarray,
        entries: np.ndarray,
        sizes: np.ndarray,
        prior: np.ndarray,
        floor: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the summed evidence of a fold's test samples and how many features it is of."""
        density: dict[str, Any] = {**self._density(floor), **self._borrowed, "exact": self.exact}
        weighed: dict[str, Any] = {"evidence": self.evidence, "contamination": self.contamination}
        if self.rule == "average":
            modules = ModuleWeights(values[:, train], codes, entries, sizes)
            sums = sum_modules(modules, values, codes, train, test, prior, **weighed, **density)
            return sums, modules.counts()
        densities = fit_class_densities(values[:, train], codes, len(entries), **density)
        points = as_dense(values[:, test])
        return sum_along_path(densities, points, entries, sizes, prior, **weighed)

    def _inner_weights(self, codes: np.ndarray) -> np.ndarray:
        """Return what inner test samples count for: classes as ``priors`` says, 1 in the mean."""
        if self.priors is None:
            return np.ones(len(codes))
        given = np.exp(self.class_log_prior_)[codes]
        weights = given / np.bincount(codes)[codes]
        return weights / weights.mean()

    def _inner_log_prior(self, present: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Return the log prior of the classes that an inner training set has."""
        if self.priors is None:
            return np.log(shares)
        given = np.exp(self.class_log_prior_[present])
        with np.errstate(divide="ignore"):
            return np.log(given / given.sum())

    def _ranked(
        self,
        features: np.ndarray,
        codes: np.ndarray,
        samples: np.ndarray | None,
        n_features: int,
        distance: str,
        floor: float,
    ) -> tuple[Shortlist, PairRankings]:
        """Rank features by samples of the given classes; the shortlist has all samples' values."""
        n_classes = int(codes.max()) + 1
        strengths = pair_strengths(
            features,
            codes,
            n_classes,
            samples=samples,
            distance=distance,
            n_grid=self.n_grid,
            **self._density(floor),
        )
        shortlist = Shortlist(n_classes, int(n_features))
        shortlist.absorb(strengths, features, getattr(self, "feature_names_in_", None))
        return shortlist, PairRankings(shortlist, codes, samples)

    @property
    def _borrowed(self) -> dict[str, float]:
        return {"borrowed": _BORROWED if self.rule == "average" else 0.0}

    def _density(self, floor: float) -> dict[str, Any]:
        return {"bandwidth": self.bandwidth, "min_bandwidth": floor, "kernel": self.kernel}


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
