"""Cells of numbers, many at once, by Arrow, which rounds exactly as ``float`` does."""

import itertools
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from xnbflow.data.sources.cell_texts import MISSING_WORDS

__all__ = ["matrix", "numbers_of", "read_columns"]

#: Arrow compares exactly, hence every mixture of small and capital letters.
_NULLS = sorted(
    "".join(letters)
    for word in MISSING_WORDS
    for letters in set(itertools.product(*((c.lower(), c.upper()) for c in word)))
)


def read_columns(
    data: bytes | bytearray,
    types: Mapping[str, pa.DataType],
    names: list[str],
    separator: str,
    decimal: str,
    *,
    quoted: bool = True,
) -> pa.Table | None:
    """Read columns of a few megabytes of CSV without a header.

    Parameters
    ----------
    data : bytes
    types : mapping of str to DataType
        Of the columns to read.
    names : list of str
        Of all columns.
    separator, decimal : str
    quoted : bool
        Whether there may be quotes around cells.

    Returns
    -------
    Table or None
        None where rows differ in width, or a cell is no number.
    """
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(
                use_threads=False, column_names=names, block_size=max(1, len(data)) + 1
            ),
            arrow_csv.ParseOptions(
                delimiter=separator, quote_char='"' if quoted else False, ignore_empty_lines=quoted
            ),
            arrow_csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=_NULLS,
                strings_can_be_null=False,
                quoted_strings_can_be_null=True,
                decimal_point=decimal,
            ),
        )
    except pa.ArrowInvalid:
        return None


def numbers_of(cells: str | bytes, count: int, decimal: str = ".") -> np.ndarray | None:
    r"""Convert one cell per line; None where a closer look is due.

    Examples
    --------
    >>> numbers_of("1.5\nNA\n\n-2e3", 4).tolist()
    [1.5, nan, nan, -2000.0]
    >>> numbers_of("1.5\nhigh", 2), numbers_of("1.5\ninf", 2)
    (None, None)
    """
    data = cells.encode() if isinstance(cells, str) else cells
    table = read_columns(data, {"value": pa.float64()}, ["value"], "\t", decimal, quoted=False)
    if table is None:
        return None
    values = table["value"].to_numpy()
    if len(values) == count - 1 and data.endswith(b"\n"):  # the last cell is empty
        values = np.append(values, np.nan)
    return values if len(values) == count and not np.isinf(values).any() else None


def matrix(table: pa.Table, names: list[str]) -> np.ndarray | None:
    """Return columns of numbers, shape (n_rows, n_columns); None where one is infinite."""
    values = np.empty((len(table), len(names)))
    for place, name in enumerate(names):
        values[:, place] = table[name].to_numpy()
    return None if np.isinf(values).any() else values
