"""The rules *seek* and *acquire*: a data set is an entry, with files of a user."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xnbflow.running.plan import Plan, existing_path
from xnbflow.running.planners.inputs import Values
from xnbflow.running.provenance import own_code
from xnbflow.sources.registry import known_sources
from xnbflow.tables.contract import PLACES

#: Endings of compressed files.
_COMPRESSED = (".gz", ".xlsx", ".parquet", ".h5ad")
#: MB of text in a MB of a compressed file, about.
_COMPRESSION = 4


@dataclass(frozen=True)
class AcquirePlanner:
    """The data sets; each method has the wildcard ``dataset``."""

    plan: Plan

    def entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the entry of a data set as the configuration has it."""
        return self.plan.datasets[wildcards.dataset].settings()

    def user_files(self, wildcards: Any) -> dict[str, str]:
        """Return the user's files of a data set by the field of the entry that names them."""
        place = f"data set {wildcards.dataset}"
        files = self.plan.datasets[wildcards.dataset].local_files
        return {key: self.plan.local_file(path, f"{place}, {key}") for key, path in files.items()}

    def named_files(self, wildcards: Any) -> dict[str, str]:
        """Return the user's files of a data set, existing or not, by the field of the entry."""
        files = self.plan.datasets[wildcards.dataset].local_files
        return {key: str(existing_path(path, self.plan.root)) for key, path in files.items()}

    def optional(self, wildcards: Any) -> list[Values]:
        """Return one mapping for a data set that is optional in a study, else none."""
        studies = self.plan.config.studies.values()
        return [{}] if any(wildcards.dataset in study.optional for study in studies) else []

    def user_file_states(self, wildcards: Any) -> dict[str, list[int]]:
        """Return size and time of the user's files of a data set.

        Snakemake compares times only: it would not read a file again that is replaced by an older
        one.
        """
        states = {}
        for key, path in self.user_files(wildcards).items():
            status = Path(path).stat()
            states[key] = [status.st_size, status.st_mtime_ns]
        return states

    def own_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digest of the module that loads a data set, if it is not of xnbflow."""
        source = self.plan.datasets[wildcards.dataset].source
        return own_code([known_sources()[source].module])

    def size_mb(self, wildcards: Any, files: Any) -> float:
        """Return the MB of a data set as text by its files, a rule's inputs, else by the entry."""
        size = 0.0
        places = PLACES.of(dataset=wildcards.dataset)
        for path, mb in zip(files, files.size_files_mb, strict=True):
            if path == places:  # the table of *seek* is no part of the data
                continue
            size += mb * _COMPRESSION if path.endswith(_COMPRESSED) else mb
        return size or self.plan.dataset_mb(wildcards)
