"""The files that the jobs of a study read, at the paths of the contract."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from xnbflow.core.study import Study
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables
from xnbflow.tables.contract import (
    CHECK_PATH,
    CHECK_TABLES,
    COHORT_TABLE,
    COHORT_TABLES,
    DIAGNOSTIC_PATH,
    DIAGNOSTIC_TABLES,
    MODEL_TABLE,
    MODEL_TABLES,
    SERIES,
    TRAINING_PATH,
    TRAINING_TABLES,
    VALIDATION_TABLE,
    VALIDATION_TABLES,
    PathTemplate,
    TableSchema,
)
from xnbflow.tables.storage import read_parquet, read_stacked

#: Columns of the table of `StudyInputs.cohort_tests`.
_COHORT_TEST_COLUMNS = [
    "model",
    "train",
    "test",
    "verdict",
    "n",
    "right",
    "value",
    "lower",
    "upper",
    "chance",
    "p_value",
]
#: A data set and a classifier.
DatasetClassifier = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class StudyChecks:
    """The data sets and classifiers of a study that have each check, in their order.

    Attributes
    ----------
    label_tests : sequence of DatasetClassifier
        Pairs with a label test and a comparison with random genes.
    halves : sequence of DatasetClassifier
        Pairs whose classifier is also fitted to halves of the samples.
    """

    label_tests: Sequence[DatasetClassifier] = ()
    halves: Sequence[DatasetClassifier] = ()

    @property
    def datasets(self) -> list[str]:
        """The data sets with a job of *check*."""
        return list(dict.fromkeys(dataset for dataset, _ in [*self.label_tests, *self.halves]))


@dataclass(frozen=True, kw_only=True)
class StudyInputs:
    """The files of a study, read on demand.

    Attributes
    ----------
    study : Study
    checks : StudyChecks
    root : Path
        The working directory, which holds ``results``.
    """

    study: Study
    checks: StudyChecks = StudyChecks()
    root: Path = Path()

    @property
    def series_paths(self) -> dict[str, Path]:
        """The file of each series by its data set."""
        return {name: self.root / SERIES.of(dataset=name) for name in self.study.datasets}

    def headers(self) -> Headers:
        """Return the samples and labels of each data set."""
        return {name: DataSet.read(path, values=False) for name, path in self.series_paths.items()}

    def dataset_tables(
        self, path: PathTemplate, schema: TableSchema, columns: Sequence[str] | None = None
    ) -> dict[str, pd.DataFrame]:
        """Return a table of every data set, by data set: all its columns, or some."""
        tables = {}
        for name in self.study.datasets:
            tables[name] = read_parquet(self.root / path.of(dataset=name), schema, columns)
        return tables

    def diagnostic_tables(self, table: str) -> dict[str, pd.DataFrame]:
        """Return a table of diagnostics of every data set; none if the study has no diagnostics."""
        if not self.study.diagnostics:
            return {}
        return self.dataset_tables(DIAGNOSTIC_PATH.fill(table=table), DIAGNOSTIC_TABLES[table])

    def training_paths(self, dataset: str) -> list[Path]:
        """Return the paths of all training tables of a data set."""
        paths = []
        for job_dataset, folds, job in self.study.training_jobs:
            if job_dataset == dataset:
                paths += [
                    self._training_path(dataset, folds, job, name) for name in TRAINING_TABLES
                ]
        return paths

    def training_tables(self, table: str) -> Tables:
        """Return a training table of every data set, scheme of folds and classifier.

        The keys have the order of `Study.training_keys`, which is that of the study's tables.
        """
        tables: dict[Key, pd.DataFrame] = {}
        for dataset, folds, job in self.study.training_jobs:
            for classifier, rows in self.job_tables(dataset, folds, job, table).items():
                tables[dataset, folds, classifier] = rows
        return {key: tables[key] for key in self.study.training_keys}

    def job_tables(self, dataset: str, folds: str, job: str, table: str) -> dict[str, pd.DataFrame]:
        """Return a training table of one job, by classifier."""
        path = self._training_path(dataset, folds, job, table)
        return read_stacked(path, TRAINING_TABLES[table], self.study.classifiers_of(job))

    def random_genes(self) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return the comparison with random genes of each pair with a label test.

        A job of training writes it; a pair without it has an empty table.
        """
        schema = CHECK_TABLES["random_genes"]
        tables = {pair: pd.DataFrame(columns=schema.fixed) for pair in self.checks.label_tests}
        for dataset, folds, job in self.study.training_jobs:
            path = self._training_path(dataset, folds, job, "random_genes")
            stacked = read_stacked(path, schema, self.study.classifiers_of(job))
            for classifier, rows in stacked.items():
                if (dataset, classifier) in tables and len(rows):
                    tables[dataset, classifier] = rows
        return tables

    def check_tables(
        self, table: str, pairs: Sequence[DatasetClassifier]
    ) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return a table of checks of some data sets and classifiers, by pair."""
        tables: dict[DatasetClassifier, pd.DataFrame] = {}
        for dataset in self.checks.datasets:
            classifiers = [classifier for name, classifier in pairs if name == dataset]
            path = CHECK_PATH.of(study=self.study.id, dataset=dataset, table=table)
            stacked = read_stacked(self.root / path, CHECK_TABLES[table], classifiers)
            tables |= {(dataset, classifier): rows for classifier, rows in stacked.items()}
        return {pair: tables[pair] for pair in pairs}

    def cohort_tests(self) -> pd.DataFrame:
        """Return the tests of the study's classifiers in second cohorts and in its other series.

        The table has the columns that `xnbflow.inference.verdicts.cohort_findings` reads. Of the
        tests among several series, only the ones of models of a single series belong to a
        classifier that was trained on a data set of the study; models of merged series have
        further training samples.
        """
        tests = []
        if self.study.validate:
            path = VALIDATION_TABLE.of(study=self.study.id, table="verdicts")
            tests.append(read_parquet(self.root / path, VALIDATION_TABLES["verdicts"]))
        if self.study.cohorts:
            path = COHORT_TABLE.of(study=self.study.id, table="cohort_matrix")
            matrix = read_parquet(self.root / path, COHORT_TABLES["cohort_matrix"])
            of_one_series = matrix[matrix["strategy"] == "one series"]
            tests.append(of_one_series.assign(model=self.study.cohorts.model))
        parts = [table[_COHORT_TEST_COLUMNS] for table in tests if len(table)]
        if not parts:
            return pd.DataFrame(columns=_COHORT_TEST_COLUMNS)
        return pd.concat(parts, ignore_index=True)

    def signatures(self) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return the signature of each model of all samples."""
        template = MODEL_TABLE.fill(study=self.study.id, table="signature")
        tables = {}
        for dataset, classifier in self.study.models:
            path = self.root / template.of(dataset=dataset, classifier=classifier)
            tables[dataset, classifier] = read_parquet(path, MODEL_TABLES["signature"])
        return tables

    def _training_path(self, dataset: str, folds: str, job: str, table: str) -> Path:
        """Return the path of a table that a job of training writes."""
        path = TRAINING_PATH.of(
            study=self.study.id, dataset=dataset, folds=folds, job=job, table=table
        )
        return self.root / path
