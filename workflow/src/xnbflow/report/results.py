"""What a report is made of: a study's tables, and what lies behind them, read when asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.data.contract import (
    ANALYSIS_TABLE,
    DESCRIPTION_TABLE,
    DESCRIPTION_TABLES,
    DIAGNOSTIC,
    DIAGNOSTIC_TABLES,
    MODEL_TABLE,
    MODEL_TABLES,
    PAPER,
    SERIES,
    STUDY,
    STUDY_TABLE,
    STUDY_TABLES,
    TRAINED,
    TRAINING_TABLES,
    TRUTH,
    TRUTH_TABLE,
    VALIDATION_TABLE,
    VALIDATION_TABLES,
    Table,
    analysis_tables,
)
from xnbflow.data.dataset import DataSet
from xnbflow.data.entries import Analysis
from xnbflow.data.printed import PublishedTables
from xnbflow.data.tables import read_parquet
from xnbflow.evaluation.headlines import distinct_labels
from xnbflow.workflow.config import Study

__all__ = ["StudyResults"]


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
        object.__setattr__(self, "labels", distinct_labels(self.labels))

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
        """The tables of `STUDY_TABLES` and `DESCRIPTION_TABLES` of `xnbflow.data.contract`, by name."""
        study = self.study.id
        places = {name: STUDY_TABLE.of(study=study, table=name) for name in STUDY_TABLES}
        places |= {n: DESCRIPTION_TABLE.of(study=study, table=n) for n in DESCRIPTION_TABLES}
        files = {name: self.root / path for name, path in places.items()}
        return _Tables(files, {**STUDY_TABLES, **DESCRIPTION_TABLES})

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

    def analysis(self, analysis: Analysis) -> "_Tables":
        """Return the tables of an analysis, by name."""
        tables, place = (
            analysis_tables(analysis.contract),
            ANALYSIS_TABLE.fill(analysis=analysis.name),
        )
        files = {n: self.root / place.of(study=self.study.id, table=n) for n in tables}
        return _Tables(files, tables)

    def model(self, dataset: str, classifier: str, table: str) -> pd.DataFrame:
        """Return a table of a classifier that was fitted on all samples."""
        path = MODEL_TABLE.of(dataset=dataset, classifier=classifier, table=table)
        return read_parquet(self.root / path, MODEL_TABLES[table])

    @cached_property
    def validation(self) -> "_Tables":
        """The tables of models in a second cohort, by name."""
        files = {
            name: self.root / VALIDATION_TABLE.of(study=self.study.id, table=name)
            for name in VALIDATION_TABLES
        }
        return _Tables(files, VALIDATION_TABLES)

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
        wide = chosen.set_index(["dataset", "folds", "classifier"])[value].unstack()
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
        rows = read_parquet(self.root / path, TRAINING_TABLES[table])
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

    def series(self, dataset: str) -> DataSet:
        """Return a data set's canonical series."""
        return DataSet.read(self.root / SERIES.of(dataset=dataset))


class _Tables:
    """Tables in files, each read once, when it is first asked for."""

    def __init__(self, files: Mapping[str, Path], tables: Mapping[str, Table]) -> None:
        self._files = files
        self._read = cache(lambda name: read_parquet(files[name], tables[name]))

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._read(name)

    def present(self) -> list[str]:
        """Return the names of the tables that were written; an analysis may leave some out."""
        return [name for name, path in self._files.items() if path.exists()]
