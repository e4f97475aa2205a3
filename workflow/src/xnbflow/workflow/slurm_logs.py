"""Why SLURM ended a job, from the job's own log: without accounting nothing else tells."""

import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["reason", "reasons"]

#: What SLURM writes, and what it means; what is more telling stands first.
_REASONS = {
    r"exceeded memory limit|exceeded job memory limit|oom[ _-]kill|out of memory": (
        "it took more memory than it asked for (mem_mb)"
    ),
    r"due to time limit": "it took longer than it asked for (runtime)",
    r"due to node failure": "its node failed",
    r"due to preemption": "another job took its place",
    r"slurmstepd.* cancelled at": "it was cancelled",
}


def reason(text: str) -> str | None:
    """Return what a job's log says of its end, None if SLURM did not end it.

    Examples
    --------
    >>> reason("slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 15:01:10 DUE TO TIME LIMIT ***")
    'it took longer than it asked for (runtime)'
    """
    found = (told for sign, told in _REASONS.items() if re.search(sign, text, re.IGNORECASE))
    return next(found, None)


def reasons(folder: str | Path, since: float = 0) -> Iterator[str]:
    """Yield a line for each job whose log in a folder tells why SLURM ended it.

    Parameters
    ----------
    folder : path
        Where Snakemake's plugin has the logs of jobs that failed, ``{rule}/{wildcards}/{id}.log``.
    since : float, optional
        Seconds since the epoch; older logs are those of earlier runs.

    Yields
    ------
    str
        The job, the reason and the log.
    """
    for path in sorted(Path(folder).rglob("*.log")):
        if path.stat().st_mtime >= since and (told := reason(path.read_text(errors="replace"))):
            job = " ".join(path.parent.relative_to(folder).parts).removeprefix("rule_")
            yield f"SLURM job {path.stem} ({job}) failed: {told}; {path}"
