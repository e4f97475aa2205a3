"""Samples in chunks of features, checked where they come from a stream; sparse ones in one form."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from xnbflow.data.columns import refuse_beyond_squares, refuse_sparse_beyond_squares
from xnbflow.data.errors import InputError
from xnbflow.density.matrices import as_dense, by_feature, feature_blocks, is_sparse

__all__ = ["checked_chunks", "chunks_of", "dense_chunks", "rows_of"]

_CHUNK_VALUES = 4_000_000


def checked_chunks(
    chunks: Iterable[tuple[np.ndarray, Any]], n_samples: int
) -> Iterator[tuple[np.ndarray, Any]]:
    """Yield the chunks of a stream as arrays, sparse ones as CSR arrays without duplicates.

    Parameters
    ----------
    chunks : iterable of (names, features)
        Names (n_some,) and features (n_some, n_samples), dense or in any of SciPy's sparse formats.
    n_samples : int

    Raises
    ------
    InputError
        If there is no chunk, one has another number of samples or names, or a value is not finite
        or beyond the range of squares.
    """
    empty = True
    for names, features in chunks:
        names = np.asarray(names)  # noqa: PLW2901
        if not is_sparse(features):
            features = np.asarray(features, dtype=np.float64)  # noqa: PLW2901
        if features.shape != (len(names), n_samples):
            msg = (
                f"a chunk of {len(names)} features has shape {features.shape}, but there are "
                f"{n_samples} labels; give one label per sample"
            )
            raise InputError(msg)
        features = by_feature(features) if is_sparse(features) else features  # noqa: PLW2901
        finite = _are_finite(features)
        if not finite.all():
            first = names.tolist()[np.argmin(finite)]
            msg = (
                f"feature {first!r} is not a finite number in every sample; "
                "remove or impute missing and infinite values first"
            )
            raise InputError(msg, key=str(first))
        refuse: Any = refuse_sparse_beyond_squares if is_sparse(features) else refuse_beyond_squares
        refuse(features.T, names)
        empty = False
        yield names, features
    if empty:
        msg = "the series has no features"
        raise InputError(msg)


def _are_finite(features: Any) -> np.ndarray:
    """Return which features (n_features, n_samples) are finite numbers in every sample."""
    if not is_sparse(features):
        return np.isfinite(features).all(axis=1)
    finite = np.ones(features.shape[0], dtype=bool)
    bad = np.flatnonzero(~np.isfinite(features.data))
    finite[np.searchsorted(features.indptr, bad, side="right") - 1] = False
    return finite


def chunks_of(features: Any, names: np.ndarray | None) -> Iterable[tuple[np.ndarray | None, Any]]:
    """Return features (n_features, n_samples) as chunks: dense ones whole, sparse ones in blocks.

    Yields
    ------
    names : ndarray of shape (n_some,), or None
    features : ndarray or CSR array of shape (n_some, n_samples)
    """
    if not is_sparse(features):
        return [(names, features)]
    blocks = feature_blocks(features)
    return ((None if names is None else names[which], block) for which, block in blocks)


def rows_of(features: Any, columns: np.ndarray | slice) -> np.ndarray:
    """Return some features as a dense array of shape (n_some, n_samples)."""
    return as_dense(features[columns])


def dense_chunks(
    features: Any, columns: np.ndarray, n_classes: int = 1
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield some features of some samples at a time, dense.

    So many that the log densities of ``n_classes`` take some 32 MB.

    Yields
    ------
    which : slice
        Of the samples.
    values : ndarray of shape (n_columns, n_some)
    """
    some: Any = by_feature(features[columns]).tocsc() if is_sparse(features) else features
    width = max(1, _CHUNK_VALUES // max(1, n_classes * len(columns)))
    for start in range(0, features.shape[1], width):
        which = slice(start, min(start + width, features.shape[1]))
        yield which, as_dense(some[:, which]) if is_sparse(features) else some[columns, which]
