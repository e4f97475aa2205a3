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
from xnbflow.sources.series.features import Features


def collapse_probes(
    where: str, values: np.ndarray, features: Features, how: str, notes: list[str]
) -> tuple[np.ndarray, Features]:
    """Merge the probes of each gene to one feature, by the key ``collapse``.

    ``values`` are (n_features, n_samples). Probes without a symbol, and probes of several genes
    (``TP53 /// WRAP53``), are omitted; the ``notes`` get their numbers.
    """
    table = features.annotation
    if "symbol" not in table or not table["symbol"].any():
        msg = (
            f"{where}: collapse: {how} needs the symbols of probes; name their "
            "platform's annotation, as annotation: GPL570"
        )
        raise InputError(msg, key="annotation")
    symbols = table["symbol"].to_numpy(dtype=str)
    is_unnamed = symbols == ""
    has_several = np.char.find(symbols, "///") >= 0
    probes = np.flatnonzero(~is_unnamed & ~has_several)
    merged, genes, rows = _merge_rows(values[probes], symbols[probes], how)
    notes.append(
        f"{counted(len(probes), 'probe', 'was', 'were')} collapsed to "
        f"{counted(len(genes), 'gene')} ({how}); left out were "
        f"{is_unnamed.sum()} without a symbol and {has_several.sum()} of several genes"
    )
    features = features.take(probes[rows])
    annotation = features.annotation
    if how != "median":
        annotation = annotation.assign(probe=features.names)
    return merged, replace(features, names=genes, annotation=annotation)


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


def merge_duplicates(
    where: str, values: np.ndarray, features: Features, how: str, notes: list[str]
) -> tuple[np.ndarray, Features]:
    """Merge features whose names repeat, by the key ``duplicates``, with a note about them.

    ``values`` are (n_features, n_samples).
    """
    counts = Counter(features.names.tolist()).most_common()
    repeated = [f"{name!r} ({count} times)" for name, count in counts if count > 1]
    text = f"{counted(len(repeated), 'feature name', 'repeats', 'repeat')}: {listed(repeated)}"
    if how == "refuse":
        msg = (
            f"{where}: {text}. Make names unique, or set duplicates: max_mean (keep the "
            "row of largest mean), mean or rename (keep all, as name, name.1, name.2)"
        )
        raise InputError(msg, key="duplicates")
    if how == "rename":
        # pandas appends .1, .2, ... to repeated names of a header.
        header = pd.DataFrame(columns=features.names).to_csv(index=False)
        new_names = pd.read_csv(io.StringIO(header), index_col=False).columns
        result = "all but the first of each got the suffix .1, .2, ..."
        notes.append(Note(f"{text}; {result}", "names repeat"))
        return values, replace(features, names=new_names.to_numpy(dtype=str))
    merged, _, rows = _merge_rows(values, features.names, how)
    result = "the one of largest mean was kept" if how == "max_mean" else "their mean was taken"
    notes.append(Note(f"{text}; {result}", "names repeat"))
    return merged, features.take(rows)
