"""What a report is made of: a study's tables, and what lies behind them, read when asked for."""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.config import Study
from xnbflow.series import Series

__all__ = ["StudyResults"]


@dataclass(frozen=True)
class StudyResults:
    """A finished study.

    Attributes
    ----------
    study : Study
        Its configuration.
    labels : dict of str to str
        Classifier id to the name that people read.
    configuration : dict
        Everything that was configured for it, for the record.
    root : Path
        The working directory, which holds ``results`` and ``resources``.
    """

    study: Study
    labels: dict[str, str]
    configuration: dict[str, Any]
    root: Path = Path()

    @property
    def folder(self) -> Path:
        """Where the study's own tables are."""
        return self.root / "results" / "studies" / self.study.id

    @cached_property
    def tables(self) -> "_Tables":
        """The tables of `xnbflow.layout.STUDY_TABLES`, by name."""
        return _Tables(self.folder)

    def analysis(self, name: str) -> "_Tables":
        """Return the tables of an analysis, by name."""
        return _Tables(self.folder / name)

    def of_dataset(self, dataset: str, table: str) -> pd.DataFrame:
        """Return a table of a data set, say its ``correlations``."""
        return pd.read_parquet(self.root / "results" / dataset / f"{table}.parquet")

    def training(self, dataset: str, folds: str, classifier: str, table: str) -> pd.DataFrame:
        """Return what the training jobs of a classifier wrote, all batches."""
        folder = self.root / "results" / dataset / folds / classifier / table
        parts = [pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))]
        return pd.concat(parts, ignore_index=True)

    def series(self, dataset: str) -> Series:
        """Return a data set's canonical series."""
        return Series.read(self.root / "resources" / "series" / f"{dataset}.parquet")


class _Tables:
    """Parquet files of a folder, each read once, when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._read = cache(lambda name: pd.read_parquet(folder / f"{name}.parquet"))

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._read(name)
