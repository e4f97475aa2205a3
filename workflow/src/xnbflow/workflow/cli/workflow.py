"""From the command line to Snakemake: the same workflow, whose rules stand beside this library."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from xnbflow.data.errors import InputError

__all__ = ["call_snakemake", "snakefile"]


def snakefile() -> Path:
    """Return the workflow's Snakefile.

    Raises
    ------
    InputError
        If this library was installed without the workflow.
    """
    path = Path(__file__).parents[4] / "Snakefile"
    if not path.is_file():
        msg = (
            "this installation of xnbflow has the library only; clone the repository to run "
            "studies, or call Snakemake with its Snakefile"
        )
        raise InputError(msg)
    return path


def call_snakemake(study: str, options: Sequence[str]) -> None:
    """Run a study and end this process with Snakemake's exit code.

    Parameters
    ----------
    study : str
        A target of the workflow.
    options : sequence of str
        Further options; ``--cores all`` where none says how many.
    """
    beside = Path(sys.executable).with_name("snakemake")
    program = str(beside) if beside.exists() else shutil.which("snakemake")
    if program is None:
        msg = "Snakemake is not installed; install xnbflow with its extra `workflow`"
        raise InputError(msg)
    told = {option.partition("=")[0] for option in options}
    cores = [] if told & {"--cores", "-c", "--jobs", "-j", "--profile"} else ["--cores", "all"]
    arguments = [program, "--snakefile", str(snakefile()), study, *cores, *options]
    sys.stdout.flush()
    os.execv(program, arguments)  # noqa: S606  the same process, no shell
