"""Strata of samples in which several columns are equal, or nearly.

Two columns that explain the class together explain it within the levels of each of them. The
strata are therefore the combinations of the columns' levels. Numbers are divided into strata of
about `STRATUM` samples: in wider ones, as thirds, a number still goes with the class. Several
numbers would leave a sample alone in its combination; they are combined into one number, the linear
discriminant of the two classes, as strata of a balancing score balance all columns that it is
made of (P. R. Rosenbaum and D. B. Rubin, "Reducing bias in observational studies using
subclassification on the propensity score", Journal of the American Statistical Association 79
(1984), 516-524).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

#: Samples of a stratum of numbers.
STRATUM = 4


def numeric_strata(numbers: np.ndarray) -> np.ndarray:
    """Return strata of about `STRATUM` samples in the order of the numbers, equal ones in one.

    Examples
    --------
    >>> numeric_strata(np.array([3.0, 1.0, 2.0, 9.0, 8.0, 7.0, 6.0, 5.0])).tolist()
    [0, 0, 0, 1, 1, 1, 1, 0]
    >>> numeric_strata(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0])).tolist()
    [0, 0, 0, 0, 0, 0, 0, 1]
    """
    n_samples = len(numbers)
    n_strata = max(1, round(n_samples / STRATUM))
    below = pd.Series(numbers).rank(method="min").to_numpy() - 1
    return np.asarray(below * n_strata // n_samples, dtype=int)


def crossed_strata(
    is_first: np.ndarray, categories: Sequence[np.ndarray], numbers: Sequence[np.ndarray]
) -> np.ndarray:
    """Return the stratum of each sample of two classes in the combinations of several columns.

    Parameters
    ----------
    is_first : ndarray of bool, shape (n_samples,)
        Whether a sample is of the first of the two classes.
    categories, numbers : sequences of ndarray of shape (n_samples,)
        Columns, none missing.

    Examples
    --------
    >>> plates, sites = np.array(list("ppqqpq")), np.array(list("uvuvuv"))
    >>> crossed_strata(np.array([True, False] * 3), [plates, sites], []).tolist()
    [0, 1, 2, 3, 0, 3]
    """
    cells = combined_levels(categories, len(is_first))
    if not numbers:
        return cells
    score = _discriminant(is_first, numbers) if len(numbers) > 1 else np.asarray(numbers[0])
    return strata_within(cells, score)


def combined_levels(categories: Sequence[np.ndarray], n_samples: int) -> np.ndarray:
    """Return the number of each sample's combination of levels; 0 without categories.

    Examples
    --------
    >>> combined_levels([np.array(list("ppqq")), np.array(list("uvuu"))], 4).tolist()
    [0, 1, 2, 2]
    """
    cells = np.zeros(n_samples, dtype=int)
    for column in categories:
        combinations = pd.DataFrame({"cell": cells, "level": pd.factorize(column)[0]})
        cells = pd.factorize(pd.MultiIndex.from_frame(combinations))[0]
    return cells


def strata_within(cells: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return the `numeric_strata` of a score within each cell of categories."""
    strata = np.zeros(len(cells), dtype=int)
    n_strata = 0
    for cell in np.unique(cells):
        members = np.flatnonzero(cells == cell)
        strata[members] = n_strata + numeric_strata(score[members])
        n_strata = strata[members].max() + 1
    return strata


def _discriminant(is_first: np.ndarray, numbers: Sequence[np.ndarray]) -> np.ndarray:
    """Return Fisher's linear discriminant of two classes, as fitted values of least squares."""
    columns = np.column_stack([np.ones(len(is_first)), *numbers])
    centred = columns[:, 1:] - columns[:, 1:].mean(axis=0)
    columns[:, 1:] = centred / np.maximum(centred.std(axis=0), np.finfo(float).tiny)
    coefficients = np.linalg.lstsq(columns, is_first.astype(float))[0]
    return np.asarray(columns @ coefficients)


def label_free_strata(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the stratum of each sample in the combinations of columns, whatever its label.

    Permuted labels have the strata of the true ones, as a permutation test within strata needs.
    Several numbers are combined into their first principal component.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_samples,)
        Numbers, or texts, which are categories; none missing.

    Examples
    --------
    >>> label_free_strata({"plate": np.array(list("pqqp")), "age": np.array([40, 50, 60, 70])})
    array([0, 1, 1, 0])
    """
    categories: list[np.ndarray] = []
    numbers: list[np.ndarray] = []
    for cells in columns.values():
        is_number = np.issubdtype(cells.dtype, np.number)
        (numbers if is_number else categories).append(cells)
    n_samples = len(next(iter(columns.values())))
    cells_of_categories = combined_levels(categories, n_samples)
    if not numbers:
        return cells_of_categories
    score = numbers[0] if len(numbers) == 1 else _first_component(numbers)
    return strata_within(cells_of_categories, score)


def _first_component(numbers: Sequence[np.ndarray]) -> np.ndarray:
    """Return the first principal component of several columns of numbers, each of variance one."""
    columns = np.column_stack(numbers).astype(float)
    columns -= columns.mean(axis=0)
    columns /= np.maximum(columns.std(axis=0), np.finfo(float).tiny)
    return np.asarray(columns @ np.linalg.svd(columns, full_matrices=False)[2][0])
