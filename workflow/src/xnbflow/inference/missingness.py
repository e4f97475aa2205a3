"""Whether missing values, and values at a detection limit, go with the class: audit findings.

Values below the limit of detection are missing where a sample was measured on another day, or with
less material; or they are set to the limit, or to zero. A classifier recognises the class by them
if their share differs between the classes, whatever fills them in, without any difference of
expression.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.diagnostics.audit_row import AuditRow, audit_row
from xnbflow.evaluation.folds import stratified_splits
from xnbflow.inference.estimates import Performance, performance
from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.sequential import sequential_test
from xnbflow.tables.contract import AUDIT_TABLES
from xnbflow.tables.storage import table_of

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


def missing_values(series: DataSet) -> pd.DataFrame:
    """Return the share of missing values of each class, and whether they go with the class.

    Two statistics are compared with permuted labels (`xnbflow.inference.label_exchange`):

    - the variance between the classes of the ranks of the samples' shares of missing values, as in
      the test of Kruskal and Wallis;
    - over the features, the sum of Pearson's chi-squared of missing against class, which also
      detects features that are missing in one class each, at equal shares of the samples.

    The finding is a warning if either has p of at most `LEVEL` and a class has 1% of missing values
    or more; with fewer it is a notice. ``value`` is the difference of the greatest and the least
    share, ``p`` twice the smaller p. A second warning has the balanced accuracy of a classifier of
    the missing values alone, where its interval is above chance (`indicator_accuracy`). The rows
    are of the table ``audit``, and none if no value is missing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(200, 20))
    >>> values[rng.random((200, 20)) < np.repeat([0.05, 0.30], 10)] = np.nan
    >>> series = DataSet("toy", values, range(200), range(20), ["a"] * 10 + ["b"] * 10,
    ...                  missing=True)
    >>> missing_values(series)[["code", "subject", "value"]].round(2).values.tolist()[2:]
    [['shares missing differ', 'b', 0.25], ['values predict class', 'b', 1.0]]
    """
    missing = np.isnan(series.values)
    incomplete = missing.any(axis=1) & ~missing.all(axis=1)
    if not incomplete.any() or len(series.classes) < 2:
        return table_of([], AUDIT_TABLES["audit"])

    # The share of each class.
    shares = missing.mean(axis=0)
    class_means = np.array([shares[series.labels == label].mean() for label in series.classes])
    rows: list[AuditRow] = []
    for label, share in zip(series.classes, class_means.tolist(), strict=True):
        n = counted(int((series.labels == label).sum()), "sample")
        text = f"{share:.1%} of the values of “{label}” are missing in {n}"
        rows.append(audit_row("share missing", str(label), "none", text, value=share))

    # Whether they differ; the p-value is of two tests.
    codes = np.unique(series.labels, return_inverse=True)[1]
    p = _p_of_missing(series, missing[incomplete], shares, codes)
    if p <= 2 * LEVEL:
        are_many = class_means.max() >= _FEW
        row = _row_of_difference(
            series,
            class_means,
            code="shares missing differ" if are_many else "few missing differ",
            severity="warning" if are_many else "notice",
            values="missing values",
            end=", whatever fills them in",
            p=p,
        )
        rows.append(row)
        if are_many:
            rows += _row_of_indicators(series, missing[incomplete], row, "missing")
    return table_of(rows, AUDIT_TABLES["audit"])


def values_at_limit(series: DataSet) -> pd.DataFrame:
    """Return whether values at the detection limit go with the class, as rows of ``audit``.

    A value of a linear feature is at the limit if it is equal to the minimum of its sample, as are
    1% of the sample's values and five at least: values below the limit were set to it, or to zero.
    Missing values count as well. The shares of the samples are compared as in `missing_values`. If
    p is at most `LEVEL` the finding is a warning where the class means differ by .1 or more, else a
    notice. A second warning is as in `missing_values`. There is no row for counts, whose zeros
    depend on the library size, and without values at a limit.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = np.maximum(rng.normal(size=(200, 20)), np.repeat([-1.5, 0.0], 10))
    >>> series = DataSet("toy", values, range(200), range(20), ["a"] * 10 + ["b"] * 10)
    >>> values_at_limit(series)[["subject", "other", "severity"]].values.tolist()
    [['b', 'a', 'warning'], ['b', 'a', 'warning']]
    """
    values = series.values[series.kinds == "linear"]
    nothing = table_of([], AUDIT_TABLES["audit"])
    if series.scale == COUNTS or not len(values) or len(series.classes) < 2:
        return nothing

    # Samples with enough values at their minimum; whole numbers from 0 are counts.
    missing = np.isnan(values)
    whole = np.where(missing, np.inf, values)
    at_limit = whole == whole.min(axis=0)
    is_limited = at_limit.sum(axis=0) >= max(_FEWEST_TIED, _TIED_SHARE * len(values))
    measured = values[~missing]
    are_counts = measured.min() == 0 and bool(np.all(measured == np.round(measured)))
    if not is_limited.any() or are_counts:
        return nothing

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
        return nothing

    class_means = np.array([shares[series.labels == label].mean() for label in series.classes])
    are_many = np.ptp(class_means) >= _MANY_AT_LIMIT
    row = _row_of_difference(
        series,
        class_means,
        code="shares at limit differ" if are_many else "few at limit differ",
        severity="warning" if are_many else "notice",
        values="values at the least value of their sample, a detection limit,",
        p=p,
    )
    rows = [row]
    if are_many:
        rows += _row_of_indicators(series, not_measured, row, "at a detection limit")
    return table_of(rows, AUDIT_TABLES["audit"])


def indicator_accuracy(
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
    >>> indicator_accuracy(indicators, codes).balanced_accuracy.value
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


def _row_of_indicators(
    series: DataSet, indicators: np.ndarray, difference: AuditRow, values: str
) -> Iterator[AuditRow]:
    """Yield the row of a classifier of indicators if its interval is above chance.

    ``difference`` is the row of the difference between the classes, ``values`` the word for
    values that were not measured.
    """
    codes = np.unique(series.labels, return_inverse=True)[1]
    if np.bincount(codes).min() < 2:
        return
    reached = indicator_accuracy(indicators, codes, series.groups)
    accuracy, lower, upper = reached.balanced_accuracy
    if not lower > reached.chance:
        return
    text = (
        f"which values are {values} predicts the class with a balanced accuracy of {accuracy:.0%} "
        f"(95% interval {lower:.0%} to {upper:.0%}; chance {reached.chance:.0%})"
    )
    yield audit_row(
        "values predict class",
        difference["subject"],
        "warning",
        text,
        other=difference["other"],
        value=accuracy,
        p=difference["p"],
    )


def _row_of_difference(
    series: DataSet,
    class_means: np.ndarray,
    *,
    code: str,
    severity: str,
    values: str,
    p: float,
    end: str = "",
) -> AuditRow:
    """Return the row of a difference between the classes in their mean shares (n_classes,).

    ``values`` are the words for what the shares are of; ``end`` follows the sentence.
    """
    most = series.classes[class_means.argmax()]
    least = series.classes[class_means.argmin()]
    text = (
        f"{values} go with the class ({class_means.max():.1%} in “{most}”, "
        f"{class_means.min():.1%} in “{least}”): a classifier may recognise the class by them{end}"
    )
    difference = float(np.ptp(class_means))
    return audit_row(code, str(most), severity, text, other=str(least), value=difference, p=p)


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
