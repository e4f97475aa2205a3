"""Least squares of many features on one design: contrasts, their variances, residual variances.

There are three cases: a feature lacks values; values have precision weights; or samples are
correlated, with one correlation matrix for all features, whose whitening matrix is passed.
Contrasts are computed from an orthonormal basis of the design, so that designs without full rank
need no choice of columns, and variances of contrasts are exact in each of these cases.

With the basis ``B`` (n_units, rank), a contrast is ``b = K' c``: ``c`` are the coefficients of the
basis (`coefficients`) and ``K`` (rank, n_contrasts) the contrasts in terms of it (`coordinates`).
Without weights ``c = B' y``, and the variance of ``b`` is ``K' K`` in multiples of the residual
variance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from xnbflow.core.blas import one_blas_thread
from xnbflow.data.class_design import DEPENDENT
from xnbflow.density.tiles import map_strips

#: Squared lengths and eigenvalues that are smaller, relative to 1, are 0.
_ZERO = 1e-9
#: Residuals that are smaller, relative to the deviations of the values, are rounding errors.
_ROUNDING = 32 * np.finfo(float).eps


@dataclass(frozen=True, kw_only=True)
class ContrastFit:
    """Contrasts of a linear model, feature by feature.

    Attributes
    ----------
    estimate : ndarray of shape (n_contrasts, n_features)
        The contrasts; NaN where the values of a feature do not determine them.
    unscaled : ndarray of shape (n_contrasts, n_features)
        Their variances divided by the residual variance, as limma's ``stdev.unscaled`` squared.
    variance, df, mean : ndarray of shape (n_features,)
        The residual variance (NaN without degrees of freedom), its degrees of freedom, and the mean
        of the units.
    """

    estimate: np.ndarray
    unscaled: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    mean: np.ndarray


def fit_contrasts(
    read_rows: Callable[[slice], np.ndarray],
    n_features: int,
    matrix: np.ndarray,
    contrasts: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    whitening: np.ndarray | None = None,
) -> ContrastFit:
    """Fit a design to each feature and estimate contrasts of its coefficients.

    Parameters
    ----------
    read_rows : callable
        Returns the values of a slice of the features, (n_part, n_units); a missing value is NaN.
    n_features : int
    matrix : ndarray of shape (n_units, n_columns)
        The design. A constant is among the sums of its columns.
    contrasts : ndarray of shape (n_contrasts, n_columns)
        Weights of the coefficients, for which the constant does not matter.
    weights : ndarray of shape (n_features, n_units), optional
        Precision weights of values without gaps: inverse variances up to a factor.
    whitening : ndarray of shape (n_units, n_units), optional
        A matrix ``T`` such that ``T y`` has uncorrelated errors, for values without gaps.

    Returns
    -------
    ContrastFit

    Examples
    --------
    >>> values = np.array([[1.0, 2.0, 5.0, 6.5]])
    >>> classes = np.repeat(np.eye(2), 2, axis=0)
    >>> fit = fit_contrasts(lambda strip: values[strip], 1, classes, np.array([[-1.0, 1.0]]))
    >>> fit.estimate.round(9).tolist(), fit.variance.round(4).tolist()
    ([[4.25]], [0.8125])
    """
    whitened = matrix if whitening is None else whitening @ matrix
    basis, coordinates = _contrast_coordinates(whitened, contrasts)
    n_contrasts = len(contrasts)
    result = ContrastFit(
        estimate=np.empty((n_contrasts, n_features)),
        unscaled=np.empty((n_contrasts, n_features)),
        variance=np.empty(n_features),
        df=np.empty(n_features),
        mean=np.empty(n_features),
    )

    def fit_strip(strip: slice) -> None:
        rows = read_rows(strip)
        strip_weights = None if weights is None else weights[strip]
        fit = _fit_rows(rows, basis, coordinates, weights=strip_weights, whitening=whitening)
        result.estimate[:, strip] = fit.estimate.T
        result.unscaled[:, strip] = fit.unscaled.T
        result.variance[strip] = fit.variance
        result.df[strip] = fit.df
        result.mean[strip] = fit.mean

    with one_blas_thread():  # its threads would compete with those of `map_strips`
        map_strips(fit_strip, n_features, len(matrix))
    return result


def estimable(matrix: np.ndarray, contrasts: np.ndarray) -> np.ndarray:
    """Return which contrasts (n_contrasts, n_columns) a design determines.

    Examples
    --------
    >>> together = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])  # the first two are never apart
    >>> estimable(together, np.array([[1.0, -1.0, 0.0], [0.5, 0.5, -1.0]])).tolist()
    [False, True]
    """
    coordinates = _contrast_coordinates(matrix, contrasts)[1]
    return np.asarray(~np.isnan(coordinates).any(axis=0))


def _contrast_coordinates(
    matrix: np.ndarray, contrasts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return an orthonormal basis of the design and the contrasts in terms of it.

    The basis has shape (n_units, rank), the coordinates (rank, n_contrasts); NaN for a contrast
    that the design does not determine.
    """
    left, singular, right = np.linalg.svd(matrix, full_matrices=False)
    rank = int((singular > DEPENDENT * singular[0]).sum())
    basis = left[:, :rank]
    right = right[:rank]
    outside = contrasts - contrasts @ right.T @ right  # the part that no row of the design has
    coordinates = (contrasts @ right.T / singular[:rank]).T
    coordinates[:, (outside**2).sum(axis=1) > _ZERO] = np.nan
    return basis, coordinates


class _ShiftedRows(NamedTuple):
    """Values of some features minus the first present one of each feature.

    Attributes
    ----------
    values : ndarray of shape (n_features, n_units)
        A missing value is 0, so that sums omit it.
    present : ndarray of bool, shape (n_features, n_units)
    incomplete : ndarray of int
        Positions of the features with missing values.
    mean : ndarray of shape (n_features,)
        Mean of the present values before the shift.
    """

    values: np.ndarray
    present: np.ndarray
    incomplete: np.ndarray
    mean: np.ndarray


def _shift_rows(rows: np.ndarray) -> _ShiftedRows:
    """Shift the values of each feature, (n_features, n_units), by the first one present.

    The shift does not change contrasts, because the design contains the constant, and makes a
    constant feature exactly 0.
    """
    present = ~np.isnan(rows)
    count = present.sum(axis=1)
    incomplete = np.flatnonzero(count < rows.shape[1])
    first = rows[np.arange(len(rows)), present.argmax(axis=1)]
    shifted = rows - first[:, None]
    if len(incomplete):
        shifted[~present] = 0.0
    mean = first + shifted.sum(axis=1) / np.maximum(count, 1)
    return _ShiftedRows(shifted, present, incomplete, mean)


def _fit_rows(
    rows: np.ndarray,
    basis: np.ndarray,
    coordinates: np.ndarray,
    *,
    weights: np.ndarray | None,
    whitening: np.ndarray | None,
) -> "_RowFit":
    """Fit some features.

    Coefficients are first computed as if no value were missing; then those of features with missing
    values are corrected.
    """
    shifted, present, incomplete, mean = _shift_rows(rows)
    if whitening is not None:
        shifted = shifted @ whitening.T
    df = present.sum(axis=1) - basis.shape[1]
    if weights is None:
        # Least squares without weights: products with the orthonormal basis.
        coefficients = shifted @ basis
        unscaled = np.repeat((coordinates**2).sum(axis=0)[None], len(shifted), axis=0)
    else:
        # Weighted least squares. The normal matrix of feature g is ``A_g = B' W_g B``
        # with the basis ``B``. Contrasts with coordinates ``K`` have the covariance ``K'
        # A_g^-1 K``.
        rank = basis.shape[1]
        products = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), rank**2)
        normal_matrices = (weights @ products).reshape(-1, rank, rank)
        sums = (weights * shifted) @ basis
        coefficients = np.linalg.solve(normal_matrices, sums[:, :, None])[:, :, 0]
        repeated = np.broadcast_to(coordinates, (len(normal_matrices), *coordinates.shape))
        covariance = coordinates.T @ np.linalg.solve(normal_matrices, repeated)
        unscaled = np.einsum("fii->fi", covariance).copy()
    fit = _BasisFit(coefficients, unscaled)

    if len(incomplete):
        corrected, df[incomplete] = _fit_incomplete(
            present[incomplete], fit.coefficients[incomplete], basis, coordinates
        )
        fit.coefficients[incomplete] = corrected.coefficients
        fit.unscaled[incomplete] = corrected.unscaled
    estimate = fit.coefficients @ coordinates
    estimate[np.isnan(fit.unscaled)] = np.nan
    squares = _residual_squares(
        shifted, fit.coefficients @ basis.T, present=present, weights=weights
    )
    return _RowFit(
        estimate=estimate,
        unscaled=fit.unscaled,
        variance=np.divide(squares, df, np.full(len(df), np.nan), where=df > 0),
        df=df,
        mean=mean,
    )


@dataclass(frozen=True, kw_only=True)
class _RowFit:
    """The fit of some features; contrasts have shape (n_features, n_contrasts).

    The attributes are those of `ContrastFit`, which has all features and the other order of axes.
    """

    estimate: np.ndarray
    unscaled: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    mean: np.ndarray


def _residual_squares(
    values: np.ndarray,
    fitted: np.ndarray,
    *,
    present: np.ndarray,
    weights: np.ndarray | None,
) -> np.ndarray:
    """Return the (weighted) sums of squared residuals, (n_features,); ``values`` are overwritten.

    All arguments have shape (n_features, n_units). A sum that is a rounding error beside the
    squares of the values is 0.
    """
    total = np.einsum("ij,ij->i", values, values)
    residuals = values
    residuals -= fitted  # in place: a strip of features fills the cache
    if not present.all():
        residuals[~present] = 0.0
    plain = np.einsum("ij,ij->i", residuals, residuals)
    squares = plain
    if weights is not None:
        squares = np.einsum("ij,ij,ij->i", residuals, residuals, weights)
    squares[plain <= values.shape[1] * _ROUNDING**2 * total] = 0.0
    return np.asarray(squares)


class _BasisFit(NamedTuple):
    """Coefficients of the basis, and the variances of the contrasts.

    Attributes
    ----------
    coefficients : ndarray of shape (n_features, rank)
    unscaled : ndarray of shape (n_features, n_contrasts)
        Variances of the contrasts in multiples of the residual variance.
    """

    coefficients: np.ndarray
    unscaled: np.ndarray


def _fit_incomplete(
    present: np.ndarray, projected: np.ndarray, basis: np.ndarray, coordinates: np.ndarray
) -> tuple[_BasisFit, np.ndarray]:
    """Return least squares of features with missing values, and their degrees of freedom.

    ``projected`` (n_features, rank) are the products of the present values with the basis. Features
    with the same pattern of missing values share the inverse of their normal matrix ``A = sum over
    present units of B_u B_u'``, computed from its eigenvectors. A contrast with a part outside the
    range of A cannot be estimated: its variance is NaN.
    """
    # Letters of sums: p is a pattern, f a feature, r and s directions of the basis, c a contrast.
    patterns, pattern_of = np.unique(present, axis=0, return_inverse=True)
    rank = basis.shape[1]
    products = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), -1)
    normal_matrices = (patterns @ products).reshape(-1, rank, rank)
    eigenvalues, vectors = np.linalg.eigh(normal_matrices)
    is_positive = eigenvalues > _ZERO
    inverse = np.where(is_positive, 1 / np.where(is_positive, eigenvalues, 1.0), 0.0)

    # Variances of the contrasts, the diagonal of K' A^-1 K: (n_patterns, n_contrasts).
    rotated = vectors.swapaxes(1, 2) @ coordinates  # (n_patterns, rank, n_contrasts)
    unscaled = np.einsum("prc,pr,prc->pc", rotated, inverse, rotated)
    outside = np.einsum("pr,prc->pc", ~is_positive, rotated**2)
    unscaled[outside > _ZERO * (coordinates**2).sum(axis=0)] = np.nan

    # Coefficients A^-1 B' y of each feature.
    feature_vectors = vectors[pattern_of]
    in_vectors = np.einsum("fsr,fs->fr", feature_vectors, projected) * inverse[pattern_of]
    coefficients = np.einsum("frs,fs->fr", feature_vectors, in_vectors)
    df = (patterns.sum(axis=1) - is_positive.sum(axis=1))[pattern_of]
    return _BasisFit(coefficients, unscaled[pattern_of]), df
