"""The label test: whether labels of a data set are predicted better than permuted ones.

By default the test of a data set is independent of the classifiers of a study, and cannot be chosen
by their results. Its statistic is the diagonal discriminant with ten features per class
(`xnbflow.inference.diagonal_discriminant`), which is fast and has more power than the classifiers.
Two statistics see different departures:

- *means*: the discriminant of the values;
- *spread*: the discriminant of the distances of the values from the median of their feature (Brown
  and Forsythe, 1974), which differ where a class varies more, or has two modes.

The test rejects if either rejects at its share of the level a (Bonferroni with weights)::

    p = min(p_means / .8, p_spread / .2)

A study can have a test of a classifier instead, which repeats its complete fit for each permutation
(`complete_score`). Both are exact: true and permuted labels go through the same steps. The test by
permutations itself is in `xnbflow.inference.permutation_test`.

M. B. Brown and A. B. Forsythe, "Robust tests for the equality of variances", Journal of the
American Statistical Association 69 (1974), 364-367.
"""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.core.progress import track
from xnbflow.core.significance import ONE_SIDED_LEVEL
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
from xnbflow.evaluation.folds import class_counts, stratified_splits
from xnbflow.evaluation.metrics import class_metrics
from xnbflow.inference.adjusted_discriminant import Adjustment, adjusted_score, columns_of_steps
from xnbflow.inference.diagonal_discriminant import FoldDraws, RepeatedScore, ten_features_scores
from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.permutation_test import (
    SCORE_ROUNDING,
    PermutationTest,
    Permute,
    Score,
    limits_of_p,
    permutation_test,
)
from xnbflow.inference.sequential import MOST_PERMUTATIONS, RunningTest
from xnbflow.tables.contract import CHECK_TABLES

#: The classifier of the default label test, as named on pages.
STATISTIC = "naive Bayes with ten features per class, by means and by spread"
#: Larger data sets (samples times features) are tested only on request of a study.
MOST_TESTED_VALUES = 60_000_000
#: Most draws of folds for each permutation. Large data sets have fewer: draws times values are at
#: most `MOST_TESTED_VALUES`, so that no test takes longer than one draw of the largest data set.
_REPEATS = 20
#: The same of a test that adjusts for columns, which fits a linear model of all features each time.
_ADJUSTED_REPEATS = 3
#: With more samples or groups two folds are enough.
_MANY_UNITS = 100
#: Distance of the seeds of two draws of folds, above the number of permutations.
_SEED_STEP = 1_000_003
#: Shares of the level of means and spread: means differ more often, and their test would lose more
#: power with one half.
_SHARES = (0.8, 0.2)
#: Permutations of the default label test at most, while its decision is not certain; of data sets
#: with more values, whose tests take long, `MOST_PERMUTATIONS`.
_MOST_UNDECIDED = 4_999
_MOST_UNDECIDED_VALUES = 3_000_000
#: Standard errors within which the mean over more draws of folds is expected.
_ERRORS = 2.0


def label_test(
    series: DataSet,
    entry: Mapping[str, Any] | None = None,
    *,
    adjust: Sequence[str] = (),
    n_permutations: int | None = None,
    n_repeats: int | None = None,
) -> pd.DataFrame:
    """Test whether the labels of a data set are predicted better than permuted ones.

    Without ``entry`` the statistics are those of the module, and the test ends with the first
    rejection. Medians over all samples replace missing values, and of counts the features with
    enough reads are used (`xnbflow.data.read_counts.expressed_features`): those with few reads
    differ between libraries of different sizes. With more than 60 million values there is then no
    test.

    A step that adjusts for columns estimates their effects within the classes. With the columns
    ``adjust``, or an ``entry`` that begins with such a step, the step is fitted anew to each
    permutation, and labels are exchanged within the levels of the columns; the reason is in
    `xnbflow.inference.adjusted_discriminant`.

    There are five folds, or two with more than 100 samples or groups. The score of the default test
    is the mean over ``n_repeats`` draws of folds, by default `repeats_of_test`, since one draw
    decides p-values near the level (`python -m benchmarks draws`). There are ``n_permutations`` at
    most: by default 999, and 4,999 of the default test with at most three million values, which are
    needed near the level only. The result is the table ``label_test`` of `CHECK_TABLES`; it is
    empty where no test is made or no class is large enough for two folds.
    """
    columns = CHECK_TABLES["label_test"].fixed
    n_splits = n_splits_of(series)
    if n_splits < 2 or (entry is None and series.values.size > MOST_TESTED_VALUES):
        return pd.DataFrame(columns=columns)

    # The labels, exchanged within the levels of the columns that are adjusted for. The order of the
    # samples, by which permutations are drawn, does not depend on their order in the file.
    series = in_canonical_order(series)
    labels = series.labels if entry is not None else numbered(series.labels)
    adjust = adjust or columns_of_steps(entry or {})
    adjustment = Adjustment.of(series, adjust) if adjust else None
    strata = None if adjustment is None else adjustment.strata
    exchange = label_exchange(labels, series.groups, strata)
    seed = series_seed(series, 0, "permutation")

    def permute(rng: np.random.Generator) -> np.ndarray:
        return exchange.permute(labels, rng)

    # The test of the two statistics, or that of a classifier.
    if entry is None:
        few_values = series.values.size <= _MOST_UNDECIDED_VALUES
        most = _MOST_UNDECIDED if few_values else MOST_PERMUTATIONS
        draws = n_repeats or repeats_of_test(series.values.size)
        if adjustment is not None and n_repeats is None:
            draws = min(draws, _ADJUSTED_REPEATS)
        row = _means_and_spread(
            means_and_spread_scores(series, adjustment, n_splits),
            labels,
            permute,
            n_permutations=most if n_permutations is None else n_permutations,
            n_repeats=draws,
            seed=seed,
        )
        row["permuted"] = STATISTIC
        if adjust:
            row["permuted"] += f", adjusted for {listed(list(adjust))} within folds"
    else:
        estimator = estimator_for(series, entry, series_seed(series, 0, "classifier"))
        score = complete_score(estimator, series, n_splits=n_splits)
        most = MOST_PERMUTATIONS if n_permutations is None else n_permutations
        test = permutation_test(score, labels, permute, n_permutations=most, seed=seed)
        lower, upper = limits_of_p(test.null, test.observed)
        row = {
            "metric": "balanced_accuracy",
            **_score_columns(test),
            "p_value": test.p_value,
            "p_lower": lower,
            "p_upper": upper,
            "permuted": "",
        }
    return pd.DataFrame([row], columns=columns)


def n_splits_of(series: DataSet) -> int:
    """Return the number of folds; fewer than two where the labels cannot be tested."""
    sizes = class_counts(series)
    if len(sizes) < 2:
        return 0
    n_units = series.n_samples if series.groups is None else len(np.unique(series.groups))
    n_splits = 5 if n_units <= _MANY_UNITS else 2
    return min(n_splits, int(sizes.max()))


def means_and_spread_scores(
    series: DataSet, adjustment: Adjustment | None, n_splits: int
) -> tuple[RepeatedScore, RepeatedScore]:
    """Return the scores of means and spread, adjusted for columns where there are any."""
    # Of counts the features with enough reads are used. The filter uses no labels but the size of
    # the smallest class, and is applied once, so that permuted labels have the same features.
    values = filled(series).values
    if series.scale == COUNTS:
        values = values[expressed_features(series)]
    distances = distances_from_median(values)
    groups = series.groups
    if adjustment is None:
        draws = FoldDraws(groups, n_splits)
        return (
            ten_features_scores(values, groups, n_splits=n_splits, draws=draws),
            ten_features_scores(distances, groups, n_splits=n_splits, draws=draws),
        )
    columns = adjustment.columns
    return (
        one_by_one(adjusted_score(values, columns, groups, n_splits=n_splits)),
        one_by_one(adjusted_score(distances, columns, groups, n_splits=n_splits)),
    )


def distances_from_median(values: np.ndarray) -> np.ndarray:
    """Return the distances of values (n_features, n_samples) from the median of their feature.

    Their mean is larger in a class with a larger spread, also if its mean is the same; classes with
    two modes around the mean of another class have it too. The median is of all samples, whatever
    their labels, so that permuted labels have the same distances.

    Examples
    --------
    >>> distances_from_median(np.array([[1.0, 2.0, 4.0, 9.0]])).tolist()
    [[2.0, 1.0, 1.0, 6.0]]
    """
    return np.abs(values - np.median(values, axis=1, keepdims=True))


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


def repeats_of_test(n_values: int) -> int:
    """Return how often folds are drawn for each permutation, by the size of a data set.

    Examples
    --------
    >>> repeats_of_test(3_000_000), repeats_of_test(20_000_000), repeats_of_test(40_000_000)
    (20, 3, 1)
    """
    return int(np.clip(MOST_TESTED_VALUES // max(1, n_values), 1, _REPEATS))


def seeds_of_draws(seed: int, n_repeats: int) -> list[int]:
    """Return the seeds of several draws of folds; the first is that of a single draw.

    Examples
    --------
    >>> seeds_of_draws(4, 3)
    [4, 1000007, 2000010]
    """
    return [(seed + repeat * _SEED_STEP) % 2**32 for repeat in range(n_repeats)]


def _means_and_spread(
    scores: Sequence[RepeatedScore],
    labels: np.ndarray,
    permute: Permute,
    *,
    n_permutations: int,
    n_repeats: int,
    seed: int,
) -> dict[str, Any]:
    """Return the row of a test of means and of spread.

    ``scores`` are those of the means and of the spread. Both have the same permutations, and each
    stops by itself; the one that has not stopped when the other rejects has no p.
    """
    if n_permutations < 1:
        msg = f"n_permutations is {n_permutations}; use 1 or more"
        raise InputError(msg)

    # the scores of the true labels
    draws = [score(labels, seeds_of_draws(seed, n_repeats)) for score in scores]
    observed = [float(np.mean(values)) for values in draws]
    tests = [
        RunningTest(value, share * ONE_SIDED_LEVEL, n_permutations, rounding=SCORE_ROUNDING)
        for value, share in zip(observed, _SHARES, strict=True)
    ]

    # those of permuted labels, until a test rejects or both have stopped
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

    # p of the decisive test, and its limits for other permutations and draws of folds
    p_values = [np.nan if test.result is None else test.result.p_value for test in tests]
    adjusted = np.minimum(1.0, np.array(p_values) / _SHARES)
    decisive = int(np.nanargmin(adjusted))
    error = _ERRORS * np.std(draws[decisive], ddof=1) / np.sqrt(n_repeats) if n_repeats > 1 else 0.0
    lower, upper = limits_of_p(null[decisive], observed[decisive], error)

    # the scores that the page shows are those of the means
    at_least = sum(value >= observed[0] - SCORE_ROUNDING for value in null[0])
    means = PermutationTest(observed[0], p_values[0], at_least, tuple(null[0]))
    return {
        "metric": "mean_probability",
        **_score_columns(means),
        "p_value": float(adjusted[decisive]),
        "p_lower": min(1.0, lower / _SHARES[decisive]),
        "p_upper": min(1.0, upper / _SHARES[decisive]),
        "means_p": p_values[0],
        "spread_p": p_values[1],
        "spread_observed": observed[1],
    }


def _score_columns(test: PermutationTest) -> dict[str, Any]:
    """Return the columns on the scores of a test."""
    return {
        "observed": test.observed,
        "permutations": len(test.null),
        "null_mean": np.mean(test.null),
        "null_sd": np.std(test.null, ddof=1) if len(test.null) > 1 else np.nan,
        "null_95": np.quantile(test.null, 0.95),
        "at_least": test.at_least,
    }


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
