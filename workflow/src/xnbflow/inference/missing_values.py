"""Whether missing values go with the class: a finding of the audit.

Values below the limit of detection are missing where a sample was measured on another day, or with
less material. A classifier recognises the class by them if their share differs between the classes,
whatever fills them in, without any difference of expression.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.diagnostics.audit_row import Row, audit_row
from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.sequential import sequential_test
from xnbflow.tables.contract import AUDIT_TABLES
from xnbflow.tables.storage import table_of

#: Level of each of the two tests.
LEVEL = 0.005
#: Least share of missing values in a class from which on a difference is a warning.
_FEW = 0.01
#: Features with missing values that are tested, spread evenly.
_MOST_FEATURES = 2000
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
    share, ``p`` twice the smaller p. The rows are of the table ``audit``, and none if no value is
    missing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(200, 20))
    >>> values[rng.random((200, 20)) < np.repeat([0.05, 0.30], 10)] = np.nan
    >>> series = DataSet("toy", values, range(200), range(20), ["a"] * 10 + ["b"] * 10,
    ...                  missing=True)
    >>> missing_values(series)[["subject", "severity"]].values.tolist()
    [['a', 'none'], ['b', 'none'], ['b', 'warning']]
    """
    missing = np.isnan(series.values)
    incomplete = missing.any(axis=1) & ~missing.all(axis=1)
    if not incomplete.any() or len(series.classes) < 2:
        return table_of([], AUDIT_TABLES["audit"])
    shares = missing.mean(axis=0)
    rows: list[Row] = []
    of_class = np.array([shares[series.labels == label].mean() for label in series.classes])
    for label, share in zip(series.classes, of_class.tolist(), strict=True):
        n = counted(int((series.labels == label).sum()), "sample")
        text = f"{share:.1%} of the values of “{label}” are missing in {n}"
        rows.append(audit_row("share missing", str(label), "none", text, value=share))
    codes = np.unique(series.labels, return_inverse=True)[1]
    p = _p_of_missing(series, missing[incomplete], shares, codes)
    if p <= 2 * LEVEL:
        most = series.classes[of_class.argmax()]
        least = series.classes[of_class.argmin()]
        text = (
            f"missing values go with the class ({of_class.max():.1%} in “{most}”, "
            f"{of_class.min():.1%} in “{least}”): a classifier may recognise the class by them, "
            "whatever fills them in"
        )
        are_many = of_class.max() >= _FEW
        difference = float(np.ptp(of_class))
        row = audit_row(
            "shares missing differ" if are_many else "few missing differ",
            str(most),
            "warning" if are_many else "notice",
            text,
            other=str(least),
            value=difference,
            p=p,
        )
        rows.append(row)
    return table_of(rows, AUDIT_TABLES["audit"])


def _p_of_missing(
    series: DataSet, missing: np.ndarray, shares: np.ndarray, codes: np.ndarray
) -> float:
    """Return twice the smaller p of the two tests of `missing_values`."""
    rows = np.unique(np.linspace(0, len(missing) - 1, _MOST_FEATURES).astype(int))
    ranks = pd.Series(shares).rank().to_numpy()
    n_classes = codes.max() + 1
    # Groups that exchange their labels may have unequal sizes, so that sizes differ by draw.
    features = missing[rows].astype(float)
    frequency = features.mean(axis=1)
    scale = frequency * (1 - frequency)
    varies = scale > 0
    standard = (features[varies] - frequency[varies, None]) / np.sqrt(scale[varies, None])

    def statistics(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        of_samples = np.zeros(len(draws))
        of_features = np.zeros(len(draws))
        for code in range(n_classes):
            members = (draws == code).astype(float)
            sizes = np.maximum(members.sum(axis=1), 1.0)
            of_samples += (members @ (ranks - ranks.mean())) ** 2 / sizes
            of_features += ((standard @ members.T) ** 2).sum(axis=0) / sizes
        return of_samples, of_features

    exchange = label_exchange(codes, series.groups)
    observed = statistics(codes[None])
    p_values = []
    for which in (0, 1):
        rng = np.random.default_rng(series_seed(series, which, "missing"))

        def null(which: int = which, rng: np.random.Generator = rng) -> Iterator[float]:
            while True:
                yield from statistics(exchange.draws(codes, _AT_ONCE, rng))[which]

        p_values.append(sequential_test(float(observed[which][0]), null(), LEVEL).p_value)
    return min(1.0, 2 * min(p_values))
