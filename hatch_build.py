"""Put the files of the workflow into the wheel, where an installed `xnbflow run` finds them."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: What a run reads besides the library; each has the same place below ``xnbflow/project``.
PROJECT = (
    *("Snakefile", "config", "envs", "profiles"),
    *(f"workflow/{part}" for part in ("Snakefile", "report", "rules", "schemas")),
    "workflow/scripts",
)


class ProjectHook(BuildHookInterface):
    """Add the project to a wheel; an editable installation uses the files of the clone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files that the wheel contains besides the package."""
        if version == "standard":
            build_data["force_include"] |= {part: f"xnbflow/project/{part}" for part in PROJECT}
