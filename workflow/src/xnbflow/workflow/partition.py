"""What the nodes of a SLURM partition have, so that no job waits for what none ever gives."""

import math
import subprocess
from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["Partition", "read_partition"]

#: Memory that SLURM tells of nodes whose memory nobody configured.
_UNKNOWN_MB = 1


@dataclass(frozen=True)
class Partition:
    """The most that one job can have in a partition, or in the largest of several.

    Parameters
    ----------
    name : str
        How it is called, for messages.
    cpus : float
        CPUs of its largest node; infinity if not known, as all that follows.
    mem_mb : float
        Memory of its largest node in MB.
    runtime : float
        Its limit of time in minutes.
    """

    name: str
    cpus: float = math.inf
    mem_mb: float = math.inf
    runtime: float = math.inf


def read_partition(names: Collection[str] = ()) -> Partition | None:
    """Ask SLURM what its partitions have.

    Parameters
    ----------
    names : collection of str, optional
        The partitions that jobs go to; the default one if there is none.

    Returns
    -------
    Partition or None
        None where SLURM does not answer: submitting a job will tell why.
    """
    command = ["sinfo", "--noheader", "--exact", "--format=%P|%c|%m|%l"]
    if names:
        command.append(f"--partition={','.join(names)}")
    try:
        done = subprocess.run(  # noqa: S603  no shell, and names are one argument
            command, capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return largest(done.stdout, default_only=not names)


def largest(text: str, *, default_only: bool = False) -> Partition | None:
    r"""Return the largest of what ``sinfo --format=%P|%c|%m|%l`` tells, None if it tells nothing.

    Examples
    --------
    >>> largest("main*|2|4000|2:00:00\nbig|64|250000|infinite\n")
    Partition(name='main, big', cpus=64, mem_mb=250000, runtime=inf)
    >>> largest("main*|2|4000|2:00:00\nbig|64|250000|infinite\n", default_only=True)
    Partition(name='main', cpus=2, mem_mb=4000, runtime=120.0)
    """
    rows = [line.split("|") for line in text.splitlines() if line.count("|") == 3]
    if default_only:
        rows = [row for row in rows if row[0].endswith("*")]
    if not rows:
        return None
    names = dict.fromkeys(row[0].rstrip("*") for row in rows)
    memory = max(int(row[2].rstrip("+")) for row in rows)
    return Partition(
        ", ".join(names),
        cpus=max(int(row[1].rstrip("+")) for row in rows),
        mem_mb=memory if memory > _UNKNOWN_MB else math.inf,
        runtime=max(minutes(row[3]) for row in rows),
    )


def minutes(text: str) -> float:
    """Return a limit of time, as ``sinfo`` writes it, in minutes.

    Examples
    --------
    >>> minutes("1-12:30:00"), minutes("30:00"), minutes("infinite")
    (2190.0, 30.0, inf)
    """
    if not text[:1].isdigit():  # infinite, n/a
        return math.inf
    days, _, clock = text.rpartition("-")
    hours, minute, second = ([0, 0, 0] + [int(part) for part in clock.split(":")])[-3:]
    return 1440.0 * int(days or 0) + 60 * hours + minute + second / 60
