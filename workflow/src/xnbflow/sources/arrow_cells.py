"""Cells of numbers, many at once, by Arrow, which rounds exactly as ``float`` does."""

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from xnbflow.sources.cell_texts import MISSING_WORDS

__all__ = ["marked_numbers", "marks", "matrix", "numbers_of", "read_columns"]

#: Arrow compares exactly, hence every mixture of small and capital letters.
_NULLS = sorted(
    "".join(letters)
    for word in MISSING_WORDS
    for letters in set(itertools.product(*((c.lower(), c.upper()) for c in word)))
)
#: Neither one long column nor a wide row suits Arrow as rows of about so many cells do.
_CELLS_PER_ROW = 128


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
    data = bytearray(cells.encode() if isinstance(cells, str) else cells)
    text = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    if len(ends) != count - 1:
        return None
    text[ends] = marks(count)[:-1]
    return marked_numbers(data, count, decimal)


def marks(count: int) -> np.ndarray:
    """Return what to write behind each of so many cells for `marked_numbers`."""
    signs = np.full(count, ord("\t"), dtype=np.uint8)
    width = _width(count)
    signs[width - 1 :: width] = ord("\n")
    return signs


def marked_numbers(data: bytes | bytearray, count: int, decimal: str) -> np.ndarray | None:
    """Convert so many cells, `marks` between them; None where a closer look is due."""
    width = _width(count)
    names = [str(place) for place in range(width)]
    types = dict.fromkeys(names, pa.float64())
    table = read_columns(data + b"\t" * (-count % width), types, names, "\t", decimal, quoted=False)
    values = None if table is None else matrix(table, names)
    return None if values is None or values.size < count else values.reshape(-1)[:count]


def _width(count: int) -> int:
    return min(_CELLS_PER_ROW, 1 + math.isqrt(count))


def matrix(table: pa.Table, names: list[str]) -> np.ndarray | None:
    """Return columns of numbers, shape (n_rows, n_columns); None where one is infinite."""
    values = np.empty((len(table), len(names)))
    for place, name in enumerate(names):
        values[:, place] = table[name].to_numpy()
    return None if np.isinf(values).any() else values
