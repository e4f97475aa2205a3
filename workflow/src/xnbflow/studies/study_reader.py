"""The files of a study at the paths of the contract: one reader for jobs, page and commands."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from xnbflow.core.entries import Analysis
from xnbflow.core.errors import InputError
from xnbflow.core.study import Study
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables
from xnbflow.tables.contract import GROUPS, SERIES, TableSchema, analysis_tables
from xnbflow.tables.storage import read_parquet, read_stacked, rows_at

if TYPE_CHECKING:
    import numpy as np

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
class StudyReader:
    """The files of a study.

    `tables` keeps what it has read. All other methods read at each call, because a job needs the
    tables of training, which may be large, only once.

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
    _groups: dict[tuple[object, ...], "GroupTables"] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def tables(self, group: str, **key: str) -> "GroupTables":
        """Return the tables of a group of the contract, which are read once.

        ``key`` has values of wildcards, such as ``dataset="wine"``. Without ``dataset`` a table has
        the rows of all data sets of the study, below a first column ``dataset``.
        """
        return self._kept(group, key, GROUPS[group].schemas)

    def analysis(self, analysis: Analysis) -> "GroupTables":
        """Return the tables of an analysis of a paper, which are read once."""
        return self._kept("analysis", {"analysis": analysis.name}, analysis_tables(analysis))

    def _kept(
        self, group: str, key: Mapping[str, str], schemas: Mapping[str, TableSchema]
    ) -> "GroupTables":
        """Return tables that keep what they have read, the same ones for the same group and key."""
        name = (group, *sorted(key.items()))
        if name not in self._groups:
            self._groups[name] = GroupTables(self, group, key, schemas)
        return self._groups[name]

    def path(self, group: str, table: str, **key: str) -> str:
        """Return the path of a table below `root`; ``key`` has all wildcards but the study."""
        template = GROUPS[group].path
        study = {"study": self.study.id} if "study" in template.wildcards else {}
        return template.of(**study, **key, table=table)

    @property
    def series_paths(self) -> dict[str, Path]:
        """The file of each series by its data set."""
        return {name: self.root / SERIES.of(dataset=name) for name in self.study.datasets}

    def headers(self) -> Headers:
        """Return the samples and labels of each data set."""
        return {name: DataSet.read(path, values=False) for name, path in self.series_paths.items()}

    def dataset_tables(self, group: str, table: str) -> dict[str, pd.DataFrame]:
        """Return a table of every data set, by data set."""
        schema = GROUPS[group].schemas[table]
        tables = {}
        for name in self.study.datasets:
            tables[name] = read_parquet(self.root / self.path(group, table, dataset=name), schema)
        return tables

    def diagnostic_tables(self, table: str) -> dict[str, pd.DataFrame]:
        """Return a table of diagnostics of every data set; none if the study has no diagnostics."""
        return self.dataset_tables("diagnostic", table) if self.study.diagnostics else {}

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
        """Return a table of one job of training, by classifier."""
        group = GROUPS["training"]
        path = self.path("training", table, dataset=dataset, folds=folds, job=job)
        return read_stacked(self.root / path, group.tables[table], self.study.classifiers_of(job))

    def random_genes(self) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return the comparison with random genes of each pair with a label test.

        A job of training writes it; a pair without it has an empty table.
        """
        columns = GROUPS["training"].tables["random_genes"].fixed
        tables = {pair: pd.DataFrame(columns=columns) for pair in self.checks.label_tests}
        for dataset, folds, job in self.study.training_jobs:
            stacked = self.job_tables(dataset, folds, job, "random_genes")
            for classifier, rows in stacked.items():
                if (dataset, classifier) in tables and len(rows):
                    tables[dataset, classifier] = rows
        return tables

    def check_tables(
        self, table: str, pairs: Sequence[DatasetClassifier]
    ) -> dict[DatasetClassifier, pd.DataFrame]:
        """Return a table of checks of some data sets and classifiers, by pair."""
        schema = GROUPS["check"].tables[table]
        tables: dict[DatasetClassifier, pd.DataFrame] = {}
        for dataset in self.checks.datasets:
            classifiers = [classifier for name, classifier in pairs if name == dataset]
            path = self.path("check", table, dataset=dataset)
            stacked = read_stacked(self.root / path, schema, classifiers)
            tables |= {(dataset, classifier): rows for classifier, rows in stacked.items()}
        return {pair: tables[pair] for pair in pairs}

    def cohort_tests(self) -> pd.DataFrame:
        """Return the tests of the study's classifiers in second cohorts and in its other series.

        The rows are those that `xnbflow.inference.verdicts.cohort_findings` reads. Of the tests
        among several series, only the ones of models of a single series belong to a classifier that
        was trained on a data set of the study; models of merged series have further training
        samples.
        """
        if not self.study.validate and not self.study.cohorts:
            return pd.DataFrame(columns=GROUPS["cohorts"].tables["cohort_tests"].fixed)
        tests = self.tables("cohorts")["cohort_tests"]
        return tests[tests["strategy"].isin(["second cohort", "one series"])]


class GroupTables:
    """Tables of a group by name; each is read once, at its first use.

    Attributes
    ----------
    schemas : mapping of str to TableSchema
    """

    def __init__(
        self,
        reader: StudyReader,
        group: str,
        key: Mapping[str, str],
        schemas: Mapping[str, TableSchema],
    ) -> None:
        self.schemas = schemas
        self._reader = reader
        self._template = GROUPS[group].path
        self._key = dict(key)
        self._of_all_datasets = "dataset" in self._template.wildcards and "dataset" not in key
        self._frames: dict[str, pd.DataFrame] = {}
        self._positions: dict[tuple[str, tuple[str, ...]], Mapping[object, np.ndarray]] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._frames:
            self._frames[name] = self._read(name)
        return self._frames[name]

    def paths(self, name: str) -> list[str]:
        """Return the paths of a table below the working directory: of all data sets, one for each.

        Examples
        --------
        >>> record = {"id": "s", "title": "", "summary": "", "datasets": ("d", "e")}
        >>> study = Study(**record, classifiers=(), folds=(), diagnostics=True, analyses={})
        >>> reader = StudyReader(study=study)
        >>> reader.tables("genes", dataset="d").paths("genes")
        ['results/studies/s/genes/d/genes.parquet']
        >>> len(reader.tables("audit").paths("samples"))
        2
        """
        return [path for _, path in self._files(name)]

    def _files(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the data set of a file, "" where the key has it, and the path of the file."""
        study = self._reader.study
        key = {"study": study.id} if "study" in self._template.wildcards else {}
        key |= {**self._key, "table": name}
        if not self._of_all_datasets:
            yield "", self._template.of(**key)
            return
        for dataset in study.datasets:
            yield dataset, self._template.of(**key, dataset=dataset)

    def _read(self, name: str) -> pd.DataFrame:
        """Read a table. This version writes every table, so that an absent one is refused."""
        schema = self.schemas[name]
        parts = []
        for dataset, path in self._files(name):
            file = self._reader.root / path
            if not file.is_file():
                msg = (
                    f"{file} is absent: another version ran this study, or the file was removed. "
                    f"Run it again: xnbflow run {self._reader.study.id}"
                )
                raise InputError(msg, file=str(file))
            part = read_parquet(file, schema)
            if self._of_all_datasets and "dataset" not in part:
                part.insert(0, "dataset", dataset)
            parts.append(part)
        if not self._of_all_datasets:
            return parts[0]
        with_rows = [part for part in parts if len(part)]
        if not with_rows:
            return pd.DataFrame(columns=list(dict.fromkeys(["dataset", *schema.fixed])))
        return pd.concat(with_rows, ignore_index=True)

    def rows(self, name: str, **where: object) -> pd.DataFrame:
        """Return the rows of a table whose columns have the given values."""
        if not where:
            return self[name]
        columns = tuple(where)
        # A page reads the rows of each classifier from a table: the table is divided once.
        if (name, columns) not in self._positions:
            groups = self[name].groupby(list(columns), sort=False)
            self._positions[name, columns] = groups.indices
        values = tuple(where.values())
        positions = self._positions[name, columns].get(values if len(values) > 1 else values[0])
        if positions is None:
            return self[name].head(0)
        return rows_at(self[name], positions)

    def present(self) -> list[str]:
        """Return the names of the tables that were written; an analysis may leave some out."""
        return [name for name in self.schemas if self._is_present(name)]

    def _is_present(self, name: str) -> bool:
        """Return whether all files of a table were written."""
        return all((self._reader.root / path).exists() for path in self.paths(name))
