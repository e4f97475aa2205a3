"""The plan of a workflow: inputs, parameters and resources of the rules' jobs.

A rule calls these methods with its wildcards. The Snakefile imports this module in every cluster
job: nothing numerical is imported here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snakemake.exceptions import WorkflowError

from xnbflow.core.entries import Analysis
from xnbflow.core.plugins import known_analyses, plugin_modules
from xnbflow.core.study import Study
from xnbflow.evaluation.methods import known_methods
from xnbflow.report.outline import figure_labels, section_modules
from xnbflow.running.config import Config, check_schema, read_config, read_sheets
from xnbflow.running.project import default_sheets
from xnbflow.running.provenance import method_code
from xnbflow.sources.registry import known_sources
from xnbflow.sources.sheet import SheetRow, local_path
from xnbflow.tables.contract import (
    ALL_COHORTS,
    ANALYSIS,
    CHECKED,
    DIAGNOSTIC,
    GENE_SETS,
    GROUPS,
    MODEL,
    MODEL_TABLE,
    PERMUTED,
    REPORT,
    SERIES,
    STUDY_TABLE,
    TRAINED,
    PathTemplate,
    text_of,
    usage_of,
)

#: Features of a series of unknown size: those of the array HG-U133 Plus 2.0.
_USUAL_FEATURES = 54_675
#: MB of a value as text.
_MB_PER_VALUE = 20e-6
#: A packed file is about a fourth of its content.
_PACKED, _PACKING = (".gz", ".xlsx", ".parquet", ".h5ad"), 4

#: The files of a model of all samples by their kind: the model, its gene sets and its tables.
MODEL_FILES: dict[str, PathTemplate] = {
    "model": MODEL,
    "gene_sets": GENE_SETS,
    **GROUPS["model"].files,
    **{f"{table}_text": text_of(path) for table, path in GROUPS["model"].files.items()},
}
#: Those of the model of all cohorts of a study.
ALL_COHORTS_FILES = {key: path.fill(**ALL_COHORTS) for key, path in MODEL_FILES.items()}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The configuration and the data sets of a workflow, and what its rules need to know of them.

    Attributes
    ----------
    root : Path
        The folder of the project.
    raw : mapping
        The configuration as it was read; ``config`` is the same, checked.
    datasets : dict of str to SheetRow
        The data sets of all sheets by id; ``sheets`` are the names of the sheet of each.
    mark_local : callable
        Snakemake's ``local``, for files that are never in a storage.
    """

    root: Path
    raw: Mapping[str, Any]
    config: Config
    datasets: dict[str, SheetRow]
    sheets: dict[str, str]
    mark_local: Callable[[str], str]

    @classmethod
    def read(
        cls, raw: Mapping[str, Any], root: Path, mark_local: Callable[[str], str] = str
    ) -> "Plan":
        """Return the plan of a configuration; an `InputError` names what is wrong in it.

        Sheets of the project and of the papers come first; the configuration's sheets may define
        their data sets anew.
        """
        schema = root / "workflow/schemas/config.schema.json"
        check_schema(raw, schema)
        configured = {sheet: _found(sheet, root) for sheet in raw["sheets"]}
        named = {path.resolve() for path in configured.values()}
        shipped = {
            sheet: path
            for sheet, path in default_sheets(root).items()
            if path.resolve() not in named
        }
        datasets, sheets = read_sheets(shipped | configured, defaults=shipped)
        return cls(
            root=root,
            raw=raw,
            config=read_config(raw, schema, list(datasets)),
            datasets=datasets,
            sheets=sheets,
            mark_local=mark_local,
        )

    def study(self, wildcards: Any) -> Study:
        """Return the study of a job."""
        return self.config.studies[wildcards.study]

    @property
    def jobs(self) -> list[str]:
        """The jobs of training that classifiers name."""
        studies = self.config.studies.values()
        names = {job for study in studies for _, _, job in study.training_jobs}
        return sorted(names)

    @property
    def analyses(self) -> list[str]:
        """The analyses that studies name."""
        return sorted({name for study in self.config.studies.values() for name in study.analyses})

    def targets(self, study: str) -> list[str]:
        """Return the files that a run of a study writes."""
        configured = self.config.studies[study]
        tables = [path for group in GROUPS.values() for path in group.targets(configured)]
        files = [*tables, *self._model_files(configured), *self._cohort_files(configured)]
        return list(dict.fromkeys(files))

    def all_targets(self) -> list[str]:
        """Return the files of all studies under ``run:``."""
        return [path for study in self.config.run for path in self.targets(study)]

    def pages(self) -> list[Path]:
        """Return the existing pages of the studies under ``run:``."""
        pages = [Path(REPORT.of(study=study)).absolute() for study in self.config.run]
        return [page for page in pages if page.exists()]

    def _local_file(self, path: str | Path, place: str) -> str:
        """Return a file of the project, or one that a sheet or the configuration names."""
        file = _found(path, self.root)
        if not file.is_file():
            places = dict.fromkeys(map(str, (Path(path).absolute(), self.root / path)))
            msg = f"{place}: no such file: {' or '.join(places)}; correct the path"
            raise WorkflowError(msg)
        return self.mark_local(str(file))

    # acquire

    def sheet_row(self, wildcards: Any) -> dict[str, Any]:
        """Return the row of a data set."""
        return vars(self.datasets[wildcards.dataset])

    def given_files(self, wildcards: Any) -> dict[str, str]:
        """Return a user's own files of a data set by the field that names each."""
        place = f"data set {wildcards.dataset}"
        files = self.datasets[wildcards.dataset].local_files
        return {key: self._local_file(path, f"{place}, {key}") for key, path in files.items()}

    def state_of_given_files(self, wildcards: Any) -> dict[str, list[int]]:
        """Return size and time of a user's own files: one that replaces another may be older."""
        states = {key: Path(path).stat() for key, path in self.given_files(wildcards).items()}
        return {key: [state.st_size, state.st_mtime_ns] for key, state in states.items()}

    def reader_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digest of the module that loads a data set, if it is not of the core."""
        return method_code([known_sources()[self.datasets[wildcards.dataset].source].module])

    def sheet_mb(self, wildcards: Any, samples: int = 300) -> float:
        """Return the MB of a data set as text by its shape in the sheet, else of a large one."""
        row = self.datasets[wildcards.dataset]
        return (row.samples or samples) * (row.features or _USUAL_FEATURES) * _MB_PER_VALUE

    def acquired_mb(self, wildcards: Any, files: Any) -> float:
        """Return the MB of a data set as text by its files, a rule's inputs, else by the sheet."""
        sizes = [
            mb * (_PACKING if path.endswith(_PACKED) else 1)
            for path, mb in zip(files, files.size_files_mb, strict=True)
        ]
        return sum(sizes) or self.sheet_mb(wildcards)

    # diagnose

    def diagnostic_settings(self, wildcards: Any) -> dict[str, Any] | None:
        """Return the settings of the tests of a data set; None if no study has their section."""
        studies = self.config.studies.values()
        if not any(study.diagnostics and wildcards.dataset in study.datasets for study in studies):
            return None
        settings = self.config.diagnostics
        return {
            "min_abs_r": settings["min_abs_r"],
            "alpha": settings["dependence_alpha"],
            "dof": settings["dof"],
        }

    # classify, check, models, permute

    def entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the configuration of a classifier for a data set."""
        return self.config.classifier(wildcards.classifier, wildcards.dataset)

    def job_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of the classifiers of a job of training by id."""
        names = self.study(wildcards).classifiers_of(wildcards.job)
        return {name: self.config.classifier(name, wildcards.dataset) for name in names}

    def job_classifiers(self, wildcards: Any) -> str:
        """Return the classifiers of a job of training for a message."""
        return ", ".join(self.study(wildcards).classifiers_of(wildcards.job))

    def job_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of a job of training."""
        names = self.study(wildcards).classifiers_of(wildcards.job)
        return self._classifier_code((wildcards.dataset, name) for name in names)

    def job_repeats(self, wildcards: Any) -> int:
        """Return the run-time factor of a job of training: one per ten fits of a fold."""
        classifiers = self.study(wildcards).classifiers_of(wildcards.job)
        return 1 + len(classifiers) * self.config.folds[wildcards.folds].repeats // 10

    def scheme(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of a scheme of folds."""
        return vars(self.config.folds[wildcards.folds])

    def given_folds(self, wildcards: Any) -> list[str]:
        """Return the file of predefined folds; none where folds are drawn, or the file is a URL."""
        return self._folds_file(wildcards.folds)

    def _folds_file(self, folds: str) -> list[str]:
        file = self.config.folds[folds].file
        path = local_path(file) if file else None
        return [self._local_file(path, f"configuration, folds.{folds}.file")] if path else []

    def tested(self, wildcards: Any) -> list[str]:
        """Return the classifiers that are checked on a data set, for the study's first folds."""
        study = self.study(wildcards)
        first = getattr(wildcards, "folds", study.folds[0]) == study.folds[0]
        tested = self.config.tested(study) if first else []
        return [name for dataset, name in tested if dataset == wildcards.dataset]

    def tested_with(self, wildcards: Any) -> dict[str, str]:
        """Return, for the same classifiers, the class that is fitted for their learning curves."""
        names = self.tested(wildcards)
        return {name: self.config.quick(name, wildcards.dataset) for name in names}

    def halved(self, wildcards: Any) -> list[str]:
        """Return the classifiers that are fitted to halves of the samples of a data set."""
        halved = self.config.halved(self.study(wildcards))
        return [name for dataset, name in halved if dataset == wildcards.dataset]

    def checked_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of all classifiers that a job of *check* fits."""
        names = dict.fromkeys([*self.tested(wildcards), *self.halved(wildcards)])
        return {name: self.config.classifier(name, wildcards.dataset) for name in names}

    def checked_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of a job of *check*."""
        return self._classifier_code(
            (wildcards.dataset, n) for n in self.checked_entries(wildcards)
        )

    def classifier_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of a classifier."""
        return self._classifier_code([(wildcards.dataset, wildcards.classifier)])

    def n_permutations(self, wildcards: Any) -> int:
        """Return the number of permutations of a classifier's test."""
        permutations = self.study(wildcards).permutations or {}
        return permutations[wildcards.classifier]

    def training_of_model(self, wildcards: Any) -> dict[str, str]:
        """Return the tables of training whose figures a model of all samples has.

        They are of the first scheme of folds, with the halves where the classifier is fitted to
        them.
        """
        study = self.study(wildcards)
        place = TRAINED.fill(
            study=study.id,
            dataset=wildcards.dataset,
            folds=study.folds[0],
            job=study.job_of(wildcards.classifier),
        )
        files = {table: place.of(table=table) for table in ("predictions", "selected")}
        if wildcards.classifier in self.halved(wildcards):
            files["halves"] = CHECKED.of(study=study.id, dataset=wildcards.dataset, table="halves")
        return files

    def classifiers_beside(self, wildcards: Any) -> dict[str, list[str]]:
        """Return the classifiers whose rows are in the tables that `training_of_model` names."""
        study = self.study(wildcards)
        return {
            "training": list(study.classifiers_of(study.job_of(wildcards.classifier))),
            "halves": self.halved(wildcards),
        }

    def origin(self, wildcards: Any) -> dict[str, str]:
        """Return where a data set comes from, for the card of a model."""
        return self.datasets[wildcards.dataset].origin

    # compare

    def series(self, wildcards: Any) -> list[str]:
        """Return the series of a study's data sets."""
        return self.of_datasets(SERIES, wildcards)

    def of_datasets(self, path: PathTemplate, wildcards: Any) -> list[str]:
        """Return a file of every data set of a study."""
        return [path.of(dataset=name) for name in self.study(wildcards).datasets]

    def diagnosed(self, table: str, wildcards: Any) -> list[str]:
        """Return a table of the diagnostics of every data set, if the study has their section."""
        if not self.study(wildcards).diagnostics:
            return []
        return self.of_datasets(DIAGNOSTIC.fill(table=table), wildcards)

    def trained(self, table: str, wildcards: Any) -> list[str]:
        """Return a table of every job of training of a study."""
        return [
            TRAINED.of(study=wildcards.study, dataset=dataset, folds=folds, job=job, table=table)
            for dataset, folds, job in self.study(wildcards).training_jobs
        ]

    def permuted(self, wildcards: Any) -> list[str]:
        """Return the permutation tests of a study."""
        return [
            PERMUTED.of(
                study=wildcards.study, dataset=dataset, classifier=name, table="permutation"
            )
            for dataset, name in self.study(wildcards).permuted
        ]

    def checked_datasets(self, study: Study) -> list[str]:
        """Return the data sets of a study on which a job of *check* fits classifiers."""
        checked = [*self.config.tested(study), *self.config.halved(study)]
        return list(dict.fromkeys(dataset for dataset, _ in checked))

    def checked(self, table: str, wildcards: Any) -> list[str]:
        """Return a table of every job of *check* of a study."""
        datasets = self.checked_datasets(self.study(wildcards))
        return [CHECKED.of(study=wildcards.study, dataset=name, table=table) for name in datasets]

    def gene_set_files(self, wildcards: Any) -> list[str]:
        """Return the files of a study's gene sets."""
        study = self.study(wildcards)
        place = f"configuration, studies.{study.id}.gene_sets"
        return [self._local_file(path, place) for path in study.gene_sets]

    def signatures(self, wildcards: Any) -> list[str]:
        """Return the signatures of the models of all samples of a study."""
        place = MODEL_TABLE.fill(study=wildcards.study, table="signature")
        models = self.study(wildcards).models
        return [place.of(dataset=dataset, classifier=name) for dataset, name in models]

    def owners(self, wildcards: Any) -> dict[str, Any]:
        """Return what the input files of *compare* belong to, in their order."""
        study = self.study(wildcards)
        return {
            "datasets": study.datasets,
            "diagnosed": study.datasets if study.diagnostics else (),
            "trained": study.trained,
            "jobs": [
                (dataset, folds, study.classifiers_of(job))
                for dataset, folds, job in study.training_jobs
            ],
            "checked": self.checked_datasets(study),
            "models": study.models,
            "permuted": study.permuted,
            "tested": self.config.tested(study),
            "halved": self.config.halved(study),
        }

    def about(self, wildcards: Any) -> dict[str, Any]:
        """Return the names of a study and of its classifiers."""
        study = self.study(wildcards)
        return {
            "study": study.id,
            "title": study.title,
            "summary": study.summary,
            "labels": self.labels(study),
            "kept": list(study.final),
            "headline": study.headline,
        }

    def labels(self, study: Study) -> dict[str, str]:
        """Return the labels of the classifiers of a study by id."""
        return {name: self.config.classifiers[name]["label"] for name in study.classifiers}

    def study_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of a study's classifiers by data set and id."""
        return self._entries(_pairs(self.study(wildcards)))

    def study_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of a study's classifiers."""
        return self._classifier_code(_pairs(self.study(wildcards)))

    # validate, combine

    def validated_series(self, wildcards: Any) -> list[str]:
        """Return the series of the cohorts on which models are fitted and tested."""
        return [SERIES.of(dataset=name) for name in self.study(wildcards).validated]

    def validated_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of the models that are tested on second cohorts."""
        return self._entries(_validated(self.study(wildcards)))

    def validated_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of these models."""
        return self._classifier_code(_validated(self.study(wildcards)))

    def combined_series(self, wildcards: Any) -> list[str]:
        """Return the series of one question that a study combines."""
        return [SERIES.of(dataset=name) for name in self.study(wildcards).combined]

    def combined_entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the configuration of the classifier of all cohorts."""
        return self.config.classifier(self._cohorts(wildcards).model)

    def combined_settings(self, wildcards: Any) -> dict[str, str]:
        """Return how the cohorts of a study are matched, and the label of their classifier."""
        cohorts = self._cohorts(wildcards)
        label = self.config.classifiers[cohorts.model]["label"]
        return {"match": cohorts.match, "harmonise": cohorts.harmonise, "name": label}

    def combined_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of the classifier of all cohorts."""
        return self._classifier_code([("", self._cohorts(wildcards).model)])

    def _cohorts(self, wildcards: Any) -> Any:
        return self.study(wildcards).cohorts

    # analyse, report

    def analysis(self, wildcards: Any) -> Analysis:
        """Return the entry of an analysis."""
        return known_analyses()[wildcards.analysis]

    def analysis_settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of an analysis in a study."""
        return self.study(wildcards).analyses.get(wildcards.analysis, {})

    def analysed_series(self, wildcards: Any) -> list[str]:
        """Return the series of an analysis; none of a simulation."""
        datasets = self.analysis_settings(wildcards).get("datasets", ())
        return [SERIES.of(dataset=name) for name in datasets]

    def analysed_folds_file(self, wildcards: Any) -> list[str]:
        """Return the file of predefined folds of an analysis, as `given_folds`."""
        settings = self.analysis_settings(wildcards)
        return self._folds_file(settings["folds"]) if "folds" in settings else []

    def analysed_scheme(self, wildcards: Any) -> dict[str, Any] | None:
        """Return the scheme of folds of an analysis that divides its samples; else None."""
        settings = self.analysis_settings(wildcards)
        return vars(self.config.folds[settings["folds"]]) if "folds" in settings else None

    def needed_tables(self, wildcards: Any) -> list[str]:
        """Return the tables of the study that an analysis reads."""
        tables = self.analysis(wildcards).needs
        return [STUDY_TABLE.of(study=wildcards.study, table=table) for table in tables]

    def analysis_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the code of an analysis."""
        return method_code(self.analysis(wildcards).modules)

    def model_files(self, wildcards: Any) -> list[str]:
        """Return the models of all samples of a study, with their tables."""
        return self._model_files(self.study(wildcards))

    def _model_files(self, study: Study) -> list[str]:
        return [
            path.of(study=study.id, dataset=dataset, classifier=classifier)
            for dataset, classifier in study.models
            for path in (MODEL, GENE_SETS, *GROUPS["model"].files.values())
        ]

    def cohort_files(self, wildcards: Any) -> list[str]:
        """Return the tables of a study's cohorts and the model of all of them."""
        return self._cohort_files(self.study(wildcards))

    def _cohort_files(self, study: Study) -> list[str]:
        if not study.combined:
            return []
        model = [path.of(study=study.id) for path in ALL_COHORTS_FILES.values()]
        return [*GROUPS["cohorts"].targets(study), *model]

    def validation_tables(self, wildcards: Any) -> list[str]:
        """Return the tables of models in second cohorts."""
        return GROUPS["validation"].targets(self.study(wildcards))

    def analysis_folders(self, wildcards: Any) -> list[str]:
        """Return the folders of the analyses of a study."""
        names = self.study(wildcards).analyses
        return [ANALYSIS.of(study=wildcards.study, analysis=name) for name in names]

    def usage_of_jobs(self, wildcards: Any) -> list[str]:
        """Return the records of time and memory of the jobs of a study."""
        study = self.study(wildcards)
        jobs: list[tuple[str, dict[str, str]]] = []
        for rule in ("acquire", "diagnose"):
            jobs += [(rule, {"dataset": name}) for name in study.datasets]
        of_study = {"study": study.id}
        for dataset, folds, job in study.training_jobs:
            jobs.append(("classify", {**of_study, "dataset": dataset, "folds": folds, "job": job}))
        for dataset in self.checked_datasets(study):
            jobs.append(("check", {**of_study, "dataset": dataset}))
        for rule, pairs in (("models", study.models), ("permute", study.permuted)):
            for dataset, name in pairs:
                jobs.append((rule, {**of_study, "dataset": dataset, "classifier": name}))
        jobs += [("analyse", {**of_study, "analysis": name}) for name in study.analyses]
        wanted = {"compare": True, "validate": study.validate, "combine": study.combined}
        jobs += [(rule, of_study) for rule in wanted if wanted[rule]]
        return [usage_of(rule).of(**values) for rule, values in jobs]

    def results(self, wildcards: Any) -> dict[str, Any]:
        """Return arguments of `xnbflow.report.results.StudyResults`.

        They are plain values: a job would import an object's module before the library's path is
        set.
        """
        study = self.study(wildcards)
        return {"labels": self.labels(study), "configuration": self._configuration(study)}

    def _configuration(self, study: Study) -> dict[str, Any]:
        """Return the complete configuration of a study, for the record and for repetition."""
        raw, datasets, folds = self.raw, list(study.datasets), list(study.folds)
        for settings in study.analyses.values():
            datasets += settings.get("datasets", ())
            folds += [settings["folds"]] if "folds" in settings else []
        steps = {
            name: self.config.preprocessing[name]
            for name in datasets
            if name in self.config.preprocessing
        }
        configuration = {
            "sheets": raw["sheets"],
            "studies": {study.id: raw["studies"][study.id]},
            "datasets": {
                name: {"sheet": self.sheets[name], **vars(self.datasets[name])} for name in datasets
            },
            "classifiers": {name: raw["classifiers"][name] for name in study.classifiers},
            "folds": {name: raw["folds"][name] for name in folds},
            "diagnostics": raw["diagnostics"],
        }
        if steps:
            configuration["preprocessing"] = steps
        return configuration

    def section_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the sections of a study's page that are not of the core."""
        study = self.study(wildcards)
        sections = section_modules(study, known_analyses())
        tables = [known_analyses()[name].compute for name in study.analyses]
        return method_code([*sections, *tables, *plugin_modules()], page=True)

    def figure_labels(self, wildcards: Any) -> dict[str, str]:
        """Return the labels of a figure in Snakemake's own report: its data set, and more."""
        study = self.study(wildcards)
        datasets = list(study.datasets)
        for settings in study.analyses.values():
            datasets += settings.get("datasets", [])
        labels = figure_labels(wildcards.figure, datasets, study.folds, study.classifiers)
        return {key: text for key, text in labels.items() if text}

    def _entries(self, pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, Any]]:
        entries: dict[str, dict[str, Any]] = {}
        for dataset, name in pairs:
            entries.setdefault(dataset, {})[name] = self.config.classifier(name, dataset)
        return entries

    def _classifier_code(self, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return the digests of the methods of classifiers, each with its data set."""
        methods = {
            method for dataset, name in pairs for method in self.config.methods(name, dataset)
        }
        known = known_methods()
        return method_code(known[name].estimator if name in known else name for name in methods)


def _found(path: str | Path, root: Path) -> Path:
    """Return a path of the configuration: in the working directory, else in the project."""
    return Path(path) if Path(path).exists() else root / path


def _pairs(study: Study) -> list[tuple[str, str]]:
    """Return the data sets and classifiers of a study."""
    return list(dict.fromkeys((dataset, name) for dataset, _, name in study.trained))


def _validated(study: Study) -> list[tuple[str, str]]:
    """Return the data sets and classifiers of the models that are tested on second cohorts."""
    return list(dict.fromkeys((pair.train, pair.model) for pair in study.validate))


def exactly(names: Sequence[str]) -> str:
    r"""Return a regular expression that matches the given names only.

    Examples
    --------
    >>> exactly(["a.b", "c"])
    'a\\.b|c'
    >>> exactly([])
    '(?!)'
    """
    return "|".join(map(re.escape, names)) or "(?!)"
