"""Messages of a failed run: a sentence for each failed job, without the paths of its files."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

_LOGGER, _TERMINAL = "snakemake.logging", "DefaultStreamHandler"
_INTERRUPTED = "died with <Signals.SIGINT"
#: Snakemake's messages on failed jobs, and at the end of a failed run.
_GENERAL = (
    _INTERRUPTED,
    "returned non-zero exit status",
    "Exiting because a job execution failed",
    "At least one job did not complete successfully",
)


class Failures(logging.Filter):
    """The failed jobs of a run; the terminal gets sentences, Snakemake's log all messages.

    Examples
    --------
    >>> failures = Failures()
    >>> list(failures.sentences())
    []
    """

    def __init__(self) -> None:
        super().__init__()
        self._titles: dict[int, str] = {}
        self._logs: dict[int, list[str]] = {}
        self._interrupted = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is printed."""
        job: dict[str, Any] = vars(record)
        if job.get("event") == LogEvent.JOB_INFO:
            self._titles[job["jobid"]] = job["rule_msg"] or job["rule_name"]
        if job.get("event") != LogEvent.JOB_ERROR:
            message = record.getMessage()
            self._interrupted |= _INTERRUPTED in message
            return not any(text in message for text in _GENERAL)
        self._logs[job["jobid"]] = job["log"]
        return False

    def sentences(self) -> Iterator[str]:
        """Yield for each failed job its work, the cause, the remedy and its log.

        A run that was interrupted (Ctrl-C) has one sentence.
        """
        if self._interrupted:
            yield "Interrupted. Incomplete files are removed; run the same command to continue"
            return
        for job, logs in self._logs.items():
            title = self._titles.get(job, f"job {job}")
            log = next((path for path in map(Path, logs) if path.is_file()), None)
            text = log.read_text(encoding="utf-8", errors="replace").strip() if log else ""
            yield f"Failed: {title}. {_reason(text)}. Log: {log or 'none was written'}"


def watch(*filters: logging.Filter) -> None:
    """Filter the messages of Snakemake from now on."""
    for handler in logging.getLogger(_LOGGER).handlers:
        if handler.name == _TERMINAL:
            for each in filters:
                handler.addFilter(each)


def _reason(log: str) -> str:
    _, known, message = log.rpartition("InputError: ")
    if known:
        return message.rstrip(".")
    if "Traceback" in log:
        return f"Unexpected error: {log.splitlines()[-1]}. Report it with the log"
    return (
        "The job was killed, probably because it ran out of memory. Raise mem_mb, by --retries 2 "
        "or --set-resources"
    )
