"""The rules *diagnose* and *genes*: the tests of a data set, and its design in a study."""

from dataclasses import dataclass
from typing import Any

from xnbflow.running.plan import Plan


@dataclass(frozen=True)
class DiagnosePlanner:
    """The diagnostics of a data set; the method has the wildcard ``dataset``."""

    plan: Plan

    def tests(self, wildcards: Any) -> dict[str, Any] | None:
        """Return the settings of the tests of a data set; None if no study has their section."""
        studies = self.plan.config.studies.values()
        if not any(study.diagnostics and wildcards.dataset in study.datasets for study in studies):
            return None
        settings = self.plan.config.diagnostics
        return {
            "min_abs_r": settings["min_abs_r"],
            "alpha": settings["dependence_alpha"],
            "dof": settings["dof"],
        }


@dataclass(frozen=True)
class GenePlanner:
    """The comparisons of features; the method has the wildcards ``study`` and ``dataset``."""

    plan: Plan

    def design(self, wildcards: Any) -> dict[str, Any]:
        """Return the design of a data set in a study, with the trend that it has by default."""
        return self.plan.design_of(self.plan.study(wildcards), wildcards.dataset)
