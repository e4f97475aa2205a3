"""How well each feature separates two classes by itself: the area under the ROC curve, exactly."""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.tiles import map_strips

__all__ = ["count_reaching", "doubled_wins", "pair_areas", "sample_order"]


def sample_order(values: np.ndarray) -> np.ndarray:
    """Return for each feature its samples in ascending order, as `doubled_wins` takes them.

    ``values`` and positions have shape (n_features, n_samples). Of samples with equal values, whose
    order is any, all but the first have -1 minus their position.
    """
    found = np.empty(values.shape, dtype=np.int32)

    def sort(strip: slice) -> None:
        order = np.argsort(values[strip], axis=1).astype(np.int32)
        ascending = np.take_along_axis(values[strip], order, axis=1)
        equal = ascending[:, 1:] == ascending[:, :-1]
        order[:, 1:] = np.where(equal, -1 - order[:, 1:], order[:, 1:])
        found[strip] = order

    map_strips(sort, len(values), values.shape[1], ns_per_value=50.0)
    return found


def doubled_wins(order: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return for each feature and two classes in how many pairs of samples the first is higher.

    By the order of `sample_order` and the classes' codes (n_samples,), shape (n_features,
    n_classes, n_classes). Ties count half, so that the counts are doubled: twice Mann and Whitney's
    U (Annals of Mathematical Statistics 18, 1947), exactly. The order of the samples does not
    depend on their classes: permuted labels need no other.
    """
    wins = np.zeros((len(order), n_classes, n_classes), dtype=np.int64)
    classes = codes.astype(np.int64)

    def count(strip: slice) -> None:
        _count(order[strip], classes, wins[strip])

    map_strips(count, len(order), len(codes), ns_per_value=2.0 * n_classes)
    return wins


@njit(nogil=True)
def _count(order: np.ndarray, codes: np.ndarray, wins: np.ndarray) -> None:
    """Add to ``wins`` for each sample, in ascending order, those below it twice, its ties once."""
    n_classes = wins.shape[1]
    below, equal = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    for f in range(len(order)):
        below[:] = 0
        equal[:] = 0
        for i in range(order.shape[1]):
            sample = order[f, i]
            if sample >= 0:
                below += equal
                equal[:] = 0
            else:
                sample = -1 - sample
            own = codes[sample]
            for c in range(n_classes):
                wins[f, own, c] += 2 * below[c] + equal[c]
                wins[f, c, own] += equal[c]
            wins[f, own, own] += 1  # the pair with itself
            equal[own] += 1


def pair_areas(wins: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the area under the ROC curve of each feature for each class against each other one.

    From `doubled_wins`, in their shape, and the sizes of the classes (n_classes,): 1 where all
    samples of the first class lie above those of the second, 0 where all lie below.
    """
    return wins / (2.0 * np.outer(sizes, sizes))


def count_reaching(
    order: np.ndarray, labels: np.ndarray, pairs: np.ndarray, areas: np.ndarray
) -> np.ndarray:
    """Return how many features reach an area under each labelling, whichever class is higher.

    By the order of `sample_order`. ``labels`` (n_labellings, n_samples) are codes of classes,
    ``pairs`` (n_areas, 2) the two classes of each of the ``areas`` (n_areas,) that are to be
    reached. The shape is (n_areas, n_labellings). The features' areas are never all in memory.
    """
    classes = np.arange(labels.max() + 1)
    # The greatest count is less than half the square of the number of samples.
    whole = np.int32 if labels.shape[1] < 2**16 else np.int64
    members = (labels.T[:, None] == classes[:, None]).astype(whole)
    sizes = members.sum(axis=0, dtype=np.int64)
    most = 2 * sizes[pairs].prod(axis=1)
    # Areas are whole numbers over `most`: what is added is less than one of them, but for rounding.
    missed = np.where(most > 0, np.floor((1 + 1e-12 - areas[:, None]) * most), -1).astype(np.int64)
    ends, of = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)
    of = of.reshape(-1)
    largest = np.full((len(ends), len(labels)), -1)
    np.maximum.at(largest, of, missed)

    def count(strip: slice) -> np.ndarray:
        found = np.zeros(most.shape, dtype=np.int64)
        _count_reaching(order[strip], members, ends, largest, of, most, missed, found)
        return found

    ns_per_value = 0.3 * len(ends) * len(labels)
    parts = map_strips(count, len(order), labels.shape[1], ns_per_value)
    return sum(parts, start=np.zeros(most.shape, dtype=np.int64))


@njit(nogil=True)
def _count_reaching(
    order: np.ndarray,
    members: np.ndarray,
    ends: np.ndarray,
    largest: np.ndarray,
    of: np.ndarray,
    most: np.ndarray,
    missed: np.ndarray,
    found: np.ndarray,
) -> None:
    """Add to ``found`` the features of which one of two classes has few wins, as doubled counts.

    ``members`` (n_samples, n_classes, n_labellings) are 1 where a sample is of a class. The wins of
    the classes ``ends[of[q]]`` are ``most[q]`` together; the fewer are ``missed[q]`` or less, which
    is ``largest[of[q]]`` at most.
    """
    n_samples, n_classes, n = members.shape
    rows = np.empty((n_samples + 1, n_classes, n), members.dtype)  # the last for equal samples
    rows[:n_samples] = members
    twice = np.empty((n_classes, n), members.dtype)
    wins = np.empty((len(ends), n), members.dtype)
    for f in range(len(order)):
        twice[:] = 0
        wins[:] = 0
        _add_wins(order, f, rows, ends, largest, twice, wins)
        for q in range(len(of)):
            for label in range(n):
                own = wins[of[q], label]
                found[q, label] += min(own, most[q, label] - own) <= missed[q, label]


@njit(nogil=True)
def _add_wins(
    order: np.ndarray,
    f: int,
    rows: np.ndarray,
    ends: np.ndarray,
    largest: np.ndarray,
    twice: np.ndarray,
    wins: np.ndarray,
) -> None:
    """Add the wins of the first class of each pair; stop early when no pair can reach its area."""
    i = 0
    while i < order.shape[1]:
        row = order[f, i]
        i += 1
        if i < order.shape[1] and order[f, i] < 0:
            i = _put_together(order, f, i, rows, ends, wins)
            row = len(rows) - 1
        for p in range(len(ends)):
            one, other = ends[p, 0], ends[p, 1]
            for label in range(wins.shape[1]):
                wins[p, label] += rows[row, one, label] * twice[other, label]
        for c in range(len(twice)):
            for label in range(twice.shape[1]):
                twice[c, label] += 2 * rows[row, c, label]
        if i % 16 == 0 and _is_out(ends, twice, wins, largest):
            return


@njit(nogil=True)
def _put_together(
    order: np.ndarray, f: int, i: int, rows: np.ndarray, ends: np.ndarray, wins: np.ndarray
) -> int:
    """Write the last row: equal samples together, whose pairs count once; return what follows."""
    rows[-1] = rows[order[f, i - 1]]
    while i < order.shape[1] and order[f, i] < 0:
        sample = -1 - order[f, i]
        i += 1
        for c in range(rows.shape[1]):
            for label in range(rows.shape[2]):
                rows[-1, c, label] += rows[sample, c, label]
    for p in range(len(ends)):
        one, other = ends[p, 0], ends[p, 1]
        for label in range(rows.shape[2]):
            wins[p, label] += rows[-1, one, label] * rows[-1, other, label]
    return i


@njit(nogil=True)
def _is_out(ends: np.ndarray, twice: np.ndarray, wins: np.ndarray, largest: np.ndarray) -> bool:
    """Return whether no pair can reach its area: both its classes have more wins than allowed."""
    for p in range(len(ends)):
        few = 0
        for label in range(wins.shape[1]):
            own = wins[p, label]
            others = twice[ends[p, 0], label] * twice[ends[p, 1], label] // 2 - own
            few |= min(own, others) <= largest[p, label]
        if few:
            return False
    return True
