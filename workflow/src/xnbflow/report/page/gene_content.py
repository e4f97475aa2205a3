"""The content of the page's genes: statistics of all features, values of the first, packed."""

import base64
import gzip
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.natural_order import natural_key

#: Steps between the least and greatest number of a column of statistics, and of a feature's values.
_STEPS = 65_534
_VALUE_STEPS = 254
_FEWEST_SAMPLES_OF_GROUP = 2
#: Level of the compression: the highest one takes twice the time and saves two bytes in a thousand.
_EFFORT = 6
#: Number of bytes at whose multiples arrays begin.
_ALIGNED = 8


def gene_content(
    genes: pd.DataFrame,
    values: pd.DataFrame,
    statistics: Mapping[str, Sequence[float] | np.ndarray],
    flags: Mapping[str, Sequence[int] | np.ndarray],
    most_bytes: int,
    levels: Sequence[float] = (),
    **header: Any,
) -> str:
    """Return the content of the page's genes: gzip in base 64, of limited size.

    Parameters
    ----------
    genes : DataFrame
        A row per feature, the most important first, with ``feature`` and ``symbol``.
    values : DataFrame
        The table ``gene_values`` of `xnbflow.tables.contract`. Its features are the first ones of
        ``genes``, in the same order.
    statistics, flags : mapping of str to array of shape (n_features,)
        Numbers of each feature, which are rounded to 1/65,534 of their range, and small integers.
    most_bytes : int
        Values of samples have at most half of these bytes. The last features are left out until
        the content has at most this size.
    levels : sequence of float
        Thresholds of the statistics whose names begin with ``fdr.``, see `_round_to_steps`.
    **header
        Further content: text, numbers, lists.

    Returns
    -------
    str
        What `_pack_arrays` returns. The header has ``samples``, ``classes`` and ``batches`` (lists
        of str), ``class``, ``batch`` and ``group`` of each sample (numbers, -1 without),
        ``features`` and ``symbols``, ``total`` (number of features before any was left out) and
        ``ranges``: the least and greatest number of each of the ``statistics``, None without any.
        Arrays are the statistics (uint16: 0 to 65,534, 65,535 is missing), the flags (uint8) and
        ``values``, the steps of the values (uint8: 0 to 254, 255 is missing), feature after
        feature, between ``low`` and ``high`` of the header.
    """
    # The values as an array of features by samples, both in the order of the table.
    feature_numbers, features = pd.factorize(values["feature"])
    sample_numbers, samples = pd.factorize(values["sample"])
    wide = np.full((len(features), len(samples)), np.nan)
    wide[feature_numbers, sample_numbers] = values["value"]
    rows_of_samples = np.unique(sample_numbers, return_index=True)[1]
    content = _samples(values.iloc[rows_of_samples]) | header | {"total": len(genes)}

    wide = wide[: most_bytes // 2 // max(1, wide.shape[1])]  # a value takes a byte
    rounded = {}
    for name, column in statistics.items():
        thresholds = levels if name.startswith("fdr.") else ()
        rounded[name] = _round_to_steps(np.asarray(column), thresholds)
    content["ranges"] = {name: limits for name, (_, limits) in rounded.items()}
    numbers = {name: column for name, (column, _) in rounded.items()}
    numbers |= {name: np.asarray(column, dtype=np.uint8) for name, column in flags.items()}
    names = {
        "features": genes["feature"].to_numpy(dtype=object).tolist(),
        "symbols": genes["symbol"].to_numpy(dtype=object).tolist(),
    }

    # Least and greatest value of each feature, and all values as steps between them.
    low, high = np.fmin.reduce(wide, axis=1), np.fmax.reduce(wide, axis=1)
    span = np.where(high > low, high - low, 1.0)
    steps = np.round((wide - low[:, None]) / span[:, None] * _VALUE_STEPS)
    steps = np.where(np.isnan(wide), _VALUE_STEPS + 1, steps).astype(np.uint8)
    low = _four_digits(low)
    high = _four_digits(high)

    def pack_first(n: int) -> str:
        named = {name: texts[:n] for name, texts in names.items()}
        arrays = {name: column[:n] for name, column in numbers.items()}
        arrays["values"] = steps[:n].reshape(-1)
        return _pack_arrays(content | named | {"low": low[:n], "high": high[:n]}, arrays)

    packed = pack_first(len(genes))
    if len(packed) <= most_bytes:
        return packed
    return _largest_that_fits(
        pack_first, len(genes), size=len(packed), n_with_values=len(wide), most_bytes=most_bytes
    )


def _largest_that_fits(
    pack_first: Callable[[int], str], n: int, size: int, n_with_values: int, most_bytes: int
) -> str:
    """Return the content of fewer than ``n`` features, which has at most ``most_bytes``.

    The content of ``n`` features has ``size`` bytes. The first features have the values of samples
    and thus most of the bytes; from these on the content grows nearly linearly.
    """
    start = min(n_with_values, n)
    packed = ""
    size_at_start = len(pack_first(start)) if start < n else size
    if size_at_start > most_bytes:
        start, n, size, size_at_start = 0, start, size_at_start, len(pack_first(0))
    while n > start:
        share = (most_bytes - size_at_start) / max(1, size - size_at_start)
        n = max(start, min(n - 1, start + int((n - start) * share)))
        packed = pack_first(n)
        size = len(packed)
        if size <= most_bytes:
            return packed
    return packed or pack_first(start)


def _samples(samples: pd.DataFrame) -> dict[str, Any]:
    """Return the samples with class, batch and group, from a row of ``gene_values`` for each."""
    batches = sorted(set(samples["batch"]) - {""})
    classes = sorted(set(samples["class"]), key=natural_key)
    sizes = samples["group"].map(samples["group"].value_counts())
    paired = (samples["group"] != "") & (sizes >= _FEWEST_SAMPLES_OF_GROUP)
    return {
        "samples": samples["sample"].tolist(),
        "classes": classes,
        "batches": batches,
        "class": pd.Index(classes).get_indexer(samples["class"]).tolist(),
        "batch": pd.Index(batches).get_indexer(samples["batch"]).tolist(),
        "group": pd.factorize(samples["group"].where(paired))[0].tolist(),
    }


def _round_to_steps(
    numbers: np.ndarray, levels: Sequence[float] = ()
) -> tuple[np.ndarray, list[float] | None]:
    """Return numbers as steps of their range, and its limits; None if all are missing.

    A number above one of the ``levels`` stays above it, any other number does not exceed it, so
    that counts at these thresholds are exact.

    Examples
    --------
    >>> _round_to_steps(np.array([-1.0, 0.0, 1.0, np.nan]))
    (array([    0, 32767, 65534, 65535], dtype=uint16), [-1.0, 1.0])
    """
    is_finite = np.isfinite(numbers)
    finite = numbers[is_finite]
    steps = np.full(len(numbers), _STEPS + 1, dtype=np.uint16)
    if not len(finite):
        return steps, None
    low, high = float(finite.min()), float(finite.max())
    span = high - low if high > low else 1.0
    rounded = np.round((finite - low) / span * _STEPS)
    for level in levels:
        last = np.floor((level - low) / span * _STEPS)  # the last step that does not exceed it
        rounded = np.where(finite > level, np.maximum(rounded, last + 1), np.minimum(rounded, last))
    steps[is_finite] = np.clip(rounded, 0, _STEPS)
    return steps, [low, high]


def _pack_arrays(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    """Return a header and arrays as gzip in base 64, for ``unpack`` of ``charts.js``.

    The bytes are the length of the header (unsigned, four bytes, little-endian), the header as JSON
    with ``arrays``, a list of name, type and length, and the arrays in this order, each at a
    multiple of eight bytes.
    """
    declared = [[name, array.dtype.name, len(array)] for name, array in arrays.items()]
    content = dict(header) | {"arrays": declared}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    parts = [struct.pack("<I", len(text)) + text]
    parts += [array.astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays.values()]
    padded = [data + bytes(-len(data) % _ALIGNED) for data in parts]
    return base64.b64encode(gzip.compress(b"".join(padded), _EFFORT, mtime=0)).decode()


def _four_digits(numbers: np.ndarray) -> list[float | None]:
    """Return numbers with four significant digits; None for numbers that JSON does not have."""
    return [float(f"{number:.4g}") if np.isfinite(number) else None for number in numbers]
