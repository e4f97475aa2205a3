"""Whether missing values, and values at a detection limit, go with the class: findings.

Values below the limit of detection are missing where a sample was measured on another day, or with
less material; or they are set to the limit, or to zero. A classifier recognises the class by them
if their share differs between the classes, whatever fills them in, without any difference of
expression.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.estimates import Performance, performance
from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.sequential import sequential_test

#: Level of each of the two tests.
LEVEL = 0.005
#: Least share of missing values in a class from which on a difference is a warning.
_FEW = 0.01
#: Least share, and number, of the values of a sample that are equal to its minimum and are then at
#: its detection limit: of continuous measurements one is.
_TIED_SHARE = 0.01
_FEWEST_TIED = 5
#: Least difference between classes of the shares at the limit that is a warning. Expression itself
#: changes how many genes are detected; of missing values any difference is one of the measurement.
_MANY_AT_LIMIT = 0.1
#: Features with missing values that are tested, spread evenly.
_MOST_FEATURES = 2000
#: Folds in which the class is predicted by the values that were not measured.
_SPLITS = 5
#: Permutations that are computed together.
_AT_ONCE = 50


def missing_values(series: DataSet) -> list[Finding]:
    """Return the finding that missing values go with the class, if they do.

    Two statistics are compared with permuted labels (`xnbflow.inference.label_exchange`):

    - the variance between the classes of the ranks of the samples' shares of missing values, as in
      the test of Kruskal and Wallis;
    - over the features, the sum of Pearson's chi-squared of missing against class, which also
      detects features that are missing in one class each, at equal shares of the samples.

    The finding is a warning if either has p of at most `LEVEL` and a class has 1% of missing values
    or more; with fewer it is a notice. ``estimate`` is the difference of the greatest and the least
    share, ``p`` twice the smaller p. A second warning has the balanced accuracy of a classifier of
    the missing values alone, where its interval is above chance (`_indicator_accuracy`).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(200, 20))
    >>> values[rng.random((200, 20)) < np.repeat([0.05, 0.30], 10)] = np.nan
    >>> series = DataSet("toy", values, range(200), range(20), ["a"] * 10 + ["b"] * 10,
    ...                  missing=True)
    >>> [(one.kind, one.label, round(one.numbers["estimate"], 2)) for one in missing_values(series)]
    [('missing', 'b', 0.25), ('predict class', 'b', 1.0)]
    """
    missing = np.isnan(series.values)
    incomplete = missing.any(axis=1) & ~missing.all(axis=1)
    if not incomplete.any() or len(series.classes) < 2:
        return []

    # The share of each class.
    shares = missing.mean(axis=0)
    class_means = np.array([shares[series.labels == label].mean() for label in series.classes])

    # Whether they differ; the p-value is of two tests.
    codes = np.unique(series.labels, return_inverse=True)[1]
    p = _p_of_missing(series, missing[incomplete], shares, codes)
    if p > 2 * LEVEL:
        return []
    is_warning = class_means.max() >= _FEW
    difference = _difference(series, class_means, kind="missing", is_warning=is_warning, p=p)
    findings = [difference]
    if is_warning:
        findings += _prediction(series, missing[incomplete], difference, "missing")
    return findings


def values_at_limit(series: DataSet) -> list[Finding]:
    """Return the finding that values at the detection limit go with the class, if they do.

    A value of a linear feature is at the limit if it is equal to the minimum of its sample, as are
    1% of the sample's values and five at least: values below the limit were set to it, or to zero.
    Missing values count as well. The shares of the samples are compared as in `missing_values`. If
    p is at most `LEVEL` the finding is a warning where the class means differ by .1 or more, else a
    notice. A second warning is as in `missing_values`. There is no finding for counts, whose zeros
    depend on the library size, and without values at a limit.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = np.maximum(rng.normal(size=(200, 20)), np.repeat([-1.5, 0.0], 10))
    >>> series = DataSet("toy", values, range(200), range(20), ["a"] * 10 + ["b"] * 10)
    >>> [(finding.kind, finding.label, finding.other) for finding in values_at_limit(series)]
    [('detection limit', 'b', 'a'), ('predict class', 'b', 'a')]
    """
    values = series.values[series.kinds == "linear"]
    if series.scale == COUNTS or not len(values) or len(series.classes) < 2:
        return []

    # Samples with enough values at their minimum; whole numbers from 0 are counts.
    missing = np.isnan(values)
    whole = np.where(missing, np.inf, values)
    at_limit = whole == whole.min(axis=0)
    is_limited = at_limit.sum(axis=0) >= max(_FEWEST_TIED, _TIED_SHARE * len(values))
    measured = values[~missing]
    are_counts = measured.min() == 0 and bool(np.all(measured == np.round(measured)))
    if not is_limited.any() or are_counts:
        return []

    # Whether the share of values at the limit, or below it, differs between the classes.
    not_measured = missing | (at_limit & is_limited)
    shares = not_measured.mean(axis=0)
    codes = np.unique(series.labels, return_inverse=True)[1]
    ranks = pd.Series(shares).rank().to_numpy()
    rng = np.random.default_rng(series_seed(series, 0, "detection limit"))

    def between_classes(draws: np.ndarray) -> np.ndarray:
        return _between_classes(ranks, draws, codes.max() + 1)

    p = _p_of_exchange(between_classes, codes, series.groups, rng)
    if p > LEVEL:
        return []

    class_means = np.array([shares[series.labels == label].mean() for label in series.classes])
    is_warning = bool(np.ptp(class_means) >= _MANY_AT_LIMIT)
    difference = _difference(
        series, class_means, kind="detection limit", is_warning=is_warning, p=p
    )
    findings = [difference]
    if is_warning:
        findings += _prediction(series, not_measured, difference, "at a detection limit")
    return findings


def _indicator_accuracy(
    indicators: np.ndarray, codes: np.ndarray, groups: np.ndarray | None = None
) -> Performance:
    """Return the performance of a classifier that sees only which values were not measured.

    It is naive Bayes of binary features with add-one smoothing and equal priors, in five stratified
    folds.

    Parameters
    ----------
    indicators : ndarray of bool, shape (n_features, n_samples)
    codes : ndarray of int, shape (n_samples,)
    groups : ndarray of shape (n_samples,), optional
        Groups are whole in folds.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = np.repeat([0, 1], 10)
    >>> indicators = rng.random((200, 20)) < np.where(codes, 0.3, 0.05)
    >>> _indicator_accuracy(indicators, codes).balanced_accuracy.value
    0.85
    """
    n_classes = codes.max() + 1
    n_splits = min(_SPLITS, int(np.bincount(codes).max()))
    votes = np.zeros((len(codes), n_classes))
    for train, test in stratified_splits(codes, groups, n_splits, seed=0):
        classes = np.unique(codes[train])
        scores = []
        for code in classes:
            members = indicators[:, train[codes[train] == code]]
            share = (members.sum(axis=1) + 1) / (members.shape[1] + 2)
            log_ratio = np.log(share) - np.log1p(-share)
            scores.append(log_ratio @ indicators[:, test] + np.log1p(-share).sum())
        votes[test, classes[np.argmax(scores, axis=0)]] = 1.0
    return performance(codes, votes, groups)


def _prediction(
    series: DataSet, indicators: np.ndarray, difference: Finding, values: str
) -> Iterator[Finding]:
    """Yield the finding that a classifier of indicators has an interval above chance.

    ``difference`` is the finding on the difference between the classes, ``values`` the word for
    values that were not measured.
    """
    codes = np.unique(series.labels, return_inverse=True)[1]
    if np.bincount(codes).min() < 2:
        return
    reached = _indicator_accuracy(indicators, codes, series.groups)
    accuracy, lower, upper = reached.balanced_accuracy
    if not lower > reached.chance:
        return
    yield Finding(
        code="values",
        kind="predict class",
        dataset=series.name,
        label=difference.label,
        other=difference.other,
        detail=values,
        numbers={
            "estimate": accuracy,
            "lower": lower,
            "upper": upper,
            "limit": reached.chance,
            "p": difference.numbers["p"],
        },
    )


def _difference(
    series: DataSet, class_means: np.ndarray, *, kind: str, is_warning: bool, p: float
) -> Finding:
    """Return the finding on a difference between the classes in their mean shares (n_classes,)."""
    return Finding(
        code="values",
        kind=kind,
        dataset=series.name,
        severity="warning" if is_warning else "notice",
        label=str(series.classes[class_means.argmax()]),
        other=str(series.classes[class_means.argmin()]),
        numbers={"estimate": float(np.ptp(class_means)), "p": p},
    )


def _between_classes(ranks: np.ndarray, draws: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the variance of ranks (n_samples,) between the classes of each draw of labels.

    ``draws`` have shape (n_draws, n_samples). Groups that exchange their labels may have unequal
    sizes, so that sizes differ by draw.
    """
    between = np.zeros(len(draws))
    for code in range(n_classes):
        members = (draws == code).astype(float)
        sizes = np.maximum(members.sum(axis=1), 1.0)
        between += (members @ (ranks - ranks.mean())) ** 2 / sizes
    return between


def _p_of_missing(
    series: DataSet, missing: np.ndarray, shares: np.ndarray, codes: np.ndarray
) -> float:
    """Return twice the smaller p of the two tests of `missing_values`."""
    rows = np.unique(np.linspace(0, len(missing) - 1, _MOST_FEATURES).astype(int))
    ranks = pd.Series(shares).rank().to_numpy()
    n_classes = codes.max() + 1
    features = missing[rows].astype(float)
    frequency = features.mean(axis=1)
    scale = frequency * (1 - frequency)
    varies = scale > 0
    standard = (features[varies] - frequency[varies, None]) / np.sqrt(scale[varies, None])

    def of_samples(draws: np.ndarray) -> np.ndarray:
        return _between_classes(ranks, draws, n_classes)

    def of_features(draws: np.ndarray) -> np.ndarray:
        between = np.zeros(len(draws))
        for code in range(n_classes):
            members = (draws == code).astype(float)
            sizes = np.maximum(members.sum(axis=1), 1.0)
            between += ((standard @ members.T) ** 2).sum(axis=0) / sizes
        return between

    p_values = []
    for number, statistic in enumerate((of_samples, of_features)):
        rng = np.random.default_rng(series_seed(series, number, "missing"))
        p_values.append(_p_of_exchange(statistic, codes, series.groups, rng))
    return min(1.0, 2 * min(p_values))


def _p_of_exchange(
    statistic: Callable[[np.ndarray], np.ndarray],
    codes: np.ndarray,
    groups: np.ndarray | None,
    rng: np.random.Generator,
) -> float:
    """Return the p-value of a statistic by exchanged labels, drawn until it is clear of `LEVEL`.

    ``statistic`` takes draws of the codes of the classes, shape (n_draws, n_samples), and returns a
    value for each.
    """
    exchange = label_exchange(codes, groups)

    def null() -> Iterator[float]:
        while True:
            yield from statistic(exchange.draws(codes, _AT_ONCE, rng))

    return sequential_test(float(statistic(codes[None])[0]), null(), LEVEL).p_value
