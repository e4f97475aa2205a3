"""SLURM clusters without accounting, on which Snakemake would wait for ever.

The SLURM plugin of Snakemake asks ``sacct`` whether jobs have ended. Without accounting ``sacct``
never reports it; ``squeue`` does.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

#: The option by which the plugin asks squeue.
STATUS_OPTION = ("--slurm-status-command", "squeue")
#: Seconds after which a controller that does not answer is not waited for.
_TIMEOUT = 20
_PROFILE_FILES = ("config*.yaml", "config*.yml")


def lacks_accounting() -> bool:
    """Return whether this machine belongs to a SLURM cluster without accounting.

    It is false where there is no SLURM, or its controller does not answer.
    """
    scontrol = shutil.which("scontrol")
    if scontrol is None:
        return False
    try:
        done = subprocess.run(  # noqa: S603  a fixed command
            [scontrol, "show", "config"],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    storage = re.search(r"^AccountingStorageType\s*=\s*(\S+)", done.stdout, re.MULTILINE)
    return bool(storage and storage[1] in {"(null)", "accounting_storage/none"})


def asks_sacct(arguments: Sequence[str]) -> bool:
    """Return whether a call of Snakemake submits jobs by SLURM and asks ``sacct`` for their status.

    Examples
    --------
    >>> asks_sacct(["--executor", "slurm"])
    True
    >>> asks_sacct(["--executor=slurm", "--slurm-status-command", "squeue"])
    False
    >>> asks_sacct(["--cores", "4"])
    False
    """
    settings: dict[str, Any] = {}
    profile = option_value(arguments, "--profile") or os.environ.get("SNAKEMAKE_PROFILE", "")
    for name in profile.split(","):
        settings |= _profile_settings(name)
    for option in ("executor", "slurm-status-command"):
        if value := option_value(arguments, f"--{option}"):
            settings[option] = value
    if value := option_value(arguments, "-e"):
        settings["executor"] = value
    return settings.get("executor") == "slurm" and settings.get("slurm-status-command") != "squeue"


def why_it_would_wait(arguments: Sequence[str]) -> str:
    """Return why a call of Snakemake would wait for ever, and what to do; else an empty text."""
    if not asks_sacct(arguments) or not lacks_accounting():
        return ""
    return (
        "This SLURM cluster has no accounting, so that sacct never reports the end of a job. Add "
        f"{' '.join(STATUS_OPTION)}, or slurm-status-command: squeue to the profile"
    )


def option_value(arguments: Sequence[str], name: str) -> str:
    """Return the value of an option, given as ``name value`` or ``name=value``; empty without."""
    for i, argument in enumerate(arguments):
        if argument.startswith(f"{name}="):
            return argument.partition("=")[2]
        if argument == name and i + 1 < len(arguments):
            return arguments[i + 1]
    return ""


def _profile_settings(name: str) -> dict[str, Any]:
    """Return the settings of a profile, where Snakemake looks for it; none if it is not found."""
    if not name:
        return {}
    configured = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    for folder in (
        Path(name),
        Path(configured, "snakemake", name),
        Path("/etc/xdg/snakemake", name),
    ):
        files = [path for pattern in _PROFILE_FILES for path in sorted(folder.glob(pattern))]
        if files:
            try:
                settings = yaml.safe_load(files[-1].read_text(encoding="utf-8"))
            except (OSError, yaml.YAMLError):
                return {}  # Snakemake reports it
            return settings if isinstance(settings, dict) else {}
    return {}
