"""The start and the end of every job: threads, log, and the words of an error.

Import this first in a script: numba and BLAS read their number of threads when they are imported.
"""

import logging
import os
import platform
import resource
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from xnbflow import __version__
from xnbflow.core.atomic import lacks_space, no_space
from xnbflow.core.errors import InputError, printable
from xnbflow.core.nouns import counted

#: Environment variable of runs that print the causes of failures at their end.
PRINTS_CAUSES = "XNBFLOW_PRINTS_CAUSES"
#: Environment variables by which numba and libraries of linear algebra have their threads.
THREAD_VARIABLES = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
#: When this process began its job, by the monotonic clock.
_STARTED = time.monotonic()


def start_job(job: Any) -> None:
    """Prepare this process for a job, and write the first line of its log.

    The process has the threads of the job, and finds modules of the user in the folder of the run.
    ``job`` is the object ``snakemake`` of a script, whose last line is `end_job`.
    """
    sys.excepthook = _report_exception

    # Limit numba and BLAS to the threads of a job; both read the variables at their import.
    numba = sys.modules.get("numba")
    if numba and job.threads != numba.config.NUMBA_NUM_THREADS:
        msg = (
            f"numba was imported for {numba.config.NUMBA_NUM_THREADS} threads in a job that may "
            f"use {job.threads}"
        )
        raise RuntimeError(msg)
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(job.threads)

    # A classifier of the user is a module beside the configuration. It replaces no installed one.
    sys.path.append(str(Path.cwd()))

    _open_log(job)
    logging.getLogger(__name__).info("start %s", _first_line(job))


def end_job() -> None:
    """Write the last line of the log, and end this process.

    All files are closed. Python's own end would search the objects of the imported libraries for
    cycles and free them one by one, which takes .1 to .4 processor seconds in each job.
    """
    _log_end("end")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _open_log(job: Any) -> None:
    """Write messages of the library and warnings to the log of a job."""
    path = Path(job.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    logging.raiseExceptions = False  # a log that cannot be written must not hide the message
    logging.basicConfig(
        filename=path,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.captureWarnings(capture=True)


def _first_line(job: Any) -> str:
    """Return what a job is: its rule and wildcards, threads, input, seeds, versions and host."""
    wildcards = " ".join(f"{name}={value}" for name, value in job.wildcards.items())
    paths = [Path(str(path)) for path in job.input]
    size = sum(path.stat().st_size for path in paths if path.is_file())
    parameters = dict(job.params.items())
    seeds = sorted(set(_seeds(parameters)))
    parts = [
        f"{job.rule} {wildcards}",
        counted(job.threads, "thread"),
        f"{counted(len(paths), 'input file')}, {size * 1e-6:.1f} MB",
        f"seeds {', '.join(map(str, seeds)) or 'from the classes of the data'}",
        f"xnbflow {__version__} ({parameters['code']})",
        f"Python {platform.python_version()}",
        f"host {platform.node()}",
    ]
    return "; ".join(parts)


def _seeds(parameters: Any) -> Iterator[int]:
    """Yield the seeds that parameters name, at any depth.

    Examples
    --------
    >>> list(_seeds({"scheme": {"splits": 5, "seed": 3}, "entries": {"rf": {"random_state": 0}}}))
    [3, 0]
    """
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            yield from _seeds(value)
        elif name in {"seed", "random_state"} and isinstance(value, int):
            yield value


def _log_end(how: str) -> None:
    """Log how a job ended, with the time and memory of this process and its finished children."""
    seconds = time.monotonic() - _STARTED
    processor_seconds = 0.0
    for processes in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(processes)
        processor_seconds += usage.ru_utime + usage.ru_stime
    logging.getLogger(__name__).info(
        "%s after %.2f s, %.2f processor seconds", how, seconds, processor_seconds
    )


def working_directory(job: Any) -> Path:
    """Return the folder with the ``results`` of a job of a study.

    It is not that of the process where an importing workflow gives a prefix to the paths of its
    module, or files are in a storage.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tables = ["tumours/results/studies/demo/tables/ranks.parquet"]
    >>> working_directory(SimpleNamespace(output=tables)).as_posix()
    'tumours'
    """
    return Path(str(job.output[0]).rpartition("results/studies/")[0])


def _report_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Log an exception with its traceback; print a person's error as one sentence.

    `xnbflow run` prints the cause itself, at its end and from the log, so that a job of it prints
    nothing that the log contains.
    """
    if issubclass(kind, KeyboardInterrupt):
        return  # the run reports it once
    refusal = error if isinstance(error, InputError) else _person_error(error)
    if refusal is not None:
        # `xnbflow run` finds the sentence in the log behind the name of this class.
        kind = InputError
        error = InputError(str(refusal))
        error.__cause__ = refusal.__cause__
    text = "".join(traceback.format_exception(kind, error, trace))
    _log_end("failed")
    if logging.getLogger().hasHandlers():  # otherwise the log could not be opened
        logging.getLogger().error(text)
        if PRINTS_CAUSES in os.environ and _is_logged(text):
            return
    sys.stderr.write(printable(f"Error: {error}\n" if issubclass(kind, InputError) else text))


def _is_logged(text: str) -> bool:
    """Return whether the log of this job ends with a text; on a full disk it does not."""
    logs = [
        Path(handler.baseFilename)
        for handler in logging.getLogger().handlers
        if isinstance(handler, logging.FileHandler)
    ]
    with suppress(OSError):
        return any(
            path.read_text(encoding="utf-8").rstrip().endswith(text.rstrip()) for path in logs
        )
    return False


def _person_error(error: BaseException) -> InputError | None:
    """Return an error of the machine as a message with a remedy; None for other errors."""
    if isinstance(error, OSError) and lacks_space(error):
        return no_space(error.filename or Path.cwd())
    if isinstance(error, ModuleNotFoundError) and error.name:
        if error.name.partition(".")[0] == "xnbflow":  # a fault of this library
            return None
        msg = (
            f"{error} in {sys.executable}, which runs this job: install it there. All packages "
            "come with snakemake --sdm conda, which gives jobs an environment of their own, or "
            "with pip install 'xnbflow[workflow]' (in a clone: '.[workflow]')"
        )
        return InputError(msg)
    if isinstance(error, MemoryError):
        msg = (
            f"The job ran out of memory ({str(error) or 'no size is given'}). Run it again with "
            "more: --retries 2 doubles mem_mb at each attempt, --set-resources sets it"
        )
        return InputError(msg)
    return None
