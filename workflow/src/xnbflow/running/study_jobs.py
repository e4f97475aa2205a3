"""What the rules of a study ask: *cohorts*, *compare*, *analyse*, *report*, and the targets.

A rule contains its paths; a planner has the names that are put into them, and the parameters of
the jobs.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from xnbflow.core.entries import Analysis
from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Study
from xnbflow.report.outline import figure_labels, section_modules
from xnbflow.running.plan import Plan, is_in_project
from xnbflow.running.provenance import file_code, own_code
from xnbflow.running.rule_parts import Values
from xnbflow.sources.places.pinned import pinned_url
from xnbflow.tables.contract import (
    ALL_COHORTS_FOLDER,
    COHORTS_FOLDER,
    FIGURES_FOLDER,
    GENE_SETS,
    GROUPS,
    MODEL,
    REPORT,
)


@dataclass(frozen=True)
class StudyPlanner:
    """The jobs of a study; each method has the wildcard ``study``, those of analyses ``analysis``.

    The first methods return the wildcards of files, such as ``[{"dataset": "wine"}]`` for the file
    of one data set.
    """

    plan: Plan

    # the wildcards of files

    def itself(self, wildcards: Any) -> list[Values]:  # noqa: ARG002
        """Return one mapping without values: the wildcards of a file of the study."""
        return [{}]

    def datasets(self, wildcards: Any) -> list[Values]:
        """Return the data sets of a study."""
        return [{"dataset": name} for name in self.plan.study(wildcards).datasets]

    def training_jobs(self, wildcards: Any) -> list[Values]:
        """Return the jobs of training of a study."""
        return [
            {"dataset": dataset, "folds": folds, "job": job}
            for dataset, folds, job in self.plan.study(wildcards).training_jobs
        ]

    def check_datasets(self, wildcards: Any) -> list[Values]:
        """Return the data sets with a job of *check*."""
        checks = self.checks(wildcards)
        pairs = [*checks["label_tests"], *checks["halves"]]
        datasets = dict.fromkeys(dataset for dataset, _ in pairs)
        return [{"dataset": dataset} for dataset in datasets]

    def models(self, wildcards: Any) -> list[Values]:
        """Return the data sets and classifiers that are fitted to all samples."""
        return _pairs_as_values(self.plan.study(wildcards).models)

    def end_group(self, wildcards: Any) -> str | None:
        """Return the group of *compare* and *report*, which take seconds: one job of a cluster.

        It is None for a study with an analysis between them, which reads the tables of *compare*:
        Snakemake refuses a group with a job of another group in its midst.
        """
        known = known_analyses()
        analyses = self.plan.study(wildcards).analyses
        return None if any(known[name].needs for name in analyses) else "end"

    # genes

    def arguments_of_genes(self, wildcards: Any) -> dict[str, Any]:
        """Return the design of a data set in a study, and the gene sets that are no input."""
        study = self.plan.study(wildcards)
        return {
            "design": self.plan.design_of(study, wildcards.dataset),
            "shipped_gene_sets": self.shipped_gene_sets(wildcards),
            "gene_set_urls": self.gene_set_urls(wildcards),
        }

    def gene_set_files(self, wildcards: Any) -> list[str]:
        """Return the user's files of gene sets."""
        study = self.plan.study(wildcards)
        place = f"configuration, studies.{study.id}.gene_sets"
        shipped = self.shipped_gene_sets(wildcards)
        return [
            self.plan.local_file(path, place)
            for path in study.gene_sets
            if pinned_url(path) is None and path not in shipped
        ]

    def shipped_gene_sets(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of the files of gene sets that are in the project, by their paths.

        They are parameters of a job, since as inputs they would have the place and time of one
        clone.
        """
        root = self.plan.root
        return {
            path: file_code(root / path)
            for path in self.plan.study(wildcards).gene_sets
            if pinned_url(path) is None and is_in_project(path, root)
        }

    def gene_set_urls(self, wildcards: Any) -> list[str]:
        """Return the public files of gene sets, which the job downloads."""
        study = self.plan.study(wildcards)
        return [location for location in study.gene_sets if pinned_url(location) is not None]

    # compare

    def comparison_fields(self, wildcards: Any) -> dict[str, Any]:
        """Return the fields of a study on which its tables depend, see `study_fields`.

        Of its designs these are the columns that are biology, which limit no verdict.
        """
        study = self.plan.study(wildcards)
        names = ("datasets", "classifiers", "folds", "diagnostics")
        further = ("final", "headline", "jobs", "validate", "cohorts")
        biology = {
            dataset: {"biology": list(design.biology)}
            for dataset, design in study.designs.items()
            if design.biology
        }
        return study_fields(study, *names, *further) | {"designs": biology}

    def arguments_of_compare(self, wildcards: Any) -> dict[str, Any]:
        """Return what the tables of a study depend on, beside the files of its jobs.

        ``entries`` are the configurations of its classifiers by data set and id, ``alpha`` is the
        level of the tests of normality.
        """
        study = self.plan.study(wildcards)
        entries = {
            name: self.plan.classifier_entries(name, study.classifiers) for name in study.datasets
        }
        return {
            "study": self.comparison_fields(wildcards),
            "checks": self.checks(wildcards),
            "entries": entries,
            "alpha": self.plan.config.diagnostics["normality_alpha"],
        }

    def checks(self, wildcards: Any) -> dict[str, list[tuple[str, str]]]:
        """Return the fields of `xnbflow.studies.study_reader.StudyChecks`."""
        study = self.plan.study(wildcards)
        config = self.plan.config
        return {
            "label_tests": config.label_tests(study),
            "halves": config.halves(study),
        }

    def own_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digests of modules of the user and of plugins that a study uses.

        These are its classifiers, analyses and sections. An edit of one repeats all jobs of the
        study but those of *acquire*, *diagnose* and *genes*.
        """
        study = self.plan.study(wildcards)
        known = known_analyses()
        modules = [*self.plan.method_paths(study), *section_modules(study, known)]
        for name in study.analyses:
            modules += known[name].modules
        return own_code(modules)

    # cohorts

    def with_cohorts(self, wildcards: Any) -> list[Values]:
        """Return one mapping for a study with second cohorts or several series, else none."""
        return [{}] if self.cohort_series(wildcards) else []

    def cohort_series(self, wildcards: Any) -> list[Values]:
        """Return the data sets whose models are tested, and whose series are combined."""
        study = self.plan.study(wildcards)
        names = dict.fromkeys([*study.validation_datasets, *study.cohort_series])
        return [{"dataset": name} for name in names]

    def cohort_mb(self, wildcards: Any) -> float:
        """Return the MB of these data sets as text."""
        return self.plan.datasets_mb(self.cohort_series(wildcards))

    def arguments_of_cohorts(self, wildcards: Any) -> dict[str, Any]:
        """Return arguments of `xnbflow.jobs.cohorts.compare_cohorts`."""
        pairs = self.plan.study(wildcards).validate
        entries: dict[str, dict[str, Any]] = {}
        for pair in pairs:
            entry = self.plan.config.classifier(pair.model, pair.train)
            entries.setdefault(pair.train, {})[pair.model] = entry
        return {
            "pairs": [vars(pair) for pair in pairs],
            "entries": entries,
            "combination": self.combination(wildcards),
        }

    def combination(self, wildcards: Any) -> dict[str, Any] | None:
        """Return what is combined, see `xnbflow.jobs.cohorts.compare_cohorts`; None if nothing."""
        study = self.plan.study(wildcards)
        if study.cohorts is None:
            return None
        model = study.cohorts.model
        return {
            "datasets": list(study.cohort_series),
            "entry": self.plan.config.classifier(model),
            "match": study.cohorts.match,
            "harmonise": study.cohorts.harmonise,
            "model": model,
            "designs": self.designs(wildcards),
        }

    def designs(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the settings of designs on which effects of genes in combined series depend."""
        study = self.plan.study(wildcards)
        designs = {}
        for name in study.cohort_series:
            design = self.plan.design_of(study, name)
            designs[name] = {key: design[key] for key in ("adjust", "repeated", "trend")}
        return designs

    # analyse

    def analysis(self, wildcards: Any) -> Analysis:
        """Return the entry of an analysis."""
        return known_analyses()[wildcards.analysis]

    def settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of an analysis in a study."""
        return self.plan.study(wildcards).analyses.get(wildcards.analysis, {})

    def analysis_datasets(self, wildcards: Any) -> list[Values]:
        """Return the data sets of an analysis; none of a simulation."""
        return [{"dataset": name} for name in self.settings(wildcards).get("datasets", ())]

    def analysis_folds_file(self, wildcards: Any) -> list[str]:
        """Return the user's file of predefined folds, else none."""
        settings = self.settings(wildcards)
        return self.plan.file_of_scheme(settings["folds"]) if "folds" in settings else []

    def needed_tables(self, wildcards: Any) -> list[str]:
        """Return the tables of the study that an analysis reads, of *compare*."""
        names = self.analysis(wildcards).needs
        return [GROUPS["study"].files[name].of(study=wildcards.study) for name in names]

    def arguments_of_analyse(self, wildcards: Any) -> dict[str, Any]:
        """Return arguments of `xnbflow.jobs.analyse.run_analysis`.

        ``scheme`` is that of the folds of an analysis that divides its samples, else None.
        """
        study = self.plan.study(wildcards)
        settings = self.settings(wildcards)
        scheme = self.plan.config.folds[settings["folds"]] if "folds" in settings else None
        return {
            "settings": settings.get("params", {}),
            "scheme": None if scheme is None else vars(scheme),
            "parts": study.paper,
            "folds": study.folds,
        }

    # report

    def analyses(self, wildcards: Any) -> list[Values]:
        """Return the analyses of a study."""
        return [{"analysis": name} for name in self.plan.study(wildcards).analyses]

    def arguments_of_report(self, wildcards: Any) -> dict[str, Any]:
        """Return the labels of a study's classifiers by id, its missing data sets and record."""
        study = self.plan.study(wildcards)
        classifiers = self.plan.config.classifiers
        return {
            "labels": {name: classifiers[name]["label"] for name in study.classifiers},
            "missing": study.missing,
            "configuration": self.configuration(wildcards),
        }

    def configuration(self, wildcards: Any) -> dict[str, Any]:
        """Return the complete configuration of a study, for the record and for repetition."""
        plan = self.plan
        study = plan.study(wildcards)
        folds = list(study.folds)
        folds += [settings["folds"] for settings in study.analyses.values() if "folds" in settings]
        datasets = {}
        preprocessing = {}
        for name in study.all_datasets:
            datasets[name] = plan.datasets[name].settings()
            if name in plan.config.preprocessing:
                preprocessing[name] = plan.config.preprocessing[name]
        configuration = {
            "studies": {study.id: plan.raw["studies"][study.id]},
            "datasets": datasets,
            "classifiers": {name: plan.raw["classifiers"][name] for name in study.classifiers},
            "folds": {name: plan.raw["folds"][name] for name in folds},
            "diagnostics": plan.raw["diagnostics"],
        }
        if preprocessing:
            configuration["preprocessing"] = preprocessing
        return configuration

    def figure_category(self, wildcards: Any) -> str:
        """Return the category of a figure in Snakemake's own report: its study and data set."""
        return f"{wildcards.study} - {self.figure_labels(wildcards)['data set']}"

    def figure_labels(self, wildcards: Any) -> dict[str, str]:
        """Return the labels of a figure in Snakemake's own report: its data set, and more."""
        study = self.plan.study(wildcards)
        datasets = study.all_datasets
        labels = figure_labels(wildcards.figure, datasets, study.folds, study.classifiers)
        return {key: text for key, text in labels.items() if text}

    # targets

    def of_study(self, name: str, _wildcards: Any = None) -> list[str]:
        """Return the files that a run of a study writes."""
        study = self.plan.study_of(name)
        tables = [path for group in GROUPS.values() for path in group.targets(study)]
        return list(dict.fromkeys([*tables, *model_files(study), *cohort_files(study)]))

    def of_run(self, _wildcards: Any = None) -> list[str]:
        """Return the files of all studies under ``run:``."""
        return [path for study in self.plan.config.run for path in self.of_study(study)]

    def figures(self, _wildcards: Any = None) -> list[str]:
        """Return the folders of figures of all studies under ``run:``."""
        return [FIGURES_FOLDER.of(study=study) for study in self.plan.config.run]

    def pages(self) -> list[Path]:
        """Return the existing pages of the planned studies."""
        pages = [Path(REPORT.of(study=study)).absolute() for study in self.plan.planned]
        return [page for page in pages if page.exists()]


def _pairs_as_values(pairs: list[tuple[str, str]]) -> list[Values]:
    """Return pairs of data set and classifier as values of wildcards."""
    return [{"dataset": dataset, "classifier": name} for dataset, name in pairs]


def study_fields(study: Study, *names: str) -> dict[str, Any]:
    """Return fields of a study for `xnbflow.core.study.study_of`; all others are empty.

    They are plain values, since unpickling an object would import its module before the job's
    script has set the path of the library. A job runs again if one of them has changed.
    """
    empty = {"title": "", "summary": "", "classifiers": (), "folds": (), "diagnostics": False}
    values = asdict(study)
    fields = {name: values[name] for name in ("id", *names)}
    return {**empty, "analyses": {}, **fields}


def model_files(study: Study) -> list[str]:
    """Return the models of all samples of a study, with their gene sets and tables."""
    return [
        template.of(study=study.id, dataset=dataset, classifier=classifier)
        for dataset, classifier in study.models
        for template in (MODEL, GENE_SETS, *GROUPS["model"].files.values())
    ]


def cohort_files(study: Study) -> list[str]:
    """Return the folders of the tables of the cohorts of a study, and of the model of all."""
    if not (study.validate or study.cohort_series):
        return []
    return [COHORTS_FOLDER.of(study=study.id), ALL_COHORTS_FOLDER.of(study=study.id)]
