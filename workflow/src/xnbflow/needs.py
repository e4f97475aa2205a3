"""What a job asks of a machine: memory and time that follow the size of its input, and twice as much after a failure."""

import math
from dataclasses import dataclass

from xnbflow.partition import Partition

__all__ = ["NEEDS", "Need", "fitting"]


@dataclass(frozen=True)
class Need:
    """What the jobs of one rule take, as measured (see docs/tutorials/cluster.md) with half as much to spare.

    Parameters
    ----------
    mb : float
        Memory in MB without any input, two processes of Snakemake's own among it.
    mb_per_mb : float
        Memory in MB for each MB of input files.
    minutes : float
        Minutes without any input.
    minutes_per_mb : float
        Minutes for each MB of input files.
    cpus : int
        CPUs that shorten the job.
    """

    mb: float
    mb_per_mb: float
    minutes: float
    minutes_per_mb: float
    cpus: int = 1

    def mem_mb(self, size_mb: float, attempt: int) -> int:
        """Return the MB to ask for.

        Examples
        --------
        >>> need = Need(mb=1000, mb_per_mb=10, minutes=30, minutes_per_mb=1)
        >>> [need.mem_mb(50, attempt) for attempt in (1, 2, 3)]
        [1500, 3000, 6000]
        """
        return math.ceil((self.mb + self.mb_per_mb * size_mb) * 2 ** (attempt - 1))

    def runtime(self, size_mb: float, attempt: int) -> int:
        """Return the minutes to ask for.

        Examples
        --------
        >>> need = Need(mb=1000, mb_per_mb=10, minutes=30, minutes_per_mb=1)
        >>> [need.runtime(50, attempt) for attempt in (1, 2, 3)]
        [80, 160, 320]
        """
        return math.ceil((self.minutes + self.minutes_per_mb * size_mb) * 2 ** (attempt - 1))


#: Of every rule.
NEEDS = {}


def fitting(asked: int, resource: str, partition: Partition | None) -> int:
    """Return what a job can have of what it asks.

    Parameters
    ----------
    asked : int
        What it asks.
    resource : {"cpus", "mem_mb", "runtime"}
        Of which resource.
    partition : Partition or None
        Where it goes; None if that is not known, then it gets all.

    Returns
    -------
    int
        At most what the largest node has.

    Examples
    --------
    >>> fitting(4, "cpus", Partition("main", cpus=2)), fitting(4, "cpus", None)
    (2, 4)
    """
    return asked if partition is None else int(min(asked, getattr(partition, resource)))
