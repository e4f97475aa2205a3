"""The label test: whether labels of a data set are predicted better than permuted ones.

The test of a data set does not depend on the classifiers of a study, and cannot be chosen by their
results. Three statistics see different departures from chance. All are predictions of samples that
were left out, and all are computed for the same orders of the labels:

========= ======================================================================= ======
statistic what is predicted, and how                                              weight
========= ======================================================================= ======
*means*   the class, by naive Bayes with the ten features per class whose means   .5
          differ most (`xnbflow.inference.diagonal_discriminant`)
*spread*  the same with the distances of the values from the median of their      .1
          feature (Brown and Forsythe, 1974), which differ where a class varies
          more, or has two modes
*all*     the class, by ridge regression on all features                          .4
          (`xnbflow.inference.ridge_score`)
========= ======================================================================= ======

They are combined by their least weighted p (`xnbflow.inference.combined_test`). The orders are the
true one and 999 permuted ones, by default, or all distinct orders if these are fewer. There is no
stop before the last permutation, so that p can be as small as .001.

*Columns of the samples.* With columns to adjust for (batches, age), the values are the residuals of
a linear model of each feature with these columns and without the class, and labels are exchanged
within the levels of the columns (numbers: within strata of about four neighbours,
`xnbflow.inference.within_strata`). The test is exact if the labels are exchangeable within these
strata:

1. Let x be the values, z the columns, and s(z) the strata. Under the null hypothesis x does not
   depend on the labels y given z, and the orders of y that are equal but for exchanges within
   strata are equally probable, given x and z.
2. The residuals ``r = x - z (z'z)^-1 z'x`` are a function of x and z. They do not depend on y, and
   are therefore the same for the true and for every permuted order, without a new fit.
3. A statistic is a function ``T(r, y)``, and draws of folds that depend on y alone. Given x and z,
   the values T of all orders are therefore exchangeable, and the rank of the true one is uniform.

The residuals are only a choice of the statistic, for its power: step 3 holds for any function of x
and z. What makes the test valid is the exchange within strata.

M. B. Brown and A. B. Forsythe, "Robust tests for the equality of variances", Journal of the
American Statistical Association 69 (1974), 364-367.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.core.progress import track
from xnbflow.data.canonical_order import in_canonical_order, numbered, order_of
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import expressed_features
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.folds import class_counts, repeated_folds
from xnbflow.inference.combined_test import combined_test, limits_of_p
from xnbflow.inference.diagonal_discriminant import ten_features_scores
from xnbflow.inference.label_exchange import LabelExchange, label_exchange
from xnbflow.inference.ridge_score import ridge_scores
from xnbflow.inference.within_strata import label_free_strata
from xnbflow.tables.contract import GROUPS

#: Permuted orders of the labels, beside the true one.
PERMUTATIONS = 999
#: Weights of the statistics in tenths: whole numbers, so that weighted ranks are exact.
WEIGHTS = {"means": 5, "spread": 1, "all": 4}
#: Larger data sets (samples times features) are not tested.
_MOST_TESTED_VALUES = 60_000_000
#: Most draws of folds for each order of the labels, over which the score of the means is averaged;
#: with more values there are fewer, see `_default_n_draws`.
_MOST_DRAWS = 12
#: About the greatest number of draws times values.
_MOST_DRAWN_VALUES = 4_000_000
#: With more values there is one draw.
_MOST_VALUES_OF_DRAWS = 20_000_000
#: The spread decides rarely near the level, and has one draw for so many draws of the means.
_DRAWS_PER_SPREAD = 3
#: Orders of the labels that are scored in one pass over the values.
_ORDERS_OF_BLOCK = 20
#: Five folds up to this number of samples or groups; with more, two folds train on enough samples.
_MANY_UNITS = 100
#: Distance of the seeds of two draws of folds: greater than any number of permutations, so that no
#: two draws of any two orders have the same seed.
_SEED_STEP = 1_000_003
#: The mean over more draws of folds is expected within two standard errors, with about 95%.
_N_STANDARD_ERRORS = 2.0


def label_test(
    series: DataSet,
    *,
    columns: Mapping[str, np.ndarray] | None = None,
    n_permutations: int = PERMUTATIONS,
    n_draws: int | None = None,
) -> pd.DataFrame:
    """Test whether the labels of a data set are predicted better than permuted ones.

    Medians over all samples replace missing values, and of counts the features with enough reads
    are used (`xnbflow.data.read_counts.expressed_features`): those with few reads differ between
    libraries of different sizes. Both use no single label, and are the same for permuted labels.

    There are five folds, or two with more than 100 samples or groups.

    Parameters
    ----------
    series : DataSet
    columns : mapping of str to ndarray of shape (n_samples,), optional
        Columns of the samples to adjust for, none missing: numbers, or texts, which are categories.
    n_permutations : int
        Permuted orders of the labels beside the true one, at most.
    n_draws : int, optional
        Draws of folds for each order (`_default_n_draws`), over which the score of the means is
        averaged. The spread has a third of them, at least one.

    Returns
    -------
    DataFrame
        The table ``label_test`` of the group ``check``, with one row; none with more than 60
        million values, or where no class is large enough for two folds.

    Raises
    ------
    InputError
        If ``n_permutations`` is less than 1.

    Examples
    --------
    >>> values, labels = np.random.default_rng(0).normal(size=(30, 24)), np.repeat(["a", "b"], 12)
    >>> values[:3, 12:] += 3
    >>> features, samples = np.arange(30).astype(str), np.arange(24).astype(str)
    >>> row = label_test(DataSet("toy", values, features, samples, labels)).iloc[0]
    >>> row["statistic"], int(row["at_least"]), int(row["permutations"]), float(row["p_value"])
    ('means', 1, 1000, 0.001)
    """
    if n_permutations < 1:
        msg = f"n_permutations is {n_permutations}; use 1 or more"
        raise InputError(msg)
    table_columns = GROUPS["check"].tables["label_test"].fixed
    n_splits = n_splits_of(series)
    if n_splits < 2 or series.values.size > _MOST_TESTED_VALUES:
        return pd.DataFrame(columns=table_columns)

    # The order of the samples, by which permutations are drawn, does not depend on the file.
    canonical = order_of(series)
    columns = {name: np.asarray(cells)[canonical] for name, cells in (columns or {}).items()}
    series = in_canonical_order(series)
    codes = numbered(series.labels)
    seed = series_seed(series, 0, "permutation")
    values = values_without_columns(series, columns)

    # All statistics have the same orders of the labels.
    strata = label_free_strata(columns) if columns else None
    exchange = label_exchange(codes, series.groups, strata)
    orders = _orders_of_labels(exchange, codes, n_permutations, seed)
    partition_scores, errors = _statistics(
        values,
        orders.partitions,
        series.groups,
        n_splits=n_splits,
        n_draws=n_draws or _default_n_draws(series.values.size),
        seed=seed,
    )
    scores = {name: score[orders.partition_of_order] for name, score in partition_scores.items()}
    margins = {name: _N_STANDARD_ERRORS * error for name, error in errors.items()}
    row = _table_row(scores, margins, is_complete=orders.are_all)
    row["adjusted_for"] = listed(list(columns)) if columns else ""
    return pd.DataFrame([row], columns=table_columns)


def n_splits_of(series: DataSet) -> int:
    """Return the number of folds; fewer than two where the labels cannot be tested."""
    sizes = class_counts(series)
    if len(sizes) < 2:
        return 0
    n_units = series.n_samples if series.groups is None else len(np.unique(series.groups))
    n_splits = 5 if n_units <= _MANY_UNITS else 2
    return min(n_splits, int(sizes.max()))


def values_without_columns(series: DataSet, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the values of which the statistics are computed, (n_features, n_samples).

    None are missing, of counts the features with enough reads remain, and the values are the
    residuals of the ``columns``. The filter of counts uses no labels but the size of the smallest
    class.
    """
    values = filled(series).values
    if series.scale == COUNTS:
        values = values[expressed_features(series)]
    return _residuals(values, columns) if columns else values


def _residuals(values: np.ndarray, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the residuals of features (n_features, n_samples) in a linear model of columns.

    The model has a constant, a slope for each column of numbers and an effect of each level of a
    category. It has no classes.

    Examples
    --------
    >>> _residuals(np.array([[1.0, 3.0, 5.0, 9.0]]), {"plate": np.array(list("ppqq"))}).round(9)
    array([[-1.,  1., -2.,  2.]])
    """
    parts = [np.ones((values.shape[1], 1))]
    for cells in columns.values():
        if np.issubdtype(cells.dtype, np.number):
            parts.append((cells - cells.mean())[:, None] / (cells.std() or 1.0))
        else:
            levels = pd.factorize(cells, sort=True)[0]
            parts.append(np.eye(levels.max() + 1)[levels][:, 1:])
    basis, sizes, _ = np.linalg.svd(np.hstack(parts), full_matrices=False)
    basis = basis[:, sizes > 1e-9 * sizes[0]]  # columns may repeat each other
    return np.asarray(values - (values @ basis) @ basis.T)


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


def _default_n_draws(n_values: int) -> int:
    """Return how often folds are drawn for each order of the labels, by the values of a data set.

    Twelve times with up to 333,000 values, three times with 1.3 to 20 million, once with more.

    Examples
    --------
    >>> [_default_n_draws(n_values) for n_values in (100_000, 800_000, 2_000_000, 40_000_000)]
    [12, 5, 3, 1]
    """
    if n_values > _MOST_VALUES_OF_DRAWS:
        return 1
    return int(np.clip(_MOST_DRAWN_VALUES // max(1, n_values), 3, _MOST_DRAWS))


def _seeds_of_draws(seed: int, n_draws: int) -> list[int]:
    """Return the seeds of several draws of folds, of which the first is ``seed``.

    Examples
    --------
    >>> _seeds_of_draws(4, 3)
    [4, 1000007, 2000010]
    """
    return [(seed + draw * _SEED_STEP) % 2**32 for draw in range(n_draws)]


class _Orders(NamedTuple):
    """Orders of the labels: the true one first, then permuted ones.

    Attributes
    ----------
    partitions : ndarray of int, shape (n_partitions, n_samples)
        The classes of the samples.
    partition_of_order : ndarray of int, shape (n_orders,)
        Orders that differ by the names of classes alone have one partition.
    are_all : bool
        Whether these are all distinct orders, so that p is exact.
    """

    partitions: np.ndarray
    partition_of_order: np.ndarray
    are_all: bool


def _orders_of_labels(
    exchange: LabelExchange, codes: np.ndarray, n_permutations: int, seed: int
) -> _Orders:
    """Return all orders of the labels if these are few, else the true one and permuted ones."""
    if exchange.n_orders(codes) <= n_permutations + 1:
        return _Orders(*_distinct_partitions(exchange.distinct_orders(codes)), are_all=True)
    permuted = exchange.draws(codes, n_permutations, np.random.default_rng(seed))
    partitions = np.vstack([codes, permuted])
    return _Orders(partitions, np.arange(len(partitions)), are_all=False)


def _distinct_partitions(orders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return orders of the labels without those that only rename classes, and the place of each.

    No statistic depends on the names of the classes, so that such orders have one score. With folds
    of their own they would have two, and the true order could exceed the same order with other
    names.

    Parameters
    ----------
    orders : ndarray of int, shape (n_orders, n_samples)

    Returns
    -------
    partitions : ndarray of int, shape (n_partitions, n_samples)
        In each the classes are numbered as they appear; that of the first order is first.
    partition_of_order : ndarray of int, shape (n_orders,)

    Examples
    --------
    >>> orders = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1]])
    >>> partitions, partition_of_order = _distinct_partitions(orders)
    >>> partitions.tolist(), partition_of_order.tolist()
    ([[0, 1, 1], [0, 0, 1]], [0, 0, 1])
    """
    as_they_appear = [tuple(pd.factorize(codes)[0].tolist()) for codes in orders]
    places = {codes: place for place, codes in enumerate(dict.fromkeys(as_they_appear))}
    return np.array(list(places)), np.array([places[codes] for codes in as_they_appear])


def _statistics(
    values: np.ndarray,
    orders: np.ndarray,
    groups: np.ndarray | None,
    *,
    n_splits: int,
    n_draws: int,
    seed: int,
) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Return the scores of orders of the labels by statistic, and the error of the first score.

    ``orders`` have the shape (n_orders, n_samples), the scores (n_orders,). The error of a mean
    over draws of folds is its standard error; with one draw it is unknown, and 0 here.
    """
    draws_of = {"means": n_draws, "spread": max(1, n_draws // _DRAWS_PER_SPREAD)}
    draw_scores = _scores_of_draws(
        values, orders, groups, n_splits=n_splits, draws_of=draws_of, seed=seed
    )
    scores = {name: draws.mean(axis=1) for name, draws in draw_scores.items()}
    errors = {name: _standard_error(draws[0]) for name, draws in draw_scores.items()}
    scores["all"] = ridge_scores(values, groups)(orders)
    errors["all"] = 0.0  # it has no folds
    return scores, errors


def _scores_of_draws(
    values: np.ndarray,
    orders: np.ndarray,
    groups: np.ndarray | None,
    *,
    n_splits: int,
    draws_of: Mapping[str, int],
    seed: int,
) -> dict[str, np.ndarray]:
    """Return the scores of the means and of the spread in each draw of folds, (n_orders, n_draws).

    ``draws_of`` are the numbers of draws of each; the spread has the first draws of the means.
    """
    fold_scores = {
        "means": ten_features_scores(values, n_splits=n_splits),
        "spread": ten_features_scores(distances_from_median(values), n_splits=n_splits),
    }
    n_draws = max(draws_of.values())
    draw_scores = {name: np.empty((len(orders), draws_of[name])) for name in fold_scores}
    # Several orders are scored in one pass over the values.
    starts = range(0, len(orders), _ORDERS_OF_BLOCK)
    for start in track(starts, "permutations", len(starts)):
        block = orders[start : start + _ORDERS_OF_BLOCK]

        # The folds of each order in each draw, (n_orders_of_block, n_draws, n_samples).
        folds_of_orders = []
        for number, codes in enumerate(block, start=start):
            seeds = _seeds_of_draws(seed + number, n_draws)
            folds_of_orders.append(repeated_folds(codes, groups, n_splits, seeds))
        folds = np.stack(folds_of_orders)

        # A row for each order and draw.
        for name, score in fold_scores.items():
            rows = np.repeat(block, draws_of[name], axis=0)
            row_folds = folds[:, : draws_of[name]].reshape(rows.shape)
            row_scores = score(rows, row_folds).reshape(len(block), draws_of[name])
            draw_scores[name][start : start + len(block)] = row_scores
    return draw_scores


def _standard_error(draws: np.ndarray) -> float:
    """Return the standard error of the mean of draws; 0 for a single one."""
    return float(np.std(draws, ddof=1) / np.sqrt(len(draws))) if len(draws) > 1 else 0.0


def _table_row(
    scores: Mapping[str, np.ndarray], margins: Mapping[str, float], *, is_complete: bool
) -> dict[str, Any]:
    """Return the columns of a row: those of the combination, and of the statistic that decided."""
    test = combined_test(scores, WEIGHTS)
    lower, upper = limits_of_p(scores, WEIGHTS, margins, is_complete=is_complete)
    decisive = scores[test.statistic]
    null = decisive[1:]
    return {
        "statistic": test.statistic,
        "observed": decisive[0],
        "null_mean": np.mean(null),
        "null_95": np.quantile(null, 0.95),
        "permutations": test.n_orders,
        "at_least": test.at_least,
        "p_value": test.p_value,
        "p_lower": lower,
        "p_upper": upper,
        **{f"{name}_p": p for name, p in test.p_values.items()},
    }
