"""Columns of the samples that keys name: found, refused if absent or without a value."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.sources.formats.cell_texts import is_missing


def column_named(metadata: pd.DataFrame, wanted: str) -> str:
    """Return the column of a name; small and capital letters are alike if no name is equal."""
    columns = {column.lower(): column for column in metadata}
    return wanted if wanted in metadata else columns.get(wanted.lower(), wanted)


def require_columns(where: str, metadata: pd.DataFrame, setting: str, names: Iterable[str]) -> None:
    """Refuse names of a key that are not columns of the samples."""
    for name in names:
        if name not in metadata:
            columns = listed(list(metadata.columns)) or "no further columns"
            msg = (
                f"{where}: there is no {quoted(name)}, which {setting} names; there are "
                f"{columns}. Correct it"
            )
            raise InputError(msg, key=setting)


def refuse_unknown(where: str, cells: pd.Series, samples: np.ndarray, setting: str) -> None:
    """Refuse missing values of a column that a key names."""
    if unknown := list(samples[cells.map(is_missing)]):
        msg = (
            f"{where}: {counted(len(unknown), 'sample', 'has', 'have')} no "
            f"{quoted(cells.name)}, which {setting} names: {listed(unknown)}; fill it in, or "
            "leave the samples out"
        )
        raise InputError(msg, key=setting)
