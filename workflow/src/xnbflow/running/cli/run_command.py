"""The command ``run``, which runs a study through Snakemake."""

import os
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import typer

from xnbflow.core.errors import InputError
from xnbflow.running.cli.terminal import warn

#: The plugin that words the events of a run; absent if the library is not installed.
_LOGGER = "snakemake_logger_plugin_xnbflow"
#: Options that name the folder of a run.
_FOLDER_OPTIONS = {"--directory", "-d"}
#: Options that decide the number of cores; without one, all are used.
_CORE_OPTIONS = {"--cores", "-c", "--jobs", "-j", "--profile"}
#: Options with which Snakemake's own lines are printed: for a dry run, or as the user asks.
_OUTPUT_OPTIONS = {"--quiet", "-q", "--dry-run", "--dryrun", "-n", "--verbose", "--logger"}


def run_study(context: typer.Context, study: str) -> None:
    """Run a study through Snakemake; every further option is Snakemake's.

    The file STUDY.yaml of this folder, which `xnbflow study -o STUDY` writes, is used by itself.
    """
    from xnbflow.running.cli.configuration import find_configuration  # noqa: PLC0415

    configuration = find_configuration(study, context.args)
    if configuration:
        warn(f"the configuration is {configuration[1]}")
    _call_snakemake(study, [*context.args, *configuration])


def _call_snakemake(study: str, options: Sequence[str]) -> None:
    """Run a target with further options of Snakemake, and end with its exit code."""
    from xnbflow.running.job_process import PRINTS_CAUSES  # noqa: PLC0415
    from xnbflow.running.project import ROOT  # noqa: PLC0415

    # Snakemake of this environment, else a program of another one.
    program = shutil.which("snakemake")
    if Path(sys.executable).with_name("snakemake").exists():
        # -P: a module in the folder of the run replaces no installed one
        words = [sys.executable, "-P", "-m", "xnbflow.running.snakemake_program"]
    elif program is not None:
        words = [program]
    else:
        raise InputError("Snakemake is not installed; install xnbflow with its extra `workflow`")

    names = {option.partition("=")[0] for option in options}
    if not names & _FOLDER_OPTIONS and not os.access(Path.cwd(), os.W_OK):
        msg = f"{Path.cwd()} cannot be written; run in another folder, or name one by --directory"
        raise InputError(msg)

    # Options of the user, and defaults for what they do not set.
    arguments = [*words, "--snakefile", str(ROOT / "Snakefile"), study]
    if not names & _CORE_OPTIONS:
        arguments += ["--cores", "all"]
    # If a job fails, Snakemake runs all jobs that do not depend on it.
    arguments += ["--keep-going", *options]
    environment = dict(os.environ)
    if not names & _OUTPUT_OPTIONS and find_spec(_LOGGER) is not None:
        arguments += ["--logger", "xnbflow"]
        environment[PRINTS_CAUSES] = "1"

    sys.stdout.flush()
    os.execve(words[0], arguments, environment)  # noqa: S606  the same process, no shell
