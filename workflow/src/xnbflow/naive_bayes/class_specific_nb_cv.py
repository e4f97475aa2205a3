"""ClassSpecificNBCV: number of features and calibration by inner cross-validation."""

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length, check_is_fitted
from threadpoolctl import threadpool_limits

from xnbflow.core.parameters import ListOf, one_of, whole
from xnbflow.data.matrices import by_feature, is_sparse
from xnbflow.data.samples import Labels, Samples
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.naive_bayes.class_specific_nb import COMMON_CONSTRAINTS, BaseClassSpecificNB
from xnbflow.naive_bayes.conformal import ERROR_RATE, class_sets, held_out_coverage
from xnbflow.naive_bayes.evidence import DEFAULT_CONTAMINATION
from xnbflow.naive_bayes.evidence_calibration import Calibration
from xnbflow.naive_bayes.inner_folds import CV_CONSTRAINTS, inner_folds
from xnbflow.naive_bayes.modules import ModuleWeights, ResidualCorrelation
from xnbflow.naive_bayes.size_path import (
    InnerPredictions,
    SizeAverage,
    checked_sizes,
    choose,
)
from xnbflow.preprocessing.selection.pair_rankings import Shortlist
from xnbflow.preprocessing.selection.pair_strengths import DEFAULT_MIN_BANDWIDTH

#: Weight, in samples, of the spread within all classes in an averaged model's densities.
_BORROWED = 10.0


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
    cv : int, cross-validation splitter or list, default=None
        The inner folds. None makes 5. An int makes stratified folds in the order of the samples,
        or, where ``groups`` are given to `fit`, stratified folds that keep groups together. A list
        has (training, test) samples.
    rule : {"average", "one_standard_error"}, default="average"
        Average over all sizes, see the notes; or take the fewest features whose log loss over the
        inner test samples is within one standard error, or the weight of one sample, of the least.
    distance, bandwidth, min_bandwidth, kernel, n_grid, contamination
        As in `ClassSpecificNB`. Inner folds of more than 48 test samples interpolate the evidence
        of a feature between 48 of its values.
    priors : array-like of shape (n_classes,), default=None
        As in `ClassSpecificNB`. None with ``rule="average"``: equal, unless the inner log loss with
        the shares of the training samples is less by more than its standard error. The reference
        always has the shares.

    Attributes
    ----------
    n_features_ : int
        Features per pair of classes that were chosen; with ``rule="average"`` those of the core.
    weights_ : dict
        For each class label the factors of the evidence of its features, above 0.
    core_features_ : dict
        For each class label the features of the smallest size within one standard error of the
        best: a short list to measure. Without ``rule="average"`` all that are selected.
    core_scores_ : dict
        ``accuracy`` and ``balanced_accuracy`` of the core alone over all inner test samples; its
        size is chosen by the log loss of the other inner folds. (The scores of the chosen row of
        ``path_`` are optimistic.)
    temperature_ : float
        The temperature, 1 or more, with the least log loss of the inner predictions.
    calibration_slope_, calibration_intercept_ : ndarray of shape (n_classes,)
        Factor, at most 1, and constant, in nats, of the summed evidence of each class, fitted to
        the inner predictions; two classes, whose features are the same, share the inverse of the
        temperature. See `xnbflow.naive_bayes.evidence_calibration.fit_vector`. With
        ``rule="average"`` temperature and slopes are 1, because the weights include them.
    held_out_scores_, held_out_codes_, held_out_folds_ : ndarray of shape (n_tested,)
        Posterior of its own class of each sample that an inner fold tests, its class as a number,
        and that fold; see `predict_set`.
    path_ : DataFrame
        One row per size: ``n_features_per_pair``, ``n_features_per_class`` (mean over inner folds
        and classes), ``temperature``, and over all inner test samples, after the calibration,
        ``accuracy``, ``balanced_accuracy`` and ``log_loss`` (nats), each with its standard error,
        ``accuracy_se`` and so on: over folds, of the balanced accuracy over samples. Those of the
        chosen row are optimistic, as the row was chosen by them. ``chosen`` marks one row. With
        ``rule="average"`` ``weight`` is that of a size in the average.
    selected_features_, selected_distances_, tied_features_, direction_, columns_, distances_, \
            class_densities_
        As in `ClassSpecificNB`.

    See Also
    --------
    ClassSpecificNB : With a given number of features.

    Notes
    -----
    ``rule="average"``: modules of correlated features are counted once, densities borrow the spread
    within all classes, and the sums at all sizes are averaged by their inner cross-entropy, see
    ``docs/methods/class-specific.md``. The average remains a sum over features: every feature of a
    class has one curve and one weight.

    A class that is absent from an inner training set has probability 0 there.

    References
    ----------
    Breiman, Friedman, Olshen, Stone, "Classification and Regression Trees", 1984. Guo, Pleiss, Sun,
    Weinberger, "On Calibration of Modern Neural Networks", ICML 2017.

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
        "cv": CV_CONSTRAINTS,
        "rule": [one_of("average", "one_standard_error")],
        **COMMON_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        sizes: Sequence[int] | None = None,
        cv: Any = None,
        rule: str = "average",
        distance: str = "combined",
        bandwidth: str = "silverman",
        min_bandwidth: float = DEFAULT_MIN_BANDWIDTH,
        kernel: str | int = "gaussian",
        n_grid: int = DEFAULT_N_GRID,
        contamination: float = DEFAULT_CONTAMINATION,
        priors: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        self.sizes = sizes
        self.cv = cv
        self.rule = rule
        self.distance = distance
        self.bandwidth = bandwidth
        self.min_bandwidth = min_bandwidth
        self.kernel = kernel
        self.n_grid = n_grid
        self.contamination = contamination
        self.priors = priors

    def fit(self, X: Samples, y: Labels, groups: Labels | None = None) -> "ClassSpecificNBCV":
        """Fit the classifier.

        Samples of one of the ``groups`` (n_samples,), for example a patient, stay in one inner
        fold. Raises an `InputError` if there are too few samples for inner folds.
        """
        values, labels = self._validated(X, y)
        check_consistent_length(labels, groups)
        codes = self._learn_classes(labels)
        known = None if groups is None else np.asarray(groups)
        # Its products of matrices are small: more threads would mostly wait for each other.
        with threadpool_limits(1, "blas"):
            self._fit(self._arrange(values), codes, known)
        return self

    def predict_set(self, X: Samples, error_rate: float = ERROR_RATE) -> np.ndarray:
        """Return the set of classes of each sample, bool of shape (n_samples, n_classes).

        A class is left out if its posterior is as low as in less than a share ``error_rate`` of the
        class's own samples, each predicted by the inner folds. The set contains the true class with
        a probability of at least about ``1 - error_rate``, which `coverage` measures. A sample with
        several classes is undecided. The predicted class is in every set, and so is a class of less
        than ``1 / error_rate - 1`` samples; a sample whose posterior is too low for every class is
        undecided between its two most probable ones.
        """
        posterior = self.predict_proba(X)
        return class_sets(posterior, self.held_out_scores_, self.held_out_codes_, error_rate)

    def coverage(self, error_rate: float = ERROR_RATE) -> dict[Any, float]:
        """Return for each class label how often `predict_set` has it for its held-out samples.

        The sets of an inner fold's samples rest on the other folds; see
        `xnbflow.naive_bayes.conformal.held_out_coverage`.
        """
        check_is_fitted(self)
        held_out = self.held_out_scores_, self.held_out_codes_, self.held_out_folds_
        shares = held_out_coverage(*held_out, len(self.classes_), error_rate)
        return dict(zip(self.classes_.tolist(), shares.tolist(), strict=True))

    @property
    def path_(self) -> pd.DataFrame:
        """The path over sizes, see the class."""
        check_is_fitted(self)
        return pd.DataFrame(self._path_columns)

    @property
    def _calibration(self) -> Calibration:
        return Calibration(self.temperature_, self.calibration_slope_, self.calibration_intercept_)

    def _fit(
        self,
        features: Any,
        codes: np.ndarray,
        groups: np.ndarray | None = None,
    ) -> None:
        features = by_feature(features) if is_sparse(features) else features
        sizes = checked_sizes(self.sizes, features.shape[0])
        rows, calibrations, average, inner = self._path(features, codes, groups, sizes)
        if average is None:
            best = last = choose(rows, len(codes))
        else:
            last = int(np.flatnonzero(average.weights)[-1])
            best = choose(rows[: last + 1], len(codes))
        table = pd.DataFrame(rows)
        table["chosen"] = table.index == best
        self._path_columns = {name: table[name].to_numpy() for name in table}
        self.n_features_ = rows[best]["n_features_per_pair"]
        calibration, self._averaged = calibrations[best], average is not None
        if average is not None and average.equal_priors:
            self.class_log_prior_ = np.full(len(self.classes_), -np.log(len(self.classes_)))
        self.temperature_ = calibration.temperature
        self.calibration_slope_ = calibration.slope
        self.calibration_intercept_ = calibration.intercept
        self.held_out_scores_, self.held_out_codes_ = np.empty(0), np.empty(0, dtype=int)
        self.held_out_folds_ = self.held_out_codes_
        self.core_scores_ = {"accuracy": 1.0, "balanced_accuracy": 1.0}
        if inner is not None:
            sums = inner.sums[best] if average is None else average.sums
            self.held_out_scores_ = inner.true_posterior(calibration(sums))
            self.held_out_codes_, self.held_out_folds_ = inner.codes, inner.folds
            temperatures = [row["temperature"] for row in rows]
            self.core_scores_ = inner.crossed_choice(1.0 / np.array(temperatures))
        size = rows[last]["n_features_per_pair"]
        shortlist, rankings = self._ranked(features, codes, size)
        chosen = [rankings.chosen(code) for code in range(len(self.classes_))]
        density = self._density | {"borrowed": self._borrowed}
        self._keep(rankings, shortlist.features, chosen, codes, **density)
        if average is None:
            slopes = zip(self.selected_features_.items(), calibration.slope, strict=True)
            self.weights_ = {label: np.full(len(own), slope) for (label, own), slope in slopes}
            self.core_features_ = {label: [*own] for label, own in self.selected_features_.items()}
        else:
            self._weigh_features(shortlist, rankings.entries(), codes, sizes, average)

    def _path(
        self, features: Any, codes: np.ndarray, groups: np.ndarray | None, sizes: np.ndarray
    ) -> tuple[
        list[dict[str, Any]], list[Calibration], SizeAverage | None, InnerPredictions | None
    ]:
        """Return the rows of the path and their calibrations, the average, inner predictions."""
        certain = Calibration.of_temperature(1.0, len(self.classes_))
        if len(self.classes_) == 1:
            scores = {"n_features_per_class": 0.0, "temperature": 1.0}
            for name, score in (("log_loss", 0.0), ("accuracy", 1.0), ("balanced_accuracy", 1.0)):
                scores |= {name: score, f"{name}_se": 0.0}
            return [{"n_features_per_pair": int(sizes[0]), **scores}], [certain], None, None
        folds = inner_folds(self.cv, codes, groups)
        inner, average = self._predict_inside(features, codes, folds, sizes), None
        if self.rule == "average":
            n_units = len(codes) if groups is None else len(np.unique(groups))
            if self.priors is None:
                inner, rows, average = inner.average_of_prior(n_units)
            else:
                rows, average = inner.average(n_units)
            # the average has its sharpness
            calibrations = [inner.fit_vector(average.sums, certain)] * len(sizes)
        else:
            rows, calibrations = inner.rows()
        pairs = zip(sizes.tolist(), rows, strict=True)
        return [{"n_features_per_pair": n, **row} for n, row in pairs], calibrations, average, inner

    def _predict_inside(
        self,
        features: np.ndarray,
        codes: np.ndarray,
        folds: list[tuple[np.ndarray, np.ndarray]],
        sizes: np.ndarray,
    ) -> InnerPredictions:
        """Predict every inner test sample with every size."""
        tested = np.concatenate([test for _, test in folds])
        sums = np.zeros((len(sizes), len(tested), len(self.classes_)))
        log_prior = np.full((len(tested), len(self.classes_)), -np.inf)
        counts, stop = [], 0
        for train, test in folds:
            start, stop = stop, stop + len(test)
            present, inner, inner_counts = np.unique(
                codes[train], return_inverse=True, return_counts=True
            )
            prior = self._inner_log_prior(present, inner_counts / len(train))
            sums[:, start:stop, present], count = self._predict_fold(
                features, inner, (train, test), sizes, prior
            )
            log_prior[start:stop, present] = prior
            counts.append(count)
        numbers = np.repeat(np.arange(len(folds)), [len(test) for _, test in folds])
        means, weights = np.mean(counts, axis=0), self._inner_weights(codes[tested])
        return InnerPredictions(sums, log_prior, codes[tested], numbers, means, weights)

    def _predict_fold(
        self,
        features: np.ndarray,
        codes: np.ndarray,
        fold: tuple[np.ndarray, np.ndarray],
        sizes: np.ndarray,
        prior: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums of a fold's test samples at every size, and features per class there.

        ``codes`` (n_train,) are the classes of the training samples that the fold has.
        """
        train, test = fold
        shortlist, rankings = self._ranked(features, codes, int(sizes[-1]), samples=train)
        values, correlation, entries = shortlist.features.values, None, rankings.entries()
        del shortlist, rankings  # of many classes the strengths take most of the memory
        if self.rule == "average":
            correlation = ResidualCorrelation(values[:, train], codes)
        modules = ModuleWeights(correlation, entries, sizes)
        sums = modules.sum_evidence(
            values,
            codes,
            train,
            test,
            prior,
            borrowed=self._borrowed,
            contamination=self.contamination,
            **self._density,
        )
        return sums, modules.counts().mean(axis=1)

    def _inner_weights(self, codes: np.ndarray) -> np.ndarray:
        """Return the weights of inner test samples, by class from ``priors``, with mean 1."""
        if self.priors is None:
            return np.ones(len(codes))
        weights = np.exp(self.class_log_prior_)[codes] / np.bincount(codes)[codes]
        return weights / weights.mean()

    def _inner_log_prior(self, present: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Return the log prior of the classes that an inner training set has."""
        if self.priors is None:
            return np.log(shares)
        given = np.exp(self.class_log_prior_[present])
        with np.errstate(divide="ignore"):
            return np.log(given / given.sum())

    @property
    def _borrowed(self) -> float:
        return _BORROWED if self.rule == "average" else 0.0

    def _weigh_features(
        self,
        shortlist: Shortlist,
        entries: np.ndarray,
        codes: np.ndarray,
        sizes: np.ndarray,
        average: SizeAverage,
    ) -> None:
        """Set the weights of an average's features, and the core features."""
        features, used = shortlist.features, average.weights > 0.0
        correlation = ResidualCorrelation(features.values, codes)
        weights = ModuleWeights(correlation, entries, sizes[used]).average(average.weights[used])
        weights *= self.calibration_slope_[:, None]
        self.calibration_slope_ = np.ones(len(self.classes_))
        self.weights_, self.core_features_ = {}, {}
        for code, (label, names) in enumerate(self.selected_features_.items()):
            own = np.searchsorted(features.positions, self.columns_[code])
            core = entries[code, own] <= self.n_features_
            self.weights_[label] = weights[code, own]
            self.core_features_[label] = list(itertools.compress(names, core))

    @property
    def _log_reference(self) -> np.ndarray:
        return self._log_prior(self.class_count_ / self.class_count_.sum())

    @property
    def _feature_weights(self) -> list[np.ndarray]:
        return list(self.weights_.values())

    def _weigh(self, log_density: np.ndarray) -> np.ndarray:
        terms = super()._weigh(log_density)
        if self._averaged:
            used = self.used_columns_
            for own, columns, mine in zip(
                terms, self.columns_, self.weights_.values(), strict=True
            ):
                own[np.searchsorted(used, columns)] *= mine[:, None]
        return terms
