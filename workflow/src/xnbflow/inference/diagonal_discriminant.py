"""The diagonal discriminant with ten features per class, scored by folds: a fast statistic.

*Idea.* Naive Bayes with normal densities of variance one around the class means, in the few
features whose means differ most. Nothing is tuned, and only sums of values are estimated, so that a
thousand permuted labels with several draws of folds each take seconds.

*Steps* for a training set, with features of mean 0 and variance 1 over all samples:

1. means m of each class c and feature f; a class has the ten features with the greatest distance
   ``|m_cf - mean over classes of m_cf|``, which orders features as the difference from the mean of
   the other classes does;
2. evidence of a tested sample x for class c, over the F features selected for any class::

       e_c(x) = -1/2 sum_f (x_f - m_cf)^2 / sqrt(F)

   The division by ``sqrt(F)`` counts correlated features as less than F independent ones;
3. probability of class c by equal priors: ``exp(e_c) / sum over classes of exp(e)``;
4. score: the probability of a sample's label, when the sample was outside the training set, as the
   mean over samples and then over classes. Unlike the balanced accuracy it hardly ever has ties.

The loops over features and samples are in `xnbflow.inference.discriminant_kernels`.

S. Dudoit, J. Fridlyand and T. P. Speed, "Comparison of discrimination methods for the
classification of tumors using gene expression data", Journal of the American Statistical
Association 97 (2002), 77-87: diagonal linear discriminant analysis, here with features for each
class.
"""

from collections.abc import Callable

import numpy as np

from xnbflow.inference.discriminant_kernels import label_probabilities, select_distant_features
from xnbflow.inference.preselection import standardised

#: Features of each class.
N_SELECTED = 10
#: Features of a tile, whose sums remain in a core's cache.
_TILE_WIDTH = 256

#: Scores, of shape (n_rows,), of rows of codes of classes and of rows of folds, both of shape
#: (n_rows, n_samples).
RowsScore = Callable[[np.ndarray, np.ndarray], np.ndarray]


def ten_features_scores(values: np.ndarray, *, n_splits: int = 5) -> RowsScore:
    """Return a function for the score of naive Bayes with ten features per class.

    The score, its steps and its source are those of the module. ``values``, of shape (n_features,
    n_samples), have none missing. The function has two arguments of shape (n_rows, n_samples): the
    code of the class of each sample, and the fold in which it is tested. All rows have the same
    classes. They are scored in one pass over the features, which remain in a core's cache.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(50, 40))
    >>> codes, folds = np.repeat([[0, 1]], 20, axis=1), np.arange(40)[None] % 5
    >>> float(ten_features_scores(values)(codes, folds)[0]) < 0.6
    True
    >>> values[:10, 20:] += 3
    >>> float(ten_features_scores(values)(codes, folds)[0]) > 0.9
    True
    """
    n_selected = min(N_SELECTED, len(values))
    tiles = _tiles_of(standardised(values))

    def scores(codes: np.ndarray, folds: np.ndarray) -> np.ndarray:
        order, stops, training_sizes = _tested_samples(codes, folds, n_splits)

        # ten features of each class, by the means of each training set
        distances = np.full((*training_sizes.shape, n_selected), -1.0, dtype=np.float32)
        selected = np.full(distances.shape, -1)  # -1 remains for a class without training samples
        select_distant_features(
            tiles, order, stops, sizes=training_sizes, distances=distances, positions=selected
        )

        # probabilities of the tested samples, in the features selected for any class
        selected = np.sort(selected.reshape(*selected.shape[:2], -1), axis=2)
        of_label = label_probabilities(tiles, codes, folds, sizes=training_sizes, selected=selected)
        return mean_over_classes(codes, of_label)

    return scores


def _tiles_of(standard: np.ndarray) -> np.ndarray:
    """Return features (n_features, n_samples) as tiles, (n_tiles, n_samples, _TILE_WIDTH).

    The features of a tile lie beside each other for each sample; those after the last one are 0.
    """
    n_features, n_samples = standard.shape
    n_tiles = -(-n_features // _TILE_WIDTH)
    tiles = np.zeros((n_tiles * _TILE_WIDTH, n_samples), dtype=np.float32)
    tiles[:n_features] = standard
    return np.ascontiguousarray(tiles.reshape(n_tiles, _TILE_WIDTH, n_samples).swapaxes(1, 2))


def _tested_samples(
    codes: np.ndarray, folds: np.ndarray, n_splits: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the tested samples of each fold and class, and the sizes of the training sets.

    ``codes`` and ``folds`` (n_rows, n_samples) are the classes and the folds. The positions of the
    samples of a row (n_rows, n_samples) are sorted by fold and class; those of fold k and class c
    end before ``stops[row, k * n_classes + c]``. The sizes have the shape (n_rows, n_splits,
    n_classes).

    Examples
    --------
    >>> order, stops, sizes = _tested_samples(np.array([[0, 1, 0]]), np.array([[1, 0, 0]]), 2)
    >>> order.tolist(), stops.tolist(), sizes.tolist()
    ([[2, 1, 0]], [[1, 2, 3, 3]], [[[1.0, 0.0], [1.0, 1.0]]])
    """
    n_classes = int(codes.max()) + 1
    cells = folds * n_classes + codes
    order = np.argsort(cells, axis=1, kind="stable")
    n_tested = np.zeros((len(folds), n_splits * n_classes), dtype=np.int64)
    np.add.at(n_tested, (np.arange(len(folds))[:, None], cells), 1)
    tested_sizes = n_tested.reshape(len(folds), n_splits, n_classes).astype(float)
    return order, n_tested.cumsum(axis=1), tested_sizes.sum(axis=1, keepdims=True) - tested_sizes


def mean_over_classes(codes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return, for each row of values, the mean over classes of the means over their samples.

    Both have the shape (n_rows, n_samples).

    Examples
    --------
    >>> mean_over_classes(np.array([[0, 0, 1], [0, 1, 1]]), np.array([[1.0, 3.0, 8.0], [0, 0, 1]]))
    array([5.  , 0.25])
    """
    n_classes = int(codes.max()) + 1
    total = np.zeros(len(codes))
    for c in range(n_classes):
        in_class = codes == c
        total += np.sum(values * in_class, axis=1) / in_class.sum(axis=1)
    return total / n_classes
