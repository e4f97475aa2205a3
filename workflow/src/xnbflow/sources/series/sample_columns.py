"""Columns of the samples that keys name: found, refused if absent or without a value."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from xnbflow.core.nouns import listed
from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.cell_texts import is_missing


def column_named(metadata: pd.DataFrame, wanted: str) -> str:
    """Return the column of a name; small and capital letters are alike if no name is equal."""
    columns = {column.lower(): column for column in metadata}
    return wanted if wanted in metadata else columns.get(wanted.lower(), wanted)


_ABSENT_COLUMN = Refusal(
    code="sample_columns.absent-column",
    sentence=(
        "{where}: there is no {name!r}, which {setting} names; there are {columns}. Correct it"
    ),
    sheet=True,
)


def require_columns(where: str, metadata: pd.DataFrame, setting: str, names: Iterable[str]) -> None:
    """Refuse names of a key that are not columns of the samples."""
    for name in names:
        if name not in metadata:
            raise _ABSENT_COLUMN.error(
                where=where,
                name=name,
                setting=setting,
                columns=listed(list(metadata.columns)) or "no further columns",
                key=setting,
            )


_UNKNOWN_CELLS = Refusal(
    code="sample_columns.unknown-cells",
    sentence=(
        "{where}: {n_samples:#sample|has|have} no {name!r}, which {setting} names: "
        "{samples:list}; fill it in, or leave the samples out"
    ),
)


def refuse_unknown(where: str, cells: pd.Series, samples: np.ndarray, setting: str) -> None:
    """Refuse missing values of a column that a key names."""
    if unknown := list(samples[cells.map(is_missing)]):
        raise _UNKNOWN_CELLS.error(
            where=where,
            n_samples=len(unknown),
            name=cells.name,
            setting=setting,
            samples=unknown,
            key=setting,
        )
