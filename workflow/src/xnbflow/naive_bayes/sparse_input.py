"""Sparse samples: their features in blocks, and some of them dense."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from xnbflow.density.matrices import as_dense, by_feature, feature_blocks, is_sparse

__all__ = ["chunks_of", "dense_chunks", "rows_of"]

_CHUNK_VALUES = 4_000_000


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
