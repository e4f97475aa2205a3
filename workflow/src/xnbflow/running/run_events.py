"""The events of a run of Snakemake: what runs, what failed and why.

Snakemake reports events to handlers of its logger; their names and fields are those of
``snakemake-interface-logger-plugins``.
"""

import logging
import re
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

from xnbflow.core.progress import last_progress

#: Begins Snakemake's message about a study that has run.
NOTHING_TO_DO = "Nothing to be done"
#: Bytes at the end of a log in which the last line of progress is sought.
_TAIL = 4_000
#: What a job does, by its rule, with the values of its wildcards.
_TITLES = {
    "acquire": "Reading {dataset}",
    "diagnose": "Auditing the samples and testing the features of {dataset}",
    "genes": "Comparing the features of {dataset} for {study}",
    "classify": "Training the classifiers of the job {job} on {dataset} ({folds})",
    "check": "Checking the first classifiers of {study} on {dataset}",
    "models": "Fitting {classifier} to all samples of {dataset}",
    "cohorts": "Testing and combining the cohorts of {study}",
    "compare": "Comparing the classifiers of {study}",
    "analyse": "Analysing {analysis} for {study}",
    "report": "Writing the page of {study}",
    "draw": "Drawing the figures of {study}",
}
#: Snakemake's text of a `WorkflowError`, of which an input function can be the place.
_WORKFLOW_ERROR = re.compile(
    r"^ *WorkflowError[^\n]*:\n(.*?)(?=\nWildcards:|\nTraceback:|\n  File |\Z)",
    re.DOTALL | re.MULTILINE,
)
#: A part of the message of Snakemake about a job that the user interrupted (Ctrl-C).
_INTERRUPTED = "died with <Signals.SIGINT"


class RunEvents:
    """The jobs of a run, as its events report them.

    Examples
    --------
    >>> events = RunEvents()
    >>> events.running_line(now=0.0)
    ''
    >>> list(events.failures())
    []
    """

    def __init__(self) -> None:
        self._titles: dict[int, str] = {}
        self._started: dict[int, float] = {}
        self._logs: dict[int, list[str]] = {}
        self._failed_logs: dict[int, list[str]] = {}
        self._reported: dict[int, str] = {}
        self._steps_left = 0
        self._interrupted = False

    def note(self, record: logging.LogRecord) -> None:
        """Note the event of a record; records without an event are messages."""
        fields: dict[str, Any] = vars(record)
        event = fields.get("event")
        if event == LogEvent.RUN_INFO:
            self._steps_left = fields["stats"]["total"]
        elif event == LogEvent.JOB_INFO:
            self._titles[fields["jobid"]] = fields["rule_msg"] or _title_of_job(
                fields["rule_name"], dict(fields["wildcards"].items())
            )
            self._logs[fields["jobid"]] = list(fields.get("log") or ())
        elif event == LogEvent.JOB_STARTED:
            self._started |= dict.fromkeys(fields["jobs"], time.monotonic())
        elif event == LogEvent.PROGRESS:
            self._steps_left = fields["total"] - fields["done"]
        elif event == LogEvent.JOB_FINISHED:
            self._started.pop(fields["job_id"], None)
        elif event == LogEvent.JOB_ERROR:
            self._started.pop(fields["jobid"], None)
            self._failed_logs[fields["jobid"]] = fields["log"]
        elif _INTERRUPTED in record.getMessage():
            self._interrupted = True

    def title(self, job: int) -> str:
        """Return what a job does, as "Reading wine"."""
        return self._titles.get(job, f"job {job}")

    def error_sentence(self, message: str) -> str:
        r"""Return the sentence of a `WorkflowError`, without the place in the code that raised it.

        The text of any other error is returned as it is.

        Examples
        --------
        >>> text = 'WorkflowError in file "a.smk", line 3:\nNo such file.\n  File "a.smk"'
        >>> RunEvents().error_sentence(text)
        'Error: No such file.'
        """
        error = _WORKFLOW_ERROR.search(message)
        return f"Error: {textwrap.dedent(error[1])}" if error else message

    def running_line(self, now: float) -> str:
        """Return the running jobs at a time of the monotonic clock; empty if no job runs."""
        started = list(self._started.items())  # a copy: other threads note events
        running = []
        for job, start in started:
            progress = self.progress(job)
            details = f"; {progress}" if progress else ""
            running.append(f"{self.title(job)} ({now - start:.0f} s{details})")
        if not running:
            return ""
        steps = "step" if self._steps_left == 1 else "steps"
        return f"{self._steps_left} {steps} left; running: {', '.join(running)}"

    def progress(self, job: int) -> str:
        """Return the last line of progress in the log of a job; empty without one."""
        for path in map(Path, self._logs.get(job, ())):
            try:
                with path.open("rb") as file:
                    file.seek(max(0, path.stat().st_size - _TAIL))
                    text = file.read().decode("utf-8", errors="replace")
            except OSError:  # it is written when the job begins, on a cluster elsewhere
                continue
            if progress := last_progress(text):
                return progress
        return ""

    def new_progress(self) -> Iterator[str]:
        """Yield a line for each running job whose progress has changed since the last call."""
        for job in list(self._started):
            progress = self.progress(job)
            if progress and progress != self._reported.get(job):
                self._reported[job] = progress
                yield f"{self.title(job)}: {progress}"

    def failures(self) -> Iterator[str]:
        """Yield a sentence for each failed job: its title, the cause, the remedy and its log.

        A run that was interrupted (Ctrl-C) has one sentence.
        """
        if self._interrupted:
            yield "Interrupted. Incomplete files are removed; run the same command to continue"
            return
        for job, logs in self._failed_logs.items():
            written = [path for path in map(Path, logs) if path.is_file()]
            if written:
                text = written[0].read_text(encoding="utf-8", errors="replace").strip()
                place = str(written[0])
            else:
                text = ""
                place = "none was written"
            yield f"Failed: {self.title(job)}. {_cause_of_failure(text)}. Log: {place}"


class FailureRecorder(logging.Handler):
    """A handler that prints nothing and collects the failed jobs of a run.

    Examples
    --------
    >>> FailureRecorder().sentences()
    []
    """

    def __init__(self) -> None:
        super().__init__()
        self._events = RunEvents()

    def emit(self, record: logging.LogRecord) -> None:
        """Note the event of a record."""
        self._events.note(record)

    def sentences(self) -> list[str]:
        """Return a sentence for each failed job."""
        return list(self._events.failures())


class PlanNotice(logging.Handler):
    """A handler of Snakemake's logger that adds sentences to a complete plan, also of ``-n``.

    Parameters
    ----------
    sentences : callable
        Returns the sentences.
    log : callable
        Logs one of them.
    """

    def __init__(self, sentences: Callable[[], Iterable[str]], log: Callable[[str], None]) -> None:
        super().__init__()
        self._sentences = sentences
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Log the sentences after the counts of jobs, or where nothing is to be done."""
        is_counts = getattr(record, "event", None) == LogEvent.RUN_INFO
        if is_counts or record.getMessage().startswith(NOTHING_TO_DO):
            for sentence in self._sentences():
                self._log(sentence)


def _title_of_job(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return what a job does; for a rule without a title its name and wildcards."""
    if rule in _TITLES:
        return _TITLES[rule].format(**wildcards)
    return " ".join([rule, *wildcards.values()])


def _cause_of_failure(log: str) -> str:
    """Return the cause of a failure, from the log of its job.

    The log of a job that was killed has no traceback.
    """
    _, marker, message = log.rpartition("InputError: ")
    if marker:
        return message.rstrip(".")
    if "Traceback" in log:
        return f"Unexpected error: {log.splitlines()[-1]}. Report it with the log"
    return (
        "The job was killed, probably because it ran out of memory. Raise mem_mb, by --retries 2 "
        "or --set-resources"
    )
