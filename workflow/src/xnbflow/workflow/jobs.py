"""The start of every job: its threads, log, the words of an error, and what it took.

Import this first in a script: numba and BLAS read their number of threads when they are imported.
"""

import atexit
import gc
import logging
import os
import resource
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

from xnbflow.data.atomic import lacks_space, no_space, write_atomically
from xnbflow.data.errors import InputError

__all__ = ["import_from", "start_job"]


#: What numba and the BLAS libraries read their number of threads from.
THREAD_VARIABLES = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def import_from(folder: str) -> None:
    """Let jobs import from a folder before all others: the library, though another is installed.

    Parameters
    ----------
    folder : path
        Of the library the one whose files the digests of jobs are made of.
    """
    inherited = os.environ.get("PYTHONPATH")
    others = inherited.split(os.pathsep) if inherited else []
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [folder, *(each for each in others if each != folder)]
    )


def start_job(job: Any) -> None:
    """Prepare this process for a job.

    Parameters
    ----------
    job : Snakemake
        What Snakemake hands to a script: of it ``threads`` are those that the job may use, ``log``
        names the file for messages, warnings and an uncaught exception, and ``output.record`` the
        one for seconds and memory.

    Raises
    ------
    RuntimeError
        If numba has been imported before, with another number of threads.
    """
    if numba := sys.modules.get("numba"):
        _check_threads(job.threads, numba.config.NUMBA_NUM_THREADS)
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(job.threads)
    gc.set_threshold(100_000)  # the imports to come leave nothing to collect
    sys.excepthook = _report_exception
    logging.raiseExceptions = False  # a log that cannot be written must not hide what is said
    log = Path(job.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=log,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.captureWarnings(capture=True)
    atexit.register(_record, Path(job.output.record), time.monotonic())


def _check_threads(allowed: int, imported: int) -> None:
    if imported != allowed:
        msg = f"numba was imported for {imported} threads in a job that may use {allowed}"
        raise RuntimeError(msg)


def _report_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    atexit.unregister(_record)
    if isinstance(error, OSError) and lacks_space(error):
        kind, error = InputError, no_space(error.filename or Path.cwd())
    if isinstance(error, ModuleNotFoundError) and _is_foreign(error.name or "xnbflow"):
        kind, error = InputError, _not_installed(error)
    text = "".join(traceback.format_exception(kind, error, trace))
    if logging.getLogger().hasHandlers():  # else it was the log that could not be opened
        logging.getLogger().error(text)
    said = f"Error: {error}\n" if issubclass(kind, InputError) else text
    sys.stderr.write(said)


def _is_foreign(module: str) -> bool:
    return module.partition(".")[0] != "xnbflow"


def _not_installed(error: ModuleNotFoundError) -> InputError:
    return InputError(
        f"{error} in {sys.executable}, which runs this job: install it there. What xnbflow needs "
        "comes with snakemake --sdm conda, which gives jobs an environment of their own, or with "
        f"pip install '{Path(__file__).parents[4]}[workflow]'"
    )


def _record(path: Path, start: float) -> None:
    """Write what the job took, under the names that Snakemake's own records have.

    Snakemake measures the process that it has started; a job may run in another one.
    """
    seconds = time.monotonic() - start
    # Of the processes that this one has waited for, too; `os.times` counts in hundredths.
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    processor = sum(each.ru_utime + each.ru_stime for each in used)
    values = f"{seconds:.4f}\t{_most_memory():.2f}\t{processor:.2f}"
    text = f"s\tmax_rss\tcpu_time\n{values}\n"
    try:
        write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))
    except InputError as error:
        sys.stderr.write(f"Error: {error}\n")


def _most_memory() -> float:
    """Return the MB that this process, or the largest that it has waited for, has held at most."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _PER_MB
    try:  # what the system tells of a process counts the one from which it was started, too
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        own = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except OSError:
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _PER_MB
    return max(own, others)


#: `getrusage` counts bytes on macOS, elsewhere KiB.
_PER_MB = 1024**2 if sys.platform == "darwin" else 1024
