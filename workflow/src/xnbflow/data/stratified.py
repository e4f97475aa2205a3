"""Stratified folds, those of scikit-learn's `StratifiedKFold`, without the rest of its module.

`sklearn.model_selection` imports linear models, metrics and `scipy.stats`, which takes longer than
the cross-validation of a small series.
"""

import numpy as np


def stratified_folds(
    labels: np.ndarray, n_splits: int, seed: int | np.random.RandomState | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the positions of training and test samples of each fold.

    Each fold has nearly the same number of samples of each class. Samples of a class are in the
    order of the data, or shuffled by a ``seed``: a number, or a generator that the next draw
    continues. The folds are those of `StratifiedKFold` with ``shuffle=seed is not None`` and
    ``random_state=seed``; a class with fewer samples than folds is absent from some.

    Examples
    --------
    >>> folds = stratified_folds(np.array(["a", "b", "a", "b"]), 2)
    >>> [test.tolist() for _, test in folds]
    [[0, 1], [2, 3]]
    """
    classes, first, sorted_codes = np.unique(labels, return_index=True, return_inverse=True)
    # scikit-learn numbers the classes in the order in which they appear
    order_of_appearance = np.argsort(np.argsort(first))
    codes = order_of_appearance[sorted_codes]
    # sample i of all samples sorted by class is tested in fold i modulo n_splits
    fold_of_sorted = np.arange(len(codes)) % n_splits
    counts = np.bincount(codes)
    stops = np.cumsum(counts)
    generator: np.random.RandomState | None = None
    if seed is not None:
        generator = seed if isinstance(seed, np.random.RandomState) else np.random.RandomState(seed)
    fold_of_sample = np.empty(len(codes), dtype=np.intp)
    for code in range(len(classes)):
        class_folds = np.sort(fold_of_sorted[stops[code] - counts[code] : stops[code]])
        if generator is not None:
            generator.shuffle(class_folds)
        fold_of_sample[codes == code] = class_folds
    return [
        (np.flatnonzero(fold_of_sample != fold), np.flatnonzero(fold_of_sample == fold))
        for fold in range(n_splits)
    ]
