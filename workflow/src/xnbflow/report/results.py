"""The content of a report: a study's tables and its models, read on demand."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.entries import Analysis
from xnbflow.core.nouns import noun
from xnbflow.core.software import software
from xnbflow.core.study import Study
from xnbflow.inference.headlines import distinct_labels
from xnbflow.report import data_set_words
from xnbflow.report.page.blocks import Table
from xnbflow.studies.study_reader import GroupTables, StudyReader
from xnbflow.tables.contract import STUDY, Column, text_of
from xnbflow.tables.storage import recorded_versions


@dataclass(frozen=True)
class StudyResults:
    """A finished study.

    Attributes
    ----------
    study : Study
        The study, without data sets that were not available.
    labels : dict of str to str
        The label of each classifier by its id; if two classifiers have one label, the id is added.
    configuration : dict
        The complete configuration of the run, for the record.
    root : Path
        The working directory, which has the folders ``results`` and ``resources``.
    analyses : mapping of str to Analysis
        The analyses that the study names, by their names.
    software : mapping of str to str
        The versions of the software that writes the report.
    provenance : mapping of str to object
        Where, when and by which code and packages the report is written, for its record; see
        `xnbflow.running.provenance.provenance`.
    """

    study: Study
    labels: dict[str, str]
    configuration: dict[str, Any]
    root: Path = Path()
    _: KW_ONLY
    analyses: Mapping[str, Analysis] = field(default_factory=dict)
    software: Mapping[str, str] = field(default_factory=software)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    _nouns: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", distinct_labels(self.labels))

    @property
    def folder(self) -> Path:
        """The folder of the study's tables."""
        return self.root / STUDY.of(study=self.study.id)

    def with_folds(self, name: str, folds: str) -> str:
        """Return a name, with the scheme of folds if the study has several."""
        return f"{name} ({folds})" if len(self.study.folds) > 1 else name

    @cached_property
    def evaluations(self) -> dict[tuple[str, str], str]:
        """Every data set and scheme of folds with its title, in the study's order."""
        return {
            (dataset, folds): self.with_folds(dataset, folds)
            for dataset in self.study.datasets
            for folds in self.study.folds
        }

    def noun(self, *datasets: str) -> str:
        """Return the word for a feature of these data sets, by default the study's.

        It is "feature" or "gene" if it is for any of them; see
        `xnbflow.report.data_set_words.feature_noun`.
        """
        nouns = {self._noun_of(dataset) for dataset in datasets or self.study.datasets}
        if "feature" in nouns:
            return "feature"
        return "probe" if nouns == {"probe"} else "gene"

    def _noun_of(self, dataset: str) -> str:
        """Return the word for a feature of one data set, which is kept: its table is large."""
        if dataset not in self._nouns:
            genes = self.genes(dataset, "feature", "symbol", "log_fold_change")
            self._nouns[dataset] = data_set_words.feature_noun(self._settings_of(dataset), genes)
        return self._nouns[dataset]

    def _settings_of(self, dataset: str) -> Mapping[str, Any]:
        """Return the keys of a data set in the configuration; none without an entry."""
        settings: Mapping[str, Any] = self.configuration.get("datasets", {}).get(dataset, {})
        return settings

    def is_of_expression(self, dataset: str) -> bool:
        """Return whether the features of a data set are genes or probes."""
        return self.noun(dataset) != "feature"

    def unit_noun(self, dataset: str) -> str:
        """Return the word for an independent unit of a data set: "sample", or that of its groups.

        See `xnbflow.report.data_set_words.unit_noun`.
        """
        if self.rows("datasets", dataset=dataset)["groups"].isna().all():
            return "sample"
        return data_set_words.unit_noun(self._settings_of(dataset))

    def with_unit_nouns(self, findings: pd.DataFrame) -> pd.DataFrame:
        """Return rows of the table ``findings`` in which units have the word of `unit_noun`."""
        subjects = findings["subject"].tolist()
        for i, row in enumerate(findings[["code", "dataset"]].to_dict("records")):
            if row["code"] == "units":
                subjects[i] = noun(2, self.unit_noun(row["dataset"]))
        return findings.assign(subject=subjects)

    def accession(self, dataset: str) -> str:
        """Return the accession of a GEO series in the place of a data set; empty without one."""
        return data_set_words.accession(self._settings_of(dataset))

    def with_noun(self, text: str, *datasets: str) -> str:
        """Return a text with the `noun` of these data sets in place of ``{noun}``, ``{Noun}``."""
        feature_noun = self.noun(*datasets)
        return text.format(noun=feature_noun, Noun=feature_noun.capitalize())

    def relative_path(self, path: str) -> str:
        """Return the relative path from the page to a file of the project."""
        return Path(os.path.relpath(path, STUDY.of(study=self.study.id))).as_posix()

    @cached_property
    def reader(self) -> StudyReader:
        """The reader of the study's files."""
        return StudyReader(study=self.study, root=self.root)

    def tables_of(self, group: str, **key: str) -> "PageTables":
        """Return the tables of a group of the contract, for example ``"genes", dataset="wine"``.

        See `xnbflow.studies.study_reader.StudyReader.tables`.
        """
        return PageTables(self, self.reader.tables(group, **key))

    @cached_property
    def tables(self) -> "PageTables":
        """The tables of the study."""
        return self.tables_of("study")

    def rows(self, table: str, **where: object) -> pd.DataFrame:
        """Return the rows of one of `tables` whose columns have the given values."""
        return self.tables.rows(table, **where)

    def analysis(self, analysis: Analysis) -> "PageTables":
        """Return the tables of an analysis."""
        return PageTables(self, self.reader.analysis(analysis))

    @cached_property
    def training_software(self) -> dict[str, str]:
        """The versions of the software that trained the classifiers; empty without classifiers."""
        paths = [
            self.root / self.reader.path("training", "fits", dataset=dataset, folds=folds, job=job)
            for dataset, folds, job in self.study.training_jobs
        ]
        return recorded_versions(paths)

    @cached_property
    def reported_with(self) -> dict[str, str]:
        """Those versions of the environment of the report that differ from the training's."""
        trained = self.training_software
        return {
            package: version
            for package, version in self.software.items()
            if trained.get(package, version) != version
        }

    def scores(self, metric: str, value: str) -> pd.DataFrame:
        """Return a column for a metric: rows by evaluation, classifiers' labels above.

        The column is of ``estimates`` (all samples together) or of ``summary`` (means over folds).
        It is missing if a fold failed, since a mean over the others is not comparable.
        """
        table = "summary" if value in self.tables["summary"] else "estimates"
        chosen = self.rows(table, metric=metric, folds_failed=0)
        wide = chosen.set_index(["dataset", "folds", "classifier"])[value].unstack()
        wide = wide.reindex(index=list(self.evaluations), columns=list(self.study.classifiers))
        return wide.set_axis(list(self.evaluations.values())).rename(columns=self.labels)

    def genes(self, dataset: str, *columns: str) -> pd.DataFrame:
        """Return columns of the table of genes of a data set, which is large and read once."""
        return self.tables_of("genes", dataset=dataset)["genes"][[*columns]]

    def training(
        self, dataset: str, folds: str, classifier: str, table: str, repeat: int | None = None
    ) -> pd.DataFrame:
        """Return a table of a classifier's training, for all repeats or one."""
        job = self.study.job_of(classifier)
        rows = self.reader.job_tables(dataset, folds, job, table)[classifier]
        return rows if repeat is None else rows[rows["repeat"] == repeat].reset_index(drop=True)

    def truth(self, dataset: str) -> pd.DataFrame | None:
        """Return the planted markers of a simulated data set; None for a real one."""
        if self._settings_of(dataset).get("source") != "simulate":
            return None
        return self.tables_of("acquired", dataset=dataset)["truth"]


class PageTables:
    """Tables of a group by name, as a page shows them and links to their files."""

    def __init__(self, results: StudyResults, tables: GroupTables) -> None:
        self._results = results
        self._tables = tables

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._tables[name]

    def rows(self, name: str, **where: object) -> pd.DataFrame:
        """Return the rows of a table whose columns have the given values."""
        return self._tables.rows(name, **where)

    def sources(self, *names: str) -> list[str]:
        """Return the files of tables, as a page links to them: as text where there is one."""
        files = []
        for name in names:
            for path in self._tables.paths(name):
                file = text_of(path) if self._tables.schemas[name].text else path
                files.append(self._results.relative_path(file))
        return files

    def present(self) -> list[str]:
        """Return the names of the tables that were written; an analysis may leave some out."""
        return self._tables.present()

    def links(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the subject, title and files of the tables that were written."""
        for name in self.present():
            for path in map(self._results.relative_path, self._tables.paths(name)):
                files = [path, text_of(path)] if self._tables.schemas[name].text else [path]
                yield path.removesuffix(".parquet"), self._tables.schemas[name].title, files

    def show(
        self,
        names: str | Sequence[str],
        caption: str,
        columns: Sequence[str] = (),
        rows: pd.DataFrame | None = None,
        *,
        declarations: Mapping[str, Column | str] | None = None,
        best: frozenset[tuple[int, str]] = frozenset(),
        links: Mapping[str, Sequence[str]] | None = None,
    ) -> Table:
        """Return a table of a page, with the labels and formats that the contract declares.

        A classifier is shown by its label, a data set with its scheme of folds where the study has
        several and the page has no column of them. With several ``names``, from which ``rows`` are
        joined, the page links to all, and the first that has a column declares it. ``caption``
        explains the table. ``columns`` are shown in their order, all by default; one without a
        value is left out. ``declarations`` are columns, or formats, that no table declares or that
        replace a declaration of the contract. For ``best`` and ``links`` see
        `xnbflow.report.page.blocks.Table`.
        """
        names = [names] if isinstance(names, str) else names
        frame = self[names[0]] if rows is None else rows
        shown = frame[list(columns) or list(frame.columns)].reset_index(drop=True)
        if len(shown):  # of a table without rows all columns remain
            shown = shown.loc[:, (shown.notna() & (shown != "")).any()]
        declared: dict[str, Column | str] = {}
        for name in shown.columns:
            column = self._declaration(names, name)
            if declarations and name in declarations:
                column = declarations[name]
            declared[name] = column
            if isinstance(column, Column) and column.names == "classifier":
                labels = self._results.labels
                shown[name] = [labels.get(classifier, classifier) for classifier in shown[name]]
        # "khan" becomes "khan (10-fold)" if the study has several schemes of folds and the reader
        # does not see them in a column. In some tables `folds` is a number, which names no scheme.
        scheme = self._tables.schemas[names[0]].column("folds") if "folds" in frame else None
        if "dataset" in shown and "folds" not in shown and scheme and scheme.type == "text":
            evaluations = zip(frame["dataset"], frame["folds"], strict=True)
            shown["dataset"] = [self._results.with_folds(*evaluation) for evaluation in evaluations]
        return Table(
            frame=shown,
            caption=caption,
            columns=declared,
            best=best,
            sources=self.sources(*names),
            links=links or {},
        )

    def _declaration(self, tables: Sequence[str], name: str) -> Column | str:
        """Return the declaration of a column by the first table that has it; "" if none has it."""
        for table in tables:
            if column := self._tables.schemas[table].column(name):
                return column
        return ""
