"""The rules *validate* and *combine*: second cohorts, and several series of one question."""

from dataclasses import dataclass
from typing import Any

from xnbflow.core.study import Cohorts
from xnbflow.running.plan import Plan
from xnbflow.running.planners.inputs import Values


@dataclass(frozen=True)
class CohortPlanner:
    """The cohorts of a study; each method has the wildcard ``study``."""

    plan: Plan

    # validate

    def validations(self, wildcards: Any) -> list[Values]:
        """Return one mapping for a study with second cohorts, and none for other studies."""
        return [{}] if self.plan.study(wildcards).validate else []

    def validation_datasets(self, wildcards: Any) -> list[Values]:
        """Return the data sets on which models are fitted and tested."""
        return [{"dataset": name} for name in self.plan.study(wildcards).validation_datasets]

    def pairs(self, wildcards: Any) -> list[dict[str, Any]]:
        """Return the fields of each `xnbflow.core.study.Validation`."""
        return [vars(pair) for pair in self.plan.study(wildcards).validate]

    def model_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of the tested models, by data set and id of the classifier."""
        entries: dict[str, dict[str, Any]] = {}
        for pair in self.plan.study(wildcards).validate:
            entry = self.plan.config.classifier(pair.model, pair.train)
            entries.setdefault(pair.train, {})[pair.model] = entry
        return entries

    # combine

    def combinations(self, wildcards: Any) -> list[Values]:
        """Return one mapping for a study that combines series, and none for other studies."""
        return [{}] if self.plan.study(wildcards).cohort_series else []

    def combined_datasets(self, wildcards: Any) -> list[Values]:
        """Return the data sets whose series are combined."""
        return [{"dataset": name} for name in self.plan.study(wildcards).cohort_series]

    def cohorts(self, wildcards: Any) -> Cohorts:
        """Return the cohorts of a job of *combine*, which only studies with cohorts have."""
        cohorts = self.plan.study(wildcards).cohorts
        if cohorts is None:
            msg = f"the study {wildcards.study} has no cohorts"
            raise ValueError(msg)
        return cohorts

    def designs(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the settings of designs on which effects of genes in combined series depend."""
        study = self.plan.study(wildcards)
        designs = {}
        for name in study.cohort_series:
            design = self.plan.design_of(study, name)
            designs[name] = {key: design[key] for key in ("adjust", "repeated", "trend")}
        return designs

    def entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the configuration of the classifier of all cohorts."""
        return self.plan.config.classifier(self.cohorts(wildcards).model)

    def label(self, wildcards: Any) -> str:
        """Return the label of the classifier of all cohorts."""
        label: str = self.plan.config.classifiers[self.cohorts(wildcards).model]["label"]
        return label
