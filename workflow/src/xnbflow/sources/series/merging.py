"""Features merged to one of each gene or name: probes of a gene, and names that repeat."""

import io
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.data.note import Note
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.raw_series import RawSeries


def collapse_probes(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Merge the probes of each gene to one feature, by the key ``collapse``.

    Probes without a symbol, and probes of several genes (``TP53 /// WRAP53``), are omitted.
    """
    how = dataset.collapse or "none"
    if how == "none":
        return series
    table = series.feature_metadata
    if table is None or "symbol" not in table or not table["symbol"].any():
        msg = (
            f"{series.where}: collapse: {how} needs the symbols of probes; name their "
            "platform's annotation, as annotation: GPL570"
        )
        raise InputError(msg, key="annotation")
    symbols = table["symbol"].to_numpy(dtype=str)
    is_unnamed = symbols == ""
    has_several = np.char.find(symbols, "///") >= 0
    probes = np.flatnonzero(~is_unnamed & ~has_several)
    merged, genes, rows = _merge_rows(series.values[probes], symbols[probes], how)
    note = (
        f"{counted(len(probes), 'probe', 'was', 'were')} collapsed to "
        f"{counted(len(genes), 'gene')} ({how}); left out were "
        f"{is_unnamed.sum()} without a symbol and {has_several.sum()} of several genes"
    )
    series = series.with_features(probes[rows], merged)
    metadata = series.feature_metadata
    if how != "median" and metadata is not None:
        metadata = metadata.assign(probe=series.features)
    return replace(series, features=genes, feature_metadata=metadata).with_notes([note])


class MergedRows(NamedTuple):
    """Rows of one name that are merged.

    Attributes
    ----------
    values : ndarray, shape (n_names, n_samples)
        The merged row of each name.
    names : ndarray of str, shape (n_names,)
        The names, in the order in which they first occur.
    rows : ndarray of int, shape (n_names,)
        The position of the row that is selected, or of the first one, of each name.
    """

    values: np.ndarray
    names: np.ndarray
    rows: np.ndarray


def _merge_rows(values: np.ndarray, names: Sequence[str] | np.ndarray, how: str) -> MergedRows:
    """Return one merged row for each name.

    ``max_mean`` selects the row with the largest mean over all samples (the first of equals);
    ``mean`` and ``median`` are computed over the rows, sample by sample. Missing values (NaN) are
    ignored. Labels are not used.

    Examples
    --------
    >>> merged, unique, rows = _merge_rows(
    ...     np.array([[1.0, 2.0], [9.0, 9.0], [5.0, 8.0]]), ["TP53", "MYC", "TP53"], "max_mean"
    ... )
    >>> merged.tolist(), unique.tolist(), rows.tolist()
    ([[5.0, 8.0], [9.0, 9.0]], ['TP53', 'MYC'], [2, 1])
    """
    codes, unique = pd.factorize(np.asarray(names, dtype=object))
    order = np.argsort(codes, kind="stable")
    # The rows of a name are adjacent in this order: a block has the positions of one name.
    blocks = np.split(order, np.searchsorted(codes[order], np.arange(1, len(unique))))
    rows = np.array([block[0] for block in blocks], dtype=np.intp)
    merged = values[rows]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Mean of empty slice|All-NaN slice", RuntimeWarning)
        for name, block in enumerate(blocks):
            if len(block) == 1:
                continue
            if how == "max_mean":
                means = np.nanmean(values[block], axis=1)
                means[np.isnan(means)] = -np.inf  # a row without values is never the largest
                rows[name] = block[np.argmax(means)]
                merged[name] = values[rows[name]]
            elif how == "mean":
                merged[name] = np.nanmean(values[block], axis=0)
            else:
                merged[name] = np.nanmedian(values[block], axis=0)
    return MergedRows(merged, np.asarray(unique, dtype=str), rows)


def settle_duplicates(series: RawSeries, dataset: DatasetEntry) -> RawSeries:
    """Merge features whose names repeat, by the key ``duplicates``."""
    how = dataset.duplicates or "refuse"
    counts = Counter(series.features).most_common()
    repeated = [(name, count) for name, count in counts if count > 1]
    if not repeated:
        return series
    names = [f"{str(name)!r} ({count} times)" for name, count in repeated]
    text = f"{counted(len(names), 'feature name', 'repeats', 'repeat')}: {listed(names)}"
    if how == "refuse":
        msg = (
            f"{series.where}: {text}. Make names unique, or set duplicates: max_mean (keep the "
            "row of largest mean), mean or rename (keep all, as name, name.1, name.2)"
        )
        raise InputError(msg, key="duplicates")
    if how == "rename":
        # pandas appends .1, .2, ... to repeated names of a header.
        header = pd.DataFrame(columns=series.features).to_csv(index=False)
        new_names = pd.read_csv(io.StringIO(header), index_col=False).columns
        result = "all but the first of each got the suffix .1, .2, ..."
        note = Note(f"{text}; {result}", "names repeat")
        return replace(series, features=new_names.to_numpy(dtype=str)).with_notes([note])
    merged, _, rows = _merge_rows(series.values, series.features, how)
    result = "the one of largest mean was kept" if how == "max_mean" else "their mean was taken"
    note = Note(f"{text}; {result}", "names repeat")
    return series.with_features(rows, merged).with_notes([note])
