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
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=log,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.captureWarnings(capture=True)
    sys.excepthook = _report_exception


def _report_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    text = "".join(traceback.format_exception(kind, error, trace))
    logging.getLogger().error(text)
    said = f"Error: {error}\n" if issubclass(kind, InputError) else text
    sys.stderr.write(said)
