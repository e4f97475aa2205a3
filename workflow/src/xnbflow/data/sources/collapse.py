"""Several rows of one name or one gene made one: the row of largest mean, the mean, the median."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError

__all__ = ["merge_rows", "settle_duplicates"]

_MERGES = ("max_mean", "mean", "median")


def merge_rows(
    values: np.ndarray, names: Sequence[str] | np.ndarray, how: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge the rows of each name; labels play no part.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows, n_samples)
        Missing values (NaN) do not count.
    names : sequence of str
        The name of each row.
    how : {"max_mean", "mean", "median"}
        ``max_mean`` takes the row whose mean over all samples is largest (the first of equals);
        ``mean`` and ``median`` are those of the rows, sample by sample.

    Returns
    -------
    merged : ndarray, shape (n_names, n_samples)
    unique : ndarray of str, shape (n_names,)
        In the order of their first rows.
    rows : ndarray of int, shape (n_names,)
        The row taken, or the first of those merged.

    Examples
    --------
    >>> merged, unique, rows = merge_rows(
    ...     np.array([[1.0, 2.0], [9.0, 9.0], [5.0, 8.0]]), ["TP53", "MYC", "TP53"], "max_mean"
    ... )
    >>> merged.tolist(), unique.tolist(), rows.tolist()
    ([[5.0, 8.0], [9.0, 9.0]], ['TP53', 'MYC'], [2, 1])
    """
    if how not in _MERGES:
        msg = f"rows cannot be merged by {how!r}; use one of {', '.join(_MERGES)}"
        raise InputError(msg)
    codes, unique = pd.factorize(np.asarray(names, dtype=object))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(unique)))
    rows = order[starts]
    counts = np.bincount(codes, minlength=len(unique))
    if how == "max_mean":
        return _of_largest_mean(values, order, starts, rows, counts, unique)
    merged = values[rows]
    for name in np.flatnonzero(counts > 1):
        block = values[order[starts[name] : starts[name] + counts[name]]]
        merged[name] = _middle(block, how)
    return merged, np.asarray(unique, dtype=str), rows


def _of_largest_mean(
    values: np.ndarray,
    order: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    counts: np.ndarray,
    unique: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    present = np.maximum(1, (~np.isnan(values)).sum(axis=1))
    means = np.nansum(values, axis=1) / present
    means[np.isnan(values).all(axis=1)] = -np.inf
    rows = rows.copy()
    for name in np.flatnonzero(counts > 1):
        block = order[starts[name] : starts[name] + counts[name]]
        rows[name] = block[np.argmax(means[block])]
    return values[rows], np.asarray(unique, dtype=str), rows


def _middle(block: np.ndarray, how: str) -> np.ndarray:
    """Return the mean or median of rows, NaN where all are missing."""
    present = ~np.isnan(block).all(axis=0)
    merged = np.full(block.shape[1], np.nan)
    merged[present] = (np.nanmean if how == "mean" else np.nanmedian)(block[:, present], axis=0)
    return merged


def settle_duplicates(
    where: str, values: np.ndarray, names: Sequence[str] | np.ndarray, how: str
) -> tuple[np.ndarray, np.ndarray, list[str]] | None:
    """Merge features whose names repeat, as the sheet's option ``duplicates`` says.

    Returns
    -------
    (merged, rows, notes) or None
        None where no name repeats.

    Raises
    ------
    InputError
        If names repeat and `how` is ``refuse``.
    """
    if how not in ("refuse", "max_mean", "mean"):
        msg = f"{where}: duplicates is {how!r}; use refuse, max_mean or mean"
        raise InputError(msg)
    counts = pd.Series(np.asarray(names, dtype=object)).value_counts()
    repeated = counts[counts > 1]
    if repeated.empty:
        return None
    named = ", ".join(f"{name!r} ({count} times)" for name, count in repeated[:5].items())
    text = (
        f"{counted(len(repeated), 'feature name', 'repeats', 'repeat')}: "
        f"{named}{', ...' if len(repeated) > 5 else ''}"
    )
    if how == "refuse":
        msg = (
            f"{where}: {text}. Make names unique, or say in the sheet's options "
            "duplicates=max_mean (keep the row of largest mean) or duplicates=mean"
        )
        raise InputError(msg)
    merged, _, rows = merge_rows(values, names, how)
    done = "the one of largest mean was kept" if how == "max_mean" else "their mean was taken"
    return merged, rows, [f"{text}; {done}"]
