"""Learning curve: accuracy against the number of training samples, and its forecast.

The error falls with the number of samples as an inverse power law (Mukherjee and others 2003).
"""

import itertools
import math
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from xnbflow.core.progress import track
from xnbflow.data.canonical_order import in_canonical_order, numbered
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.folds import MOST_REPEATED, class_counts, stratified_splits
from xnbflow.inference.intervals import CROSS_VALIDATED, balanced_interval
from xnbflow.inference.label_test import n_splits_of
from xnbflow.inference.preselection import Preselection
from xnbflow.tables.contract import CHECK_TABLES
from xnbflow.tables.storage import table_of

#: Shares of the training samples of a fold, number of folds, and repeats.
_SHARES = (0.3, 0.4, 0.55, 0.75, 1.0)
_FOLDS = 5
_REPEATS = 4
#: Forecasts are for these multiples of the samples of the data set.
_TIMES = (1.0, 1.5, 2.0)
#: Least training samples of the smallest class; shares with fewer are left out.
_LEAST_IN_CLASS = 3
#: Features that are fitted, shared by the pairs of classes.
_MOST_FEATURES = 1000
#: Draws of the samples for the intervals of forecasts.
_BOOTSTRAPS = 400
#: A forecast with a wider 95% interval is marked.
_WIDEST = 0.3
#: Exponents of the power law that are tried, .05 apart.
_EXPONENTS = np.linspace(0.1, 2.0, 39)


class PowerLaw(NamedTuple):
    """Errors ``floor + scale * n ** -exponent`` of ``n`` samples; arrays of shape (n_curves,)."""

    floor: np.ndarray
    scale: np.ndarray
    exponent: np.ndarray

    def at(self, n: float) -> np.ndarray:
        """Return the error with ``n`` training samples."""
        return self.floor + self.scale * n**-self.exponent


def power_laws(sizes: np.ndarray, errors: np.ndarray) -> PowerLaw:
    """Fit inverse power laws that do not rise, by least squares.

    ``sizes``, of shape (n_sizes,), are numbers of training samples; ``errors`` have shape
    (n_curves, n_sizes). Floor and scale are at least 0; exponents are .1 to 2 in steps of .05.

    References
    ----------
    S. Mukherjee and others, "Estimating dataset size requirements for classifying DNA microarray
    data", Journal of Computational Biology 10 (2003), 119-142.

    Examples
    --------
    >>> sizes = np.array([10.0, 20.0, 40.0, 80.0])
    >>> [float(part[0].round(3)) for part in power_laws(sizes, 0.1 + 2 / sizes[None])]
    [0.1, 2.0, 1.0]
    """
    best = PowerLaw(*np.zeros((3, len(errors))))
    least = np.full(len(errors), np.inf)
    for exponent in _EXPONENTS:
        x = sizes**-exponent
        centred = x - x.mean()
        scale = np.maximum(errors @ centred / (centred @ centred), 0.0)
        floor = errors.mean(axis=1) - scale * x.mean()
        scale = np.where(floor < 0, errors @ x / (x @ x), scale)
        floor = np.maximum(floor, 0.0)
        squares = np.square(errors - floor[:, None] - np.outer(scale, x)).sum(axis=1)
        better = squares < least - 1e-15
        least = np.where(better, squares, least)
        best = PowerLaw(
            floor=np.where(better, floor, best.floor),
            scale=np.where(better, scale, best.scale),
            exponent=np.where(better, exponent, best.exponent),
        )
    return best


def learning_curve(series: DataSet, entry: Mapping[str, Any], fitted_as: str) -> pd.DataFrame:
    """Measure the balanced accuracy with few training samples and forecast it with more.

    ``fitted_as`` is the full path of the class that is fitted: the class of ``entry``, which has a
    single step, or a simpler one, which then has its default parameters; empty if none is fast.
    Medians over all samples replace missing values. The result is the table ``learning_curve`` of
    `CHECK_TABLES`, with the name of a simpler class that was fitted. It is empty without a fast
    class, with more than `MOST_REPEATED` samples, or so few of a class that four training sets of
    different size cannot be drawn.

    In each fold training sets grow: the smaller ones are parts of the larger ones. Every fit is
    tested on the whole fold. The interval is from a bootstrap of the samples (of groups, where
    samples have them) within classes, half as many as there are, since a cross-validation of n
    samples counts as n / 2; and at least Jeffreys' interval at the forecast.
    """
    empty = table_of([], CHECK_TABLES["learning_curve"])
    if not fitted_as or n_splits_of(series) < 2 or series.n_samples > MOST_REPEATED:
        return empty
    fitted_entry = entry if entry["method"] == fitted_as else {"method": fitted_as}
    estimator = build_estimator(fitted_entry, series.columns_by_kind, 0)
    series = in_canonical_order(series)
    values = filled(series).values
    n_kept = max(20, _MOST_FEATURES // math.comb(len(series.classes), 2))
    codes = numbered(series.labels)
    units = np.arange(len(codes)) if series.groups is None else series.groups
    smallest = int(class_counts(series).min())
    folds = min(_FOLDS, smallest)
    # A training set must have three samples of the smallest class. If the class has 12, four of
    # five folds have 9.6 on average, of which a share of 0.3 would be 2.9, and of 0.4 is 3.8.
    shares = [s for s in _SHARES if s * smallest * (1 - 1 / folds) >= _LEAST_IN_CLASS]
    if len(shares) < 4:
        return empty
    seed = series_seed(series, 0, "learning curve")
    right = np.zeros((len(shares), len(codes)))
    sizes = np.zeros(len(shares))
    preselection = Preselection(values)
    fits = list(itertools.product(range(_REPEATS), range(len(shares))))
    for repeat, i in track(fits, "sizes of the learning curve"):
        rng = np.random.default_rng(seed + repeat)
        splits = stratified_splits(codes, series.groups, folds, seed + repeat)
        training_sets = []
        for train, _ in splits:
            # The share of a training set, above 0 to 1, at which each sample joins it, by class.
            training_codes = codes[train]
            training_units = units[train]
            names, first, unit_of_sample = np.unique(
                training_units, return_index=True, return_inverse=True
            )
            joins = np.empty(len(names))
            for code in np.unique(training_codes[first]):
                in_class = np.flatnonzero(training_codes[first] == code)
                joins[in_class] = (rng.permutation(len(in_class)) + 0.5) / len(in_class)
            growth = joins[unit_of_sample]

            training_sets.append(train[growth <= shares[i]])
        screened = preselection.best(codes, training_sets, n_kept)
        for training, (_, test), features in zip(training_sets, splits, screened, strict=True):
            X = values[features].T
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                predicted = clone(estimator).fit(X[training], codes[training]).predict(X[test])
            right[i, test] += predicted == codes[test]
            sizes[i] += len(training)
    sizes /= folds * _REPEATS
    right /= _REPEATS
    curve = _forecast(sizes, right, codes=codes, units=units, seed=seed)
    in_place = "" if fitted_entry is entry else fitted_as.rpartition(".")[2]
    return curve.assign(fitted=in_place)


def _forecast(
    sizes: np.ndarray, right: np.ndarray, *, codes: np.ndarray, units: np.ndarray, seed: int
) -> pd.DataFrame:
    """Return the table of a curve: measured values and forecasts by the power law.

    ``right`` (n_sizes, n_samples) are the shares of right predictions of each sample. A forecast is
    marked if the error does not fall from the first to the last size in 95% of the bootstraps, if
    its interval is wide, or if one with fewer samples is marked.
    """
    weights = _bootstrap_weights(codes, units, seed)
    class_weights = 1 / (np.bincount(codes) * (codes.max() + 1))
    errors = 1 - right @ class_weights[codes]
    bootstrapped = 1 - weights @ right.T
    law = power_laws(sizes, errors[None])
    bootstrapped_laws = power_laws(sizes, bootstrapped)
    falls = np.quantile(bootstrapped[:, 0] - bootstrapped[:, -1], 0.05) > 0
    rows = []
    for i, size in enumerate(sizes):
        value = 1 - errors[i]
        limits = _limits(value, 1 - bootstrapped[:, i], right=right[i], codes=codes, units=units)
        row = {"kind": "measured", "training_samples": size, "balanced_accuracy": value}
        rows.append({**row, **limits, "fitted": "", "unreliable": ""})
    note = ""
    for factor in _TIMES:
        n = factor * len(codes)
        value = 1 - float(law.at(n)[0])
        shifted = np.clip(right[-1] + value - (1 - errors[-1]), 0, 1)
        limits = _limits(
            value, 1 - bootstrapped_laws.at(n), right=shifted, codes=codes, units=units
        )
        reasons = []
        if not falls:
            reasons.append("no rise with the number of samples beyond chance")
        if limits["upper"] - limits["lower"] > _WIDEST:
            reasons.append("wide interval")
        if note and not reasons:
            reasons.append("beyond an unreliable forecast")
        note = "; ".join(reasons)
        row = {"kind": "forecast", "training_samples": n, "balanced_accuracy": value}
        rows.append({**row, **limits, "fitted": "", "unreliable": note})
    return table_of(rows, CHECK_TABLES["learning_curve"])


def _bootstrap_weights(codes: np.ndarray, units: np.ndarray, seed: int) -> np.ndarray:
    """Return the weight of each sample in each bootstrap of half the units of each class."""
    rng = np.random.default_rng(seed)
    weights = np.zeros((_BOOTSTRAPS, len(codes)))
    for code in np.unique(codes):
        in_class = np.flatnonzero(codes == code)
        names, unit_of_sample = np.unique(units[in_class], return_inverse=True)
        n_drawn = max(2, round(len(names) / CROSS_VALIDATED))
        equal = np.full(len(names), 1 / len(names))
        counts = rng.multinomial(n_drawn, equal, _BOOTSTRAPS)[:, unit_of_sample]
        weights[:, in_class] = counts / counts.sum(axis=1, keepdims=True)
    return weights / (codes.max() + 1)


def _limits(
    value: float, drawn: np.ndarray, *, right: np.ndarray, codes: np.ndarray, units: np.ndarray
) -> dict[str, float]:
    """Return the 95% interval of the bootstrap, widened to Jeffreys' interval of the recalls."""
    jeffreys = balanced_interval(right, codes, units, CROSS_VALIDATED)
    lower, upper = np.quantile(drawn, [0.025, 0.975])
    lower = min(lower, jeffreys.lower, value)
    upper = max(upper, jeffreys.upper, value)
    return {"lower": float(max(0.0, lower)), "upper": float(min(1.0, upper))}
