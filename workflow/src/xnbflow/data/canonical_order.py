"""The canonical order of the samples of a data set, by digests of their values.

Whatever is drawn (folds, permutations, halves, resamples) is drawn for the samples in this order.
Neither the order of rows and columns in a file nor a name then changes a result, and neither does
the unit of a feature: the digest of a sample is one of the *ranks* of its values within the
features, which increasing transforms of a feature (another unit, a logarithm) leave as they are.

The digest is refined as colours of a graph are (B. Weisfeiler and A. Leman, "The reduction of a
graph to canonical form and the algebra which appears therein", 1968): a sample has the sum of
hashes of its ranks over the features; if two samples have equal sums, a feature has the sum of
hashes of its samples' digests with their ranks, and a sample the sum of hashes of its ranks with
the digests of the features. Sums do not depend on the order of what is added. Samples that are
equal in all values are ordered by the digests of their class and of their group, which are sums
over their samples. Samples that are equal in these as well can be exchanged without a change of
any result.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from xnbflow.data.dataset import DataSet

#: Values whose ranks are in memory at once.
_MOST_VALUES = 1_000_000
#: The rank of a missing value.
_MISSING = np.uint64(2**32 - 1)
#: Times that digests of samples and features are refined.
_REFINEMENTS = 2


def canonical_order(
    values: np.ndarray, labels: np.ndarray, groups: np.ndarray | None = None
) -> np.ndarray:
    """Return the positions of the samples in canonical order.

    ``values`` (n_features, n_samples) may be missing; ``labels`` and ``groups`` (n_samples,) order
    samples that are equal in all values. Names decide nothing.

    Examples
    --------
    >>> values, labels = np.random.default_rng(0).normal(size=(50, 6)), np.array(list("aabbab"))
    >>> order = canonical_order(values, labels)
    >>> rows = np.array([3, 1, 5, 0, 2, 4])
    >>> (rows[canonical_order(np.exp(values[::-1, rows]), labels[rows])] == order).all()
    np.True_
    """
    n_samples = values.shape[1]
    digests = _sample_digests(values, None)
    for _ in range(_REFINEMENTS):
        if len(np.unique(digests)) == n_samples:
            return np.argsort(digests)
        digests = _sample_digests(values, digests)
    of_class = _sums_of(digests, labels)
    of_group = np.zeros_like(digests) if groups is None else _sums_of(digests, groups)
    return np.lexsort((of_group, of_class, digests))


def _sample_digests(values: np.ndarray, digests: np.ndarray | None) -> np.ndarray:
    """Return the digests of the samples, refined by features if there are digests already."""
    n_features, n_samples = values.shape
    sums = np.zeros(n_samples, dtype=np.uint64)
    step = max(1, _MOST_VALUES // max(1, n_samples))
    for start in range(0, n_features, step):
        ranks = _ranks(values[start : start + step])
        if digests is not None:
            of_feature = _hashed(ranks ^ digests).sum(axis=1, dtype=np.uint64)
            ranks = ranks ^ _hashed(of_feature)[:, None]
        sums += _hashed(ranks).sum(axis=0, dtype=np.uint64)
    return sums


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return the ranks of values within their feature; equal values have the same.

    Examples
    --------
    >>> _ranks(np.array([[0.5, 2.0, 0.5, 1.0]])).tolist()
    [[0, 3, 0, 2]]
    """
    by_value = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, by_value, axis=1)
    is_first = np.ones(values.shape, dtype=bool)
    is_first[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    places = np.arange(values.shape[1], dtype=np.uint64)
    of_sorted = np.maximum.accumulate(np.where(is_first, places, np.uint64(0)), axis=1)
    ranks = np.empty(values.shape, dtype=np.uint64)
    np.put_along_axis(ranks, by_value, of_sorted, axis=1)
    ranks[np.isnan(values)] = _MISSING
    return ranks


def _hashed(numbers: np.ndarray) -> np.ndarray:
    """Return the numbers after the mixing function of SplitMix64, modulo 2**64.

    G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA
    2014, 453-472.
    """
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _sums_of(digests: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Return for each sample the sum of the hashed digests of all samples with its name."""
    codes = np.unique(names, return_inverse=True)[1]
    sums = np.zeros(codes.max(initial=0) + 1, dtype=np.uint64)
    np.add.at(sums, codes, _hashed(digests))
    return sums[codes]


def order_of(series: Any) -> np.ndarray:
    """Return the canonical order of a data set; its present order if it has no values."""
    order = getattr(series, "order", None)
    return np.arange(len(series.labels)) if order is None else np.asarray(order)


def numbered(names: np.ndarray) -> np.ndarray:
    """Return numbers for names, by their first appearance, so that no name decides an order.

    Examples
    --------
    >>> numbered(np.array(["tumour", "normal", "tumour"])).tolist()
    [0, 1, 0]
    """
    return np.asarray(pd.factorize(names)[0])


def in_canonical_order(series: "DataSet") -> "DataSet":
    """Return a data set whose samples are in canonical order, and groups are numbered in it."""
    ordered = series.take(order_of(series))
    if ordered.groups is not None:
        numbers = numbered(ordered.groups)
        names = np.char.zfill(numbers.astype(str), len(str(len(numbers))))
        ordered = replace(ordered, groups=names)
    vars(ordered)["order"] = np.arange(ordered.n_samples)  # not to be computed again
    return ordered
