"""Whether samples, or patients, suffice for any result: a finding.

Three samples of each of two classes have 20 orders of their labels, two of which are equal but for
the names of the classes, so that no permutation test reaches p = .025, whatever the classes are.
Such a study can neither support a classifier nor contradict it. Tests of single genes borrow the
variance of all genes and are not concerned.
"""

from math import factorial, prod

import numpy as np
import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.inference.estimates import performance
from xnbflow.inference.label_exchange import label_exchange

#: Most units of a class that are tried for the number that suffices.
_MOST_UNITS = 30


def _least_p(codes: np.ndarray, groups: np.ndarray | None = None) -> float:
    """Return the smallest p that the label test can have: of labels that are better than any other.

    This is one over the number of distinct orders of the labels of exchangeable units, times the
    number of orders that only rename classes: the statistics of the test do not depend on the names
    of the classes, and classes of equal size in each stratum can exchange theirs.

    Parameters
    ----------
    codes : ndarray of int, shape (n_samples,)
    groups : ndarray of shape (n_samples,), optional
        See `xnbflow.inference.label_exchange`.

    Examples
    --------
    >>> _least_p(np.repeat([0, 1], 3))  # 20 orders
    0.1
    >>> _least_p(np.repeat([0, 1], [4, 3])) == 1 / 35
    True
    >>> _least_p(np.tile([0, 1], 6), np.repeat(np.arange(6), 2))  # 64 orders of six pairs
    0.03125
    """
    exchange = label_exchange(codes, groups)
    sizes = np.zeros((exchange.stratum.max() + 1, codes.max() + 1), dtype=int)
    np.add.at(sizes, (exchange.stratum, codes[exchange.first]), 1)
    orders = 1
    for stratum in sizes.tolist():
        orders *= factorial(sum(stratum)) // prod(map(factorial, stratum))
    alike = np.unique(sizes, axis=1, return_counts=True)[1]
    renamed = prod(map(factorial, alike.tolist()))
    return renamed / orders


def _suffice(codes: np.ndarray, groups: np.ndarray | None = None) -> bool:
    """Return whether a classifier without error is supported by these samples.

    This is so if the label test can reach p = .025, and the interval of a balanced accuracy of 1 is
    above chance.

    Examples
    --------
    >>> _suffice(np.repeat([0, 1], 4)), _suffice(np.repeat([0, 1], 5))
    (False, True)
    """
    if _least_p(codes, groups) > ONE_SIDED_LEVEL:
        return False
    without_error = performance(codes, np.eye(codes.max() + 1)[codes], groups)
    return bool(without_error.balanced_accuracy.lower > without_error.chance)


def sufficient_units(codes: np.ndarray, groups: np.ndarray | None = None) -> int:
    """Return how many units of each class suffice in a design of this kind.

    Units are patients where groups have samples of one class, and pairs where they have samples of
    several.

    Examples
    --------
    >>> sufficient_units(np.repeat([0, 1], 3))
    5
    """
    n_classes = len(np.unique(codes))
    are_pairs = groups is not None and len(np.unique(groups)) < len(
        np.unique(np.column_stack([pd.factorize(groups)[0], codes]), axis=0)
    )
    for n_units in range(2, _MOST_UNITS):
        labels = np.tile(np.arange(n_classes), n_units)
        pairs = np.repeat(np.arange(n_units), n_classes) if are_pairs else None
        if _suffice(labels, pairs):
            return n_units
    return _MOST_UNITS


def units(series: DataSet) -> list[Finding]:
    """Return the finding that a classifier without error were not supported, if it were not.

    ``total`` is the number of units of each class that suffice, ``p`` the smallest p of the label
    test.

    Examples
    --------
    >>> series = DataSet("toy", np.zeros((1, 6)), ["g"], range(6), list("aaabbb"))
    >>> [(one.numbers["count"], one.numbers["total"], one.numbers["p"]) for one in units(series)]
    [(6, 5, 0.1)]
    """
    codes = np.unique(series.labels, return_inverse=True)[1]
    if codes.max() == 0 or _suffice(codes, series.groups):
        return []
    n_units = series.n_samples
    noun = "samples"
    if series.groups is not None:
        n_units = len(np.unique(series.groups))
        noun = "groups"
    finding = Finding(
        code="units",
        subject=noun,
        dataset=series.name,
        numbers={
            "p": _least_p(codes, series.groups),
            "limit": ONE_SIDED_LEVEL,
            "count": n_units,
            "total": sufficient_units(codes, series.groups),
        },
    )
    return [finding]
