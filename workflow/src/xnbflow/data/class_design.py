"""The design of a linear model of one feature: classes, columns to adjust for, and groups."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted

#: Singular values of a design that are smaller, relative to the largest, are 0.
DEPENDENT = 1e-7
#: A column whose variation is smaller, relative to its largest value, is constant up to rounding.
_CONSTANT = 1e-12
#: Sums of squared weights that differ less are equal.
_ROUNDING = 1e-9
#: Smallest number of groups of one class that are compared with each other beside blocks.
_MIN_SINGLE_GROUPS = 4


@dataclass(frozen=True, kw_only=True)
class ClassDesign:
    """A design matrix whose rows are *units*: samples, or means of the samples of a group.

    Attributes
    ----------
    matrix : ndarray of shape (n_units, n_columns)
        First a column per class, without intercept; then blocks; then covariates, centred.
    weights : sparse array of shape (n_samples, n_units)
        The weights of the samples in the mean that is the unit; 0 for samples that are left out.
    contrasts : ndarray of shape (n_classes, n_classes)
        In row c the weights of the classes in the contrast of class c; NaN where the design does
        not compare that class.
    blocks : int
        The number of groups with samples of several classes, each with its own level.
    in_block : ndarray of bool, shape (n_units,), or None
        Whether a unit is a sample of a group with its own level; None without such units.
    """

    matrix: np.ndarray
    weights: sparse.csc_array
    contrasts: np.ndarray
    blocks: int = 0
    in_block: np.ndarray | None = None

    @property
    def compared(self) -> np.ndarray:
        """Mask of the classes that are compared, (n_classes,)."""
        return ~np.isnan(self.contrasts).any(axis=1)

    @property
    def averaged(self) -> int:
        """The number of units that are means of several samples."""
        return int((np.diff(self.weights.indptr) > 1).sum())

    @property
    def unequal(self) -> bool:
        """Whether units differ in their variance.

        These are means of different numbers of samples, or means beside samples of groups with
        their own level.
        """
        between = self._between_groups()
        if between.any() and not between.all():
            return True
        return bool(np.ptp(self._shares_of_sample_variance()) > _ROUNDING)

    def unit_weights(self, correlation: float) -> np.ndarray:
        """Return the inverse variances of the units, of mean 1, shape (n_units,).

        With the weights ``a_i`` of its samples a unit that is a group has the variance ``rho + (1 -
        rho) sum a_i^2`` in multiples of the variance of a sample: for the mean of ``m`` samples
        ``rho + (1 - rho) / m``. A sample of a group with its own level has the variance ``1 -
        rho``.

        Parameters
        ----------
        correlation : float
            The correlation ``rho`` of two samples of a group, at least 0.

        Examples
        --------
        >>> patients = np.array(list("aaabcd"))
        >>> [design] = class_designs(np.array([0, 0, 0, 0, 1, 1]), patients)
        >>> design.unequal, design.unit_weights(0.25).round(3).tolist()
        (True, [1.6, 0.8, 0.8, 0.8])
        """
        between = self._between_groups()
        sample_variance = (1 - correlation) * self._shares_of_sample_variance()
        inverse = 1 / (sample_variance + np.where(between, correlation, 0.0))
        return np.asarray(inverse / inverse.mean())

    def _between_groups(self) -> np.ndarray:
        """Return whether each unit is compared with other groups, (n_units,)."""
        n_units = self.weights.shape[1]
        return np.ones(n_units, dtype=bool) if self.in_block is None else ~self.in_block

    def _shares_of_sample_variance(self) -> np.ndarray:
        """Return the sum of the squared weights of the samples of each unit, (n_units,)."""
        return np.asarray(self.weights.multiply(self.weights).sum(axis=0)).ravel()

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
    - Groups of several classes are blocks, and their samples are units: the paired design. Groups
      of one class are added if there are at least four, of at least two classes. Their means are
      units with one common level, and with weights for their variance (`unit_weights`).
      Otherwise the groups of one class are left out.
    - A class is compared with the classes to which groups connect it. A class that shares no group
      with another one is compared in a second design, for example healthy persons beside tumour
      and normal tissue of patients. The units of this design are all groups, as the means of the
      means of their classes.

    Parameters
    ----------
    codes : ndarray of int, shape (n_samples,)
        The class of each sample, 0 to n_classes - 1, each at least once.
    groups : ndarray of shape (n_samples,), optional
        The group of each sample, for example its patient.
    covariates : mapping of str to ndarray of shape (n_samples,), optional
        Columns to adjust for, by name: numbers, or texts, which are categories; an empty text is a
        missing value. A unit that is a mean has the mean of the column.

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
    in_class = np.eye(codes.max() + 1)[codes]
    if in_class.shape[1] < 2:
        msg = "all samples have one class; a comparison needs samples of at least two"
        raise InputError(msg)
    terms = _covariate_columns(covariates)
    if groups is None:
        weights = _indicators(np.arange(len(codes)))
        matrix = _design_matrix(weights, in_class, terms)
        all_classes = np.ones((1, in_class.shape[1]))
        return [ClassDesign(matrix=matrix, weights=weights, contrasts=_contrasts(all_classes))]
    patients = np.unique(groups, return_inverse=True)[1]
    paired = _paired_design(patients, in_class, terms)
    if paired.compared.all():
        return [paired]

    # The design whose units are all groups, which compares only the classes ``compared``. A
    # unit is the mean of the means of a group's classes, so that in a group with 3 samples of
    # one class and 1 of another these have the weights 1/6, 1/6, 1/6 and 1/2. The other
    # parameters are as in `_paired_design`.
    compared = ~paired.compared
    in_group = _indicators(patients)
    sizes = in_group.T @ in_class
    size_of_class = sizes[patients, in_class.argmax(axis=1)]  # in the sample's group
    mean_of_class = in_group.multiply(1 / size_of_class[:, None])
    weights = sparse.csc_array(mean_of_class.multiply(1 / np.count_nonzero(sizes, axis=1)))
    contrasts = _contrasts(np.ones((1, in_class.shape[1])))
    group_means = ClassDesign(
        matrix=_design_matrix(weights, in_class, terms),
        weights=weights,
        contrasts=np.where(compared[:, None], contrasts, np.nan),
    )

    return [paired, group_means]


def _paired_design(
    patients: np.ndarray, in_class: np.ndarray, terms: Mapping[str, np.ndarray]
) -> ClassDesign:
    """Return the design with groups of several classes as blocks, and the means of other groups.

    For example, patients A and B with tumour and normal tissue, and four with tumour or normal
    tissue: the units are the four samples of A and B and four means; the columns are two classes,
    and an indicator of A and of B. The common level of the means is part of the class columns.

    ``patients`` (n_samples,) are the codes of the groups, ``in_class`` (n_samples, n_classes) the
    indicators of the classes, and ``terms`` the columns of covariates by name.
    """
    in_group = _indicators(patients)
    sizes = in_group.T @ in_class  # (n_groups, n_classes)
    is_block = np.count_nonzero(sizes, axis=1) > 1
    single_classes = sizes[~is_block].any(axis=0)
    n_singles = int((~is_block).sum())
    if is_block.any() and (single_classes.sum() < 2 or n_singles < _MIN_SINGLE_GROUPS):
        single_classes[:] = False
    has_singles = bool(single_classes.any())
    samples_of_blocks = _indicators(np.arange(len(patients)))[:, is_block[patients]]
    singles = in_group[:, ~is_block & has_singles]
    means = singles.multiply(1 / singles.sum(axis=0))
    weights = sparse.csc_array(sparse.hstack([samples_of_blocks, means]))
    # The columns of the classes sum to one. Without means, so do the blocks: the first is omitted.
    blocks = in_group[:, is_block][:, 0 if has_singles else 1 :]
    return ClassDesign(
        matrix=_design_matrix(weights, in_class, terms, blocks),
        weights=weights,
        contrasts=_contrasts(np.vstack([sizes[is_block], single_classes])),
        blocks=int(is_block.sum()),
        in_block=np.arange(weights.shape[1]) < samples_of_blocks.shape[1],
    )


def _indicators(codes: np.ndarray) -> sparse.csc_array:
    """Return the indicators of the codes 0 to n_codes - 1, shape (n_samples, n_codes)."""
    positions = np.arange(len(codes))
    return sparse.csc_array((np.ones(len(codes)), (positions, codes)))


def _contrasts(class_sets: np.ndarray) -> np.ndarray:
    """Return each class less the mean of the classes to which it is connected.

    ``class_sets`` (n_sets, n_classes) is positive for the classes of a set, for example of a
    patient. Two classes are connected if they share a set, or if both are connected to a third
    one: the transitive closure, which repeated squaring of the adjacency matrix computes.

    Examples
    --------
    >>> _contrasts(np.array([[1, 1, 0, 0], [0, 1, 1, 0]])).tolist()
    [[1.0, -0.5, -0.5, 0.0], [-0.5, 1.0, -0.5, 0.0], [-0.5, -0.5, 1.0, 0.0], [nan, nan, nan, nan]]
    """
    present = (class_sets > 0).astype(float)
    connected = np.eye(present.shape[1]) + present.T @ present > 0
    for _ in connected:
        connected = connected @ connected
    others = connected & ~np.eye(len(connected), dtype=bool)
    n_others = others.sum(axis=1, keepdims=True)
    contrasts = np.eye(len(connected)) - others / np.maximum(n_others, 1)
    return np.where(n_others > 0, contrasts, np.nan)


def _covariate_columns(covariates: Mapping[str, np.ndarray] | None) -> dict[str, np.ndarray]:
    """Return the columns of each covariate by its name."""
    columns = {}
    for name, covariate in (covariates or {}).items():
        columns[name] = _levels(name, np.asarray(covariate))
    return columns


def _levels(name: str, column: np.ndarray) -> np.ndarray:
    """Return a covariate as columns (n_samples, n_levels): one of numbers, or one per category."""
    if column.dtype.kind in "biuf":
        columns = column.astype(float)[:, None]
        missing = ~np.isfinite(columns)
    else:
        texts = np.array([cell if isinstance(cell, str) else "" for cell in column])
        levels, codes = np.unique(texts, return_inverse=True)
        columns = np.eye(len(levels))[codes]
        missing = texts == ""
    if missing.any():
        n = counted(int(missing.sum()), "sample")
        msg = (
            f"the column {name!r} has no value in {n}; fill it in, or do not adjust for the column"
        )
        raise InputError(msg)
    return columns


def _design_matrix(
    weights: sparse.csc_array,
    in_class: np.ndarray,
    terms: Mapping[str, np.ndarray],
    blocks: sparse.csc_array | None = None,
) -> np.ndarray:
    """Return the rows of units, after checks of rank and degrees of freedom."""
    parts = {"the class": weights.T @ in_class}
    if blocks is not None and blocks.nnz:
        parts["the groups"] = (weights.T @ blocks).toarray()
    covariates = {
        f"the column {name!r}": _centred(name, weights.T @ columns)
        for name, columns in terms.items()
    }
    n_columns = _rank(parts.values())
    n_columns += sum(columns.shape[1] for columns in covariates.values())
    if weights.shape[1] <= n_columns:
        msg = (
            f"the model has {counted(weights.shape[1], 'unit')} (samples, or means of groups) and "
            f"{counted(n_columns, 'coefficient')} ({', '.join([*parts, *covariates])}): no degrees "
            "of freedom are left for the variance; add samples, or adjust for fewer columns"
        )
        raise InputError(msg)
    for name, columns in covariates.items():
        _refuse_dependent(name, columns, parts)
        parts[name] = columns
    return np.hstack(list(parts.values()))


def _centred(name: str, columns: np.ndarray) -> np.ndarray:
    """Return the columns of a covariate, centred and of length 1; all levels but the first."""
    used = columns[:, columns.any(axis=0)]
    if columns.shape[1] > 1:
        used = used[:, 1:]
    used = used - used.mean(axis=0)
    lengths = np.sqrt((used**2).sum(axis=0))
    if not used.size or (lengths <= _CONSTANT * np.abs(columns).max()).any():
        msg = f"the column {name!r} is the same in all samples; do not adjust for it"
        raise InputError(msg)
    return used / lengths


def _refuse_dependent(name: str, columns: np.ndarray, parts: Mapping[str, np.ndarray]) -> None:
    """Raise an InputError if parts of the design determine a column of a covariate.

    The message names as few parts as possible: all of them, less those without which the others
    still determine the column. The class is tried last, so it remains if it is enough.
    """

    def determine(names: Iterable[str]) -> bool:
        others = [np.ones((len(columns), 1)), *(parts[name] for name in names)]
        return _rank([*others, columns]) < _rank(others) + columns.shape[1]

    determining = list(parts)
    if not determine(determining):
        return
    for term in reversed(list(parts)):
        fewer = [other for other in determining if other != term]
        if determine(fewer):
            determining = fewer
    msg = (
        f"{name} cannot be separated from {' and '.join(determining)}, so that no comparison can "
        "be adjusted for it; leave it out, or add samples in which they differ"
    )
    raise InputError(msg)


def _rank(parts: Iterable[np.ndarray]) -> int:
    return int(np.linalg.matrix_rank(np.hstack(list(parts)), rtol=DEPENDENT))
