"""The rules *analyse* and *report*: computations of a paper, and the page of a study."""

from dataclasses import dataclass
from typing import Any

from xnbflow.core.entries import Analysis
from xnbflow.core.plugins import known_analyses
from xnbflow.report.outline import figure_labels
from xnbflow.running.plan import Plan
from xnbflow.running.planners.inputs import Values
from xnbflow.tables.contract import STUDY_FILES


@dataclass(frozen=True)
class AnalysePlanner:
    """The analyses of a study; each method has the wildcards ``study`` and ``analysis``."""

    plan: Plan

    def analysis(self, wildcards: Any) -> Analysis:
        """Return the entry of an analysis."""
        return known_analyses()[wildcards.analysis]

    def settings(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of an analysis in a study."""
        return self.plan.study(wildcards).analyses.get(wildcards.analysis, {})

    def datasets(self, wildcards: Any) -> list[Values]:
        """Return the data sets of an analysis; none of a simulation."""
        return [{"dataset": name} for name in self.settings(wildcards).get("datasets", ())]

    def folds_file(self, wildcards: Any) -> list[str]:
        """Return the user's file of predefined folds, else none."""
        settings = self.settings(wildcards)
        return self.plan.file_of_scheme(settings["folds"]) if "folds" in settings else []

    def needed_tables(self, wildcards: Any) -> list[str]:
        """Return the tables of the study that an analysis reads, of *compare*."""
        names = self.analysis(wildcards).needs
        return [STUDY_FILES[name].of(study=wildcards.study) for name in names]

    def scheme(self, wildcards: Any) -> dict[str, Any] | None:
        """Return the scheme of folds of an analysis that divides its samples; else None."""
        settings = self.settings(wildcards)
        return vars(self.plan.config.folds[settings["folds"]]) if "folds" in settings else None


@dataclass(frozen=True)
class ReportPlanner:
    """The page of a study; each method has the wildcard ``study``."""

    plan: Plan

    def analyses(self, wildcards: Any) -> list[Values]:
        """Return the analyses of a study."""
        return [{"analysis": name} for name in self.plan.study(wildcards).analyses]

    def configuration(self, wildcards: Any) -> dict[str, Any]:
        """Return the complete configuration of a study, for the record and for repetition."""
        plan = self.plan
        study = plan.study(wildcards)
        folds = list(study.folds)
        folds += [settings["folds"] for settings in study.analyses.values() if "folds" in settings]
        datasets = {}
        preprocessing = {}
        for name in plan.datasets_of(study):
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

    def figure_labels(self, wildcards: Any) -> dict[str, str]:
        """Return the labels of a figure in Snakemake's own report: its data set, and more."""
        study = self.plan.study(wildcards)
        datasets = self.plan.datasets_of(study)
        labels = figure_labels(wildcards.figure, datasets, study.folds, study.classifiers)
        return {key: text for key, text in labels.items() if text}
