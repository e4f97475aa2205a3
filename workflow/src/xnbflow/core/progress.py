"""Progress of long loops: a line in the log of a job every ten seconds.

`xnbflow run` shows the last line of each running job (`xnbflow.running.run_events`).
"""

import logging
import time
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, field
from typing import TypeVar

_LOG = logging.getLogger(__name__)

#: The beginning of a message of this module, by which `last_progress` finds it in a log.
_MARK = "progress: "
#: Seconds before the first line, and between two lines.
PERIOD = 10.0
#: From this many seconds on, times are in minutes.
_MINUTES_FROM = 90.0

_Item = TypeVar("_Item")


@dataclass(eq=False)
class _Loop:
    """A loop that runs: what it does, how often, and since when."""

    things: str
    total: int | None
    may_end_early: bool
    started: float
    done: int = 0


@dataclass
class _RunningLoops:
    """The loops that run in this process, the outermost first, and the time of the last line."""

    loops: list[_Loop] = field(default_factory=list)
    reported: float = -float("inf")


_RUNNING = _RunningLoops()


def track(
    items: Iterable[_Item], things: str, total: int | None = None, *, may_end_early: bool = False
) -> Iterator[_Item]:
    """Yield the items, and log how many are done if this takes long.

    Parameters
    ----------
    items : iterable
    things : str
        What an item is, in the plural, for example "folds".
    total : int, optional
        The number of items; by default their length, if they have one.
    may_end_early : bool
        Whether ``total`` is only the largest number of items.

    Yields
    ------
    item
        Each of ``items``. Loops within loops report both: "1 of 4 classifiers, 12 of 30 folds,
        about 40 s left"; the time is that of the outermost loop.

    Examples
    --------
    >>> [number for number in track(range(3), "numbers")]
    [0, 1, 2]
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    loop = _Loop(things, total, may_end_early, started=time.monotonic())
    _RUNNING.loops.append(loop)
    try:
        for item in items:
            yield item
            loop.done += 1
            _report(time.monotonic())
    finally:
        _RUNNING.loops.remove(loop)


def _report(now: float) -> None:
    """Log the state of all loops, unless the job has just begun or has just reported."""
    outermost = _RUNNING.loops[0]
    if now - max(outermost.started, _RUNNING.reported) >= PERIOD:
        _RUNNING.reported = now
        _LOG.info("%s%s", _MARK, describe_progress(_RUNNING.loops, now))


def describe_progress(loops: list[_Loop], now: float) -> str:
    """Return the state of loops in words, the outermost first.

    Examples
    --------
    >>> loops = [_Loop("classifiers", 4, False, done=1, started=0.0),
    ...          _Loop("folds", 30, False, done=15, started=40.0)]
    >>> describe_progress(loops, now=60.0)
    '1 of 4 classifiers, 15 of 30 folds, about 2 min left'
    """
    parts = []
    share = 0.0  # of the present item of a loop that the loops within it have done
    for loop in loops:
        most = "at most " if loop.may_end_early else ""
        count = f"{loop.done}" if loop.total is None else f"{loop.done} of {most}{loop.total}"
        parts.append(f"{count} {loop.things}")
    for loop in reversed(loops):
        share = 0.0 if not loop.total else min(1.0, (loop.done + share) / loop.total)
    if 0 < share < 1:
        left = (now - loops[0].started) * (1 - share) / share
        amount = "at most" if loops[0].may_end_early else "about"
        parts.append(f"{amount} {_duration(left)} left")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    """Return a time in whole seconds or minutes.

    Examples
    --------
    >>> _duration(61.2), _duration(600.0)
    ('61 s', '10 min')
    """
    return f"{seconds:.0f} s" if seconds < _MINUTES_FROM else f"{seconds / 60:.0f} min"


def last_progress(log: str) -> str:
    r"""Return the last line of progress in the text of a log; empty without one.

    Examples
    --------
    >>> last_progress("12:00 INFO progress: 3 of 9 folds\n12:01 INFO a warning\n")
    '3 of 9 folds'
    """
    return log.rpartition(_MARK)[2].partition("\n")[0] if _MARK in log else ""
