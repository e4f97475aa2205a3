"""The label test: whether labels of a data set are predicted better than permuted ones.

By default the test of a data set is independent of the classifiers of a study, and cannot be chosen
by their results. Its statistic is the diagonal discriminant with ten features per class
(`xnbflow.inference.diagonal_discriminant`), which is fast and has more power than the classifiers.
Two statistics see different departures:

- *means*: the discriminant of the values;
- *spread*: the discriminant of the distances of the values from the median of their feature (Brown
  and Forsythe, 1974), which differ where a class varies more, or has two modes.

The test rejects at the level a if the means reject at .8 a or the spread at .2 a (Bonferroni with
weights)::

    p = min(1, p_means / .8, p_spread / .2)

A study can have a test of a classifier instead, which repeats its complete fit for each permutation
(`complete_score`). Both are exact: true and permuted labels go through the same steps. The test by
permutations itself is in `xnbflow.inference.permutation_test`.

How long a test may take, by the values of a data set (samples times features):

=========================== ===================== ================ =============================
test                        values                permutations     draws of folds per permutation
=========================== ===================== ================ =============================
means and spread            up to 3 million       at most 4,999    20
means and spread            up to 60 million      at most 999      60 million / values, 1 to 20
means and spread, adjusted  up to 60 million      as above         as above, at most 3
means and spread            more than 60 million  no test
classifier of a study       any                   at most 999      1
=========================== ===================== ================ =============================

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
#: Data sets with more values (samples times features) are tested only on request of a study.
MOST_TESTED_VALUES = 60_000_000
#: Most draws of folds for each permutation. With many values there are fewer, so that draws times
#: values are at most `MOST_TESTED_VALUES`: no test takes longer than one draw of the largest data.
_MOST_DRAWS = 20
#: Most draws of folds of a test that adjusts for columns, because each draw fits a linear model of
#: all features.
_MOST_ADJUSTED_DRAWS = 3
#: Five folds up to this number of samples or groups; with more, two folds train on enough samples.
_MANY_UNITS = 100
#: Distance of the seeds of two draws of folds: greater than any number of permutations, so that no
#: two draws of any two permutations have the same seed.
_SEED_STEP = 1_000_003
#: The statistics, each with its share of the level. Means differ more often than spreads, and their
#: test would lose more power with one half.
_LEVEL_SHARES = {"means": 0.8, "spread": 0.2}
#: Most permutations of the default test while its decision is not certain. With more values than
#: the second number a test takes long, and ends after `MOST_PERMUTATIONS`.
_MOST_UNDECIDED = 4_999
_MOST_UNDECIDED_VALUES = 3_000_000
#: The mean over more draws of folds is expected within two standard errors, with about 95%.
_N_STANDARD_ERRORS = 2.0


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
    is the mean over ``n_repeats`` draws of folds, since a single draw would decide p-values near
    the level. There are at most ``n_permutations``. The module has the defaults of both. The result
    is the table ``label_test`` of `CHECK_TABLES`; it is empty where no test is made or no class is
    large enough for two folds.
    """
    columns = CHECK_TABLES["label_test"].fixed
    n_splits = n_splits_of(series)
    if n_splits < 2 or (entry is None and series.values.size > MOST_TESTED_VALUES):
        return pd.DataFrame(columns=columns)

    # The order of the samples, by which permutations are drawn, does not depend on the file.
    series = in_canonical_order(series)
    if entry is None:
        row = _default_test(
            series,
            adjust,
            n_splits=n_splits,
            n_permutations=n_permutations,
            n_draws=n_repeats or None,
        )
    else:
        row = _classifier_test(
            series, entry, adjust, n_splits=n_splits, n_permutations=n_permutations
        )
    return pd.DataFrame([row], columns=columns)


def _default_test(
    series: DataSet,
    adjust: Sequence[str],
    *,
    n_splits: int,
    n_permutations: int | None,
    n_draws: int | None,
) -> dict[str, Any]:
    """Return the row of the test of means and spread; None for a number means its default."""
    labels = numbered(series.labels)
    adjustment = Adjustment.of(series, adjust) if adjust else None
    if n_permutations is None:
        few_values = series.values.size <= _MOST_UNDECIDED_VALUES
        n_permutations = _MOST_UNDECIDED if few_values else MOST_PERMUTATIONS
    if n_draws is None:
        n_draws = default_n_draws(series.values.size)
        if adjustment is not None:
            n_draws = min(n_draws, _MOST_ADJUSTED_DRAWS)

    means_score, spread_score = means_and_spread_scores(series, adjustment, n_splits)
    row = _test_means_and_spread(
        {"means": means_score, "spread": spread_score},
        labels,
        _permutation(series, labels, adjustment),
        n_permutations=n_permutations,
        n_draws=n_draws,
        seed=series_seed(series, 0, "permutation"),
    )
    row["permuted"] = STATISTIC
    if adjust:
        row["permuted"] += f", adjusted for {listed(list(adjust))} within folds"
    return row


def _classifier_test(
    series: DataSet,
    entry: Mapping[str, Any],
    adjust: Sequence[str],
    *,
    n_splits: int,
    n_permutations: int | None,
) -> dict[str, Any]:
    """Return the row of the test of a classifier, whose complete fit is repeated."""
    labels = series.labels
    adjust = adjust or columns_of_steps(entry)
    adjustment = Adjustment.of(series, adjust) if adjust else None
    estimator = estimator_for(series, entry, series_seed(series, 0, "classifier"))
    test = permutation_test(
        complete_score(estimator, series, n_splits=n_splits),
        labels,
        _permutation(series, labels, adjustment),
        n_permutations=MOST_PERMUTATIONS if n_permutations is None else n_permutations,
        seed=series_seed(series, 0, "permutation"),
    )
    lower, upper = limits_of_p(test.null, test.observed)
    return {
        "metric": "balanced_accuracy",
        **_score_columns(test),
        "p_value": test.p_value,
        "p_lower": lower,
        "p_upper": upper,
        "permuted": "",
    }


def _permutation(series: DataSet, labels: np.ndarray, adjustment: Adjustment | None) -> Permute:
    """Return the function that permutes labels: within strata of the columns adjusted for."""
    strata = None if adjustment is None else adjustment.strata
    exchange = label_exchange(labels, series.groups, strata)

    def permute(rng: np.random.Generator) -> np.ndarray:
        return exchange.permute(labels, rng)

    return permute


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
    """Return the scores of means and of spread, adjusted for columns if there are any."""
    # Of counts the features with enough reads are used. The filter uses no labels but the size of
    # the smallest class, and is applied once, so that permuted labels have the same features.
    values = filled(series).values
    if series.scale == COUNTS:
        values = values[expressed_features(series)]
    distances = distances_from_median(values)
    groups = series.groups
    if adjustment is None:
        shared_folds = FoldDraws(groups, n_splits)  # both statistics have the same folds
        return (
            ten_features_scores(values, groups, n_splits=n_splits, draws=shared_folds),
            ten_features_scores(distances, groups, n_splits=n_splits, draws=shared_folds),
        )
    columns = adjustment.columns
    return (
        score_each_draw(adjusted_score(values, columns, groups, n_splits=n_splits)),
        score_each_draw(adjusted_score(distances, columns, groups, n_splits=n_splits)),
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


def score_each_draw(score: Score) -> RepeatedScore:
    """Return a function that computes a score for several draws of folds, one after another.

    `ten_features_scores` scores all draws at once; `adjusted_score` fits a linear model for each
    draw, so that there is nothing to share.

    Examples
    --------
    >>> score_each_draw(lambda labels, seed: seed / 2)(np.empty(0), [1, 2])
    array([0.5, 1. ])
    """

    def scores(labels: np.ndarray, seeds: Sequence[int]) -> np.ndarray:
        return np.array([score(labels, seed) for seed in seeds])

    return scores


def default_n_draws(n_values: int) -> int:
    """Return how often folds are drawn for each permutation, by the size of a data set.

    Examples
    --------
    >>> default_n_draws(3_000_000), default_n_draws(20_000_000), default_n_draws(40_000_000)
    (20, 3, 1)
    """
    return int(np.clip(MOST_TESTED_VALUES // max(1, n_values), 1, _MOST_DRAWS))


def seeds_of_draws(seed: int, n_draws: int) -> list[int]:
    """Return the seeds of several draws of folds, of which the first is ``seed``.

    Examples
    --------
    >>> seeds_of_draws(4, 3)
    [4, 1000007, 2000010]
    """
    return [(seed + draw * _SEED_STEP) % 2**32 for draw in range(n_draws)]


class _StatisticTest:
    """The permutation test of one statistic, to which permutations are added until it stops.

    Attributes
    ----------
    level_share : float
        The share of the level at which the statistic is tested.
    draw_scores : ndarray of shape (n_draws,)
        Scores of the true labels, one for each draw of folds.
    observed : float
        Their mean.
    null : list of float
        The mean scores of the permutations so far.
    running : RunningTest
        The rule for stopping.
    """

    def __init__(self, level_share: float, draw_scores: np.ndarray, n_permutations: int) -> None:
        self.level_share = level_share
        self.draw_scores = draw_scores
        self.observed = float(np.mean(draw_scores))
        self.null: list[float] = []
        self.running = RunningTest(
            self.observed, level_share * ONE_SIDED_LEVEL, n_permutations, rounding=SCORE_ROUNDING
        )

    def add(self, draw_scores: np.ndarray) -> None:
        """Add the scores of a permutation, one for each draw of folds."""
        self.null.append(float(np.mean(draw_scores)))
        self.running.add(self.null[-1])

    @property
    def has_stopped(self) -> bool:
        """Whether the test needs no more permutations."""
        return self.running.result is not None

    @property
    def p_value(self) -> float:
        """The p of the statistic alone; NaN for a test that has not stopped."""
        return np.nan if self.running.result is None else self.running.result.p_value

    @property
    def adjusted_p(self) -> float:
        """The p for the whole level, at most 1."""
        return min(1.0, self.p_value / self.level_share) if self.has_stopped else np.nan

    def adjusted_limits(self) -> tuple[float, float]:
        """Return the limits of ``adjusted_p`` for other permutations and draws of folds."""
        n_draws = len(self.draw_scores)
        margin = 0.0
        if n_draws > 1:
            standard_error = np.std(self.draw_scores, ddof=1) / np.sqrt(n_draws)
            margin = _N_STANDARD_ERRORS * standard_error
        lower, upper = limits_of_p(self.null, self.observed, margin)
        return min(1.0, lower / self.level_share), min(1.0, upper / self.level_share)


def _test_means_and_spread(
    scores: Mapping[str, RepeatedScore],
    labels: np.ndarray,
    permute: Permute,
    *,
    n_permutations: int,
    n_draws: int,
    seed: int,
) -> dict[str, Any]:
    """Return the row of a test of means and of spread, the keys of ``scores``.

    Both statistics have the same permutations. Each test stops by itself; if one rejects, the other
    ends too, and has no p if it has not stopped.
    """
    if n_permutations < 1:
        msg = f"n_permutations is {n_permutations}; use 1 or more"
        raise InputError(msg)

    # The scores of the true labels.
    tests = {}
    for name, score in scores.items():
        draw_scores = score(labels, seeds_of_draws(seed, n_draws))
        tests[name] = _StatisticTest(_LEVEL_SHARES[name], draw_scores, n_permutations)

    # The scores of permuted labels, until a test rejects or both have stopped.
    seeds = itertools.count(seed + 1)
    for permutation_seed in track(seeds, "permutations", n_permutations, may_end_early=True):
        permuted = permute(np.random.default_rng(permutation_seed))
        fold_seeds = seeds_of_draws(permutation_seed, n_draws)
        for name, test in tests.items():
            if not test.has_stopped:
                test.add(scores[name](permuted, fold_seeds))
        is_rejected = any(test.running.rejects for test in tests.values())
        if is_rejected or all(test.has_stopped for test in tests.values()):
            break

    # The result is that of the test with the smaller p; the page shows the scores of the means.
    means = tests["means"]
    spread = tests["spread"]
    decisive = spread if np.isnan(means.p_value) or spread.adjusted_p < means.adjusted_p else means
    lower, upper = decisive.adjusted_limits()
    n_at_least = sum(score >= means.observed - SCORE_ROUNDING for score in means.null)
    means_test = PermutationTest(means.observed, means.p_value, n_at_least, tuple(means.null))
    return {
        "metric": "mean_probability",
        **_score_columns(means_test),
        "p_value": decisive.adjusted_p,
        "p_lower": lower,
        "p_upper": upper,
        "means_p": means.p_value,
        "spread_p": spread.p_value,
        "spread_observed": spread.observed,
    }


def _score_columns(test: PermutationTest) -> dict[str, Any]:
    """Return the columns of a row that describe the scores of a test."""
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
                training_frame = series.frame(training)
                test_frame = series.frame(test)
                if series.missing and not imputes(model):
                    training_frame, test_frame = impute_within(training_frame, test_frame)
                training_groups = None if groups is None else groups[training]
                X = as_read(model, training_frame)
                fit_grouped(model, X, labels[training], training_groups)
                predicted[test] = model.predict(as_read(model, test_frame))
        return class_metrics(labels, predicted, None, series.classes)["balanced_accuracy"]

    return score
