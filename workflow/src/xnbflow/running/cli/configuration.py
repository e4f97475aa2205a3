"""The configuration that ``xnbflow run`` uses: the project's, or a file of this folder.

Nothing numerical is imported here: a run starts without the libraries of its jobs.
"""

from collections.abc import Sequence
from pathlib import Path

from xnbflow.core.errors import InputError
from xnbflow.running.config import RULES
from xnbflow.running.project import default_configuration

#: Options of Snakemake that name the configuration.
_CONFIGURATION_OPTIONS = {"--configfile", "--configfiles"}


def find_configuration(study: str, options: Sequence[str]) -> list[str]:
    """Return the option for the file ``<study>.yaml`` of this folder, if it is needed.

    It is not needed for a study or rule of the project, or if the user names a file. The file of a
    study in place of the study is an `InputError`; other files may be targets of Snakemake.
    """
    if _is_proposal(Path(study)):
        msg = f"{study} is a file; name the study in it: xnbflow run {Path(study).stem}"
        raise InputError(msg, file=study)
    names = {option.partition("=")[0] for option in options}
    if names & _CONFIGURATION_OPTIONS:
        return []
    if study in {*default_configuration().get("studies", {}), *RULES}:
        return []
    path = Path(f"{study}.yaml")
    return ["--configfile", str(path)] if path.is_file() else []


def _is_proposal(path: Path) -> bool:
    """Return whether a path is one of the two files that ``xnbflow study -o`` writes."""
    return path.suffix in {".yaml", ".tsv"} and all(
        path.with_suffix(suffix).is_file() for suffix in (".yaml", ".tsv")
    )
