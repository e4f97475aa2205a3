"""The configuration that ``xnbflow run`` uses: the project's, or a file of this folder.

Nothing numerical is imported here: a run starts without the libraries of its jobs.
"""

from collections.abc import Sequence
from pathlib import Path

from xnbflow.core.errors import InputError, known_names
from xnbflow.running.cli.output_files import is_proposed_configuration
from xnbflow.running.config import RULES
from xnbflow.running.project import default_configuration

#: Options of Snakemake that name the configuration.
_CONFIGURATION_OPTIONS = {"--configfile", "--configfiles"}


def find_configuration(study: str, options: Sequence[str]) -> list[str]:
    """Return the option for the file ``<study>.yaml`` of this folder, if it is needed.

    It is not needed for a study or rule of the project, or if the user names a file. A study that
    does not exist is an `InputError`, and so is the file of a study in its place; other files may
    be targets of Snakemake.
    """
    if _is_proposal(Path(study)):
        msg = f"{study} is a file; name the study in it: xnbflow run {Path(study).stem}"
        raise InputError(msg, file=study)
    names = {option.partition("=")[0] for option in options}
    if names & _CONFIGURATION_OPTIONS:
        return []
    studies = default_configuration().get("studies", {})
    if study in {*studies, *RULES}:
        return []
    path = Path(f"{study}.yaml")
    if path.is_file():
        return ["--configfile", str(path)]
    is_target = len(Path(study).parts) > 1 or "." in study  # a file, which Snakemake may make
    if not is_target and "--config" not in names:
        proposed = [file.stem for file in sorted(Path().glob("*.yaml")) if _is_proposal(file)]
        others = known_names(study, [*proposed, *studies])
        msg = f"there is no study {study!r}, nor {path} here; {others}"
        raise InputError(msg)
    return []


def _is_proposal(path: Path) -> bool:
    """Return whether a path is a file of a study that ``xnbflow study -o`` writes."""
    return path.suffix == ".yaml" and is_proposed_configuration(path)
