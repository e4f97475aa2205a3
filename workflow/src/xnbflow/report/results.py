"""The content of a report: a study's tables and its models, read on demand."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.entries import Analysis
from xnbflow.core.errors import InputError
from xnbflow.core.nouns import noun
from xnbflow.core.software import software
from xnbflow.core.study import Study
from xnbflow.inference.headlines import distinct_labels
from xnbflow.report.page.blocks import Table
from xnbflow.sources.platforms import are_probes
from xnbflow.tables.contract import (
    ANALYSIS_TABLE,
    COHORT_TABLE,
    COHORT_TABLES,
    DIAGNOSTIC_PATH,
    DIAGNOSTIC_TABLES,
    GENE_TABLES,
    GENES,
    GROUPS,
    MODEL_TABLE,
    MODEL_TABLES,
    STUDY,
    TRAINING_PATH,
    TRAINING_TABLES,
    TRUTH,
    TRUTH_TABLE,
    VALIDATION_TABLE,
    VALIDATION_TABLES,
    Column,
    PathTemplate,
    TableSchema,
    analysis_tables,
    text_of,
)
from xnbflow.tables.storage import (
    read_parquet,
    read_stacked,
    recorded_versions,
    rows_at,
)

#: Sources that have expression series only.
_EXPRESSION = ("cumida", "microarray", "geo")
#: Words for the units of which several samples are taken, in names of columns.
_UNITS = ("patient", "donor", "subject", "individual", "participant", "animal", "family")
#: Accession of a series or curated data set of GEO.
_ACCESSION = re.compile(r"(GSE\d+(-GPL\d+)?|GDS\d+)(?!\d)")


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

        It is "gene" if all are of expression: they come from a repository of expression series,
        their features have symbols, or their values are logarithms. It is "probe" if the features
        of all these are probes of an array by their names, several of which may measure one gene.
        Other data sets have a "feature".
        """
        names = datasets or self.study.datasets
        if not all(map(self._is_of_expression, names)):
            return "feature"
        return "probe" if names and all(map(self._has_probes, names)) else "gene"

    def unit_noun(self, dataset: str) -> str:
        """Return the word for an independent unit of a data set: "sample", or that of its groups.

        Groups have the name of their column where this is one of `_UNITS`, otherwise "group".
        """
        if self.rows("datasets", dataset=dataset)["groups"].isna().all():
            return "sample"
        group = self.configuration.get("datasets", {}).get(dataset, {}).get("group", "")
        column = str(group.get("column", "") if isinstance(group, Mapping) else group)
        words = re.findall(r"[a-z]+", column.lower())
        return next((word for word in words if word in _UNITS), "group")

    def with_unit_nouns(self, findings: pd.DataFrame) -> pd.DataFrame:
        """Return rows of the table ``findings`` in which units have the word of `unit_noun`."""
        subjects = findings["subject"].tolist()
        for i, row in enumerate(findings[["code", "dataset"]].to_dict("records")):
            if row["code"] == "units":
                subjects[i] = noun(2, self.unit_noun(row["dataset"]))
        return findings.assign(subject=subjects)

    def accession(self, dataset: str) -> str:
        """Return the accession of a GEO series in the place of a data set; empty without one."""
        settings = self.configuration.get("datasets", {}).get(dataset, {})
        places = " ".join(str(settings.get(key, "")) for key in ("accession", "file", "url"))
        match = _ACCESSION.search(places)
        return match[0] if match else ""

    def with_noun(self, text: str, *datasets: str) -> str:
        """Return a text with the `noun` of these data sets in place of ``{noun}``, ``{Noun}``."""
        noun = self.noun(*datasets)
        return text.format(noun=noun, Noun=noun.capitalize())

    @cached_property
    def _is_of_expression(self) -> Callable[[str], bool]:
        """Whether a data set is of expression; its large table is read once."""

        def is_of_expression(dataset: str) -> bool:
            settings = self.configuration.get("datasets", {}).get(dataset, {})
            if settings.get("source") in _EXPRESSION:
                return True
            genes = self.genes(dataset, "symbol", "log_fold_change")
            return bool((genes["symbol"] != "").any() or genes["log_fold_change"].notna().any())

        return cache(is_of_expression)

    @cached_property
    def _has_probes(self) -> Callable[[str], bool]:
        """Whether the features of a data set are probes by their names."""

        def has_probes(dataset: str) -> bool:
            """Return whether the features are probes; their names are in a large table."""
            if "genes" not in self.gene_tables(dataset).present():
                return False
            return are_probes(self.genes(dataset, "feature")["feature"].unique())

        return cache(has_probes)

    def relative_path(self, path: str) -> str:
        """Return the relative path from the page to a file of the project."""
        return Path(os.path.relpath(path, STUDY.of(study=self.study.id))).as_posix()

    @cached_property
    def tables(self) -> "StudyTables":
        """The tables of the study."""
        group = GROUPS["study"]
        return StudyTables(self, {group.path.fill(study=self.study.id): group.tables})

    def rows(self, table: str, **where: object) -> pd.DataFrame:
        """Return the rows of one of `tables` whose columns have the given values."""
        return self.tables.rows(table, **where)

    @cached_property
    def cohorts(self) -> "StudyTables":
        """The tables of several series of one question."""
        return StudyTables(self, {COHORT_TABLE.fill(study=self.study.id): COHORT_TABLES})

    @cached_property
    def validation(self) -> "StudyTables":
        """The tables of models in a second cohort."""
        template = VALIDATION_TABLE.fill(study=self.study.id)
        return StudyTables(self, {template: VALIDATION_TABLES})

    def analysis(self, analysis: Analysis) -> "StudyTables":
        """Return the tables of an analysis."""
        template = ANALYSIS_TABLE.fill(study=self.study.id, analysis=analysis.name)
        return StudyTables(self, {template: analysis_tables(analysis)})

    def model(self, dataset: str, classifier: str) -> "StudyTables":
        """Return the tables of a classifier that was fitted on all samples; each is read once."""
        return self._models(dataset, classifier)

    @cached_property
    def _models(self) -> Callable[[str, str], "StudyTables"]:
        """The tables of a model, which several sections use."""

        def tables_of(dataset: str, classifier: str) -> "StudyTables":
            template = MODEL_TABLE.fill(study=self.study.id, dataset=dataset, classifier=classifier)
            return StudyTables(self, {template: MODEL_TABLES})

        return cache(tables_of)

    @cached_property
    def training_software(self) -> dict[str, str]:
        """The versions of the software that trained the classifiers; empty without classifiers."""
        return recorded_versions(self._fits)

    @property
    def _fits(self) -> list[Path]:
        """The table ``fits`` of each job of training."""
        return [
            self.root
            / TRAINING_PATH.of(
                study=self.study.id, dataset=dataset, folds=folds, job=job, table="fits"
            )
            for dataset, folds, job in self.study.training_jobs
        ]

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

    def diagnostic_tables(self, dataset: str) -> "StudyTables":
        """Return the tables of a data set, for example its ``correlations``; each is read once."""
        return self._diagnostic_tables(dataset)

    @cached_property
    def _diagnostic_tables(self) -> Callable[[str], "StudyTables"]:
        """The tables of a data set, which several sections use."""

        def tables_of(dataset: str) -> "StudyTables":
            return StudyTables(self, {DIAGNOSTIC_PATH.fill(dataset=dataset): DIAGNOSTIC_TABLES})

        return cache(tables_of)

    def gene_tables(self, dataset: str) -> "StudyTables":
        """Return the tables of single features of a data set, for example its ``contrasts``.

        Each is read once.
        """
        return self._gene_tables(dataset)

    @cached_property
    def _gene_tables(self) -> Callable[[str], "StudyTables"]:
        """The tables of single features, which several sections use."""

        def tables_of(dataset: str) -> "StudyTables":
            template = GENES.fill(study=self.study.id, dataset=dataset)
            return StudyTables(self, {template: GENE_TABLES})

        return cache(tables_of)

    def genes(self, dataset: str, *columns: str) -> pd.DataFrame:
        """Return columns of the table of genes of a data set, which is large and read once."""
        return self.gene_tables(dataset)["genes"][[*columns]]

    def training(
        self, dataset: str, folds: str, classifier: str, table: str, repeat: int | None = None
    ) -> pd.DataFrame:
        """Return a table of a classifier's training, for all repeats or one."""
        job = self.study.job_of(classifier)
        path = TRAINING_PATH.of(
            study=self.study.id, dataset=dataset, folds=folds, job=job, table=table
        )
        classifiers = self.study.classifiers_of(job)
        rows = read_stacked(self.root / path, TRAINING_TABLES[table], classifiers)[classifier]
        return rows if repeat is None else rows[rows["repeat"] == repeat].reset_index(drop=True)

    def truth(self, dataset: str) -> pd.DataFrame | None:
        """Return the planted markers of a simulated data set; None for a real one."""
        if self.configuration.get("datasets", {}).get(dataset, {}).get("source") != "simulate":
            return None
        return read_parquet(self.root / TRUTH.of(dataset=dataset), TRUTH_TABLE)


class StudyTables:
    """Tables in files, by name; each is read once, at its first use."""

    def __init__(
        self,
        results: StudyResults,
        tables_of: Mapping[PathTemplate, Mapping[str, TableSchema]],
    ) -> None:
        self._results = results
        self._schemas: dict[str, TableSchema] = {}
        self._paths: dict[str, str] = {}
        for template, schemas in tables_of.items():
            self._schemas |= schemas
            self._paths |= {name: template.of(table=name) for name in schemas}
        self._read = cache(self._read_file)
        self._places = cache(
            lambda name, columns: self[name].groupby(list(columns), sort=False).indices
        )

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._read(name)

    def _read_file(self, name: str) -> pd.DataFrame:
        """Read a table. This version writes every table, so that an absent one is refused."""
        path = self._results.root / self._paths[name]
        if not path.is_file():
            msg = (
                f"{path} is absent: another version ran this study, or the file was removed. Run "
                f"it again: xnbflow run {self._results.study.id}"
            )
            raise InputError(msg, file=str(path))
        return read_parquet(path, self._schemas[name])

    def rows(self, name: str, **where: object) -> pd.DataFrame:
        """Return the rows of a table whose columns have the given values."""
        if not where:
            return self[name]
        key = tuple(where.values())
        positions = self._places(name, tuple(where)).get(key if len(key) > 1 else key[0])
        if positions is None:
            return self[name].head(0)
        return rows_at(self[name], positions)

    def sources(self, *names: str) -> list[str]:
        """Return the files of tables, as a page links to them: as text where there is one."""
        files = []
        for name in names:
            path = self._paths[name]
            has_text = self._schemas[name].text
            files.append(self._results.relative_path(text_of(path) if has_text else path))
        return files

    def present(self) -> list[str]:
        """Return the names of the tables that were written; an analysis may leave some out."""
        return [name for name, path in self._paths.items() if (self._results.root / path).exists()]

    def files(self) -> list[Path]:
        """Return the Parquet files of the tables that were written."""
        return [self._results.root / self._paths[name] for name in self.present()]

    def links(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the subject, title and files of the tables that were written."""
        for name in self.present():
            path = self._results.relative_path(self._paths[name])
            files = list(dict.fromkeys([path, *self.sources(name)]))
            yield path.removesuffix(".parquet"), self._schemas[name].title, files

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
        scheme = self._schemas[names[0]].column("folds") if "folds" in frame else None
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
            if column := self._schemas[table].column(name):
                return column
        return ""
