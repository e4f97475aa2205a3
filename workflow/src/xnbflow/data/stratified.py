"""Stratified folds, equal to scikit-learn's, without the imports of its module.

The folds are equal to `StratifiedKFold` and `StratifiedGroupKFold`. `sklearn.model_selection`
imports linear models, metrics and `scipy.stats`, which takes longer than the cross-validation of a
small series; and a label test draws folds thousands of times.
"""

from collections.abc import Sequence

import numpy as np

#: Folds of the inner cross-validation of an estimator of this package, without another number.
INNER_FOLDS = 5


def stratified_folds(
    labels: np.ndarray, n_splits: int, seed: int | np.random.RandomState | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the positions of training and test samples; see `stratified_fold_numbers`.

    Examples
    --------
    >>> folds = stratified_folds(np.array(["a", "b", "a", "b"]), 2)
    >>> [test.tolist() for _, test in folds]
    [[0, 1], [2, 3]]
    """
    return _positions(stratified_fold_numbers(labels, n_splits, seed), n_splits)


def stratified_fold_numbers(
    labels: np.ndarray, n_splits: int, seed: int | np.random.RandomState | None = None
) -> np.ndarray:
    """Return the fold in which each sample is tested, shape (n_samples,).

    Each fold has nearly the same number of samples of each class. Samples of a class are in the
    order of the data, or shuffled by a ``seed``: a number, or a generator that the next draw
    continues. The folds are those of `StratifiedKFold` with ``shuffle=seed is not None`` and
    ``random_state=seed``; a class with fewer samples than folds is absent from some.

    Examples
    --------
    >>> stratified_fold_numbers(np.array(["a", "b", "a", "b"]), 2).tolist()
    [0, 0, 1, 1]
    """
    generator: np.random.RandomState | None = None
    if seed is not None:
        generator = seed if isinstance(seed, np.random.RandomState) else np.random.RandomState(seed)
    fold_of_sample = np.empty(len(labels), dtype=np.intp)
    for samples, class_folds in _folds_by_class(labels, n_splits):
        if generator is not None:
            generator.shuffle(class_folds)
        fold_of_sample[samples] = class_folds
    return fold_of_sample


def repeated_fold_numbers(labels: np.ndarray, n_splits: int, seeds: Sequence[int]) -> np.ndarray:
    """Return `stratified_fold_numbers` with each of several seeds, shape (n_seeds, n_samples).

    Examples
    --------
    >>> labels = np.array(["a", "b", "a", "b"])
    >>> repeated_fold_numbers(labels, 2, [3, 4])[1].tolist()
    [1, 1, 0, 0]
    >>> stratified_fold_numbers(labels, 2, 4).tolist()
    [1, 1, 0, 0]
    """
    classes = _folds_by_class(labels, n_splits)
    draws = np.empty((len(seeds), len(labels)), dtype=np.intp)
    # one generator, since creating one takes longer than drawing folds
    generator = np.random.RandomState()
    for draw, seed in zip(draws, seeds, strict=True):
        generator.seed(seed)
        for samples, class_folds in classes:
            shuffled = class_folds.copy()
            generator.shuffle(shuffled)
            draw[samples] = shuffled
    return draws


def _folds_by_class(labels: np.ndarray, n_splits: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, for each class, the positions of its samples and the folds that they are dealt.

    The classes are in the order in which they appear, the folds in ascending order.
    """
    first, sorted_codes = np.unique(labels, return_index=True, return_inverse=True)[1:]
    # scikit-learn numbers the classes in the order in which they appear
    order_of_appearance = np.argsort(np.argsort(first))
    codes = order_of_appearance[sorted_codes]
    # sample i of all samples sorted by class is tested in fold i modulo n_splits
    fold_of_sorted = np.arange(len(codes)) % n_splits
    stops = np.cumsum(np.bincount(codes))
    classes = []
    start = 0
    for code, stop in enumerate(stops.tolist()):
        classes.append((np.flatnonzero(codes == code), np.sort(fold_of_sorted[start:stop])))
        start = stop
    return classes


def _positions(fold_of_sample: np.ndarray, n_splits: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the positions of training and test samples of each fold."""
    return [
        (np.flatnonzero(fold_of_sample != fold), np.flatnonzero(fold_of_sample == fold))
        for fold in range(n_splits)
    ]


def stratified_group_folds(
    labels: np.ndarray,
    groups: np.ndarray,
    n_splits: int,
    seed: int | np.random.RandomState | None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the positions of training and test samples; see `stratified_group_fold_numbers`.

    Examples
    --------
    >>> labels, groups = np.array(["a", "b"] * 4), np.repeat(["p", "q", "r", "s"], 2)
    >>> [test.tolist() for _, test in stratified_group_folds(labels, groups, 2, seed=0)]
    [[2, 3, 4, 5], [0, 1, 6, 7]]
    """
    return _positions(stratified_group_fold_numbers(labels, groups, n_splits, seed), n_splits)


def stratified_group_fold_numbers(
    labels: np.ndarray,
    groups: np.ndarray,
    n_splits: int,
    seed: int | np.random.RandomState | None,
) -> np.ndarray:
    """Return the fold in which each sample is tested, (n_samples,), with groups kept together.

    Groups are shuffled by the ``seed`` (a number or a generator; not at all by None), and taken in
    descending order of the spread of their classes' counts. Each joins the fold with which the
    shares of the classes differ least between folds; of folds that are equal in this, the smallest.
    The folds are those of `StratifiedGroupKFold` with ``random_state=seed`` and ``shuffle=True``,
    or ``shuffle=False`` without a seed, but without its warning.

    Examples
    --------
    >>> labels, groups = np.array(["a", "b"] * 4), np.repeat(["p", "q", "r", "s"], 2)
    >>> stratified_group_fold_numbers(labels, groups, 2, seed=0).tolist()
    [1, 1, 0, 0, 0, 0, 1, 1]
    """
    codes, class_sizes = np.unique(labels, return_inverse=True, return_counts=True)[1:]
    group_codes = np.unique(groups, return_inverse=True)[1]
    n_groups = int(group_codes.max()) + 1
    if n_splits > min(class_sizes.max(), n_groups):
        msg = f"{n_splits} folds of {n_groups} groups; the largest class has {class_sizes.max()}"
        raise ValueError(msg)
    counts = np.zeros((n_groups, len(class_sizes)))
    np.add.at(counts, (group_codes, codes), 1.0)
    shuffled = np.arange(n_groups)
    if isinstance(seed, np.random.RandomState):
        seed.shuffle(shuffled)
    elif seed is not None:
        np.random.RandomState(seed).shuffle(shuffled)
    by_spread = np.argsort(-np.std(counts[shuffled], axis=1), kind="stable")
    fold_counts = np.zeros((n_splits, len(class_sizes)))
    fold_of_group = np.empty(n_groups, dtype=np.intp)
    folds = np.arange(n_splits)
    for group in shuffled[by_spread]:
        # (n_splits, n_splits, n_classes): the counts of all folds with the group in each fold
        proposed = np.repeat(fold_counts[None], n_splits, axis=0)
        proposed[folds, folds] += counts[group]
        differences = np.std(proposed / class_sizes, axis=1).mean(axis=1)
        fold = _first_of_best(differences.tolist(), fold_counts.sum(axis=1).tolist())
        fold_counts[fold] += counts[group]
        fold_of_group[group] = fold
    return np.asarray(fold_of_group[group_codes])


def _first_of_best(differences: list[float], sizes: list[float]) -> int:
    """Return the first fold of the least difference; of nearly equal ones, the smallest fold."""
    best = 0
    for fold in range(1, len(differences)):
        gain = differences[best] - differences[fold]
        is_equal = abs(gain) <= 1e-8 + 1e-5 * differences[best]  # as `numpy.isclose`
        if gain > 0 or (is_equal and sizes[fold] < sizes[best]):
            best = fold
    return best
