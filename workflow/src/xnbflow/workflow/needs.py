"""What a job asks for: memory and time by the size of its input, twice as much after a failure."""

import math
from dataclasses import dataclass

__all__ = ["NEEDS", "Need"]


@dataclass(frozen=True)
class Need:
    """What the jobs of one rule take at most: memory, minutes, and CPUs that shorten the job.

    Memory (MB) and minutes are those without any input, and more for each MB of input files.
    ``per_cpu`` is the work for which a job takes one more CPU: MB of a data set as text, or, of a
    report, classifiers on a data set. A job that asks for all CPUs waits until no other one runs,
    which costs small work more than it gains. 0: all of them, whatever the work.
    """

    mb: float
    mb_per_mb: float
    minutes: float
    minutes_per_mb: float
    cpus: int = 1
    per_cpu: float = 0

    def threads(self, work: float) -> int:
        """Return the CPUs to ask for.

        Examples
        --------
        >>> need = Need(mb=1000, mb_per_mb=10, minutes=30, minutes_per_mb=1, cpus=4, per_cpu=300)
        >>> [need.threads(mb) for mb in (0.1, 299, 300, 10_000)]
        [1, 1, 2, 4]
        """
        return min(self.cpus, 1 + int(work / self.per_cpu)) if self.per_cpu else self.cpus

    def mem_mb(self, size_mb: float, attempt: int) -> int:
        """Return the MB to ask for; each attempt gets twice as much as the one before."""
        return math.ceil((self.mb + self.mb_per_mb * size_mb) * 2 ** (attempt - 1))

    def runtime(self, size_mb: float, attempt: int) -> int:
        """Return the minutes to ask for, likewise."""
        return math.ceil((self.minutes + self.minutes_per_mb * size_mb) * 2 ** (attempt - 1))


#: Of every rule.
NEEDS = {
    "acquire": Need(mb=1200, mb_per_mb=6, minutes=60, minutes_per_mb=1, cpus=2, per_cpu=300),
    "diagnose": Need(mb=1300, mb_per_mb=5, minutes=60, minutes_per_mb=1, cpus=4, per_cpu=300),
    "classify": Need(mb=1300, mb_per_mb=6, minutes=120, minutes_per_mb=3),
    "train": Need(mb=1300, mb_per_mb=6, minutes=120, minutes_per_mb=3),
    "permute": Need(mb=1300, mb_per_mb=6, minutes=240, minutes_per_mb=12),
    "compare": Need(mb=1500, mb_per_mb=10, minutes=60, minutes_per_mb=0.5),
    "validate": Need(mb=1300, mb_per_mb=6, minutes=60, minutes_per_mb=1, cpus=2),
    "combine": Need(mb=1500, mb_per_mb=12, minutes=120, minutes_per_mb=3, cpus=2),
    "analyse": Need(mb=2500, mb_per_mb=6, minutes=480, minutes_per_mb=3, cpus=4),
    "report": Need(mb=2500, mb_per_mb=6, minutes=60, minutes_per_mb=0.5, cpus=4, per_cpu=50),
}
