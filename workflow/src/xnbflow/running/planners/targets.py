"""The rules *all* and those of studies: the files that a run writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xnbflow.core.study import Study
from xnbflow.running.plan import Plan
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
class TargetPlanner:
    """The files of the studies of a configuration."""

    plan: Plan

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
