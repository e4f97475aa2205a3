"""What a run does at the moment: a line at the foot of the terminal, renewed every few seconds."""

import logging
import shutil
import threading
import time
from typing import Any, TextIO

from snakemake_interface_logger_plugins.common import LogEvent

_PERIOD = 2.0  # seconds
_CLEAR = "\r\x1b[K"


class Progress(logging.Filter):
    """The jobs that run, for how long, and the steps that remain; on a terminal only.

    Examples
    --------
    >>> import sys
    >>> Progress(sys.stderr).line(60.0)
    ''
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._titles: dict[int, str] = {}
        self._begun: dict[int, float] = {}
        self._remaining = 0
        self._thread: threading.Thread | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Note what a record reports, and return whether it is printed."""
        job: dict[str, Any] = vars(record)
        event = job.get("event")
        if event == LogEvent.RUN_INFO:
            self._remaining = job["stats"]["total"]
            self._begin()
        elif event == LogEvent.JOB_INFO:
            self._titles[job["jobid"]] = job["rule_msg"] or job["rule_name"]
        elif event == LogEvent.JOB_STARTED:
            self._begun |= dict.fromkeys(job["jobs"], time.monotonic())
        elif event == LogEvent.PROGRESS:
            self._remaining = job["total"] - job["done"]
        elif event in (LogEvent.JOB_FINISHED, LogEvent.JOB_ERROR):
            self._begun.pop(job["job_id" if event == LogEvent.JOB_FINISHED else "jobid"], None)
        if self._thread:
            self._stream.write(_CLEAR)
        return event != LogEvent.JOB_FINISHED  # the steps that are done are printed next

    def line(self, now: float) -> str:
        """Return what runs at a time of the monotonic clock, empty if nothing does."""
        running = [
            f"{self._titles.get(job, f'job {job}')} ({now - begun:.0f} s)"
            for job, begun in list(self._begun.items())
        ]
        left = f"{self._remaining} step{'s' if self._remaining != 1 else ''} left"
        return f"{left}; running: {', '.join(running)}" if running else ""

    def _begin(self) -> None:
        if self._thread is None and self._stream.isatty():
            self._thread = threading.Thread(target=self._renew, daemon=True)
            self._thread.start()

    def _renew(self) -> None:
        while True:
            time.sleep(_PERIOD)
            line = self.line(time.monotonic())
            if line:  # one that is wider than the terminal could not be cleared
                self._stream.write(_CLEAR + line[: shutil.get_terminal_size().columns - 1])
                self._stream.flush()
