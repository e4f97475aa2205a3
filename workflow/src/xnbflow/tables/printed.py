"""The tables that the papers print, as this project carries them."""

from pathlib import Path

import pandas as pd

__all__ = ["PublishedTables"]


class PublishedTables:
    """Tables that a paper prints: tab-separated files of a folder; ``#`` begins a comment."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def __getitem__(self, name: str) -> pd.DataFrame:
        return pd.read_csv(self._folder / f"{name}.tsv", sep="\t", comment="#")
