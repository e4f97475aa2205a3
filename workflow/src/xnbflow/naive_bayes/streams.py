"""Samples in chunks of features: fits to a stream, and sparse samples in one form."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import column_or_1d

from xnbflow.core.errors import InputError
from xnbflow.data.columns import refuse_beyond_squares, refuse_sparse_beyond_squares
from xnbflow.data.labels import refuse_missing
from xnbflow.data.matrices import as_dense, by_feature, feature_blocks, is_sparse
from xnbflow.data.samples import Labels, plain_labels
from xnbflow.naive_bayes.base import BaseNaiveBayes

__all__ = ["StreamedNB", "checked_chunks", "dense_chunks"]

_CHUNK_VALUES = 4_000_000


class StreamedNB(BaseNaiveBayes):
    """Base class: class-specific features that are selected from chunks of a series."""

    columns_: list[np.ndarray]
    selected_features_: dict[Any, list[Any]]

    def fit_stream(self, chunks: Iterable[tuple[np.ndarray, np.ndarray]], y: Labels) -> Self:
        """Fit on a series that need not fit into memory; returns self.

        Afterwards the classifier has the selected features only: ``feature_names_in_`` are their
        names, and `predict` takes samples of these (`xnbflow.data.dataset.read_features`).

        Parameters
        ----------
        chunks : iterable of (names, features)
            Feature names (n_chunk,) and samples (n_chunk, n_samples), as
            `xnbflow.data.series_file.iterate_features` yields them, or
            `xnbflow.sources.cell_file.CellFile` the genes of an ``.h5ad`` file. Samples
            may be sparse, in any format of SciPy. Read once; a value that is not finite or another
            number of samples is refused.
        y : array-like of shape (n_samples,)
            Class labels.

        Examples
        --------
        >>> from xnbflow.naive_bayes import XNB
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat(["a", "b"], 20)
        >>> chunks = (([f"g{i}"], rng.normal(size=(1, 40)) + 9 * i * (y == "b")) for i in range(2))
        >>> XNB().fit_stream(chunks, y).selected_features_
        {'a': ['g1'], 'b': ['g1']}
        """
        codes = self._stream_codes(y)
        self._fit_chunks(checked_chunks(chunks, len(codes)), codes)
        return self._without_unused()

    def _stream_codes(self, y: Labels) -> np.ndarray:
        """Validate parameters and labels; return each sample's class as a code."""
        self._validate_params()
        y = plain_labels(y)
        refuse_missing(y)
        return self._learn_classes(column_or_1d(y))

    def _without_unused(self) -> Self:
        """Forget the features that no class uses."""
        names: dict[int, Any] = {}
        for columns, own in zip(self.columns_, self.selected_features_.values(), strict=True):
            names.update(zip(columns.tolist(), own, strict=True))
        used = sorted(names)
        self.columns_ = [np.searchsorted(used, columns) for columns in self.columns_]
        self.feature_names_in_ = np.array([names[column] for column in used], dtype=object)
        self.n_features_in_ = len(used)
        return self

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        names = getattr(self, "feature_names_in_", None)
        chunks: Iterable[tuple[np.ndarray | None, Any]] = [(names, features)]
        if is_sparse(features):
            blocks = feature_blocks(features)
            chunks = ((None if names is None else names[which], part) for which, part in blocks)
        self._fit_chunks(chunks, codes)

    @abstractmethod
    def _fit_chunks(
        self, chunks: Iterable[tuple[np.ndarray | None, Any]], codes: np.ndarray
    ) -> None:
        """Learn from chunks of names (n_chunk,) and features (n_chunk, n_samples)."""


def checked_chunks(
    chunks: Iterable[tuple[np.ndarray, Any]], n_samples: int
) -> Iterator[tuple[np.ndarray, Any]]:
    """Yield the chunks of a stream as arrays, sparse ones as CSR arrays without duplicates.

    Names (n_some,) and features (n_some, n_samples) may be dense or in any of SciPy's sparse
    formats. Raises an `InputError` if there is no chunk, one has another number of samples or
    names, or a value is not finite or beyond the range of squares.
    """
    empty = True
    for given_names, given in chunks:
        names, sparse = np.asarray(given_names), is_sparse(given)
        features = given if sparse else np.asarray(given, dtype=np.float64)
        if features.shape != (len(names), n_samples):
            msg = (
                f"a chunk of {len(names)} features has shape {features.shape}, but there are "
                f"{n_samples} labels; give one label per sample"
            )
            raise InputError(msg)
        if sparse:
            features = by_feature(features)
            finite = np.ones(len(names), dtype=bool)
            bad = np.flatnonzero(~np.isfinite(features.data))
            finite[np.searchsorted(features.indptr, bad, side="right") - 1] = False
        else:
            finite = np.isfinite(features).all(axis=1)
        if not finite.all():
            first = names.tolist()[np.argmin(finite)]
            msg = (
                f"feature {first!r} is not a finite number in every sample; "
                "remove or impute missing and infinite values first"
            )
            raise InputError(msg, key=str(first))
        refuse: Any = refuse_sparse_beyond_squares if sparse else refuse_beyond_squares
        refuse(features.T, names)
        empty = False
        yield names, features
    if empty:
        msg = "the series has no features"
        raise InputError(msg)


def dense_chunks(
    features: Any, columns: np.ndarray, n_classes: int = 1
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of the samples, and some features of these as a dense array (n_columns, n_some).

    So many that the log densities of ``n_classes`` take some 32 MB.
    """
    some: Any = by_feature(features[columns]).tocsc() if is_sparse(features) else features
    width = max(1, _CHUNK_VALUES // max(1, n_classes * len(columns)))
    for start in range(0, features.shape[1], width):
        which = slice(start, min(start + width, features.shape[1]))
        yield which, as_dense(some[:, which]) if is_sparse(features) else some[columns, which]
