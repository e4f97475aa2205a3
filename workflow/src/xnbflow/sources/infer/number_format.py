"""Recognise how a table writes its numbers: decimal commas, thousands, and numbers with units.

A number with a unit is a measurement that is no plain number: a percentage (``8.4%``), a limit
(``<0.5``), or a number with spaces between thousands; see
`xnbflow.sources.formats.cell_texts.is_measured`.
"""

from collections.abc import Sequence
from itertools import chain

import pandas as pd

from xnbflow.core.errors import quoted
from xnbflow.core.nouns import either, listed
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    have_thousands,
    is_measured,
    is_missing,
    is_text,
)
from xnbflow.sources.formats.text_table import TextTable


def propose_decimal(
    entry: DatasetEntry, table: TextTable, first_rows: Sequence[Sequence[str]]
) -> tuple[DatasetEntry, list[str]]:
    """Return the entry with ``decimal: comma`` if the first rows have decimal commas.

    They have numbers with commas, which do not separate thousands, and none with points. A sentence
    follows if the decimal sign of the table probably separates thousands.
    """
    columns = list(zip(*first_rows, strict=True))
    cells = list(chain.from_iterable(first_rows))
    if table.decimal == "." and any(map(DECIMAL_COMMA.fullmatch, cells)):
        has_points = any(map(DECIMAL_POINT.fullmatch, cells))
        if not has_points and not have_thousands(columns, ","):
            entry = entry.with_defaults(decimal="comma")
    if not have_thousands(columns, table.decimal):
        return entry, []
    example = next(cell for cell in cells if table.decimal in cell and not is_text(cell))
    remark = (
        f"Numbers such as {example} look like whole numbers with separators of thousands, but are "
        f"read with {table.decimal!r} as the decimal sign: if so, save the table without "
        "separators."
    )
    return entry, [remark]


def remarks_on_units(fields: pd.DataFrame, label: str | None) -> list[str]:
    """Return a sentence on columns of texts in which most cells are numbers, some with units."""
    examples = []
    for position, name in enumerate(map(str, fields)):
        cells = [cell for cell in fields.iloc[:, position] if not is_missing(cell)]
        with_units = [cell for cell in cells if is_measured(cell)]
        plain_numbers = [cell for cell in cells if not is_text(cell)]
        are_most = 2 * (len(with_units) + len(plain_numbers)) > len(cells)
        if name != label and with_units and are_most:
            examples.append(f"{name} (as {quoted(with_units[0])})")
    if not examples:
        return []
    n_columns = len(examples)
    remark = (
        f"{listed(examples)} {either(n_columns, 'has', 'have')} measurements that are no plain "
        f"numbers, and {either(n_columns, 'is', 'are')} read as text of the samples, not as "
        f"{either(n_columns, 'a feature', 'features')}; write plain numbers."
    )
    return [remark]
