"""The design of a linear model of one feature: classes, columns to adjust for, and groups."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xnbflow.core.counts import counted
from xnbflow.core.errors import InputError

#: Singular values of a design that are smaller, relative to the largest, are 0.
DEPENDENT = 1e-7
#: A column whose variation is smaller, relative to its largest value, is constant up to rounding.
_CONSTANT = 1e-12
#: Groups of one class are compared with each other beside blocks if there are at least so many.
_FEWEST_SINGLE = 4


@dataclass(frozen=True)
class ClassDesign:
    """A design matrix whose rows are *units*: samples, or means of the samples of a group.

    Attributes
    ----------
    matrix : ndarray of shape (n_units, n_columns)
        First a column per class, without intercept; then blocks; then covariates, centred.
    weights : sparse array of shape (n_samples, n_units)
        The weights of samples in the mean that is the unit; of samples that are left out 0.
    contrasts : ndarray of shape (n_classes, n_classes)
        In row c the weights of the classes in the contrast of class c; NaN where the design does
        not compare that class.
    blocks : int
        The number of groups with samples of several classes, each with its own level.
    """

    matrix: np.ndarray
    weights: sparse.csc_array
    contrasts: np.ndarray
    blocks: int = 0

    @property
    def compared(self) -> np.ndarray:
        """Mask of the classes that are compared, (n_classes,)."""
        return ~np.isnan(self.contrasts).any(axis=1)

    @property
    def averaged(self) -> int:
        """The number of units that are means of several samples."""
        return int((np.diff(self.weights.indptr) > 1).sum())

    @property
    def left_out(self) -> int:
        """The number of samples that are part of no unit."""
        return self.weights.shape[0] - len(np.unique(self.weights.indices))


def class_designs(
    codes: np.ndarray,
    groups: np.ndarray | None = None,
    covariates: Mapping[str, np.ndarray] | None = None,
) -> list[ClassDesign]:
    """Return the designs that compare each class with the mean of the other classes.

    - Without ``groups`` the samples are the units.
    - If each group has one class, the means of the groups are the units.
    - Groups of several classes are blocks, and their samples units: the paired design. If there are
      also groups of one class, at least four, of at least two classes, their means are units with
      one common level, and the pooled variance is not below that of the estimates. Fewer, or of one
      class, they are left out.
    - A class is compared with those to which groups connect it. A class that is in no group with
      another one, as healthy persons beside tumour and normal tissue of patients, is compared in a
      second design. Its units are all groups, as the means of the means of their classes.

    Parameters
    ----------
    codes : ndarray of int, shape (n_samples,)
        The class of each sample, 0 to n_classes - 1, each at least once.
    groups : ndarray of shape (n_samples,), optional
        The group of each sample, for example its patient.
    covariates : mapping of str to ndarray of shape (n_samples,), optional
        Columns to adjust for, by name: numbers, or texts, which are categories; an empty text is a
        missing value. Of a unit that is a mean, the mean is used.

    Raises
    ------
    InputError
        If there is one class, a covariate has missing values, is constant or depends on the class,
        the groups or other covariates, or if no degrees of freedom remain for the variance.

    Examples
    --------
    >>> codes, patients = np.array([0, 0, 0, 1, 1, 1]), np.array(list("abcabc"))
    >>> [design] = class_designs(codes, patients)
    >>> design.matrix.shape, design.blocks, design.contrasts.tolist()
    ((6, 4), 3, [[1.0, -1.0], [-1.0, 1.0]])
    """
    member = np.eye(codes.max() + 1)[codes]
    if member.shape[1] < 2:
        msg = "all samples have one class; a comparison needs samples of at least two"
        raise InputError(msg)
    terms = {name: _levels(name, np.asarray(each)) for name, each in (covariates or {}).items()}
    everywhere = np.ones((1, member.shape[1]))
    if groups is None:
        weights = _members(np.arange(len(codes)))
        matrix = _design_matrix(weights, member, terms)
        return [ClassDesign(matrix, weights, _contrasts(everywhere))]
    patients = np.unique(groups, return_inverse=True)[1]
    in_group = _members(patients)
    sizes = in_group.T @ member  # (n_groups, n_classes)
    several = np.count_nonzero(sizes, axis=1) > 1
    singles = sizes[~several].any(axis=0)  # the classes of the groups of one class
    if several.any() and (singles.sum() < 2 or (~several).sum() < _FEWEST_SINGLE):
        singles[:] = False
    means = in_group[:, ~several & singles.any()]
    each = _members(np.arange(len(codes)))[:, several[patients]]
    weights = sparse.csc_array(sparse.hstack([each, means.multiply(1 / means.sum(axis=0))]))
    blocks = in_group[:, several][:, 0 if singles.any() else 1 :]
    matrix = _design_matrix(weights, member, terms, blocks)
    contrasts = _contrasts(np.vstack([sizes[several], singles]))
    designs = [ClassDesign(matrix, weights, contrasts, int(several.sum()))]
    if not designs[0].compared.all():
        per_class = in_group.multiply(1 / sizes[patients, codes][:, None])
        weights = sparse.csc_array(per_class.multiply(1 / np.count_nonzero(sizes, axis=1)))
        contrasts = np.where(designs[0].compared[:, None], np.nan, _contrasts(everywhere))
        designs.append(ClassDesign(_design_matrix(weights, member, terms), weights, contrasts))
    return designs


def number_design(
    numbers: np.ndarray,
    groups: np.ndarray | None = None,
    covariates: Mapping[str, np.ndarray] | None = None,
) -> tuple[ClassDesign, np.ndarray]:
    """Return the design of the slope of a number, and the contrast that is the slope.

    Where the number is the same in all samples of each group, the means of groups are the units.
    Otherwise each group has its own level, so that the slope is within groups.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples,)
    groups, covariates
        As in `class_designs`.

    Returns
    -------
    tuple of ClassDesign and ndarray of shape (1, n_columns)
        The first columns of the design are a constant or the groups.

    Raises
    ------
    InputError
        As `class_designs`.

    Examples
    --------
    >>> design, contrast = number_design(np.array([0.0, 1.0, 2.0, 5.0]))
    >>> values = np.array([3.0, 5.0, 7.0, 13.0])
    >>> coefficients = np.linalg.lstsq(design.matrix, values)[0]
    >>> (contrast @ coefficients).round(9).tolist()
    [2.0]
    """
    terms = {name: _levels(name, np.asarray(each)) for name, each in (covariates or {}).items()}
    terms["number"] = numbers.astype(float)[:, None]
    weights, blocks, n_blocks = _members(np.arange(len(numbers))), None, 0
    if groups is not None:
        patients = np.unique(groups, return_inverse=True)[1]
        in_group = _members(patients)
        sizes = np.asarray(in_group.sum(axis=0)).ravel()
        means = in_group.T @ numbers / sizes
        if np.allclose(means[patients], numbers):
            weights = sparse.csc_array(in_group.multiply(1 / sizes))
        else:
            n_blocks = len(sizes)
            blocks = in_group[:, 1:]
    matrix = _design_matrix(weights, np.ones((len(numbers), 1)), terms, blocks)
    column = weights.T @ terms["number"][:, 0]
    length = np.sqrt(((column - column.mean()) ** 2).sum())
    contrast = np.zeros((1, matrix.shape[1]))
    contrast[0, -1] = 1 / length  # the columns of covariates have length 1
    return ClassDesign(matrix, weights, np.full((1, 1), np.nan), n_blocks), contrast


def _members(parts: np.ndarray) -> sparse.csc_array:
    """Return the indicators of the parts 0 to n_parts - 1, shape (n_samples, n_parts)."""
    place = np.arange(len(parts))
    return sparse.csc_array((np.ones(len(parts)), (place, parts)))


def _contrasts(together: np.ndarray) -> np.ndarray:
    """Return each class less the mean of those with which rows of ``together`` connect it."""
    present = (together > 0).astype(float)  # (n_sets, n_classes)
    connected = np.eye(present.shape[1]) + present.T @ present > 0
    for _ in connected:
        connected = connected @ connected
    others = connected & ~np.eye(len(connected), dtype=bool)
    n_others = others.sum(axis=1, keepdims=True)
    contrasts = np.eye(len(connected)) - others / np.maximum(n_others, 1)
    return np.where(n_others > 0, contrasts, np.nan)


def _levels(name: str, column: np.ndarray) -> np.ndarray:
    """Return a covariate as columns (n_samples, n_levels), numbers as one."""
    if column.dtype.kind in "biuf":
        columns = column.astype(float)[:, None]
        missing = ~np.isfinite(columns)
    else:
        texts = np.array([cell if isinstance(cell, str) else "" for cell in column])
        levels, level = np.unique(texts, return_inverse=True)
        columns, missing = np.eye(len(levels))[level], texts == ""
    if missing.any():
        n = counted(int(missing.sum()), "sample")
        msg = (
            f"the column {name!r} has no value in {n}; fill it in, or do not adjust for the column"
        )
        raise InputError(msg)
    return columns


def _design_matrix(
    weights: sparse.csc_array,
    member: np.ndarray,
    terms: Mapping[str, np.ndarray],
    blocks: sparse.csc_array | None = None,
) -> np.ndarray:
    """Return the rows of units, after checks of rank and degrees of freedom."""
    parts = {"the class": weights.T @ member}
    if blocks is not None and blocks.nnz:
        parts["the groups"] = (weights.T @ blocks).toarray()
    added = {f"the column {name!r}": _centred(name, weights.T @ terms[name]) for name in terms}
    n_columns = _rank(parts.values()) + sum(columns.shape[1] for columns in added.values())
    if weights.shape[1] <= n_columns:
        msg = (
            f"the model has {counted(weights.shape[1], 'unit')} (samples, or means of groups) and "
            f"{counted(n_columns, 'coefficient')} ({', '.join([*parts, *added])}): no degrees of "
            "freedom are left for the variance; add samples, or adjust for fewer columns"
        )
        raise InputError(msg)
    for name, columns in added.items():
        _refuse_dependent(name, columns, parts)
        parts[name] = columns
    return np.hstack(list(parts.values()))


def _centred(name: str, columns: np.ndarray) -> np.ndarray:
    """Return the columns of a covariate, centred, of length 1; of levels all but the first."""
    used = columns[:, columns.any(axis=0)]
    used = used[:, 1:] if columns.shape[1] > 1 else used
    used = used - used.mean(axis=0)
    lengths = np.sqrt((used**2).sum(axis=0))
    if not used.size or (lengths <= _CONSTANT * np.abs(columns).max()).any():
        msg = f"the column {name!r} is the same in all samples; do not adjust for it"
        raise InputError(msg)
    return used / lengths


def _refuse_dependent(name: str, columns: np.ndarray, parts: Mapping[str, np.ndarray]) -> None:
    """Raise an InputError if other parts determine a column of a covariate, and name these."""

    def determined(others: Iterable[str]) -> bool:
        known = [np.ones((len(columns), 1)), *(parts[other] for other in others)]
        return _rank([*known, columns]) < _rank(known) + columns.shape[1]

    others = list(parts)
    if determined(others):
        for each in reversed(list(parts)):  # the class remains if it is enough
            fewer = [other for other in others if other != each]
            others = fewer if determined(fewer) else others
        msg = (
            f"{name} cannot be separated from {' and '.join(others)}, so that no comparison can be "
            "adjusted for it; leave it out, or add samples in which they differ"
        )
        raise InputError(msg)


def _rank(parts: Iterable[np.ndarray]) -> int:
    return int(np.linalg.matrix_rank(np.hstack(list(parts)), rtol=DEPENDENT))
