"""SLURM clusters without accounting, on which Snakemake would wait for ever for the end of a job.

The SLURM plugin of Snakemake asks ``sacct`` whether jobs have ended. Without accounting ``sacct``
never reports it; ``squeue`` does.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

#: The option with which the plugin asks squeue.
STATUS_OPTION = ("--slurm-status-command", "squeue")
#: Time limit for an answer of the controller, in seconds.
_TIMEOUT = 20
#: Names of the files of a profile: ``config.v8+.yaml`` is read by Snakemake 8 and newer.
_PROFILE_FILE = re.compile(r"(?:profile|config)(?:\.v(\d+)\+)?\.yaml")
#: Least major version of Snakemake that the workflow needs.
_LEAST_VERSION = 9


def lacks_accounting() -> bool:
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
    """Return why a call of Snakemake would wait for ever, with the remedy; empty if it ends."""
    if not asks_sacct(arguments) or not lacks_accounting():
        return ""
    return (
        "This SLURM cluster has no accounting, so that sacct never reports the end of a job. Add "
        f"{' '.join(STATUS_OPTION)}, or slurm-status-command: squeue to the profile"
    )


def option_value(arguments: Sequence[str], name: str) -> str:
    """Return the value of an option, ``name value`` or ``name=value``; empty without the option."""
    for i, argument in enumerate(arguments):
        if argument.startswith(f"{name}="):
            return argument.partition("=")[2]
        if argument == name and i + 1 < len(arguments):
            return arguments[i + 1]
    return ""


def _profile_settings(name: str) -> dict[str, Any]:
    """Return the settings of a profile; none if Snakemake would not find it."""
    file = _profile_file(name) if name else None
    if file is None:
        return {}
    try:
        settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return {}  # Snakemake reports it
    return settings if isinstance(settings, dict) else {}


def _profile_file(name: str) -> Path | None:
    """Return the file that Snakemake reads of a profile: a path, or a name in its folders.

    If a folder has files for several versions of Snakemake, the newest that the installed one reads
    is returned: ``config.v9+.yaml`` rather than ``config.yaml``.
    """
    user_folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    for folder in (Path(), Path(user_folder, "snakemake"), Path("/etc/xdg/snakemake")):
        profile = folder / name
        if profile.is_file():
            return profile
        versions = {}
        for file in profile.glob("*.yaml"):
            match = _PROFILE_FILE.fullmatch(file.name)
            if match is None:
                continue
            least_version = int(match[1] or 0)
            if least_version <= _snakemake_version():
                versions[file] = least_version
        if versions:
            return max(versions, key=lambda file: versions[file])
    return None


def _snakemake_version() -> int:
    """Return the major version of the installed Snakemake, or the one that the workflow needs."""
    try:
        return int(version("snakemake").partition(".")[0])
    except PackageNotFoundError:
        return _LEAST_VERSION
