"""Programs that options of Snakemake need, checked before the first job."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from xnbflow.running.cluster import option_value

_DEPLOYMENT = ("--software-deployment-method", "--sdm")


@dataclass(frozen=True, kw_only=True)
class _Need:
    """A value of an option that needs one of several programs, and the remedy without them."""

    options: tuple[str, ...]
    value: str
    programs: tuple[str, ...]
    remedy: str


_NEEDS = (
    _Need(
        options=_DEPLOYMENT,
        value="conda",
        programs=("conda", "mamba", "micromamba"),
        remedy=(
            "Install conda (for example Miniforge), or leave the option out: jobs then use this "
            "Python"
        ),
    ),
    _Need(
        options=_DEPLOYMENT,
        value="apptainer",
        programs=("apptainer", "singularity"),
        remedy="Install apptainer, or leave the option out: jobs then use this Python",
    ),
    _Need(
        options=("--default-storage-provider",),
        value="fs",
        programs=("rsync",),
        remedy="Install rsync (apt-get install rsync, conda install rsync)",
    ),
)


def missing_program(arguments: Sequence[str]) -> str:
    """Return which program a call of Snakemake needs and does not find; empty if none is missing.

    Examples
    --------
    >>> missing_program(["--cores", "2"])
    ''
    """
    for need in _NEEDS:
        for option in need.options:
            if option_value(arguments, option) != need.value:
                continue
            if not any(shutil.which(program) for program in need.programs):
                return (
                    f"{option} {need.value} needs the program {' or '.join(need.programs)}, which "
                    f"is not found. {need.remedy}"
                )
    return ""
