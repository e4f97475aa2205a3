"""SLURM clusters without accounting, on which Snakemake would wait for ever for the end of a job.

The SLURM plugin of Snakemake asks ``sacct`` whether jobs have ended. Without accounting ``sacct``
never reports it; ``squeue`` does.
"""

import re
import shutil
import subprocess
from typing import Any

#: Time limit for an answer of the controller, in seconds.
_TIMEOUT = 20


def _lacks_accounting() -> bool:
    """Return whether this machine belongs to a SLURM cluster without accounting.

    It is false where there is no SLURM, or its controller does not answer.
    """
    scontrol = shutil.which("scontrol")
    if scontrol is None:
        return False
    try:
        process = subprocess.run(  # noqa: S603  a fixed command
            [scontrol, "show", "config"],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    storage = re.search(r"^AccountingStorageType\s*=\s*(\S+)", process.stdout, re.MULTILINE)
    return bool(storage and storage[1] in {"(null)", "accounting_storage/none"})


def why_it_would_wait(executor: str, settings: Any) -> str:
    """Return why a run would wait for ever, with the remedy; empty if it ends.

    Parameters
    ----------
    executor : str
        The name of the plugin of Snakemake that submits jobs.
    settings : object
        The settings of the plugin; ``status_command`` of SLURM's is "sacct" or "squeue".

    Examples
    --------
    >>> why_it_would_wait("local", None)
    ''
    """
    asks_sacct = executor == "slurm" and getattr(settings, "status_command", "") != "squeue"
    if not asks_sacct or not _lacks_accounting():
        return ""
    return (
        "This SLURM cluster has no accounting, so that sacct never reports the end of a job. Add "
        "--slurm-status-command squeue, or slurm-status-command: squeue to the profile"
    )
