"""Exact areas under the ROC curve of single features for each pair of classes."""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.tiles import map_strips


def sample_order(values: np.ndarray) -> np.ndarray:
    """Return for each feature its samples in ascending order, the input of `doubled_wins`.

    ``values`` and positions have shape (n_features, n_samples). Among samples with equal values, in
    any order, all but the first have -1 minus their position. Samples with missing values come last
    and are n_samples.

    Examples
    --------
    >>> sample_order(np.array([[5.0, 2.0, np.nan, 2.0]])).tolist()
    [[1, -4, 0, 4]]
    """
    ordered = np.empty(values.shape, dtype=np.int32)

    def sort(strip: slice) -> None:
        order = np.argsort(values[strip], axis=1).astype(np.int32)
        ascending = np.take_along_axis(values[strip], order, axis=1)
        equal = ascending[:, 1:] == ascending[:, :-1]
        order[:, 1:] = np.where(equal, -1 - order[:, 1:], order[:, 1:])
        ordered[strip] = np.where(np.isnan(ascending), values.shape[1], order)

    map_strips(sort, len(values), values.shape[1], ns_per_value=50.0)
    return ordered


def doubled_wins(order: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return doubled numbers of pairs of samples in which the first class is higher, per feature.

    ``order`` is that of `sample_order`, ``codes`` (n_samples,) are the classes; the result has
    shape (n_features, n_classes, n_classes). Ties count one half, so the exact whole numbers are
    twice Mann and Whitney's U (Annals of Mathematical Statistics 18, 1947). The order does not
    depend on the classes, so permuted labels use the same. Missing values are omitted. The entry of
    a class with itself is the square of its number of samples.
    """
    wins = np.zeros((len(order), n_classes, n_classes), dtype=np.int64)
    classes = codes.astype(np.int64)

    def count(strip: slice) -> None:
        _count(order[strip], classes, wins[strip])

    map_strips(count, len(order), len(codes), ns_per_value=2.0 * n_classes)
    return wins


@njit(nogil=True)
def _count(order: np.ndarray, codes: np.ndarray, wins: np.ndarray) -> None:
    """Add to ``wins`` for each sample twice the samples below it, and once its ties.

    ``below`` and ``equal`` count, for each class, the samples so far with a smaller and with the
    present value. A sample that is not negative in ``order`` begins a new value.
    """
    n_classes = wins.shape[1]
    below = np.empty(n_classes, np.int64)
    equal = np.empty(n_classes, np.int64)
    for f in range(len(order)):
        below[:] = 0
        equal[:] = 0
        for i in range(order.shape[1]):
            sample = order[f, i]
            if sample == order.shape[1]:
                break
            if sample >= 0:
                below += equal
                equal[:] = 0
            else:
                sample = -1 - sample
            code = codes[sample]
            for c in range(n_classes):
                wins[f, code, c] += 2 * below[c] + equal[c]
                wins[f, c, code] += equal[c]
            wins[f, code, code] += 1  # the sample with itself
            equal[code] += 1
