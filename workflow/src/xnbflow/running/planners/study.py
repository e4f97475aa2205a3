"""The rule *compare*: the data sets, jobs and models of a study."""

from dataclasses import asdict, dataclass
from typing import Any

from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Study
from xnbflow.report.outline import section_modules
from xnbflow.running.plan import Plan, is_in_project
from xnbflow.running.planners.inputs import Values
from xnbflow.running.provenance import file_code, own_code
from xnbflow.sources.places.pinned import pinned_url


@dataclass(frozen=True)
class StudyPlanner:
    """The parts of a study; each method has the wildcard ``study``.

    The first methods return the wildcards of files, such as ``[{"dataset": "wine"}]`` for the file
    of one data set.
    """

    plan: Plan

    def datasets(self, wildcards: Any) -> list[Values]:
        """Return the data sets of a study."""
        return [{"dataset": name} for name in self.plan.study(wildcards).datasets]

    def diagnostics_datasets(self, wildcards: Any) -> list[Values]:
        """Return the data sets with tests of normality and dependence."""
        return self.datasets(wildcards) if self.plan.study(wildcards).diagnostics else []

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

    # parameters

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

    def comparison_fields(self, wildcards: Any) -> dict[str, Any]:
        """Return the fields of a study on which its tables depend, see `study_fields`."""
        names = ("title", "summary", "datasets", "classifiers", "folds", "diagnostics")
        further = ("final", "headline", "jobs", "validate", "cohorts")
        return study_fields(self.plan.study(wildcards), *names, *further)

    def checks(self, wildcards: Any) -> dict[str, list[tuple[str, str]]]:
        """Return the fields of `xnbflow.studies.study_inputs.StudyChecks`."""
        study = self.plan.study(wildcards)
        config = self.plan.config
        return {
            "label_tests": config.label_tests(study),
            "halves": config.halves(study),
        }

    def labels(self, wildcards: Any) -> dict[str, str]:
        """Return the labels of the classifiers of a study by id."""
        classifiers = self.plan.config.classifiers
        return {name: classifiers[name]["label"] for name in self.plan.study(wildcards).classifiers}

    def entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of the classifiers of a study by data set and id."""
        study = self.plan.study(wildcards)
        return {
            name: self.plan.classifier_entries(name, study.classifiers) for name in study.datasets
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
