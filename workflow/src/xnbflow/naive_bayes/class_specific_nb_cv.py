"""ClassSpecificNBCV: number of features and calibration by inner cross-validation."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length, check_is_fitted
from threadpoolctl import threadpool_limits

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import ListOf, number, one_of, whole
from xnbflow.data.matrices import as_dense, by_feature, is_sparse
from xnbflow.data.samples import Labels, Samples
from xnbflow.naive_bayes.class_specific_nb import COMMON_CONSTRAINTS
from xnbflow.naive_bayes.conformal import ERROR_RATE, class_p_values, held_out_coverage
from xnbflow.naive_bayes.evidence_calibration import CALIBRATIONS, Calibration
from xnbflow.naive_bayes.inner_folds import CV_CONSTRAINTS, inner_folds
from xnbflow.naive_bayes.inner_path import BaseInnerPath
from xnbflow.naive_bayes.modules import ModuleWeights, ResidualCorrelation
from xnbflow.naive_bayes.size_path import (
    SCORINGS,
    InnerPredictions,
    SizeAverage,
    checked_sizes,
    choose,
    geometric_sizes,
)
from xnbflow.naive_bayes.streams import StreamedNB, checked_chunks
from xnbflow.preprocessing.selection.class_features import FeatureDistances
from xnbflow.preprocessing.selection.pair_rankings import Shortlist
from xnbflow.preprocessing.selection.pair_strengths import PAIR_DISTANCES

__all__ = ["ClassSpecificNBCV", "geometric_sizes"]

#: The calibration of a row of the path, and the average that the row is in.
_Fitted = tuple[Calibration, SizeAverage | None]


class ClassSpecificNBCV(StreamedNB, BaseInnerPath):
    """`ClassSpecificNB` whose number of features and calibration are cross-validated.

    In every inner fold the distances of all features are computed once, and the summed evidence
    along each ranking predicts with every number of features: the whole path costs little more
    than one fit per fold.

    Parameters
    ----------
    sizes : list of int, default=None
        Numbers of features per pair of classes to try. None tries 30 from 1 to 200, or to all
        features, in geometric steps.
    cv : int, cross-validation splitter or iterable, default=None
        The inner folds. None makes 5. An int makes stratified folds in the order of the samples,
        or, where ``groups`` are given to `fit`, stratified folds that keep groups together. A list
        or generator has (training, test) samples; a generator serves one fit.
    scoring : {"log_loss", "accuracy", "balanced_accuracy"}, default="log_loss"
        What is compared along the path, over all inner test samples; the log loss after the
        calibration.
    rule : {"average", "one_standard_error", "best"}, default="average"
        Average over all sizes, see the notes; take the fewest features whose score is within one
        standard error of the best, or within what one sample counts; or take the best.
    calibration : {"vector", "temperature"}, default="vector"
        Fitted on the inner predictions. "temperature": one divisor of the evidence for all classes.
        "vector": a slope and an intercept for each class; two classes, whose features are the same,
        get the temperature. See `xnbflow.naive_bayes.evidence_calibration.fit_vector`.
    distance, min_bandwidth : str or list of str, float or list of float
        As in `ClassSpecificNB`; of several the best is chosen.
    bandwidth, kernel, n_grid, evidence, contamination, exact
        As in `ClassSpecificNB`. Unless ``exact``, inner folds of more than 48 test samples
        interpolate the evidence of a feature between 48 of its values.
    priors : array-like of shape (n_classes,), default=None
        As in `ClassSpecificNB`. None with ``rule="average"``: equal, unless the inner log loss with
        the shares of the training samples is less by more than its standard error. The reference
        always has the shares.

    Attributes
    ----------
    n_features_ : int
        Features per pair of classes that were chosen; with ``rule="average"`` those of the core.
    weights_ : dict
        For each class label what the evidence of each of its features is multiplied by, above 0.
    core_features_ : dict
        For each class label the features of the smallest size within one standard error of the
        best: a short list to measure. Without ``rule="average"`` all that are selected.
    core_scores_ : dict
        ``accuracy`` and ``balanced_accuracy`` of the core alone over all inner test samples; its
        size is chosen by the log loss of the other inner folds, where the scores of the chosen row
        of ``path_`` are the better for the choice.
    distance_, min_bandwidth_ : str, float
        What was chosen of these.
    temperature_ : float
        The temperature, 1 or more, with the least log loss of the inner predictions.
    calibration_slope_, calibration_intercept_ : ndarray of shape (n_classes,)
        Factor, at most 1, and constant, in nats, of the summed evidence of each class. With
        ``rule="average"`` temperature and slopes are 1, because the weights include them.
    held_out_scores_, held_out_codes_, held_out_folds_ : ndarray of shape (n_tested,)
        Posterior of its own class of each sample that an inner fold tests, its class as a number,
        and that fold; see `predict_set`.
    path_ : DataFrame
        One row per distance, floor and size: ``distance``, ``min_bandwidth``,
        ``n_features_per_pair``, ``n_features_per_class`` (mean over inner folds and classes),
        ``temperature``, and over all inner test samples, after the calibration, ``accuracy``,
        ``balanced_accuracy`` and ``log_loss`` (nats), each with its standard error, ``accuracy_se``
        and so on: over folds, of the balanced accuracy over samples. Those of the chosen row are
        optimistic, as the row was chosen by them. ``chosen`` marks one row. With
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
    class has one curve and one weight. Of several distances and floors those with the least
    cross-entropy of the average are taken.

    A class that an inner training set lacks has probability 0 there.

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
        "calibration": [one_of(*CALIBRATIONS)],
        "scoring": [one_of(*SCORINGS)],
        "rule": [one_of("average", "one_standard_error", "best")],
        "distance": [one_of(*PAIR_DISTANCES), ListOf(one_of(*PAIR_DISTANCES))],
        **COMMON_CONSTRAINTS,
        "min_bandwidth": [number(0.0, closed="left"), ListOf(number(0.0, closed="left"))],
    }

    def __init__(
        self,
        *,
        sizes: Sequence[int] | None = None,
        cv: Any = None,
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

    def fit(self, X: Samples, y: Labels, groups: Labels | None = None) -> "ClassSpecificNBCV":
        """Fit the classifier.

        No inner fold separates samples of one of the ``groups`` (n_samples,), say patients or
        batches. Raises an `InputError` if there are too few samples for inner folds.
        """
        values, labels = self._validated(X, y)
        check_consistent_length(labels, groups)
        codes = self._learn_classes(labels)
        known = None if groups is None else np.asarray(groups)
        # Its products of matrices are small: more threads would mostly wait for each other.
        with threadpool_limits(1, "blas"):
            self._fit(self._arrange(values), codes, known)
        return self

    def fit_stream(
        self, chunks: Iterable[tuple[np.ndarray, Any]], y: Labels, groups: Labels | None = None
    ) -> Self:
        """Fit on a series that need not fit into memory, with the results of `fit`; returns self.

        Chunks are read once, see `ClassSpecificNB.fit_stream`. Each is measured by the training
        samples of every inner fold and by all samples; the features that one of these may select,
        200 for each pair of classes or the greatest of ``sizes``, stay in memory. For ``groups``
        see `fit`.
        """
        codes = self._stream_codes(y)
        check_consistent_length(codes, groups)
        known = None if groups is None else np.asarray(groups)
        with threadpool_limits(1, "blas"):
            self._fit_chunks(checked_chunks(chunks, len(codes)), codes, known)
        return self._without_unused()

    def predict_set(self, X: Samples, error_rate: float = ERROR_RATE) -> np.ndarray:
        """Return which classes a sample may belong to, shape (n_samples, n_classes).

        A class is left out where the posterior of it is as low as in a share of less than
        ``error_rate`` of the class's own samples, each predicted by the inner folds: a sample of
        any class has it in its set with a probability of about ``1 - error_rate`` at least, which
        `coverage` measures. Several classes are an undecided sample, none an unusual one. A class
        of less than ``1 / error_rate - 1`` samples is in every set.
        """
        posterior = self.predict_proba(X)
        held_out = self.held_out_scores_, self.held_out_codes_
        return class_p_values(posterior, *held_out, len(self.classes_)) > error_rate

    def coverage(self, error_rate: float = ERROR_RATE) -> dict[Any, float]:
        """Return for each class label how often `predict_set` has it for its held-out samples.

        The sets of an inner fold's samples rest on the other folds.
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

    #: Models of files that were written before there was an average are none.
    _averaged = False

    @property
    def _calibration(self) -> Calibration:
        return Calibration(self.temperature_, self.calibration_slope_, self.calibration_intercept_)

    def _fit_chunks(
        self,
        chunks: Iterable[tuple[Any, Any]],
        codes: np.ndarray,
        groups: np.ndarray | None = None,
    ) -> None:
        several = len(self.classes_) > 1
        folds = inner_folds(self.cv, codes, groups) if several else []
        sets = [np.arange(len(codes)), *(train for train, _ in folds)]
        trained = [(train, np.unique(codes[train], return_inverse=True)[1]) for train in sets]
        largest = int(checked_sizes(self.sizes, np.iinfo(np.int32).max)[-1])
        shortlists = {
            (*candidate, i): Shortlist(int(inner.max()) + 1, largest)
            for candidate in itertools.product(_listed(self.distance), _listed(self.min_bandwidth))
            for i, (_, inner) in enumerate(trained)
        }
        store: FeatureDistances | None = None
        n_seen = 0
        for names, features in chunks:
            positions = n_seen + np.arange(features.shape[0])
            n_seen += len(positions)
            for (distance, floor, i), shortlist in shortlists.items():
                strengths = self._strengths(features, *trained[i][::-1], distance, floor)
                shortlist.absorb(strengths, np.empty((len(positions), 0)), names)
            kept = [shortlist.features.positions for shortlist in shortlists.values()]
            own = FeatureDistances(positions, names, np.empty((0, len(positions))), features)
            store = own if store is None else store.join(own)
            store = store.take(np.flatnonzero(np.isin(store.positions, np.concatenate(kept))))
        if store is None:  # `checked_chunks` has refused it
            return
        self.feature_names_in_ = store.names.astype(object)
        values = store.values if is_sparse(store.values) else as_dense(store.values)
        self._fit(values, codes, groups, n_seen, folds)

    def _fit(
        self,
        features: Any,
        codes: np.ndarray,
        groups: np.ndarray | None = None,
        n_features: int | None = None,
        folds: list[tuple[np.ndarray, np.ndarray]] | None = None,
    ) -> None:
        """Learn from features (n_features, n_samples), all or those that may be selected."""
        if folds is None:
            folds = inner_folds(self.cv, codes, groups) if len(self.classes_) > 1 else []
        features = by_feature(features) if is_sparse(features) else features
        sizes = checked_sizes(self.sizes, features.shape[0] if n_features is None else n_features)
        rows, fitted, inner = self._path(features, codes, groups, sizes, folds)
        best, size, average = self._choose(rows, fitted, len(codes))
        table = pd.DataFrame(rows)
        table["chosen"] = table.index == best
        self._path_columns = {name: table[name].to_numpy() for name in table}
        self.n_features_, self.distance_, self.min_bandwidth_ = (
            rows[best][name] for name in ("n_features_per_pair", "distance", "min_bandwidth")
        )
        calibration, self._averaged = fitted[best][0], average is not None
        if average is not None and average.equal_priors:
            self.class_log_prior_ = np.full(len(self.classes_), -np.log(len(self.classes_)))
        self.temperature_ = calibration.temperature
        self.calibration_slope_ = calibration.slope
        self.calibration_intercept_ = calibration.intercept
        self.held_out_scores_, self.held_out_codes_ = np.empty(0), np.empty(0, dtype=int)
        self.held_out_folds_ = self.held_out_codes_
        self.core_scores_ = {"accuracy": 1.0, "balanced_accuracy": 1.0}
        if inner:
            own = inner[best // len(sizes)]
            sums = own.sums[best % len(sizes)] if average is None else average.sums
            self.held_out_scores_ = own.true_posterior(calibration(sums))
            self.held_out_codes_, self.held_out_folds_ = own.codes, own.folds
            first = best - best % len(sizes)
            temperatures = [row["temperature"] for row in rows[first : first + len(sizes)]]
            self.core_scores_ = own.crossed_choice(1.0 / np.array(temperatures))
        given = codes, None, size, self.distance_, self.min_bandwidth_
        shortlist, rankings = self._ranked(features, *given)
        chosen = [rankings.chosen(code) for code in range(len(self.classes_))]
        density = self._density(self.min_bandwidth_) | {"borrowed": self._borrowed}
        self._keep(rankings, shortlist.features, chosen, codes, **density)
        if average is None:
            slopes = zip(self.selected_features_.items(), calibration.slope, strict=True)
            self.weights_ = {label: np.full(len(own), slope) for (label, own), slope in slopes}
            self.core_features_ = {label: [*own] for label, own in self.selected_features_.items()}
        else:
            self._weigh_features(shortlist, rankings.entries(), codes, sizes, average)

    def _path(
        self,
        features: Any,
        codes: np.ndarray,
        groups: np.ndarray | None,
        sizes: np.ndarray,
        folds: list[tuple[np.ndarray, np.ndarray]],
    ) -> tuple[list[dict[str, Any]], list[_Fitted], list[InnerPredictions]]:
        """Return the rows of the path, and of each its calibration and the average it is in.

        The third are the inner predictions of each distance and floor.
        """
        candidates = list(itertools.product(_listed(self.distance), _listed(self.min_bandwidth)))
        if not candidates:
            msg = "distance or min_bandwidth is empty; name at least one value of each to try"
            raise InputError(msg)
        certain = Calibration.of_temperature(1.0, len(self.classes_))
        if len(self.classes_) == 1:
            scores = {"n_features_per_class": 0.0, "temperature": 1.0}
            for name, score in zip(SCORINGS, (0.0, 1.0, 1.0), strict=True):
                scores |= {name: score, f"{name}_se": 0.0}
            return _labelled(*candidates[0], sizes[:1], [scores]), [(certain, None)], []
        n_units = len(codes) if groups is None else len(np.unique(groups))
        rows: list[dict[str, Any]] = []
        fitted: list[_Fitted] = []
        inner: list[InnerPredictions] = []
        for distance, floor in candidates:
            predictions = self._predict_inside(features, codes, folds, sizes, distance, floor)
            if self.rule == "average":
                if self.priors is None:
                    predictions, scores_, average = predictions.average_of_prior(n_units)
                else:
                    scores_, average = predictions.average(n_units)
                calibration = certain  # the average has its sharpness
                if self.calibration == "vector":
                    calibration = predictions.fit_vector(average.sums, certain)
                fitted += [(calibration, average)] * len(sizes)
            else:
                scores_, calibrations = predictions.rows(self.calibration)
                fitted += [(calibration, None) for calibration in calibrations]
            rows += _labelled(distance, floor, sizes, scores_)
            inner.append(predictions)
        return rows, fitted, inner

    def _choose(
        self, rows: list[dict[str, Any]], fitted: list[_Fitted], n_samples: int
    ) -> tuple[int, int, SizeAverage | None]:
        """Return which row is chosen, how many features a pair takes, and the average if any."""
        averages = [average for _, average in fitted if average is not None]
        if not averages:
            best = choose(rows, self.scoring, self.rule, n_samples)
            return best, rows[best]["n_features_per_pair"], None
        first = int(np.argmin([average.loss for average in averages]))
        least = averages[first]
        last = first + int(np.flatnonzero(least.weights)[-1])
        within = choose(rows[first : last + 1], self.scoring, "one_standard_error", n_samples)
        return first + within, rows[last]["n_features_per_pair"], least

    def _weigh_features(
        self,
        shortlist: Shortlist,
        entries: np.ndarray,
        codes: np.ndarray,
        sizes: np.ndarray,
        average: SizeAverage,
    ) -> None:
        """Set the weights of an average's features, and which of them are the core."""
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


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _labelled(
    distance: str, floor: float, sizes: np.ndarray, scores: list[dict[str, float]]
) -> list[dict[str, Any]]:
    """Return the rows of a path with what they are of."""
    own = {"distance": distance, "min_bandwidth": float(floor)}
    pairs = zip(sizes.tolist(), scores, strict=True)
    return [{**own, "n_features_per_pair": size, **row} for size, row in pairs]
