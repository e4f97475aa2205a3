"""Permutation tests: comparison of the labels of a data set with permuted labels.

By default the label test of a data set fits naive Bayes with ten features per class, independent of
the classifiers: it is fast, has more power than the classifiers, and cannot be chosen by results. A
study can have a test of a classifier, which repeats the complete fit (`complete_score`). Both are
exact: true and permuted labels go through the same steps.
"""

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import betaincinv, softmax
from sklearn.base import BaseEstimator, clone

from xnbflow.core.errors import InputError
from xnbflow.core.jit import njit
from xnbflow.core.nouns import listed
from xnbflow.core.progress import track
from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.core.terms import column_of_term
from xnbflow.data.canonical_order import in_canonical_order, numbered
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import expressed_features
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.build import estimator_for
from xnbflow.evaluation.fitting import (
    as_read,
    filled,
    fit_grouped,
    frame_for,
    impute_within,
    imputes,
)
from xnbflow.evaluation.folds import class_counts, stratified_splits, tested_folds
from xnbflow.evaluation.metrics import class_metrics
from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.preselection import keep_largest, standardised
from xnbflow.inference.sequential import MOST_PERMUTATIONS, RunningTest, sequential_test
from xnbflow.inference.strata import crossed_strata
from xnbflow.tables.contract import CHECK_TABLES

#: The classifier of the default label test, as named on pages.
STATISTIC = "naive Bayes with ten features per class, by means and by spread"
_FEATURES = 10
#: Features of a tile, whose sums remain in a core's cache.
_TILE = 256
#: Larger data sets (samples times features) are tested only on request of a study.
_MOST_VALUES = 60_000_000
#: Most draws of folds for each permutation. Large data sets have fewer: draws times values are at
#: most `_MOST_VALUES`, so that no test takes longer than one draw of the largest data set.
_REPEATS = 20
#: The same of a test that adjusts for columns, which fits a linear model of all features each time.
_ADJUSTED_REPEATS = 3
#: With more samples or groups two folds are enough.
_MANY_UNITS = 100
#: Distance of the seeds of two draws of folds, above the number of permutations.
_SEED_STEP = 1_000_003
#: Shares of the level of the default label test: means differ more often, and their test would lose
#: more power with one half.
_MEANS_SHARE = 0.8
_SPREAD_SHARE = 0.2
#: Permutations of the default label test at most, while its decision is not certain; of data sets
#: with more values, whose tests take long, `MOST_PERMUTATIONS`.
_MOST_UNDECIDED = 4_999
_MOST_UNDECIDED_VALUES = 3_000_000
#: Standard errors within which the mean over more draws of folds is expected.
_ERRORS = 2.0
#: Equal scores differ by rounding at most: sums in single precision.
_ROUNDING = 1e-6
#: Probability on each side of a 95% interval.
_TAIL = 0.025

#: The class of the step that adjusts for columns.
_ADJUSTER = ".CovariateAdjuster"

#: The score of labels, of shape (n_samples,), with the folds that a seed draws.
Score = Callable[[np.ndarray, int], float]
#: The same with the folds of each of several seeds, of shape (n_seeds,).
RepeatedScore = Callable[[np.ndarray, Sequence[int]], np.ndarray]


class PermutationTest(NamedTuple):
    """Score of true labels, one-sided p, permutations that reached it, and all their scores."""

    observed: float
    p_value: float
    at_least: int
    null: tuple[float, ...]


def permutation_test(
    score: Score,
    labels: np.ndarray,
    permute: Callable[[np.random.Generator], np.ndarray],
    *,
    n_permutations: int = MOST_PERMUTATIONS,
    seed: int = 0,
) -> PermutationTest:
    """Test whether labels are predicted better than permuted ones.

    ``score`` gives the score of labels, of shape (n_samples,), and a seed for its folds, another
    for each permutation; ``permute`` gives permuted labels, see `label_exchange`. Each permutation
    has a random generator of its own. The rule for stopping and its p are in
    `xnbflow.inference.sequential`.
    """
    if n_permutations < 1:
        msg = f"n_permutations is {n_permutations}; use 1 or more"
        raise InputError(msg)
    observed = score(labels, seed)
    null: list[float] = []

    def scores() -> Iterator[float]:
        """Yield the score of one permutation after another, and keep it."""
        seeds = itertools.count(seed + 1)
        for permutation_seed in track(seeds, "permutations", n_permutations, may_end_early=True):
            permuted = permute(np.random.default_rng(permutation_seed))
            null.append(score(permuted, permutation_seed))
            yield null[-1]

    test = sequential_test(observed, scores(), ONE_SIDED_LEVEL, n_permutations, rounding=_ROUNDING)
    return PermutationTest(observed, test.p_value, test.at_least, tuple(null))


def label_test(
    series: DataSet,
    entry: Mapping[str, Any] | None = None,
    *,
    adjust: Sequence[str] = (),
    n_permutations: int | None = None,
    n_repeats: int | None = None,
) -> pd.DataFrame:
    """Test whether the labels of a data set are predicted better than permuted ones.

    Without ``entry`` there are two statistics, both of naive Bayes with ten features per class (see
    `ten_features_score`): that of the *means* is fitted to the values, that of the *spread* to the
    distances of the values from the median of their feature. The test rejects if either rejects, at
    four and one fifth of the level: p is the smaller of ``p / share`` (Bonferroni, weighted). It
    ends with the first rejection. Medians over all samples replace missing values, and of counts
    the features with enough reads are used (`xnbflow.data.read_counts.expressed_features`): those
    with few reads differ between libraries of different sizes. With more than 60 million values
    there is then no test.

    A step that adjusts for columns estimates their effects within the classes. With a column that
    goes with the class, its error is recognised instead of the class, also where labels carry no
    information. With the columns ``adjust``, or an ``entry`` that begins with such a step, the step
    is therefore fitted anew to each permutation, and labels are exchanged within the levels of the
    columns, so that permuted labels go with the columns as the true ones.

    There are five folds, or two with more than 100 samples or groups. The score of the default test
    is the mean over ``n_repeats`` draws of folds, by default `repeats_of_test`, since one draw
    decides p-values near the level (`python -m benchmarks draws`). There are ``n_permutations`` at
    most: by default 999, and 4,999 of the default test with at most three million values, which are
    needed near the level only. The result is the table ``label_test`` of `CHECK_TABLES`; it is
    empty where no test is made or no class is large enough for two folds.
    """
    columns = CHECK_TABLES["label_test"].fixed
    n_splits = n_splits_of(series)
    if n_splits < 2 or (entry is None and series.values.size > _MOST_VALUES):
        return pd.DataFrame(columns=columns)
    series = in_canonical_order(series)
    labels = series.labels if entry is not None else numbered(series.labels)
    adjust = adjust or columns_of_steps(entry or {})
    adjustment = Adjustment.of(series, adjust) if adjust else None
    # Labels are exchanged within the levels of the columns that are adjusted for.
    strata = None if adjustment is None else adjustment.strata
    exchange = label_exchange(labels, series.groups, strata)
    seed = series_seed(series, 0, "permutation")

    def permute(rng: np.random.Generator) -> np.ndarray:
        return exchange.permute(labels, rng)

    if entry is None:
        few_values = series.values.size <= _MOST_UNDECIDED_VALUES
        most = _MOST_UNDECIDED if few_values else MOST_PERMUTATIONS
        if n_permutations is not None:
            most = n_permutations
        draws = n_repeats or repeats_of_test(series.values.size)
        if adjustment is not None and n_repeats is None:
            draws = min(draws, _ADJUSTED_REPEATS)
        scores = _default_scores(series, adjustment, n_splits)
        row = _means_and_spread(
            scores, labels, permute, n_permutations=most, n_repeats=draws, seed=seed
        )
        row["permuted"] = _statistic(adjust)
        return pd.DataFrame([row], columns=columns)
    estimator = estimator_for(series, entry, series_seed(series, 0, "classifier"))
    score = complete_score(estimator, series, n_splits=n_splits)
    most = MOST_PERMUTATIONS if n_permutations is None else n_permutations
    test = permutation_test(score, labels, permute, n_permutations=most, seed=seed)
    lower, upper = _limits_of_p(test.null, test.observed)
    row = {
        "metric": "balanced_accuracy",
        **_of_test(test),
        "p_value": test.p_value,
        "p_lower": lower,
        "p_upper": upper,
        "permuted": "",
    }
    return pd.DataFrame([row], columns=columns)


def _of_test(test: PermutationTest) -> dict[str, Any]:
    """Return the columns on the scores of a test."""
    return {
        "observed": test.observed,
        "permutations": len(test.null),
        "null_mean": np.mean(test.null),
        "null_sd": np.std(test.null, ddof=1) if len(test.null) > 1 else np.nan,
        "null_95": np.quantile(test.null, 0.95),
        "at_least": test.at_least,
    }


def _means_and_spread(
    scores: Sequence[RepeatedScore],
    labels: np.ndarray,
    permute: Callable[[np.random.Generator], np.ndarray],
    *,
    n_permutations: int,
    n_repeats: int,
    seed: int,
) -> dict[str, Any]:
    """Return the row of a test of means and of spread, see `label_test`.

    ``scores`` are those of the means and of the spread. Both have the same permutations, and each
    stops by itself; the one that has not stopped when the other rejects has no p.
    """
    if n_permutations < 1:
        msg = f"n_permutations is {n_permutations}; use 1 or more"
        raise InputError(msg)
    shares = (_MEANS_SHARE, _SPREAD_SHARE)
    draws = [score(labels, seeds_of_draws(seed, n_repeats)) for score in scores]
    observed = [float(np.mean(values)) for values in draws]
    tests = [
        RunningTest(value, share * ONE_SIDED_LEVEL, n_permutations, rounding=_ROUNDING)
        for value, share in zip(observed, shares, strict=True)
    ]
    null: list[list[float]] = [[], []]
    seeds = itertools.count(seed + 1)
    for permutation_seed in track(seeds, "permutations", n_permutations, may_end_early=True):
        permuted = permute(np.random.default_rng(permutation_seed))
        seeds_of_folds = seeds_of_draws(permutation_seed, n_repeats)
        for test, score, values in zip(tests, scores, null, strict=True):
            if test.result is None:
                values.append(float(np.mean(score(permuted, seeds_of_folds))))
                test.add(values[-1])
        is_rejected = any(test.rejects for test in tests)
        if is_rejected or all(test.result is not None for test in tests):
            break
    p_values = [np.nan if test.result is None else test.result.p_value for test in tests]
    adjusted = np.minimum(1.0, np.array(p_values) / shares)
    decisive = int(np.nanargmin(adjusted))
    means = PermutationTest(
        observed[0], p_values[0], sum(v >= observed[0] - _ROUNDING for v in null[0]), tuple(null[0])
    )
    error = _ERRORS * np.std(draws[decisive], ddof=1) / np.sqrt(n_repeats) if n_repeats > 1 else 0.0
    lower, upper = _limits_of_p(null[decisive], observed[decisive], error)
    return {
        "metric": "mean_probability",
        **_of_test(means),
        "p_value": float(adjusted[decisive]),
        "p_lower": min(1.0, lower / shares[decisive]),
        "p_upper": min(1.0, upper / shares[decisive]),
        "means_p": p_values[0],
        "spread_p": p_values[1],
        "spread_observed": observed[1],
    }


def _limits_of_p(null: Sequence[float], observed: float, error: float = 0.0) -> tuple[float, float]:
    """Return the least and greatest p that other permutations and draws of folds may give.

    They are the limits of the 95% interval (Clopper and Pearson) of the share of permutations that
    reach the ``observed`` score, with the score an ``error`` higher and lower. A test that stopped
    because its decision is certain has both on one side of its level unless the error moves them.

    Examples
    --------
    >>> lower, upper = _limits_of_p([0.1] * 90 + [0.9] * 10, 0.5)
    >>> round(lower, 3), round(upper, 3)
    (0.049, 0.176)
    """
    scores = np.array(null)
    n = len(scores)
    fewest = int(np.sum(scores >= observed + error - _ROUNDING))
    most = int(np.sum(scores >= observed - error - _ROUNDING))
    # quantiles of beta distributions; scipy.stats.binomtest has the same, and imports in .8 s
    lower = betaincinv(fewest, n - fewest + 1, _TAIL) if fewest else 0.0
    upper = betaincinv(most + 1, n - most, 1 - _TAIL) if most < n else 1.0
    return float(lower), float(upper)


def _default_scores(
    series: DataSet, adjustment: "Adjustment | None", n_splits: int
) -> tuple[RepeatedScore, RepeatedScore]:
    """Return the scores of means and spread, adjusted for columns where there are any."""
    values = _tested_values(series)
    both = (values, distances_from_median(values))
    if adjustment is None:
        draws = FoldDraws(series.groups, n_splits)
        means, spread = (
            ten_features_scores(x, series.groups, n_splits=n_splits, draws=draws) for x in both
        )
    else:
        means, spread = (
            one_by_one(adjusted_score(x, adjustment.columns, series.groups, n_splits=n_splits))
            for x in both
        )
    return means, spread


def distances_from_median(values: np.ndarray) -> np.ndarray:
    """Return the distances of values (n_features, n_samples) from the median of their feature.

    Their mean is larger in a class with a larger spread, also if its mean is the same; classes with
    two modes around the mean of another class have it too. The median is of all samples, whatever
    their labels, so that permuted labels have the same distances.

    M. B. Brown and A. B. Forsythe, "Robust tests for the equality of variances", Journal of the
    American Statistical Association 69 (1974), 364-367.

    Examples
    --------
    >>> distances_from_median(np.array([[1.0, 2.0, 4.0, 9.0]])).tolist()
    [[2.0, 1.0, 1.0, 6.0]]
    """
    return np.abs(values - np.median(values, axis=1, keepdims=True))


def repeats_of_test(n_values: int) -> int:
    """Return how often folds are drawn for each permutation, by the size of a data set.

    Examples
    --------
    >>> repeats_of_test(3_000_000), repeats_of_test(20_000_000), repeats_of_test(40_000_000)
    (20, 3, 1)
    """
    return int(np.clip(_MOST_VALUES // max(1, n_values), 1, _REPEATS))


def seeds_of_draws(seed: int, n_repeats: int) -> list[int]:
    """Return the seeds of several draws of folds; the first is that of a single draw.

    Examples
    --------
    >>> seeds_of_draws(4, 3)
    [4, 1000007, 2000010]
    """
    return [(seed + repeat * _SEED_STEP) % 2**32 for repeat in range(n_repeats)]


def one_by_one(score: Score) -> RepeatedScore:
    """Return a score of several draws of folds, which is computed for one after another.

    Examples
    --------
    >>> one_by_one(lambda labels, seed: seed / 2)(np.empty(0), [1, 2])
    array([0.5, 1. ])
    """

    def scores(labels: np.ndarray, seeds: Sequence[int]) -> np.ndarray:
        return np.array([score(labels, seed) for seed in seeds])

    return scores


def _tested_values(series: DataSet) -> np.ndarray:
    """Return the values of the default test, of counts those of features with enough reads.

    The filter uses no labels but the size of the smallest class. It is applied once, so that
    permuted labels have the same features.
    """
    values = filled(series).values
    return values[expressed_features(series)] if series.scale == COUNTS else values


def _statistic(adjust: Sequence[str]) -> str:
    """Return the name of the statistic on pages."""
    return f"{STATISTIC}, adjusted for {listed(list(adjust))} within folds" if adjust else STATISTIC


def n_splits_of(series: DataSet) -> int:
    """Return the number of folds; fewer than two where the labels cannot be tested."""
    sizes = class_counts(series)
    if len(sizes) < 2:
        return 0
    n_units = series.n_samples if series.groups is None else len(np.unique(series.groups))
    n_splits = 5 if n_units <= _MANY_UNITS else 2
    return min(n_splits, int(sizes.max()))


def ten_features_score(
    values: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    n_splits: int = 5,
) -> Score:
    """Return `ten_features_scores` for one draw of folds.

    Examples
    --------
    >>> values, labels = np.random.default_rng(0).normal(size=(50, 40)), np.repeat([0, 1], 20)
    >>> round(ten_features_score(values)(labels, 0), 2)
    0.48
    >>> values[:10, 20:] += 3
    >>> round(ten_features_score(values)(labels, 0), 2)
    0.98
    """
    scores = ten_features_scores(values, groups, n_splits=n_splits)

    def score(labels: np.ndarray, seed: int) -> float:
        return float(scores(labels, [seed])[0])

    return score


def ten_features_scores(
    values: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    n_splits: int = 5,
    draws: "FoldDraws | None" = None,
) -> RepeatedScore:
    """Return a function for the score of naive Bayes with ten features per class.

    The score is the probability that a sample outside the training set is given for its class: the
    mean over samples, then over classes. Unlike the balanced accuracy it hardly ever has ties.

    ``values``, of shape (n_features, n_samples), have none missing; they are standardised over all
    samples. In each training set a class has the ten features whose mean differs most from the mean
    of the other classes. Densities are normal, of variance one, around the means of the classes in
    the features of any class. Evidence of correlated features is not summed in full: the summed
    logarithms are divided by the square root of the number of features. Priors are equal.

    ``draws`` are the folds, where scores of the same groups and numbers of folds share them. All
    draws of folds are scored in one pass over the features, which remain in a core's cache.

    It is the diagonal discriminant of S. Dudoit, J. Fridlyand and T. P. Speed, "Comparison of
    discrimination methods for the classification of tumors using gene expression data", Journal of
    the American Statistical Association 97 (2002), 77-87, with features for each class.
    """
    shared = FoldDraws(groups, n_splits) if draws is None else draws
    n_features, n_samples = values.shape
    n_selected = min(_FEATURES, n_features)
    n_tiles = -(-n_features // _TILE)
    tiles = np.zeros((n_tiles * _TILE, n_samples), dtype=np.float32)
    tiles[:n_features] = standardised(values)
    # (n_tiles, n_samples, _TILE): the features of a tile lie beside each other for each sample
    tiles = np.ascontiguousarray(tiles.reshape(n_tiles, _TILE, n_samples).swapaxes(1, 2))

    def scores(labels: np.ndarray, seeds: Sequence[int]) -> np.ndarray:
        codes, folds = shared.draw(labels, seeds)
        order, stops, training_sizes = _tested_samples(codes, folds, n_splits)
        distances = np.full((*training_sizes.shape, n_selected), -1.0, dtype=np.float32)
        selected = np.full(distances.shape, -1)  # -1 remains for a class without training samples
        _keep_distant(tiles, order, stops, sizes=training_sizes, apart=distances, places=selected)
        selected = np.sort(selected.reshape(*selected.shape[:2], -1), axis=2)
        of_label = _label_probabilities(
            tiles, codes, folds, sizes=training_sizes, selected=selected
        )
        return _means_by_class(codes, of_label)

    return scores


class FoldDraws:
    """The draws of folds of a permutation, which the statistics of a test share.

    Those of the last permutation are kept, since drawing takes a part of the time of a score.

    Examples
    --------
    >>> codes, folds = FoldDraws(None, 2).draw(np.array([5, 5, 7, 7]), [0, 1, 2])
    >>> codes.tolist(), folds.shape, np.bincount(folds[0]).tolist()
    ([0, 0, 1, 1], (3, 4), [2, 2])
    """

    def __init__(self, groups: np.ndarray | None, n_splits: int) -> None:
        self._groups = groups
        self._n_splits = n_splits
        self._labels = np.empty(0)
        self._seeds: list[int] = []
        self._codes = np.empty(0, dtype=np.intp)
        self._folds = np.empty((0, 0), dtype=np.intp)

    def draw(self, labels: np.ndarray, seeds: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the codes of the classes, and the fold in which each sample is tested.

        They have the shapes (n_samples,) and (n_seeds, n_samples); the folds are those of
        `stratified_splits`.
        """
        is_kept = list(seeds) == self._seeds and np.array_equal(labels, self._labels)
        if not is_kept:
            self._labels = labels.copy()
            self._seeds = list(seeds)
            self._codes = np.unique(labels, return_inverse=True)[1]
            self._folds = tested_folds(self._codes, self._groups, self._n_splits, seeds)
        return self._codes, self._folds


def _tested_samples(
    codes: np.ndarray, folds: np.ndarray, n_splits: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the tested samples of each fold and class, and the sizes of the training sets.

    ``codes`` (n_samples,) are the classes, ``folds`` (n_draws, n_samples) those of each draw. The
    positions of the samples of a draw (n_draws, n_samples) are sorted by fold and class; those of
    fold k and class c end before ``stops[draw, k * n_classes + c]``. The sizes have the shape
    (n_draws, n_splits, n_classes).

    Examples
    --------
    >>> order, stops, sizes = _tested_samples(np.array([0, 1, 0]), np.array([[1, 0, 0]]), 2)
    >>> order.tolist(), stops.tolist(), sizes.tolist()
    ([[2, 1, 0]], [[1, 2, 3, 3]], [[[1.0, 0.0], [1.0, 1.0]]])
    """
    n_classes = int(codes.max()) + 1
    cells = folds * n_classes + codes
    order = np.argsort(cells, axis=1, kind="stable")
    n_tested = np.zeros((len(folds), n_splits * n_classes), dtype=np.int64)
    np.add.at(n_tested, (np.arange(len(folds))[:, None], cells), 1)
    tested_sizes = n_tested.reshape(len(folds), n_splits, n_classes).astype(float)
    return order, n_tested.cumsum(axis=1), tested_sizes.sum(axis=1, keepdims=True) - tested_sizes


def _evidence(features: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Return the evidence for each class, (n_classes, n_samples).

    ``features`` (n_features, n_samples) have variance one, ``means`` (n_classes, n_features) are
    those of the classes. The summed log densities are divided by the square root of the number of
    features, since features are correlated.
    """
    evidence = np.empty((len(means), features.shape[1]))
    # class by class: the differences of 100 classes would be an array of hundreds of megabytes
    for code, mean in enumerate(means):
        differences = features - mean[:, None]
        evidence[code] = -0.5 * np.square(differences).sum(axis=0) / np.sqrt(len(features))
    return evidence


def _means_by_class(codes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return, for each row of values, the mean over classes of the means over their samples.

    Examples
    --------
    >>> _means_by_class(np.array([0, 0, 1]), np.array([[1.0, 3.0, 8.0], [0.0, 0.0, 1.0]]))
    array([5. , 0.5])
    """
    sizes = np.bincount(codes)
    return np.array([(np.bincount(codes, row) / sizes).mean() for row in values])


def adjusted_score(
    values: np.ndarray,
    columns: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    n_splits: int = 5,
) -> Score:
    """Return `ten_features_score` with the features adjusted for columns in each training set.

    The effects of ``columns`` (n_samples, n_columns) are those of a linear model of the training
    samples with the classes, as in `xnbflow.preprocessing.CovariateAdjuster`.
    """
    standard = standardised(values).astype(float)

    def score(labels: np.ndarray, seed: int) -> float:
        codes = np.unique(labels, return_inverse=True)[1]
        n_classes = codes.max() + 1
        of_label = np.zeros(len(codes))  # the probability of a sample's label
        for train, test in stratified_splits(codes, groups, n_splits, seed):
            centred = columns - columns[train].mean(axis=0)
            design = np.hstack([np.eye(n_classes)[codes[train]], centred[train]])
            # The model has a mean per class and an effect per column, so that an effect is not
            # the difference of classes that the column goes with. Only effects are removed.
            effects = (np.linalg.pinv(design) @ standard[:, train].T)[n_classes:]
            adjusted = standard - (centred @ effects).T
            present = np.unique(codes[train])
            means = np.stack([adjusted[:, train[codes[train] == c]].mean(axis=1) for c in present])
            distances = np.abs(means - means.mean(axis=0))
            selected = np.argsort(-distances, axis=1, kind="stable")[:, :_FEATURES]
            features = np.unique(selected)
            evidence = _evidence(adjusted[np.ix_(features, test)], means[:, features])
            probabilities = np.zeros((n_classes, len(test)))
            probabilities[present] = softmax(evidence, axis=0)
            of_label[test] = probabilities[codes[test], np.arange(len(test))]
        return float(_means_by_class(codes, of_label[None])[0])

    return score


def columns_of_steps(entry: Mapping[str, Any]) -> list[str]:
    """Return the columns for which a classifier adjusts the features; empty without such a step.

    Examples
    --------
    >>> step = {"method": "adjust_covariates", "params": {"columns": ["plate"]}}
    >>> columns_of_steps({"steps": [step, {"method": "csnb"}]})
    ['plate']
    """
    for step in entry.get("steps", ()):
        if step["method"] == "adjust_covariates" or step["method"].endswith(_ADJUSTER):
            return list(step["params"]["columns"])
    return []


class Adjustment(NamedTuple):
    """Columns of samples for which the label test is adjusted.

    ``strata`` (n_samples,) are the levels within which labels are exchanged, ``columns``
    (n_samples, n_columns) those of the linear model.
    """

    strata: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, series: DataSet, terms: Sequence[str]) -> "Adjustment":
        """Return the adjustment of a series for terms.

        ``terms`` are names of columns, ``factor(plate)`` of categories. Numbers are one column of
        the model, categories an indicator of each level but the first.
        """
        table = pd.DataFrame(series.sample_metadata)
        categories = []
        numbers = []
        columns = []
        for term in terms:
            name = column_of_term(term)
            cells = table[name].astype(str).str.strip()
            values = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float)
            if name == term and np.isfinite(values).all():
                numbers.append(values)
                spread = values.std() or 1.0
                columns.append(((values - values.mean()) / spread)[:, None])
            else:
                levels = pd.factorize(cells, sort=True)[0]
                categories.append(levels)
                columns.append(np.eye(levels.max() + 1)[levels][:, 1:])
        is_first = series.labels == series.classes[0]
        return cls(crossed_strata(is_first, categories, numbers), np.hstack(columns))


@njit(nogil=True)
def _keep_distant(
    tiles: np.ndarray,
    order: np.ndarray,
    stops: np.ndarray,
    sizes: np.ndarray,
    apart: np.ndarray,
    places: np.ndarray,
) -> None:
    """Write the features whose class means are most distant from the mean of the classes' means.

    ``tiles`` (n_tiles, n_samples, n_features) are the features; ``order``, ``stops`` and ``sizes``
    are those of `_tested_samples`. ``apart`` and ``places``, of shape (n_draws, n_folds, n_classes,
    n_selected), are the distances and positions of `keep_largest`. Sums of training samples are
    those of all samples less the tested ones: a draw adds each value once. A tile remains in the
    cache for all draws.
    """
    n_draws, n_folds, n_classes = sizes.shape
    width = tiles.shape[2]
    tested = np.empty((n_folds, n_classes, width), dtype=np.float32)
    total = np.empty((n_classes, width), dtype=np.float32)
    distances = np.empty((n_classes, width), dtype=np.float32)
    middle = np.empty(width, dtype=np.float32)
    for t in range(len(tiles)):
        for d in range(n_draws):
            tested[:] = 0.0
            total[:] = 0.0
            first = 0
            for k in range(n_folds):
                for c in range(n_classes):
                    stop = stops[d, k * n_classes + c]
                    _add_samples(tiles[t], order[d, first:stop], tested[k, c])
                    _add(tested[k, c], total[c])
                    first = stop
            for k in range(n_folds):
                _write_distances(total, tested[k], sizes[d, k], distances, middle)
                for c in range(n_classes):
                    if sizes[d, k, c] > 0:
                        keep_largest(distances[c], t * width, apart[d, k, c], places[d, k, c])


@njit(nogil=True)
def _label_probabilities(
    tiles: np.ndarray,
    codes: np.ndarray,
    folds: np.ndarray,
    sizes: np.ndarray,
    selected: np.ndarray,
) -> np.ndarray:
    """Return the probability of each sample's class, (n_draws, n_samples), predicted in its fold.

    ``folds`` (n_draws, n_samples) are where each sample is tested, ``sizes`` those of
    `_tested_samples`, and ``selected`` (n_draws, n_folds, n_selected) the ``places`` of
    `_keep_distant` of all classes, ascending. The features of a fold are those selected for any
    class. The evidence is that of `_evidence`. A class without training samples has the probability
    0. Loops take the place of array expressions, which numba compiles for seconds.
    """
    n_draws, n_folds, n_classes = sizes.shape
    of_label = np.zeros(folds.shape)
    for d in range(n_draws):
        for k in range(n_folds):
            values = _values_of(tiles, _distinct(selected[d, k]))
            means = _training_means(values, codes, folds[d], k, sizes[d, k])
            tested, tested_values = _tested_values_of(values, folds[d], k)
            evidence = _evidence_of(tested_values, means, sizes[d, k])
            for t in range(len(tested)):
                greatest = -np.inf
                for c in range(n_classes):
                    greatest = max(greatest, evidence[c, t])
                total = 0.0
                for c in range(n_classes):
                    total += np.exp(evidence[c, t] - greatest)
                i = tested[t]
                of_label[d, i] = np.exp(evidence[codes[i], t] - greatest) / total
    return of_label


@njit(nogil=True)
def _distinct(ascending: np.ndarray) -> np.ndarray:
    """Return the distinct values, without -1, of an ascending array."""
    distinct = np.empty(len(ascending), dtype=np.int64)
    n_distinct = 0
    previous = -1
    for position in ascending:
        if position != previous:
            distinct[n_distinct] = position
            n_distinct += 1
            previous = position
    return distinct[:n_distinct]


@njit(nogil=True)
def _values_of(tiles: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Return the values of some features, shape (n_samples, n_selected), in double precision."""
    width = tiles.shape[2]
    values = np.empty((tiles.shape[1], len(features)))
    # A tile has `width` features side by side: with 256, feature 600 is in tile 2, at 88.
    tile_of_feature = np.empty(len(features), dtype=np.int64)
    place_in_tile = np.empty(len(features), dtype=np.int64)
    for f in range(len(features)):
        tile_of_feature[f] = features[f] // width
        place_in_tile[f] = features[f] % width
    for i in range(len(values)):
        for f in range(len(features)):
            values[i, f] = tiles[tile_of_feature[f], i, place_in_tile[f]]
    return values


@njit(nogil=True)
def _training_means(
    values: np.ndarray, codes: np.ndarray, folds: np.ndarray, fold: int, sizes: np.ndarray
) -> np.ndarray:
    """Return the means of the classes outside a fold, (n_classes, n_features); 0 if empty."""
    means = np.zeros((len(sizes), values.shape[1]))
    for i in range(len(codes)):
        if folds[i] != fold:
            for f in range(values.shape[1]):
                means[codes[i], f] += values[i, f]
    for c in range(len(sizes)):
        if sizes[c] > 0:
            for f in range(values.shape[1]):
                means[c, f] /= sizes[c]
    return means


@njit(nogil=True)
def _tested_values_of(
    values: np.ndarray, folds: np.ndarray, fold: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the samples of a fold, and their values (n_tested, n_features)."""
    tested = np.empty(len(folds), dtype=np.int64)
    n_tested = 0
    for i in range(len(folds)):
        if folds[i] == fold:
            tested[n_tested] = i
            n_tested += 1
    tested_values = np.empty((n_tested, values.shape[1]))
    for t in range(n_tested):
        for f in range(values.shape[1]):
            tested_values[t, f] = values[tested[t], f]
    return tested[:n_tested], tested_values


@njit(nogil=True)
def _evidence_of(values: np.ndarray, means: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return `_evidence` less what all classes of a sample have in common, (n_classes, n_samples).

    ``values`` have the shape (n_samples, n_features), ``means`` (n_classes, n_features). Of
    ``-sum (x - m)**2 / 2`` the squares of the values ``x`` are common. What remains, the sum of
    ``m x - m**2 / 2``, is one matrix product. A class without training samples has minus infinity.
    """
    evidence = np.dot(means, values.T)
    for c in range(len(means)):
        half_square = 0.0
        for f in range(means.shape[1]):
            half_square += 0.5 * means[c, f] * means[c, f]
        for t in range(len(values)):
            if sizes[c] > 0:
                evidence[c, t] = (evidence[c, t] - half_square) / np.sqrt(means.shape[1])
            else:
                evidence[c, t] = -np.inf
    return evidence


@njit(nogil=True)
def _add_samples(tile: np.ndarray, samples: np.ndarray, total: np.ndarray) -> None:
    """Add the rows of some samples of a tile, in their order; pairs read the sum half as often."""
    for r in range(0, len(samples) - 1, 2):
        row = tile[samples[r]]
        next_row = tile[samples[r + 1]]
        for f in range(len(total)):
            total[f] = (total[f] + row[f]) + next_row[f]
    if len(samples) % 2:
        _add(tile[samples[-1]], total)


@njit(nogil=True)
def _add(row: np.ndarray, total: np.ndarray) -> None:
    for f in range(len(row)):
        total[f] += row[f]


@njit(nogil=True)
def _write_distances(
    total: np.ndarray,
    tested: np.ndarray,
    sizes: np.ndarray,
    distances: np.ndarray,
    middle: np.ndarray,
) -> None:
    """Write the distances of the class means of a training set from their mean, by feature.

    Sums ``total`` and ``tested`` and the ``distances`` have shape (n_classes, n_features); classes
    without training samples are left out. ``middle`` (n_features,) becomes the sum of the means.
    """
    middle[:] = 0.0
    n_present = 0
    for c in range(len(sizes)):
        if sizes[c] > 0:
            n_present += 1
            share = np.float32(1.0 / sizes[c])
            for f in range(len(middle)):
                distances[c, f] = (total[c, f] - tested[c, f]) * share
            _add(distances[c], middle)
    share = np.float32(1.0 / n_present)
    for c in range(len(sizes)):
        if sizes[c] > 0:
            for f in range(len(middle)):
                distances[c, f] = abs(distances[c, f] - middle[f] * share)


def complete_score(estimator: BaseEstimator, series: DataSet, *, n_splits: int = 5) -> Score:
    """Return a function for the balanced accuracy of a complete cross-validation.

    Any classifier is fitted as a study fits it, to all features; medians of the training samples
    replace missing values. Folds are stratified by the labels, and no group is on both sides.
    """
    groups = series.groups

    def score(labels: np.ndarray, seed: int) -> float:
        predicted = np.empty_like(labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for training, test in stratified_splits(labels, groups, n_splits, seed):
                model = clone(estimator)
                X = frame_for(model, series, training)
                tested = frame_for(model, series, test)
                if series.missing and not imputes(model):
                    X, tested = impute_within(X, tested)
                training_groups = None if groups is None else groups[training]
                fit_grouped(model, as_read(model, X), labels[training], training_groups)
                predicted[test] = model.predict(as_read(model, tested))
        return class_metrics(labels, predicted, None, series.classes)["balanced_accuracy"]

    return score
