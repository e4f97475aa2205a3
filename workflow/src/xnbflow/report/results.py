"""What a report is made of: a study's tables, and what lies behind them, read when asked for."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.config import Study
from xnbflow.contract import (
    ANALYSIS,
    DIAGNOSTIC,
    DIAGNOSTIC_TABLES,
    GATHERED_TABLES,
    PAPER,
    SERIES,
    STUDY,
    STUDY_TABLES,
    TRAINED,
    TRUTH,
    TRUTH_TABLE,
    Table,
    analysis_tables,
)
from xnbflow.series import Series
from xnbflow.tables import read_parquet

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
    paper: Path = Path(PAPER)

    def __post_init__(self) -> None:
        shared = {label for label, n in Counter(self.labels.values()).items() if n > 1}
        labels = {k: f"{v} [{k}]" if v in shared else v for k, v in self.labels.items()}
        object.__setattr__(self, "labels", labels)

    @property
    def folder(self) -> Path:
        """Where the study's own tables are."""
        return self.root / STUDY.of(study=self.study.id)

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
        """The tables of `xnbflow.contract.STUDY_TABLES`, by name."""
        return _Tables(self.folder, STUDY_TABLES)

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
        folder = self.root / ANALYSIS.of(study=self.study.id, analysis=name)
        return _Tables(folder, analysis_tables(name))

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
        path = DIAGNOSTIC.of(dataset=dataset, table=table)
        return read_parquet(self.root / path, DIAGNOSTIC_TABLES[table])

    def training(
        self, dataset: str, folds: str, classifier: str, table: str, repeat: int | None = None
    ) -> pd.DataFrame:
        """Return what the training jobs of a classifier wrote, of all repeats or of one."""
        path = TRAINED.of(dataset=dataset, folds=folds, classifier=classifier, table=table)
        rows = read_parquet(self.root / path, GATHERED_TABLES[table])
        return rows if repeat is None else rows[rows["repeat"] == repeat].reset_index(drop=True)

    @property
    def simulated(self) -> list[str]:
        """The data sets of the study that are simulated."""
        rows = self.configuration.get("datasets", {})
        return [d for d in self.study.datasets if rows.get(d, {}).get("source") == "simulate"]

    def truth(self, dataset: str) -> pd.DataFrame | None:
        """Return what was planted in a simulated data set; None for a real one."""
        if dataset not in self.simulated:
            return None
        return read_parquet(self.root / TRUTH.of(dataset=dataset), TRUTH_TABLE)

    def series(self, dataset: str) -> Series:
        """Return a data set's canonical series."""
        return Series.read(self.root / SERIES.of(dataset=dataset))


class PublishedTables:
    """Tables that a paper prints: tab-separated files of a folder; ``#`` begins a comment."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> pd.DataFrame:
        return pd.read_csv(self._folder / f"{name}.tsv", sep="\t", comment="#")


class _Tables:
    """Tables of a folder, each read once, when it is first asked for."""

    def __init__(self, folder: Path, tables: Mapping[str, Table]) -> None:
        self._folder, self._tables = folder, tables
        self._read = cache(lambda name: read_parquet(folder / f"{name}.parquet", tables[name]))

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._read(name)

    def present(self) -> list[str]:
        """Return the names of the tables that were written; an analysis may leave some out."""
        return [name for name in self._tables if (self._folder / f"{name}.parquet").exists()]
