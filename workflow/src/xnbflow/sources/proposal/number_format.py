"""How numbers are written: decimal commas, thousands, percentages and limits."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import pandas as pd

from xnbflow.core.errors import quoted
from xnbflow.core.nouns import either, listed
from xnbflow.sources.formats.cell_texts import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    have_thousands,
    is_measured,
    is_missing,
    is_text,
)
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.sheet import SheetRow


def propose_decimal(sheet_row: SheetRow, raw: RawTable, first: Sequence[Sequence[str]]) -> SheetRow:
    """Return the row with a decimal comma, where numbers in the first rows have commas alone."""
    cells = list(chain.from_iterable(first))
    has_commas = any(map(DECIMAL_COMMA.fullmatch, cells))
    has_points = any(map(DECIMAL_POINT.fullmatch, cells))
    are_thousands = has_commas and have_thousands(cells, ",")
    if raw.decimal == "." and has_commas and not has_points and not are_thousands:
        return replace(sheet_row, options={"decimal": "comma"} | sheet_row.options)
    return sheet_row


def remarks_on_thousands(raw: RawTable, first: Sequence[Sequence[str]]) -> list[str]:
    """Return a sentence where the decimal sign of a table probably separates thousands."""
    cells = list(chain.from_iterable(first))
    if not have_thousands(cells, raw.decimal):
        return []
    example = next(cell for cell in cells if raw.decimal in cell and not is_text(cell))
    remark = (
        f"Numbers such as {example} look like whole numbers with separators of thousands, but are "
        f"read with {raw.decimal!r} as the decimal sign: if so, save the table without "
        "separators."
    )
    return [remark]


def remarks_on_measurements(fields: pd.DataFrame, label: str | None) -> list[str]:
    """Return a sentence on columns that are read as texts, but whose cells are mostly numbers."""
    examples = []
    for position, name in enumerate(map(str, fields)):
        cells = [cell for cell in fields.iloc[:, position] if not is_missing(cell)]
        measured = [cell for cell in cells if is_measured(cell)]
        n_numbers = len(measured) + sum(1 for cell in cells if not is_text(cell))
        if name != label and measured and 2 * n_numbers > len(cells):
            examples.append(f"{name} (as {quoted(measured[0])})")
    if not examples:
        return []
    n_columns = len(examples)
    remark = (
        f"{listed(examples)} {either(n_columns, 'has', 'have')} measurements that are no plain "
        f"numbers, and {either(n_columns, 'is', 'are')} read as text of the samples, not as "
        f"{either(n_columns, 'a feature', 'features')}; write plain numbers."
    )
    return [remark]
