"""ClassSpecificNBCV: number of features and calibration by inner cross-validation.

The steps of ``docs/methods/class-specific.md``, the method of `ClassSpecificNBCV` that conducts
each, and the module that computes it:

========= ==================== =====================================================================
rank      ``_predict_fold``    `xnbflow.preprocessing.selection.pair_rankings`: features by pair
path      ``_predict_fold``    `xnbflow.naive_bayes.path_evidence`: evidence of test samples by size
modules   ``_predict_fold``    `xnbflow.naive_bayes.modules`: correlated features count once
average   ``_average_path``    `xnbflow.naive_bayes.size_average`: sizes weighted by inner log loss
calibrate ``_average_path``    `xnbflow.naive_bayes.vector_scaling`: slope, intercept of each class
core      ``_average_path``    `xnbflow.naive_bayes.size_path`: smallest size within one error
sets      ``predict_set``      `xnbflow.naive_bayes.conformal`: classes that a sample may belong to
========= ==================== =====================================================================

With ``decorrelation`` all steps are conducted twice, for values as measured and for those of
`xnbflow.preprocessing.decorrelation` (`DecorrelatedNBCV`), and the predictions are averaged.
``_predict_path`` calls ``_predict_fold`` for each inner fold. With ``rule="one_standard_error"``
``_choose_on_path`` replaces ``_average_path``. ``_fit`` conducts all of them.
"""

import itertools
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.blas import one_blas_thread
from xnbflow.core.parameters import ListOf, number_constraint, one_of, whole_constraint
from xnbflow.data.samples import Labels, SamplesLike
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.naive_bayes.class_specific_nb import COMMON_CONSTRAINTS, BaseClassSpecificNB
from xnbflow.naive_bayes.conformal import ERROR_RATE, conformal_sets, held_out_coverage
from xnbflow.naive_bayes.evidence import DEFAULT_CONTAMINATION
from xnbflow.naive_bayes.evidence_calibration import Calibration
from xnbflow.naive_bayes.inner_folds import CV_CONSTRAINTS, inner_folds, sample_groups
from xnbflow.naive_bayes.modules import ModuleWeights, ResidualCorrelation
from xnbflow.naive_bayes.path_decisions import (
    HeldOut,
    PathDecisions,
    inverse_temperatures,
    numbered_rows,
)
from xnbflow.naive_bayes.path_evidence import sum_path_evidence
from xnbflow.naive_bayes.size_average import (
    SizeAverage,
    average_sizes,
    shares_predict_better,
    with_equal_priors,
)
from xnbflow.naive_bayes.size_path import (
    InnerPredictions,
    choose_size,
    path_sizes,
    prior_weights,
)
from xnbflow.preprocessing.decorrelation import Decorrelator
from xnbflow.preprocessing.selection.pair_rankings import PairRankings, RankedFeatures
from xnbflow.preprocessing.selection.pair_strengths import DEFAULT_MIN_BANDWIDTH

#: How many samples the spread within all classes counts as in a density of an averaged model; see
#: "The average of the sizes" of ``docs/methods/class-specific.md``.
_BORROWED_SAMPLES = 10.0


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
        The inner folds. None makes 5 stratified folds of the samples in their canonical order
        (`xnbflow.data.canonical_order`): the order of the rows of X changes nothing, and a study
        selects the same features of the same table. An int makes stratified folds in the order of
        the rows, as in scikit-learn. Where ``groups`` are given to `fit`, both keep groups
        together. A list has (training, test) samples.
    rule : {"average", "one_standard_error"}, default="average"
        Average over all sizes, see the notes; or take the fewest features whose log loss over the
        inner test samples is within one standard error, or the weight of one sample, of the least.
    distance, bandwidth, min_bandwidth, kernel, n_grid, contamination
        As in `ClassSpecificNB`. Inner folds of more than 48 test samples interpolate the evidence
        of a feature between 48 of its values.
    decorrelation : float, default=0
        Above 0, the same classifier is also fitted to each gene's values beyond its correlated
        genes (`Decorrelator` of this strength, fitted in every inner fold), and the log posteriors
        of both are averaged. Predictions then depend on all features of a sample.
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
        size is chosen by the log loss of the other inner folds.
    temperature_ : float
        The temperature, 1 or more, with the least log loss of the inner predictions.
    calibration_slope_, calibration_intercept_ : ndarray of shape (n_classes,)
        Factor, at most 1, and constant, in nats, of the summed evidence of each class, fitted to
        the inner predictions; two classes, whose features are the same, share the inverse of the
        temperature. See `xnbflow.naive_bayes.vector_scaling.fit_vector`. With
        ``rule="average"`` temperature and slopes are 1, because the weights include them.
    held_out_scores_, held_out_codes_, held_out_folds_ : ndarray of shape (n_tested,)
        Posterior of its own class of each sample that an inner fold tests, its class as a number,
        and that fold; see `predict_set`.
    path_ : DataFrame
        One row per size, with the columns

        * ``n_features_per_pair``, the size, and ``n_features_per_class``, the mean over inner folds
          and classes;
        * ``temperature``;
        * ``accuracy``, ``balanced_accuracy`` and ``log_loss`` (nats) over all inner test samples,
          after the calibration;
        * ``accuracy_se``, ``log_loss_se``, standard errors over folds, and
          ``balanced_accuracy_se``, over samples;
        * ``weight``, with ``rule="average"``: the weight of the size in the average;
        * ``chosen``, true in one row. Its scores are optimistic, because it was chosen by them.
    decorrelated_ : DecorrelatedNBCV
        With ``decorrelation``: the classifier of decorrelated values. All attributes except
        ``class_log_prior_``, ``calibration_intercept_`` (means of both) and the held-out scores
        (of both together) are those of the classifier of the values as measured.
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
    >>> model.predict_set(X.iloc[[0, 70]])
            0      1      2
    0    True  False  False
    70  False   True   True

    After a step that keeps the names of the features, and in a search over a parameter:

    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> scaler = StandardScaler().set_output(transform="pandas")
    >>> pipeline = make_pipeline(scaler, ClassSpecificNBCV())
    >>> pipeline.fit(X, y)[-1].core_features_[0]
    ['petal length (cm)']
    >>> parameters = {"classspecificnbcv__distance": ["combined", "hellinger"]}
    >>> search = GridSearchCV(pipeline, parameters, scoring="neg_log_loss").fit(X, y)
    >>> search.best_params_
    {'classspecificnbcv__distance': 'combined'}
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sizes": [ListOf(whole_constraint(1)), None],
        "cv": CV_CONSTRAINTS,
        "rule": [one_of("average", "one_standard_error")],
        "decorrelation": [number_constraint(0.0, 1.0, closed="left")],
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
        decorrelation: float = 0.0,
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
        self.decorrelation = decorrelation
        self.priors = priors

    def fit(self, X: SamplesLike, y: Labels, groups: Labels | None = None) -> "ClassSpecificNBCV":
        """Fit the classifier.

        Samples of one of the ``groups`` (n_samples,), for example a patient, stay in one inner
        fold. Raises an `InputError` if there are too few samples for inner folds, or a group is
        missing.
        """
        values, labels = self._validate_training(X, y)
        group_labels = sample_groups(groups, len(labels))
        codes = self._learn_classes(labels)
        with one_blas_thread():
            self._fit(self._arrange(values), codes, group_labels)
            self._fit_decorrelated(values, labels, group_labels)
        return self

    def predict_set(self, X: SamplesLike, error_rate: float = ERROR_RATE) -> pd.DataFrame:
        """Return the set of classes of each sample: True where a class is in it.

        The table (n_samples, n_classes) has X's index, or the row numbers, and the class labels as
        columns.

        A class is left out if its posterior is as low as in less than a share ``error_rate`` of the
        class's own samples, each predicted by the inner folds. The set contains the true class with
        a probability of at least about ``1 - error_rate``, which `coverage` measures. A sample with
        several classes is undecided. The predicted class is in every set. A class with less than
        ``1 / error_rate - 1`` training samples is also in every set, because its samples are too
        few to leave it out. A sample whose posterior is too low for every class is undecided
        between its two most probable ones.
        """
        posterior = self.predict_proba(X)
        sets = conformal_sets(posterior, self.held_out_scores_, self.held_out_codes_, error_rate)
        samples = X.index if isinstance(X, pd.DataFrame) else None
        return pd.DataFrame(sets, index=samples, columns=self.classes_)

    def coverage(self, error_rate: float = ERROR_RATE) -> dict[Any, float]:
        """Return for each class label how often `predict_set` has it for its held-out samples.

        The sets of an inner fold's samples rest on the other folds; see
        `xnbflow.naive_bayes.conformal.held_out_coverage`.
        """
        check_is_fitted(self)
        shares = held_out_coverage(
            self.held_out_scores_,
            self.held_out_codes_,
            self.held_out_folds_,
            n_classes=len(self.classes_),
            error_rate=error_rate,
        )
        return dict(zip(self.classes_.tolist(), shares.tolist(), strict=True))

    @property
    def path_(self) -> pd.DataFrame:
        """The path over sizes, see the class."""
        check_is_fitted(self)
        return pd.DataFrame(self._path_columns)

    def _fit(
        self,
        features: Any,
        codes: np.ndarray,
        groups: np.ndarray | None = None,
    ) -> None:
        """Conduct the steps of the module's table.

        Inner folds rank features and predict their test samples at every size. These predictions
        decide the average over the sizes (or one size), the calibration and the core. Then the
        features are ranked by all samples.
        """
        sizes = path_sizes(self.sizes, features.shape[0])
        if len(self.classes_) == 1:
            decisions = PathDecisions.of_one_class(sizes)
        else:
            predictions = self._predict_path(features, codes, groups, sizes)
            if self.rule == "average":
                n_units = len(codes) if groups is None else len(np.unique(groups))
                decisions = self._average_path(predictions, sizes, n_units)
            else:
                decisions = self._choose_on_path(predictions, sizes)
        self._set_decisions(decisions)

        # The final model: rank features by all samples, and weight them as the inner folds decided.
        largest_size = int(sizes[decisions.last_row])
        ranked, rankings = self._rank_features(features, codes, n_features=largest_size)
        self._set_selection(ranked, rankings, codes)
        if decisions.average is None:
            self._set_slopes_as_weights()
        else:
            self._set_average_weights(
                ranked, rankings.entry_sizes(), codes=codes, sizes=sizes, average=decisions.average
            )

    # In inner folds: rank features, and predict every test sample at every size of the path.

    def _predict_path(
        self, features: Any, codes: np.ndarray, groups: np.ndarray | None, sizes: np.ndarray
    ) -> InnerPredictions:
        """Predict every inner test sample at every size."""
        folds = self._inner_folds = inner_folds(self.cv, codes, groups, features)
        tested = np.concatenate([test for _, test in folds])
        fold_of_tested = np.repeat(np.arange(len(folds)), [len(test) for _, test in folds])
        priors = None if self.priors is None else np.exp(self.class_log_prior_)
        sums = np.zeros((len(sizes), len(tested), len(self.classes_)))
        log_prior = np.full((len(tested), len(self.classes_)), -np.inf)
        fold_counts = []
        for fold, (train, test) in enumerate(folds):
            # The classes of the training set, and the samples' positions among these classes.
            present, present_codes = np.unique(codes[train], return_inverse=True)

            # The log priors of these classes, which add up to 1 without the absent classes.
            fold_priors = np.bincount(present_codes) / len(train)
            if priors is not None:
                fold_priors = priors[present] / priors[present].sum()
            with np.errstate(divide="ignore"):  # a prior may be 0
                fold_log_prior = np.log(fold_priors)

            fold_sums, counts = self._predict_fold(
                features,
                present_codes,
                train=train,
                test=test,
                sizes=sizes,
                log_prior=fold_log_prior,
            )
            rows = np.flatnonzero(fold_of_tested == fold)
            sums[:, rows[:, np.newaxis], present] = fold_sums
            log_prior[rows[:, np.newaxis], present] = fold_log_prior
            fold_counts.append(counts)
        return InnerPredictions(
            sums=sums,
            log_prior=log_prior,
            codes=codes[tested],
            folds=fold_of_tested,
            counts=np.mean(fold_counts, axis=0),
            weights=prior_weights(codes[tested], priors),
        )

    def _predict_fold(
        self,
        features: Any,
        codes: np.ndarray,
        *,
        train: np.ndarray,
        test: np.ndarray,
        sizes: np.ndarray,
        log_prior: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the summed evidence of a fold's test samples, and the numbers of features.

        ``codes`` (n_train,) are positions of the training samples' classes among the classes that
        the fold has. The sums have shape (n_sizes, n_test, n_classes), the mean numbers of features
        per class (n_sizes,).
        """
        # Rank.
        ranked, rankings = self._rank_features(
            features, codes, n_features=int(sizes[-1]), samples=train
        )
        values = ranked.values
        entry_sizes = rankings.entry_sizes()
        del ranked, rankings  # with many classes the strengths take most of the memory

        # Modules.
        correlation = None
        if self.rule == "average":
            correlation = ResidualCorrelation(values[:, train], codes)
        modules = ModuleWeights(correlation, entry_sizes, sizes)

        # Path.
        sums = sum_path_evidence(
            modules,
            values,
            codes,
            train=train,
            test=test,
            log_prior=log_prior,
            borrowed=self._borrowed_samples,
            contamination=self.contamination,
            **self._density_parameters,
        )
        return sums, modules.counts().mean(axis=1)

    # By the inner predictions: average the sizes or choose one, calibrate, choose the core.

    def _average_path(
        self, predictions: InnerPredictions, sizes: np.ndarray, n_units: int
    ) -> PathDecisions:
        """Average over the sizes, with equal priors or the classes' shares; calibrate; core."""
        average = average_sizes(predictions, n_units)
        has_equal_priors = False
        if self.priors is None:
            equal_predictions = with_equal_priors(predictions)
            equal_average = average_sizes(equal_predictions, n_units)
            has_equal_priors = not shares_predict_better(
                (predictions, average), (equal_predictions, equal_average)
            )
            if has_equal_priors:
                predictions = equal_predictions
                average = equal_average

        # The average has the right sharpness, so calibration begins at temperature 1.
        start = Calibration.of_temperature(1.0, len(self.classes_))
        calibration = predictions.fit_vector(average.sums, start)

        # The core, among the sizes that the average contains.
        rows = numbered_rows(average.path_rows(predictions), sizes)
        return PathDecisions(
            rows=rows,
            core_row=choose_size(rows[: average.last_row + 1], self._n_samples),
            last_row=average.last_row,
            calibration=calibration,
            held_out=HeldOut.from_predictions(predictions, calibration(average.sums)),
            core_scores=predictions.core_scores(inverse_temperatures(rows)),
            average=average,
            equal_priors=has_equal_priors,
        )

    def _choose_on_path(self, predictions: InnerPredictions, sizes: np.ndarray) -> PathDecisions:
        """Calibrate every size, and choose one by the rule of one standard error."""
        rows, calibrations = predictions.calibrate_sizes()
        rows = numbered_rows(rows, sizes)
        row = choose_size(rows, self._n_samples)
        calibrated = calibrations[row](predictions.sums[row])
        return PathDecisions(
            rows=rows,
            core_row=row,
            last_row=row,
            calibration=calibrations[row],
            held_out=HeldOut.from_predictions(predictions, calibrated),
            core_scores=predictions.core_scores(inverse_temperatures(rows)),
        )

    def _set_decisions(self, decisions: PathDecisions) -> None:
        """Set the fitted attributes that the inner predictions decide."""
        path = pd.DataFrame(decisions.rows)
        path["chosen"] = path.index == decisions.core_row
        self._path_columns = {name: path[name].to_numpy() for name in path}
        self.n_features_ = decisions.rows[decisions.core_row]["n_features_per_pair"]
        self.core_scores_ = decisions.core_scores
        self._averaged = decisions.average is not None
        if decisions.equal_priors:
            self.class_log_prior_ = np.full(len(self.classes_), -np.log(len(self.classes_)))
        self.temperature_ = decisions.calibration.temperature
        self.calibration_slope_ = decisions.calibration.slope
        self.calibration_intercept_ = decisions.calibration.intercept
        self._held_out_log_posterior = decisions.held_out.log_posterior
        self.held_out_scores_ = decisions.held_out.scores
        self.held_out_codes_ = decisions.held_out.codes
        self.held_out_folds_ = decisions.held_out.folds

    # The weights of the features in the final model.

    def _set_slopes_as_weights(self) -> None:
        """Set the weights and core features where one size predicts.

        The features of a class have its slope as their weight, and all are core features.
        """
        self.weights_ = {}
        self.core_features_ = {}
        for code, (label, names) in enumerate(self.selected_features_.items()):
            self.weights_[label] = np.full(len(names), self.calibration_slope_[code])
            self.core_features_[label] = list(names)

    def _set_average_weights(
        self,
        ranked: RankedFeatures,
        entry_sizes: np.ndarray,
        codes: np.ndarray,
        sizes: np.ndarray,
        average: SizeAverage,
    ) -> None:
        """Set the weights and core features where an average over sizes predicts.

        A feature's weight is its module weight, averaged over the sizes, times the slope of the
        class. The weights then contain the slopes, so `calibration_slope_` becomes 1.
        ``entry_sizes`` (n_classes, n_ranked) are those of `PairRankings.entry_sizes`.
        """
        has_weight = average.weights > 0.0
        correlation = ResidualCorrelation(ranked.values, codes)
        modules = ModuleWeights(correlation, entry_sizes, sizes[has_weight])
        weights = modules.average(average.weights[has_weight])
        weights *= self.calibration_slope_[:, np.newaxis]
        self.calibration_slope_ = np.ones(len(self.classes_))
        self.weights_ = {}
        self.core_features_ = {}
        for code, (label, names) in enumerate(self.selected_features_.items()):
            # Positions of the class's features among the ranked ones.
            positions = np.searchsorted(ranked.positions, self.columns_[code])
            in_core = entry_sizes[code, positions] <= self.n_features_
            self.weights_[label] = weights[code, positions]
            self.core_features_[label] = list(itertools.compress(names, in_core))

    # Decorrelated values: the second classifier, and the average of both.

    def _fit_decorrelated(
        self, values: np.ndarray, labels: np.ndarray, groups: np.ndarray | None
    ) -> None:
        """Fit the second classifier, if there is one, and average what both have in common."""
        if self.decorrelation == 0.0 or len(self.classes_) == 1:
            return
        parameters = self.get_params(deep=False) | {"cv": self._inner_folds}
        second = DecorrelatedNBCV(**parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the first classifier has warned
            second.fit(values, labels, groups)

        # Both have the same constants, so that the sums of `explain` need only one.
        log_prior = (self.class_log_prior_ + second.class_log_prior_) / 2.0
        intercept = (self.calibration_intercept_ + second.calibration_intercept_) / 2.0
        for classifier in (self, second):
            classifier.class_log_prior_ = log_prior - logsumexp(log_prior)
            classifier.calibration_intercept_ = intercept

        log_posterior = (self._held_out_log_posterior + second._held_out_log_posterior) / 2.0
        log_posterior -= logsumexp(log_posterior, axis=1, keepdims=True)
        tested = np.arange(len(log_posterior))
        self.held_out_scores_ = np.exp(log_posterior[tested, self.held_out_codes_])
        self.decorrelated_ = second

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        """Return the joint log probability, (n_samples, n_classes), or the mean of two."""
        joint = super()._joint_log_likelihood(features)
        if hasattr(self, "decorrelated_"):
            joint = (joint + self.decorrelated_._joint_log_likelihood(features)) / 2.0
        return joint

    def _all_class_terms(self, features: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the columns of each class and their evidence, or the mean of two."""
        if not hasattr(self, "decorrelated_"):
            yield from super()._all_class_terms(features)
            return
        first_terms = super()._all_class_terms(features)
        second_terms = self.decorrelated_._all_class_terms(features)
        for parts in zip(first_terms, second_terms, strict=True):
            columns = np.unique(np.concatenate([part_columns for part_columns, _ in parts]))
            mean = np.zeros((len(columns), features.shape[1]))
            for part_columns, terms in parts:
                mean[np.searchsorted(columns, part_columns)] += terms / len(parts)
            yield columns, mean

    def _share_left(self, present: np.ndarray) -> np.ndarray:
        """Return the share of the weight where values are ``present``, or the mean of two."""
        left = super()._share_left(present)
        if hasattr(self, "decorrelated_"):
            left = (left + self.decorrelated_._share_left(present)) / 2.0
        return left

    @property
    def _needed_columns(self) -> np.ndarray:
        """Positions of the features on which predictions depend, ascending."""
        if self.decorrelation > 0.0:
            return np.arange(self.n_features_in_)
        return self.used_columns_

    @property
    def _n_samples(self) -> int:
        """The number of training samples."""
        return int(self.class_count_.sum())

    @property
    def _borrowed_samples(self) -> float:
        """An average borrows the spread within all classes; a single size does not."""
        return _BORROWED_SAMPLES if self.rule == "average" else 0.0

    # What predictions of the base class use.

    @property
    def _calibration(self) -> Calibration:
        """The calibration by the inner predictions."""
        return Calibration(self.temperature_, self.calibration_slope_, self.calibration_intercept_)

    @property
    def _log_reference(self) -> np.ndarray:
        """The log shares of the classes, or the priors; not the equal priors of an average."""
        return self._log_prior(self.class_count_ / self.class_count_.sum())

    @property
    def _feature_weights(self) -> list[np.ndarray]:
        """The weights of each class's features, in the order of ``columns_``."""
        return list(self.weights_.values())

    def _multiply_by_weights(self, evidence: np.ndarray) -> None:
        """Multiply the evidence (n_classes, n_used, n_points) by the weights of an average.

        Where one size predicts, the weights are the slopes, by which `_calibration` multiplies.
        """
        if self._averaged:
            used = self.used_columns_
            for code, weights in enumerate(self.weights_.values()):
                rows = np.searchsorted(used, self.columns_[code])
                evidence[code, rows] *= weights[:, np.newaxis]


class DecorrelatedNBCV(ClassSpecificNBCV):
    """The second classifier of `ClassSpecificNBCV` with ``decorrelation``.

    It is fitted to, and predicts from, samples as measured, which it transforms: in every inner
    fold by a `Decorrelator` of the fold's training samples, in the end by one of all samples. Its
    densities, distances and directions are those of transformed features.

    Attributes
    ----------
    decorrelator_ : Decorrelator
        Fitted to all training samples.
    """

    def _fit_decorrelated(self, *samples: Any) -> None:
        """Do nothing: this is the second classifier."""

    def _rank_features(
        self,
        features: Any,
        codes: np.ndarray,
        *,
        samples: np.ndarray | None = None,
        **size: Any,
    ) -> tuple[RankedFeatures, PairRankings]:
        """Rank the transformed features; the transformation is fitted to the same ``samples``."""
        values = features.T
        training = values if samples is None else values[samples]
        self.decorrelator_ = Decorrelator(strength=self.decorrelation).fit(training, codes)
        transformed = self.decorrelator_.transform(values).T
        return super()._rank_features(transformed, codes, samples=samples, **size)

    def _joint_log_likelihood(self, features: np.ndarray) -> np.ndarray:
        """Return the joint log probability of samples as measured."""
        return super()._joint_log_likelihood(self.decorrelator_.transform(features.T).T)

    def _all_class_terms(self, features: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the columns of each class and the evidence of their transformed values."""
        return super()._all_class_terms(self.decorrelator_.transform(features.T).T)
