"""Kernels of the diagonal discriminant: features of each class, and probabilities of labels.

Two passes over the values (`xnbflow.inference.diagonal_discriminant` has the method):

1. `select_distant_features` reads all features once, tile by tile (256 features of all samples,
   which remain in a core's cache for all rows of labels and folds), and keeps ten of each
   class in each training set. The sums of a training set are those of all samples less the tested
   ones::

       sum over training = sum over all samples - sum over tested

   so that a row of k folds adds each value once, and not k - 1 times;
2. `label_probabilities` reads the few selected features in double precision, and computes evidence
   and probabilities of the tested samples.

Arrays in, arrays out; loops take the place of array expressions, which numba compiles for seconds.
Tests compare the result with scikit-learn's naive Bayes fitted to the same features.
"""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.inference.preselection import keep_largest


@njit(nogil=True)
def select_distant_features(
    tiles: np.ndarray,
    order: np.ndarray,
    stops: np.ndarray,
    sizes: np.ndarray,
    distances: np.ndarray,
    positions: np.ndarray,
) -> None:
    """Write the features whose class means are most distant from the mean of the classes' means.

    ``tiles`` (n_tiles, n_samples, n_features) are the features. ``order`` and ``stops`` are the
    tested samples by fold and class, and ``sizes`` (n_draws, n_folds, n_classes) those of the
    training sets (`diagonal_discriminant._tested_samples`); a draw is a row of labels and folds.
    ``distances`` and ``positions``, of shape (n_draws, n_folds, n_classes, n_selected), are those
    of `preselection.keep_largest`; they keep their first values for a class without training
    samples.
    """
    n_draws, n_folds, n_classes = sizes.shape
    width = tiles.shape[2]
    n_scored = 1 if n_classes == 2 and sizes.min() > 0 else n_classes
    tested = np.empty((n_folds, n_classes, width), dtype=np.float32)
    total = np.empty((n_classes, width), dtype=np.float32)
    tile_distances = np.empty((n_classes, width), dtype=np.float32)
    middle = np.empty(width, dtype=np.float32)
    for t in range(len(tiles)):
        for d in range(n_draws):
            # sums of the tested samples of each fold and class, and of all samples of each class
            tested[:] = 0.0
            total[:] = 0.0
            first = 0
            for k in range(n_folds):
                for c in range(n_classes):
                    stop = stops[d, k * n_classes + c]
                    _add_samples(tiles[t], order[d, first:stop], tested[k, c])
                    _add(tested[k, c], total[c])
                    first = stop
            # distances in the training set of each fold, of which the largest so far are kept
            for k in range(n_folds):
                _write_distances(total, tested[k], sizes[d, k], tile_distances, middle)
                for c in range(n_scored):
                    if sizes[d, k, c] > 0:
                        keep_largest(
                            tile_distances[c], t * width, distances[d, k, c], positions[d, k, c]
                        )
    # The means of two classes have the same distance from their mean.
    if n_scored < n_classes:
        for d in range(n_draws):
            for k in range(n_folds):
                if sizes[d, k, 1] > 0:
                    distances[d, k, 1] = distances[d, k, 0]
                    positions[d, k, 1] = positions[d, k, 0]


@njit(nogil=True)
def _add_samples(tile: np.ndarray, samples: np.ndarray, total: np.ndarray) -> None:
    """Add the rows of some samples of a tile, in their order; pairs read the sum half as often."""
    for r in range(0, len(samples) - 1, 2):
        row = tile[samples[r]]
        next_row = tile[samples[r + 1]]
        for f in range(len(total)):
            total[f] = (total[f] + row[f]) + next_row[f]
    if len(samples) % 2:
        _add(tile[samples[-1]], total)


@njit(nogil=True)
def _add(row: np.ndarray, total: np.ndarray) -> None:
    """Add a row to a sum, both of shape (n_features,)."""
    for f in range(len(row)):
        total[f] += row[f]


@njit(nogil=True)
def _write_distances(
    total: np.ndarray,
    tested: np.ndarray,
    sizes: np.ndarray,
    distances: np.ndarray,
    middle: np.ndarray,
) -> None:
    """Write the distances of the class means of a training set from their mean, by feature.

    Sums ``total`` and ``tested`` and the ``distances`` have shape (n_classes, n_features); classes
    without training samples are left out. ``middle`` (n_features,) becomes the sum of the means.
    """
    middle[:] = 0.0
    n_present = 0
    for c in range(len(sizes)):
        if sizes[c] > 0:
            n_present += 1
            share = np.float32(1.0 / sizes[c])
            for f in range(len(middle)):
                distances[c, f] = (total[c, f] - tested[c, f]) * share
            _add(distances[c], middle)
    share = np.float32(1.0 / n_present)
    for c in range(len(sizes)):
        if sizes[c] > 0:
            for f in range(len(middle)):
                distances[c, f] = abs(distances[c, f] - middle[f] * share)


@njit(nogil=True)
def label_probabilities(
    tiles: np.ndarray,
    codes: np.ndarray,
    folds: np.ndarray,
    sizes: np.ndarray,
    selected: np.ndarray,
) -> np.ndarray:
    """Return the probability of each sample's class, (n_draws, n_samples), predicted in its fold.

    ``codes`` and ``folds`` (n_draws, n_samples) are the classes and where each sample is tested,
    ``sizes`` (n_draws, n_folds, n_classes) those of the training sets, and ``selected`` (n_draws,
    n_folds, n_selected) the ``positions`` of `select_distant_features` for all classes, ascending.
    The features of a fold are those selected for any class. A class without training samples has
    the probability 0.
    """
    n_draws, n_folds, n_classes = sizes.shape
    of_label = np.zeros(folds.shape)
    for d in range(n_draws):
        for k in range(n_folds):
            values = _values_of(tiles, _distinct(selected[d, k]))
            means = _training_means(values, codes[d], folds[d], k, sizes[d, k])
            tested, tested_values = _tested_values_of(values, folds[d], k)
            evidence = _evidence_of(tested_values, means, sizes[d, k])
            # the softmax of the evidence, at the class of the sample
            for t in range(len(tested)):
                greatest = -np.inf
                for c in range(n_classes):
                    greatest = max(greatest, evidence[c, t])
                total = 0.0
                for c in range(n_classes):
                    total += np.exp(evidence[c, t] - greatest)
                i = tested[t]
                of_label[d, i] = np.exp(evidence[codes[d, i], t] - greatest) / total
    return of_label


@njit(nogil=True)
def _distinct(ascending: np.ndarray) -> np.ndarray:
    """Return the distinct values, without -1, of an ascending array."""
    distinct = np.empty(len(ascending), dtype=np.int64)
    n_distinct = 0
    previous = -1
    for position in ascending:
        if position != previous:
            distinct[n_distinct] = position
            n_distinct += 1
            previous = position
    return distinct[:n_distinct]


@njit(nogil=True)
def _values_of(tiles: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Return the values of some features, shape (n_samples, n_selected), in double precision."""
    width = tiles.shape[2]
    values = np.empty((tiles.shape[1], len(features)))
    # A tile has `width` features side by side: with 256, feature 600 is in tile 2, at 88.
    tile_of_feature = np.empty(len(features), dtype=np.int64)
    position_in_tile = np.empty(len(features), dtype=np.int64)
    for f in range(len(features)):
        tile_of_feature[f] = features[f] // width
        position_in_tile[f] = features[f] % width
    for i in range(len(values)):
        for f in range(len(features)):
            values[i, f] = tiles[tile_of_feature[f], i, position_in_tile[f]]
    return values


@njit(nogil=True)
def _training_means(
    values: np.ndarray, codes: np.ndarray, folds: np.ndarray, fold: int, sizes: np.ndarray
) -> np.ndarray:
    """Return the means of the classes outside a fold, (n_classes, n_features); 0 if empty."""
    means = np.zeros((len(sizes), values.shape[1]))
    for i in range(len(codes)):
        if folds[i] != fold:
            for f in range(values.shape[1]):
                means[codes[i], f] += values[i, f]
    for c in range(len(sizes)):
        if sizes[c] > 0:
            for f in range(values.shape[1]):
                means[c, f] /= sizes[c]
    return means


@njit(nogil=True)
def _tested_values_of(
    values: np.ndarray, folds: np.ndarray, fold: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the samples of a fold, and their values (n_tested, n_features)."""
    tested = np.empty(len(folds), dtype=np.int64)
    n_tested = 0
    for i in range(len(folds)):
        if folds[i] == fold:
            tested[n_tested] = i
            n_tested += 1
    tested_values = np.empty((n_tested, values.shape[1]))
    for t in range(n_tested):
        for f in range(values.shape[1]):
            tested_values[t, f] = values[tested[t], f]
    return tested[:n_tested], tested_values


@njit(nogil=True)
def _evidence_of(values: np.ndarray, means: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the evidence less what all classes of a sample have in common, (n_classes, n_samples).

    ``values`` have the shape (n_samples, n_features), ``means`` (n_classes, n_features). Of
    ``-sum (x - m)**2 / 2`` the squares of the values ``x`` are common. What remains, the sum of
    ``m x - m**2 / 2``, is one matrix product. A class without training samples has minus infinity.
    """
    evidence = np.dot(means, values.T)
    for c in range(len(means)):
        half_square = 0.0
        for f in range(means.shape[1]):
            half_square += 0.5 * means[c, f] * means[c, f]
        for t in range(len(values)):
            if sizes[c] > 0:
                evidence[c, t] = (evidence[c, t] - half_square) / np.sqrt(means.shape[1])
            else:
                evidence[c, t] = -np.inf
    return evidence
