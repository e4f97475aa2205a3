"""The start of every job: threads, log and the words of an error.

Import this first in a script: numba and BLAS read their number of threads when they are imported.
"""

import gc
import logging
import os
import sys
import traceback
from pathlib import Path
from types import TracebackType

from xnbflow.atomic import lacks_space, no_space
from xnbflow.errors import InputError

__all__ = ["start_job"]

_THREAD_VARIABLES = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)


def start_job(log: str, threads: int) -> None:
    """Prepare this process for a job.

    Parameters
    ----------
    log : path
        The job's log file. Messages, warnings and an uncaught exception are written to it.
    threads : int
        Threads that the job may use.
    """
    for variable in _THREAD_VARIABLES:
        os.environ[variable] = str(threads)
    gc.set_threshold(100_000)  # the imports to come leave nothing to collect
    sys.excepthook = _report_exception
    logging.raiseExceptions = False  # a log that cannot be written must not hide what is said
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=log,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.captureWarnings(capture=True)


def _report_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if isinstance(error, OSError) and lacks_space(error):
        kind, error = InputError, no_space(error.filename or Path.cwd())
    text = "".join(traceback.format_exception(kind, error, trace))
    if logging.getLogger().hasHandlers():  # else it was the log that could not be opened
        logging.getLogger().error(text)
    said = f"Error: {error}\n" if issubclass(kind, InputError) else text
    sys.stderr.write(said)
