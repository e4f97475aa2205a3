"""The terminal of `xnbflow run`: one line for each job, and one at the foot for what runs.

A plugin of Snakemake, which finds it by the name of this package: ``snakemake --logger xnbflow``.
The causes of failures are printed at the end by the workflow itself.
"""

import logging
import shutil
import sys
import threading
import time

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: Seconds between two renewals of the line at the foot of a terminal, and between two looks at the
#: progress of jobs where standard error is a file or a pipe.
_PERIOD = 2.0
_PERIOD_OF_LINES = 10.0
#: Moves to the begin of the line and clears it.
_CLEAR = "\r\x1b[K"
#: Messages that are printed although they are no warnings: about a study that has run, what a run
#: downloads, and results that it would mix.
_PRINTED = ("Nothing to be done", "To download", "The results of")
#: Snakemake's messages that repeat the sentences at the end of a failed run.
_REPEATED = (
    "died with <Signals.SIGINT",
    "returned non-zero exit status",
    "Exiting because a job execution failed",
    "At least one job did not complete successfully",
    "no backup found",  # of a file that the failed job would have updated
    "Select jobs to execute",
    "Execute ",
)


class LogHandler(LogHandlerBase):
    """Writes a line for each job to standard error, and what runs where that is a terminal."""

    def __post_init__(self) -> None:
        """Begin a run.

        Snakemake imports all plugins at its start. The library is imported later, since the rules
        of another checkout bring their own.
        """
        from xnbflow.running.run_events import RunEvents  # noqa: PLC0415

        self._events = RunEvents()
        self._thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Note a record, and write its line."""
        self._events.note(record)
        if getattr(record, "event", None) == LogEvent.RUN_INFO:
            self._start_progress()
        if line := self.line(record):
            clear = _CLEAR if sys.stderr.isatty() else ""
            sys.stderr.write(f"{clear}{line}\n")
            sys.stderr.flush()

    def line(self, record: logging.LogRecord) -> str:
        """Return the line of a record; empty for one that is not printed."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO:
            return self._events.title(vars(record)["jobid"])
        if event == LogEvent.PROGRESS:
            return f"{vars(record)['done']} of {vars(record)['total']} steps done"
        message = record.getMessage()
        if _is_repeated(message):
            return ""
        if event == LogEvent.ERROR:
            return self._events.error_sentence(message)
        is_printed = message.startswith(_PRINTED)
        is_warning = event is None and record.levelno >= logging.WARNING
        return message if is_printed or is_warning else ""

    def _start_progress(self) -> None:
        """Show what runs: at the foot of a terminal, elsewhere as lines of long jobs."""
        if self._thread is None:
            shown = self._renew_foot_line if sys.stderr.isatty() else self._write_progress
            self._thread = threading.Thread(target=shown, daemon=True)
            self._thread.start()

    def _renew_foot_line(self) -> None:
        while True:
            time.sleep(_PERIOD)
            # a line that is wider than the terminal could not be cleared
            width = shutil.get_terminal_size().columns - 1
            if line := self._events.running_line(time.monotonic()):
                sys.stderr.write(_CLEAR + line[:width])
                sys.stderr.flush()

    def _write_progress(self) -> None:
        while True:
            time.sleep(_PERIOD_OF_LINES)
            for line in self._events.new_progress():
                sys.stderr.write(f"{line}\n")
                sys.stderr.flush()

    @property
    def writes_to_stream(self) -> bool:
        """Whether it writes to standard error: Snakemake's own handler is left out."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Whether it writes to a file."""
        return False

    @property
    def has_filter(self) -> bool:
        """Whether it chooses the records that it prints."""
        return True

    @property
    def has_formatter(self) -> bool:
        """Whether it words the records that it prints."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """Whether it needs the graph of rules."""
        return False


def _is_repeated(message: str) -> bool:
    return any(text in message for text in _REPEATED)
