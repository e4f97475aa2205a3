"""Tables as files: the one writer of Parquet, TSV and text; a file appears whole or not at all."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

__all__ = ["write_atomically", "write_parquet", "write_tsv"]


def write_atomically(path: str | Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` make a file under a temporary name, then move it to ``path``.

    Parameters
    ----------
    path : path
        Where the file shall appear. Missing folders are made.
    write : callable
        Called with the temporary path. If it raises, nothing is left behind.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    try:
        write(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_parquet(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table to Parquet (zstd), without its index."""
    write_atomically(
        path, lambda part: table.to_parquet(part, engine="pyarrow", compression="zstd", index=False)
    )


def write_tsv(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table to tab-separated text, numbers with six significant digits."""
    write_atomically(
        path, lambda part: table.to_csv(part, sep="\t", index=False, float_format="%.6g")
    )
