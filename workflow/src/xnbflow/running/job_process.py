"""The start and the end of every job: threads, log, message of an error, check of code, usage.

Import this first in a script: numba and BLAS read their number of threads when they are imported.
"""

import atexit
import gc
import importlib
import logging
import os
import resource
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from xnbflow.core.atomic import lacks_space, no_space
from xnbflow.core.deferred import defer_import
from xnbflow.core.errors import InputError, printable
from xnbflow.running.prepared_process import THREAD_VARIABLES, run_in_fork

#: Environment variable of runs that print the causes of failures at their end.
PRINTS_CAUSES = "XNBFLOW_PRINTS_CAUSES"


class _Beginning:
    """The start of this job, by the monotonic clock, and its processor seconds in other processes.

    A fork of the prepared process continues the job of another process, see `continue_job`.
    """

    started = time.monotonic()
    processor_seconds = 0.0


def start_job(job: Any) -> None:
    """Prepare this process for a job, and check that its code is the code of the plan.

    If the run has a prepared process for the job, a fork of it runs the script, and this process
    ends with it. ``job`` is the object ``snakemake`` of a script.
    """
    sys.excepthook = _report_exception
    if job.threads == 1:  # as many as the prepared process has
        try:
            run_in_fork(_Beginning.started)
        except InputError:
            _open_log(job, "a")
            raise
    from xnbflow.running.provenance import remove_stale_bytecode  # noqa: PLC0415  not for a fork

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

    defer_import("scipy.stats")  # imported by scikit-learn; half a second, and few jobs use it
    gc.set_threshold(2000)  # the default from Python 3.13 on; 700 costs a tenth of the imports
    atexit.register(gc.freeze)  # at the end of a process a search for cycles is lost time
    usage = Path(job.output.usage)
    usage.parent.mkdir(parents=True, exist_ok=True)
    usage.unlink(missing_ok=True)
    atexit.register(_record_usage, usage)
    remove_stale_bytecode(_planned_code(job, "methods"))

    _open_log(job, "w")
    check_code(job)


def continue_job(started: float, processor_seconds: float) -> None:
    """Count the time of a job from the beginning of the process that began it.

    Parameters
    ----------
    started : float
        The start of the job by the monotonic clock, which all processes of a machine share.
    processor_seconds : float
        What the other process has used.
    """
    _Beginning.started = started
    _Beginning.processor_seconds = processor_seconds


def _open_log(job: Any, mode: str) -> None:
    """Write messages of the library and warnings to the log of a job."""
    path = Path(job.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    logging.raiseExceptions = False  # a log that cannot be written must not hide the message
    logging.basicConfig(
        filename=path,
        filemode=mode,
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.captureWarnings(capture=True)


def import_skops() -> None:
    """Import skops in a job that writes a model and reads none, without its list of estimators.

    skops lists the estimators of scikit-learn when it is imported, to trust them in the files that
    it reads, which imports every module of scikit-learn. Call this only where the process belongs
    to this package: in this process skops trusts none by default.
    """
    import sklearn.utils  # noqa: PLC0415  after the number of threads is set

    list_estimators = sklearn.utils.all_estimators
    sklearn.utils.all_estimators = _no_estimators
    try:
        importlib.import_module("skops.io")
    finally:
        sklearn.utils.all_estimators = list_estimators


def _no_estimators() -> list[tuple[str, type]]:
    """Return no estimators, in place of scikit-learn's list of them."""
    return []


def check_code(job: Any) -> None:
    """Raise an `InputError` if the library was edited since the run was planned.

    A script calls this before it writes its results: modules that it imported may be newer than the
    plan.
    """
    from xnbflow.running.provenance import refuse_other_code  # noqa: PLC0415  see `start_job`

    planned = [getattr(job.params, name, None) for name in ("code", "page_code")]
    packages = _planned_code(job, "methods") | _planned_code(job, "sections")
    refuse_other_code(filter(None, planned), packages)


def working_directory(job: Any) -> Path:
    """Return the folder with the ``results`` of a job.

    It is not that of the process where an importing workflow gives a prefix to the paths of its
    module, or files are in a storage.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> usage = "tumours/results/usage/compare/demo.tsv"
    >>> working_directory(SimpleNamespace(output=SimpleNamespace(usage=usage))).as_posix()
    'tumours'
    """
    return Path(str(job.output.usage).rpartition("results/usage/")[0])


def _planned_code(job: Any, param: str) -> dict[str, str]:
    """Return the digests of packages in a parameter of a job, which not every rule has."""
    return dict(getattr(job.params, param, None) or {})


def _record_usage(path: Path) -> None:
    """Write the resources used by this process and its finished children, as one row.

    ``processor_seconds`` count from the start of the process, ``seconds`` from the import of this
    module; in a fork both are those of the process that began the job. ``max_memory_mb`` is the
    peak of this process alone.
    """
    seconds = time.monotonic() - _Beginning.started
    processor_seconds = _Beginning.processor_seconds
    for processes in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(processes)
        processor_seconds += usage.ru_utime + usage.ru_stime
    row = f"{seconds:.3f}\t{processor_seconds:.3f}\t{_peak_memory_mb():.1f}\n"
    with suppress(OSError):  # a full disk, which the error of the job names
        path.write_text(f"seconds\tprocessor_seconds\tmax_memory_mb\n{row}")


def _peak_memory_mb() -> float:
    """Return the peak of the resident memory of this process, in MB of a million bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: ru_maxrss starts at the peak of the program that started this one
        kibibytes = status.read_text().partition("VmHWM:")[2].split()[0]
        return int(kibibytes) * 1024e-6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1e-6 if sys.platform == "darwin" else 1024e-6)  # bytes on macOS, else KiB


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
