"""Free memory of this process, and the refusal of data that need more.

The limits are those of Linux: the memory of the machine that is available (``/proc/meminfo``), and
that of the control groups of the process, with which SLURM, Docker and Kubernetes limit a job
(https://docs.kernel.org/admin-guide/cgroup-v2.html). Other systems have no limit here.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from xnbflow.core.refusals import Refusal

#: Values at and above this are "no limit" in control groups of version 1.
_UNLIMITED = 1 << 60


_TOO_LARGE = Refusal(
    code="memory.too-large",
    sentence=(
        "{path}: {what} needs at least {needed} GB of memory, but only {free} GB are free. "
        "Use a computer with more memory (in a cluster raise mem_mb of the job), or {remedy}"
    ),
)


def refuse_too_large(path: str | Path, needed: int, what: str, remedy: str) -> None:
    """Refuse data that need more memory than is free; nothing is refused if that is unknown.

    Parameters
    ----------
    path : path
        The file, for the message.
    needed : int
        The least number of bytes that reading takes.
    what : str
        The data, as ``matrix X of 2,000 cells and 30,000 genes``.
    remedy : str
        What the user can do, beside a computer with more memory.

    Raises
    ------
    InputError
        With the memory that is needed and that is free, in gigabytes (10⁹ bytes).
    """
    free = free_memory()
    if free is None or needed <= free:
        return
    raise _TOO_LARGE.error(
        path=path, what=what, needed=_gigabytes(needed), free=_gigabytes(free), remedy=remedy
    )


def free_memory(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return the bytes of memory that this process can still use; None where that is unknown.

    ``proc`` and ``groups`` are where Linux mounts its description of processes and the control
    groups. The result is the least of the machine's available memory and of what the control group
    and those above it leave.
    """
    try:
        text = (proc / "meminfo").read_text()
    except OSError:
        return None
    available = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    if available is None:
        return None
    return min([int(available[1]) * 1024, *_group_memory(proc, groups)])


def _group_memory(proc: Path, groups: Path) -> Iterator[int]:
    """Yield the bytes that each control group of this process leaves, as far as it has a limit.

    A line of ``/proc/self/cgroup`` is ``0::/job`` in version 2 and ``4:memory:/job`` in version 1.
    """
    try:
        lines = (proc / "self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, name = line.split(":", 2)
        if controllers == "":
            root = groups
            files = ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root = groups / "memory"
            files = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        folder = root / name.strip("/")
        for group in (folder, *folder.parents):
            if group.is_relative_to(root):
                free = _free_in_group(group, *files)
                if free is not None:
                    yield free


def _free_in_group(group: Path, limit_file: str, usage_file: str, cache: str) -> int | None:
    """Return limit less usage of a control group; None where it has no limit.

    Cached files count as used, but the system releases them when memory is short.
    """
    try:
        limit = (group / limit_file).read_text().strip()
        usage = int((group / usage_file).read_text())
        statistics = (group / "memory.stat").read_text()
    except (OSError, ValueError):
        return None
    if not limit.isdigit() or int(limit) >= _UNLIMITED:
        return None
    cached = re.search(rf"^{cache} (\d+)$", statistics, re.MULTILINE)
    released = int(cached[1]) if cached else 0
    return max(0, int(limit) - usage + released)


def _gigabytes(n_bytes: int) -> str:
    """Return bytes as gigabytes with one decimal; below 0.1 with two significant digits."""
    gigabytes = n_bytes / 1e9
    return f"{gigabytes:,.1f}" if gigabytes >= 0.1 else f"{gigabytes:.2g}"
