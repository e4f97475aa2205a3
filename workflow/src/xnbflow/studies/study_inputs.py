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
    PERMUTATION_PATH,
    PERMUTATION_TABLES,
    SERIES,
    TRAINING_PATH,
    TRAINING_TABLES,
    VALIDATION_TABLE,
    VALIDATION_TABLES,
    PathTemplate,
    TableSchema,
)
from xnbflow.tables.storage import read_parquet, read_stacked

#: Columns of tests in second cohorts.
_OF_COHORTS = ["model", "train", "test", "verdict", "n", "right", "value", "lower", "upper"]
_OF_COHORTS += ["chance", "p_value"]
#: A data set and a classifier.
DatasetClassifier = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class StudyChecks:
    """The data sets and classifiers of a study with each check, in their order.

    ``tested`` have a label test, a learning curve and a comparison with random genes, ``halved``
    are fitted to halves of the samples, ``permuted`` have a permutation test of their own.
    """

    tested: Sequence[DatasetClassifier] = ()
    halved: Sequence[DatasetClassifier] = ()
    permuted: Sequence[DatasetClassifier] = ()

    @property
    def datasets(self) -> list[str]:
        """The data sets with a job of *check*."""
        return list(dict.fromkeys(dataset for dataset, _ in [*self.tested, *self.halved]))


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

    def of_datasets(
        self, place: PathTemplate, schema: TableSchema, columns: Sequence[str] | None = None
    ) -> dict[str, pd.DataFrame]:
        """Return a table of every data set, whose path is ``place``, or some of its columns."""
        tables = {}
        for name in self.study.datasets:
            tables[name] = read_parquet(self.root / place.of(dataset=name), schema, columns)
        return tables

    def diagnosed(self, table: str) -> dict[str, pd.DataFrame]:
        """Return a table of diagnostics of every data set; none if the study has no diagnostics."""
        if not self.study.diagnostics:
            return {}
        return self.of_datasets(DIAGNOSTIC_PATH.fill(table=table), DIAGNOSTIC_TABLES[table])

    def training_paths(self, dataset: str) -> list[Path]:
        """Return the tables of training of a data set."""
        paths = []
        for trained, folds, job in self.study.training_jobs:
            if trained == dataset:
                paths += [self._trained(dataset, folds, job, name) for name in TRAINING_TABLES]
        return paths

    def training(self, table: str) -> Tables:
        """Return a table of training of every classifier, in the order of the study's tables."""
        tables: dict[Key, pd.DataFrame] = {}
        for dataset, folds, job in self.study.training_jobs:
            for classifier, rows in self.of_job(dataset, folds, job, table).items():
                tables[dataset, folds, classifier] = rows
        return {key: tables[key] for key in self.study.trained}

    def of_job(self, dataset: str, folds: str, job: str, table: str) -> dict[str, pd.DataFrame]:
        """Return a table of a job of training by classifier."""
        path = self._trained(dataset, folds, job, table)
        return read_stacked(path, TRAINING_TABLES[table], self.study.classifiers_of(job))

    def random_genes(self) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return the comparison with random genes of each of the tested classifiers."""
        schema = CHECK_TABLES["random_genes"]
        tables = {pair: pd.DataFrame(columns=schema.fixed) for pair in self.checks.tested}
        for dataset, folds, job in self.study.training_jobs:
            path = self._trained(dataset, folds, job, "random_genes")
            stacked = read_stacked(path, schema, self.study.classifiers_of(job))
            for classifier, rows in stacked.items():
                if (dataset, classifier) in tables and len(rows):
                    tables[dataset, classifier] = rows
        return tables

    def checked(
        self, table: str, pairs: Sequence[DatasetClassifier]
    ) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return a check of these data sets and classifiers."""
        tables: dict[DatasetClassifier, pd.DataFrame] = {}
        for dataset in self.checks.datasets:
            classifiers = [classifier for paired, classifier in pairs if paired == dataset]
            path = CHECK_PATH.of(study=self.study.id, dataset=dataset, table=table)
            stacked = read_stacked(self.root / path, CHECK_TABLES[table], classifiers)
            tables |= {(dataset, classifier): rows for classifier, rows in stacked.items()}
        return {pair: tables[pair] for pair in pairs}

    def permutation_tests(self) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return the permutation tests that the study names."""
        place = PERMUTATION_PATH.fill(study=self.study.id, table="permutation")
        schema = PERMUTATION_TABLES["permutation"]
        tables = {}
        for dataset, classifier in self.checks.permuted:
            path = self.root / place.of(dataset=dataset, classifier=classifier)
            tables[dataset, classifier] = read_parquet(path, schema)
        return tables

    def cohort_tests(self) -> pd.DataFrame:
        """Return the tests of the study's classifiers in second cohorts and in its other series.

        They have the columns of ``validation/verdicts`` that
        `xnbflow.inference.verdicts.cohort_reasons` reads. Of several series only models of one
        series are tests of a classifier that was trained on a data set of the study; a merged one
        has further training samples.
        """
        tests = []
        if self.study.validate:
            path = VALIDATION_TABLE.of(study=self.study.id, table="verdicts")
            tests.append(read_parquet(self.root / path, VALIDATION_TABLES["verdicts"]))
        if self.study.cohorts:
            path = COHORT_TABLE.of(study=self.study.id, table="cohort_matrix")
            matrix = read_parquet(self.root / path, COHORT_TABLES["cohort_matrix"])
            of_one = matrix[matrix["strategy"] == "one series"]
            tests.append(of_one.assign(model=self.study.cohorts.model))
        parts = [table[_OF_COHORTS] for table in tests if len(table)]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=_OF_COHORTS)

    def signatures(self) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return the signature of each model of all samples."""
        place = MODEL_TABLE.fill(study=self.study.id, table="signature")
        tables = {}
        for dataset, classifier in self.study.models:
            path = self.root / place.of(dataset=dataset, classifier=classifier)
            tables[dataset, classifier] = read_parquet(path, MODEL_TABLES["signature"])
        return tables

    def _trained(self, dataset: str, folds: str, job: str, table: str) -> Path:
        path = TRAINING_PATH.of(
            study=self.study.id, dataset=dataset, folds=folds, job=job, table=table
        )
        return self.root / path
