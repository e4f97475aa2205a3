"""What a report is made of: a study's tables, and what lies behind them, read when asked for."""

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.config import Study
from xnbflow.series import Series

__all__ = ["PublishedTables", "StudyResults"]


@dataclass(frozen=True)
class StudyResults:
    """A finished study.

    Attributes
    ----------
    study : Study
        Its configuration.
    labels : dict of str to str
        Classifier id to the name that people read; with the id where two have the same.
    configuration : dict
        Everything that was configured for it, for the record.
    root : Path
        The working directory, which holds ``results`` and ``resources``.
    paper : Path
        The folder of the tables that the papers print.
    """

    study: Study
    labels: dict[str, str]
    configuration: dict[str, Any]
    root: Path = Path()
    paper: Path = Path("resources/paper")

    def __post_init__(self) -> None:
        shared = {label for label, n in Counter(self.labels.values()).items() if n > 1}
        labels = {k: f"{v} [{k}]" if v in shared else v for k, v in self.labels.items()}
        object.__setattr__(self, "labels", labels)

    @property
    def folder(self) -> Path:
        """Where the study's own tables are."""
        return self.root / "results" / "studies" / self.study.id

    def params(self, classifier: str) -> dict[str, Any]:
        """Return the parameters that a classifier was configured with."""
        entry = self.configuration.get("classifiers", {}).get(classifier, {})
        return dict(entry.get("params", {}))

    def place(self, dataset: str, folds: str) -> str:
        """Return how a data set is called; with its scheme of folds where there are several."""
        return f"{dataset} ({folds})" if len(self.study.folds) > 1 else dataset

    @cached_property
    def places(self) -> dict[tuple[str, str], str]:
        """Every data set and scheme of folds with its `place`, in the study's order."""
        return {
            (dataset, folds): self.place(dataset, folds)
            for dataset in self.study.datasets
            for folds in self.study.folds
        }

    @cached_property
    def tables(self) -> "_Tables":
        """The tables of `xnbflow.layout.STUDY_TABLES`, by name."""
        return _Tables(self.folder)

    @cached_property
    def published(self) -> "PublishedTables":
        """The tables that the papers print, by name, say ``xnb_table1``."""
        return PublishedTables(self.paper)

    def rows(self, table: str, **where: str | int) -> pd.DataFrame:
        """Return the rows of a table whose columns have the given values."""
        frame = self.tables[table]
        for column, value in where.items():
            frame = frame[frame[column] == value]
        return frame

    def analysis(self, name: str) -> "_Tables":
        """Return the tables of an analysis, by name."""
        return _Tables(self.folder / name)

    def scores(self, metric: str, value: str = "mean") -> pd.DataFrame:
        """Return a metric with a row per place and a column per classifier, in the study's order.

        Parameters
        ----------
        metric : str
            One of the metrics in the table ``summary``.
        value : str
            Its column: ``mean``, ``sd`` or ``sd_repeats``.

        Returns
        -------
        DataFrame
            Rows by `place`, columns by label; missing where a fold failed, as a mean over the
            others is no comparison.
        """
        chosen = self.rows("summary", metric=metric, folds_failed=0)
        wide = chosen.pivot_table(
            index=["dataset", "folds"], columns="classifier", values=value, dropna=False
        )
        wide = wide.reindex(index=list(self.places), columns=list(self.study.classifiers))
        return wide.set_axis(list(self.places.values())).rename(columns=self.labels)

    def of_dataset(self, dataset: str, table: str) -> pd.DataFrame:
        """Return a table of a data set, say its ``correlations``."""
        return pd.read_parquet(self.root / "results" / dataset / f"{table}.parquet")

    def training(
        self, dataset: str, folds: str, classifier: str, table: str, repeat: int | None = None
    ) -> pd.DataFrame:
        """Return what the training jobs of a classifier wrote, of all repeats or of one."""
        folder = self.root / "results" / dataset / folds / classifier / table
        batches = "*.parquet" if repeat is None else f"repeat-{repeat}-*.parquet"
        parts = [pd.read_parquet(path) for path in sorted(folder.glob(batches))]
        return pd.concat(parts, ignore_index=True)

    def truth(self, dataset: str) -> pd.DataFrame | None:
        """Return what was planted in a simulated data set; None for a real one."""
        path = self.root / "resources" / "series" / f"{dataset}.truth.parquet"
        return pd.read_parquet(path) if path.exists() else None

    def series(self, dataset: str) -> Series:
        """Return a data set's canonical series."""
        return Series.read(self.root / "resources" / "series" / f"{dataset}.parquet")


class PublishedTables:
    """Tables that a paper prints: tab-separated files of a folder; ``#`` begins a comment."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> pd.DataFrame:
        return pd.read_csv(self._folder / f"{name}.tsv", sep="\t", comment="#")


class _Tables:
    """Parquet files of a folder, each read once, when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._read = cache(lambda name: pd.read_parquet(folder / f"{name}.parquet"))

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._read(name)
