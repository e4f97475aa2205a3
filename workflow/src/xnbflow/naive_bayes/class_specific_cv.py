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
from xnbflow.naive_bayes.evidence_calibration import CALIBRATIONS, Calibration
from xnbflow.naive_bayes.inner_folds import inner_folds
from xnbflow.naive_bayes.size_path import SCORINGS, InnerPredictions, choose, sum_along_path
from xnbflow.preprocessing.selection.pair_rankings import PairRankings, Shortlist
from xnbflow.preprocessing.selection.pair_strengths import PAIR_DISTANCES, pair_strengths

__all__ = ["ClassSpecificNBCV", "geometric_sizes"]

#: Sizes of the path: so many from 1 to this, in geometric steps.
_N_SIZES, _LARGEST = 30, 200

_RULES = ("one_standard_error", "best")


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
    rule : {"one_standard_error", "best"}, default="one_standard_error"
        "best" takes the best score; "one_standard_error" the fewest features whose score is within
        one standard error of it, or within what one sample counts: fewer errors than that nobody
        can see.
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
        Features per pair of classes that were chosen.
    distance_, min_bandwidth_ : str, float
        What was chosen of these.
    temperature_ : float
        The temperature, 1 or more, with the least log loss of the inner predictions.
    calibration_slope_, calibration_intercept_ : ndarray of shape (n_classes,)
        What the summed evidence of each class is multiplied by, at most 1, and what is added to it,
        in nats; with ``calibration="temperature"`` the inverse temperature and 0.
    path_ : DataFrame
        One row per distance, floor and size: ``distance``, ``min_bandwidth``,
        ``n_features_per_pair``, ``n_features_per_class`` (mean over inner folds and classes),
        ``temperature``, and over all inner test samples, after the calibration, ``accuracy``,
        ``balanced_accuracy`` and ``log_loss`` (nats), each with its standard error, ``accuracy_se``
        and so on: over folds, of the balanced accuracy over samples. ``chosen`` marks one row.
    selected_features_, selected_distances_, tied_features_, direction_, pair_distances_, \
            feature_importances_, explanation_scale_, used_columns_, columns_, distances_, \
            class_densities_
        As in `ClassSpecificNB`.

    See Also
    --------
    ClassSpecificNB : With a given number of features.

    Notes
    -----
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
        rule: str = "one_standard_error",
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
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        groups : array-like of shape (n_samples,), default=None
            Patients, batches: what must not be on both sides of an inner fold.

        Returns
        -------
        self

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

    @property
    def _calibration(self) -> Calibration:
        return Calibration(self.temperature_, self.calibration_slope_, self.calibration_intercept_)

    def _fit(self, features: Any, codes: np.ndarray, groups: np.ndarray | None = None) -> None:
        features = by_feature(features) if is_sparse(features) else features
        rows, calibrations = self._path(features, codes, groups)
        best = choose(rows, self.scoring, self.rule, len(codes))
        table = pd.DataFrame(rows)
        table["chosen"] = table.index == best
        self._path_columns = {name: table[name].to_numpy() for name in table}
        self.n_features_ = rows[best]["n_features_per_pair"]
        self.temperature_ = calibrations[best].temperature
        self.calibration_slope_ = calibrations[best].slope
        self.calibration_intercept_ = calibrations[best].intercept
        self.distance_ = rows[best]["distance"]
        self.min_bandwidth_ = rows[best]["min_bandwidth"]
        shortlist, rankings = self._ranked(
            features, codes, None, self.n_features_, self.distance_, self.min_bandwidth_
        )
        chosen = [rankings.chosen(code) for code in range(len(self.classes_))]
        density = self._density(self.min_bandwidth_)
        self._keep(rankings, shortlist.features, chosen, codes, **density)

    def _path(
        self, features: Any, codes: np.ndarray, groups: np.ndarray | None
    ) -> tuple[list[dict[str, Any]], list[Calibration]]:
        """Return the rows of the path and the calibration of each."""
        candidates = list(itertools.product(_listed(self.distance), _listed(self.min_bandwidth)))
        if not candidates:
            msg = "distance or min_bandwidth is empty; name at least one value of each to try"
            raise InputError(msg)
        sizes = self._checked_sizes(features.shape[0])
        if len(self.classes_) == 1:
            certain = Calibration(1.0, np.ones(1), np.zeros(1))
            return [_row_of_one_class(*candidates[0], sizes[0])], [certain]
        folds = inner_folds(self.cv, codes, groups)
        rows: list[dict[str, Any]] = []
        calibrations: list[Calibration] = []
        for distance, floor in candidates:
            predictions = self._predict_inside(features, codes, folds, sizes, distance, floor)
            scores, fitted = predictions.rows(self.calibration)
            rows += [
                {
                    "distance": distance,
                    "min_bandwidth": float(floor),
                    "n_features_per_pair": int(size),
                    **row,
                }
                for size, row in zip(sizes, scores, strict=True)
            ]
            calibrations += fitted
        return rows, calibrations

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
            densities = fit_class_densities(
                values[:, train],
                inner_codes,
                len(present),
                exact=self.exact,
                **self._density(floor),
            )
            sums[:, start:stop, present], count = sum_along_path(
                densities,
                as_dense(values[:, test]),
                rankings.entries(),
                sizes,
                prior,
                self.evidence,
                self.contamination,
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

    def _density(self, floor: float) -> dict[str, Any]:
        return {"bandwidth": self.bandwidth, "min_bandwidth": floor, "kernel": self.kernel}

    def _checked_sizes(self, n_features: int) -> np.ndarray:
        """Return the sizes to try, ascending, none of them above the number of features."""
        if self.sizes is None:
            return geometric_sizes(min(n_features, _LARGEST), _N_SIZES)
        if not len(self.sizes):
            msg = "sizes is empty; give numbers of features per pair of classes, or None"
            raise InputError(msg)
        return np.unique(np.minimum(self.sizes, n_features)).astype(int)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def geometric_sizes(largest: int, n: int) -> np.ndarray:
    """Return ``n`` whole numbers from 1 to the largest in geometric steps.

    Small ones, where steps would be below 1, are successive; where there are less than ``n``, all.

    Examples
    --------
    >>> geometric_sizes(200, 10).tolist()
    [1, 2, 3, 6, 11, 19, 34, 62, 111, 200]
    """
    if n >= largest:
        return np.arange(1, largest + 1)
    steps = n
    while len(sizes := np.unique(np.geomspace(1, largest, steps).round().astype(int))) < n:
        steps += 1
    return sizes


def _row_of_one_class(distance: str, floor: float, size: int) -> dict[str, Any]:
    """Return the path where there is nothing to tell apart."""
    scores = {"accuracy": 1.0, "balanced_accuracy": 1.0, "log_loss": 0.0}
    errors = {f"{name}_se": 0.0 for name in scores}
    return {
        "distance": distance,
        "min_bandwidth": float(floor),
        "n_features_per_pair": int(size),
        "n_features_per_class": 0.0,
        "temperature": 1.0,
        **scores,
        **errors,
    }
