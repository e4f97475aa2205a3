"""Permutation tests: whether permuted labels are predicted as well as those of a data set.

`permutation_test` is the one test; it stops as soon as the labels are known not to be significant.
A study that asks for it repeats everything that a fit does (`complete_score`). By default a test is
cheap: it fits only those features that separate classes best *in each training set*
(`screened_score`). Both keep a test exact: true and permuted labels go through the same steps.
"""

import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from xnbflow.core.errors import InputError
from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.fitting import filled, fit_grouped, impute_within, imputes
from xnbflow.evaluation.folds import class_counts, stratified_splits
from xnbflow.evaluation.metrics import class_metrics
from xnbflow.inference.halves import MOST_SAMPLES
from xnbflow.tables.contract import CHECK_TABLES

__all__ = [
    "PermutationTest",
    "QuickFit",
    "Screen",
    "complete_score",
    "label_test",
    "permutation_test",
    "permuted",
    "quick_fit",
    "screened_score",
]

#: Permutations of a test that no study asks for.
N_PERMUTATIONS = 99
#: Features that a quick test fits.
_MOST_FEATURES = 1000
#: With more samples or groups two folds do.
_MANY_UNITS = 100
#: Shares of the same number of samples: equal ones differ by rounding at most.
_ROUNDING = 1e-12

Score = Callable[[np.ndarray, int], float]


def permuted(labels: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Return labels in random order, as far as groups leave them exchangeable.

    Where some of the groups, of shape (n_samples,) as the labels, has several labels (tumour and
    normal tissue of a patient), labels are exchanged within groups only; where none has (samples of
    a patient who has one diagnosis), whole groups exchange their label.
    """
    if groups is None:
        return rng.permutation(labels)
    first, of = np.unique(groups, return_index=True, return_inverse=True)[1:]
    if (labels[first][of] == labels).all():
        return rng.permutation(labels[first])[of]
    order = np.lexsort((rng.random(len(labels)), of))
    found = np.empty_like(labels)
    found[np.argsort(of, kind="stable")] = labels[order]
    return found


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
    n_permutations: int = 200,
    stop_after: int = 10,
    seed: int = 0,
) -> PermutationTest:
    """Test whether labels are predicted better than permuted ones.

    ``score`` gives the score of labels, of shape (n_samples,), and a seed for its folds, another
    for each permutation; ``permute`` gives permuted labels, see `permuted`. The test ends after
    ``stop_after`` permutations that reach the true labels' score. p is then ``at_least /
    permutations``, else ``(at_least + 1) / (permutations + 1)``. Either has ``P(p <= a) <= a`` for
    labels without information.

    J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78 (1991), 301-304.
    """
    if n_permutations < 1 or stop_after < 1:
        msg = f"n_permutations is {n_permutations}, stop_after {stop_after}; use 1 or more"
        raise InputError(msg)
    rng = np.random.default_rng(seed)
    observed = score(labels, seed)
    null: list[float] = []
    at_least = 0
    for permutation in range(1, n_permutations + 1):
        null.append(score(permute(rng), seed + permutation))
        at_least += null[-1] >= observed - _ROUNDING
        if at_least == stop_after:
            return PermutationTest(observed, at_least / permutation, at_least, tuple(null))
    p_value = (at_least + 1) / (n_permutations + 1)
    return PermutationTest(observed, p_value, at_least, tuple(null))


def label_test(
    series: DataSet,
    entry: Mapping[str, Any],
    permuted_as: str = "",
    *,
    n_permutations: int = N_PERMUTATIONS,
) -> pd.DataFrame:
    """Test whether a classifier predicts the labels of a data set better than permuted ones.

    With ``permuted_as``, the full path of a class, the test is quick: it fits that class to some of
    the features. It is the class of ``entry``, which has a single step, or a simpler one, which
    then has its default parameters. Medians over all samples stand in for missing values. Nothing
    of the classifier's settings may come from the labels, or the test would not be exact: the
    number of features that a cross-validation has chosen is not used. Data sets of more than
    `MOST_SAMPLES` have no quick test, because intervals are enough there.

    Folds are five, of more than 100 samples or groups two. The result is the table ``label_test``
    of `CHECK_TABLES`; it is empty where no test is made or no class is large enough for two folds.
    """
    n_splits, labels, groups = _n_splits(series), series.labels, series.groups
    empty = pd.DataFrame(columns=CHECK_TABLES["label_test"].fixed)
    if n_splits < 2:
        return empty
    if permuted_as:
        quick = quick_fit(series, entry, permuted_as)
        if quick is None:
            return empty
        score = screened_score(
            quick.estimator, quick.values, groups, n_splits=n_splits, n_kept=quick.n_kept
        )
    else:
        seed = derive_seed(series.name, 0, "classifier")
        estimator = build_estimator(entry, series.columns_by_kind, seed)
        score = complete_score(estimator, series, n_splits=n_splits)
    test = permutation_test(
        score,
        labels,
        lambda rng: permuted(labels, groups, rng),
        n_permutations=n_permutations,
        seed=derive_seed(series.name, 0, "permutation"),
    )
    is_own = permuted_as in ("", entry.get("method"))
    row = {
        "metric": "balanced_accuracy",
        "observed": test.observed,
        "permutations": len(test.null),
        "null_mean": np.mean(test.null),
        "null_sd": np.std(test.null, ddof=1) if len(test.null) > 1 else np.nan,
        "null_95": np.quantile(test.null, 0.95),
        "at_least": test.at_least,
        "p_value": test.p_value,
        "permuted": "" if is_own else permuted_as.rpartition(".")[2],
    }
    return pd.DataFrame([row], columns=empty.columns)


def _n_splits(series: DataSet) -> int:
    """Return the number of folds; fewer than two where the labels cannot be tested."""
    sizes = class_counts(series)
    n_units = series.n_samples if series.groups is None else len(np.unique(series.groups))
    return min(5 if n_units <= _MANY_UNITS else 2, int(sizes.max())) if len(sizes) > 1 else 0


class QuickFit(NamedTuple):
    """What is fitted many times: an estimator, values without missing ones, and features."""

    estimator: BaseEstimator
    values: np.ndarray
    n_kept: int


def quick_fit(series: DataSet, entry: Mapping[str, Any], fitted_as: str) -> QuickFit | None:
    """Return how a classifier is fitted many times; None where there is no quick test."""
    if _n_splits(series) < 2 or series.n_samples > MOST_SAMPLES:
        return None
    own = entry["method"] == fitted_as
    estimator = build_estimator(entry if own else {"method": fitted_as}, series.columns_by_kind, 0)
    n_kept = max(20, _MOST_FEATURES // math.comb(len(series.classes), 2))
    return QuickFit(estimator, filled(series).values, n_kept)


class Screen:
    """Features that separate classes best in training sets, for any labels.

    ``values``, of shape (n_features, n_samples), are standardised once; for each training set and
    labels, means and deviations of the classes are then matrix products.

    Examples
    --------
    >>> values, codes = np.random.default_rng(0).normal(size=(100, 40)), np.repeat([0, 1], 20)
    >>> values[7, 20:] += 5
    >>> (kept,) = Screen(values).best(codes, [np.arange(0, 40, 2)], 4)
    >>> 7 in kept
    True
    """

    def __init__(self, values: np.ndarray) -> None:
        spread = values.std(axis=1, keepdims=True)
        centred = values - values.mean(axis=1, keepdims=True)
        standard = np.divide(centred, spread, out=centred, where=spread > 0)
        self._standard = standard.astype(np.float32)  # the products take half the time
        self._squares = self._standard**2

    def best(
        self, codes: np.ndarray, training_sets: Sequence[np.ndarray], n_kept: int
    ) -> Iterator[np.ndarray]:
        """Yield, for each training set, at most ``n_kept`` features per pair of classes, ascending.

        Half of them have the greatest difference of means, the other half of standard deviations.
        ``codes`` are the classes of all samples, the training sets positions of samples.
        """
        n_features, n_classes = len(self._standard), codes.max() + 1
        if n_kept >= n_features:
            yield from [np.arange(n_features)] * len(training_sets)
            return
        shares = np.zeros((len(training_sets), n_classes, len(codes)), dtype=np.float32)
        for own, train in zip(shares, training_sets, strict=True):
            own[codes[train], train] = 1.0
        shares /= np.maximum(shares.sum(axis=2, keepdims=True), 1.0)
        # one product for all training sets reads the values once
        means, squares = (
            (shares.reshape(-1, len(codes)) @ of.T).reshape(*shares.shape[:2], n_features)
            for of in (self._standard, self._squares)
        )
        deviations = np.sqrt(np.maximum(squares - means**2, 0.0))
        for own, *moments in zip(shares, means, deviations, strict=True):
            kept = np.zeros(n_features, dtype=bool)
            for i, j in itertools.combinations(np.flatnonzero(own.any(axis=1)), 2):
                for moment in moments:
                    apart = -np.abs(moment[i] - moment[j])
                    kept[np.argpartition(apart, n_kept // 2)[: n_kept // 2]] = True
            yield np.flatnonzero(kept)


def screened_score(
    estimator: BaseEstimator,
    values: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    n_splits: int = 5,
    n_kept: int | None = 1000,
) -> Score:
    """Return a function that gives the balanced accuracy of a cross-validation on any labels.

    ``values``, of shape (n_features, n_samples), have none missing. Folds are stratified by the
    labels, and no group is on both sides. Of the features `Screen.best` keeps ``n_kept`` per pair
    of classes; None fits all.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> values, labels = np.random.default_rng(0).normal(size=(50, 40)), np.repeat([0, 1], 20)
    >>> values[:10, 20:] += 3
    >>> screened_score(GaussianNB(), values)(labels, 0)
    1.0
    """
    screen = Screen(values)
    every = len(values) if n_kept is None else n_kept

    def score(labels: np.ndarray, seed: int) -> float:
        codes = np.unique(labels, return_inverse=True)[1]
        predicted = np.empty_like(codes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            splits = stratified_splits(codes, groups, n_splits, seed)
            kept = screen.best(codes, [train for train, _ in splits], every)
            for (train, test), features in zip(splits, kept, strict=True):
                part = values[features].T  # a clone knows nothing of other labels or folds
                model = clone(estimator).fit(part[train], codes[train])
                predicted[test] = model.predict(part[test])
        recalls = np.bincount(codes, predicted == codes) / np.bincount(codes)
        return float(recalls.mean())

    return score


def complete_score(estimator: BaseEstimator, series: DataSet, *, n_splits: int = 5) -> Score:
    """Return a function that gives the balanced accuracy of a complete cross-validation.

    Any classifier is fitted as a study fits it, to all features; medians of the training samples
    replace missing values. Folds are stratified by the labels, and no group is on both sides.
    """
    groups = series.groups

    def score(labels: np.ndarray, seed: int) -> float:
        predicted = np.empty_like(labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for training, test in stratified_splits(labels, groups, n_splits, seed):
                model, X, tested = clone(estimator), series.frame(training), series.frame(test)
                if series.missing and not imputes(model):
                    X, tested = impute_within(X, tested)
                own = None if groups is None else groups[training]
                fit_grouped(model, X, labels[training], own)
                predicted[test] = model.predict(tested)
        return class_metrics(labels, predicted, None, series.classes)["balanced_accuracy"]

    return score
