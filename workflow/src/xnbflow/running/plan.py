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
from xnbflow.core.study import Cohorts, Study
from xnbflow.evaluation.methods import known_methods
from xnbflow.report.outline import figure_labels, section_modules
from xnbflow.running.config import Config, check_schema, read_config, read_sheets
from xnbflow.running.project import default_sheets
from xnbflow.running.provenance import method_code
from xnbflow.sources.sheet import SheetRow, local_path
from xnbflow.tables.contract import (
    ANALYSIS,
    CHECKED,
    DIAGNOSTIC,
    MODEL_TABLE,
    PERMUTED,
    SERIES,
    STUDY_FILES,
    TRAINED,
    PathTemplate,
    usage_of,
)

#: Features of a series of unknown size: those of the array HG-U133 Plus 2.0.
_USUAL_FEATURES = 54_675
#: MB of a value as text.
_MB_PER_VALUE = 20e-6


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The configuration and the data sets of a workflow, with a method for each question of a rule.

    A rule names a method as an input or a parameter. Snakemake calls it with the wildcards of a
    job, for example ``dataset="wine"``, ``study="demo"`` in *check*.

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
        configured = {sheet: _existing_path(sheet, root) for sheet in raw["sheets"]}
        configured_paths = {path.resolve() for path in configured.values()}
        shipped = {
            sheet: path
            for sheet, path in default_sheets(root).items()
            if path.resolve() not in configured_paths
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

    def local_file(self, path: str | Path, place: str) -> str:
        """Return a file of the project, or one that a sheet or the configuration names."""
        file = _existing_path(path, self.root)
        if not file.is_file():
            candidates = [str(Path(path).absolute()), str(self.root / path)]
            paths = " or ".join(dict.fromkeys(candidates))
            msg = f"{place}: no such file: {paths}; correct the path"
            raise WorkflowError(msg)
        return self.mark_local(str(file))

    def sheet_mb(self, wildcards: Any, samples: int = 300) -> float:
        """Return the MB of a data set as text by its shape in the sheet, else of a large one."""
        row = self.datasets[wildcards.dataset]
        return (row.samples or samples) * (row.features or _USUAL_FEATURES) * _MB_PER_VALUE

    def file_of_scheme(self, folds: str) -> list[str]:
        """Return the user's file of predefined folds of a scheme, else none."""
        location = self.config.folds[folds].file
        path = local_path(location) if location else None
        if path is None:
            return []
        return [self.local_file(path, f"configuration, folds.{folds}.file")]

    def entries_on(self, dataset: str, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the configurations of classifiers for a data set by id."""
        return {name: self.config.classifier(name, dataset) for name in names}

    def code_on(self, dataset: str, names: Iterable[str]) -> dict[str, str]:
        """Return the digests of the methods of classifiers on a data set."""
        return self._classifier_code((dataset, name) for name in names)

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
        return [self.local_file(path, place) for path in study.gene_sets]

    def series_with_gene_sets(self, wildcards: Any) -> list[str]:
        """Return the series whose values are compared between gene sets; none without sets."""
        return self.series(wildcards) if self.study(wildcards).gene_sets else []

    def signatures(self, wildcards: Any) -> list[str]:
        """Return the signatures of the models of all samples of a study."""
        place = MODEL_TABLE.fill(study=wildcards.study, table="signature")
        models = self.study(wildcards).models
        return [place.of(dataset=dataset, classifier=name) for dataset, name in models]

    def compared_study(self, wildcards: Any) -> dict[str, Any]:
        """Return the fields of a study on which its tables depend, see `study_fields`."""
        names = ("title", "summary", "datasets", "classifiers", "folds", "diagnostics")
        return study_fields(self.study(wildcards), *names, "final", "headline", "jobs")

    def listed_study(self, wildcards: Any) -> dict[str, Any]:
        """Return the fields of a study on which its lists of genes depend, see `study_fields`."""
        return study_fields(self.study(wildcards), "datasets", "final")

    def checks(self, wildcards: Any) -> dict[str, list[tuple[str, str]]]:
        """Return the fields of `xnbflow.studies.study_inputs.StudyChecks`."""
        study = self.study(wildcards)
        return {
            "tested": self.config.tested(study),
            "halved": self.config.halved(study),
            "permuted": study.permuted,
        }

    def study_labels(self, wildcards: Any) -> dict[str, str]:
        """Return the labels of the classifiers of a study by id."""
        return self.labels(self.study(wildcards))

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
        """Return the digests of the methods of the models that are tested on second cohorts."""
        return self._classifier_code(_validated(self.study(wildcards)))

    def combined_series(self, wildcards: Any) -> list[str]:
        """Return the series of one question that a study combines."""
        return [SERIES.of(dataset=name) for name in self.study(wildcards).combined]

    def combined_entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the configuration of the classifier of all cohorts."""
        return self.config.classifier(self.cohorts(wildcards).model)

    def combined_label(self, wildcards: Any) -> str:
        """Return the label of the classifier of all cohorts."""
        label: str = self.config.classifiers[self.cohorts(wildcards).model]["label"]
        return label

    def combined_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the methods of the classifier of all cohorts."""
        return self._classifier_code([("", self.cohorts(wildcards).model)])

    def cohorts(self, wildcards: Any) -> Cohorts:
        """Return the cohorts of a job of *combine*, which only studies with cohorts have."""
        cohorts = self.study(wildcards).cohorts
        if cohorts is None:
            msg = f"the study {wildcards.study} has no cohorts"
            raise ValueError(msg)
        return cohorts

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
        """Return the file of predefined folds of an analysis; see `folds_file`."""
        settings = self.analysis_settings(wildcards)
        return self.file_of_scheme(settings["folds"]) if "folds" in settings else []

    def analysed_scheme(self, wildcards: Any) -> dict[str, Any] | None:
        """Return the scheme of folds of an analysis that divides its samples; else None."""
        settings = self.analysis_settings(wildcards)
        return vars(self.config.folds[settings["folds"]]) if "folds" in settings else None

    def needed_tables(self, wildcards: Any) -> list[str]:
        """Return the tables of the study that an analysis reads."""
        tables = self.analysis(wildcards).needs
        return [STUDY_FILES[table].of(study=wildcards.study) for table in tables]

    def analysis_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the code of an analysis."""
        return method_code(self.analysis(wildcards).modules)

    def analysis_folders(self, wildcards: Any) -> list[str]:
        """Return the folders of the analyses of a study."""
        names = self.study(wildcards).analyses
        return [ANALYSIS.of(study=wildcards.study, analysis=name) for name in names]

    def usage_of_jobs(self, wildcards: Any) -> list[str]:
        """Return the records of time and memory of the jobs of a study."""
        study = self.study(wildcards)
        records = [usage_of(rule).of(study=study.id) for rule in ("compare", "enrich")]
        for rule in ("acquire", "diagnose"):
            records += [usage_of(rule).of(dataset=dataset) for dataset in study.datasets]
        for analysis in study.analyses:
            records.append(usage_of("analyse").of(study=study.id, analysis=analysis))
        if study.validate:
            records.append(usage_of("validate").of(study=study.id))
        if study.combined:
            records.append(usage_of("combine").of(study=study.id))
        return [*records, *self._usage_of_fits(study)]

    def _usage_of_fits(self, study: Study) -> list[str]:
        """Return the records of the jobs that fit classifiers of a study."""
        records = []
        for dataset, folds, job in study.training_jobs:
            place = usage_of("classify").fill(study=study.id, dataset=dataset)
            records.append(place.of(folds=folds, job=job))
        place = usage_of("check").fill(study=study.id)
        records += [place.of(dataset=dataset) for dataset in self.checked_datasets(study)]
        for rule, pairs in (("models", study.models), ("permute", study.permuted)):
            place = usage_of(rule).fill(study=study.id)
            records += [place.of(dataset=dataset, classifier=name) for dataset, name in pairs]
        return records

    def configuration(self, wildcards: Any) -> dict[str, Any]:
        """Return the complete configuration of a study, for the record and for repetition."""
        study = self.study(wildcards)
        names = list(study.datasets)
        folds = list(study.folds)
        for settings in study.analyses.values():
            names += settings.get("datasets", ())
            if "folds" in settings:
                folds.append(settings["folds"])
        datasets = {}
        preprocessing = {}
        for name in names:
            datasets[name] = {"sheet": self.sheets[name], **vars(self.datasets[name])}
            if name in self.config.preprocessing:
                preprocessing[name] = self.config.preprocessing[name]
        configuration = {
            "sheets": self.raw["sheets"],
            "studies": {study.id: self.raw["studies"][study.id]},
            "datasets": datasets,
            "classifiers": {name: self.raw["classifiers"][name] for name in study.classifiers},
            "folds": {name: self.raw["folds"][name] for name in folds},
            "diagnostics": self.raw["diagnostics"],
        }
        if preprocessing:
            configuration["preprocessing"] = preprocessing
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
        """Return the configurations of classifiers, each with its data set, by both names."""
        entries: dict[str, dict[str, Any]] = {}
        for dataset, name in pairs:
            entries.setdefault(dataset, {})[name] = self.config.classifier(name, dataset)
        return entries

    def _classifier_code(self, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return the digests of the methods of classifiers, each with its data set."""
        methods: set[str] = set()
        for dataset, name in pairs:
            methods.update(self.config.methods(name, dataset))
        registry = known_methods()
        paths = [registry[name].estimator if name in registry else name for name in methods]
        return method_code(paths)


def _existing_path(path: str | Path, root: Path) -> Path:
    """Return a path of the configuration: in the working directory, else in the project."""
    return Path(path) if Path(path).exists() else root / path


def study_fields(study: Study, *names: str) -> dict[str, Any]:
    """Return fields of a study for `xnbflow.core.study.study_of`; all others are empty.

    They are plain values, since unpickling an object would import its module before the job's
    script has set the path of the library. A job runs again if one of them has changed.
    """
    empty = {"title": "", "summary": "", "classifiers": (), "folds": (), "diagnostics": False}
    fields = {name: getattr(study, name) for name in ("id", *names)}
    return {**empty, "analyses": {}, **fields}


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
