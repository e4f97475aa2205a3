"""The start of every job: threads, garbage collector, log, words of an error, code, usage.

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
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from xnbflow.core.atomic import lacks_space, no_space
from xnbflow.core.deferred import defer_import
from xnbflow.core.errors import InputError, printable
from xnbflow.running.provenance import refuse_other_code, remove_stale_bytecode

_STARTED = time.monotonic()

#: Environment variables with the number of threads of numba and BLAS libraries.
THREAD_VARIABLES = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def start_job(job: Any) -> None:
    """Prepare this process for a job: threads, garbage collector, log, words of its errors."""
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
    atexit.register(gc.freeze)  # a process that ends need not search all it has for cycles
    sys.excepthook = _report_exception
    logging.raiseExceptions = False  # a log that cannot be written must not hide the message
    log, usage = Path(job.log[0]), Path(job.output.usage)
    for path in (log, usage):
        path.parent.mkdir(parents=True, exist_ok=True)
    usage.unlink(missing_ok=True)
    atexit.register(_record_usage, usage)
    remove_stale_bytecode(_digests(job, "methods"))
    logging.basicConfig(
        filename=log,
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.captureWarnings(capture=True)
    check_code(job)


def check_code(job: Any) -> None:
    """Raise an `InputError` if the library was edited since the run was planned.

    A script calls this before it writes its results: modules that it imported may be newer than the
    plan.
    """
    planned = [getattr(job.params, name, None) for name in ("code", "page_code")]
    methods = _digests(job, "methods") | _digests(job, "sections")
    refuse_other_code(filter(None, planned), methods)


def _digests(job: Any, param: str) -> dict[str, str]:
    return dict(getattr(job.params, param, None) or {})


def _record_usage(path: Path) -> None:
    """Write the resources used by this process and its finished children, as one row.

    ``processor_seconds`` count from the start of the process, ``seconds`` from the import of this
    module. ``max_memory_mb`` is the peak of this process alone.
    """
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(each.ru_utime + each.ru_stime for each in used)
    memory = used[0].ru_maxrss * (1e-6 if sys.platform == "darwin" else 1024e-6)
    status = Path("/proc/self/status")
    if status.exists():  # Linux keeps the peak of the program that started this one in ru_maxrss
        memory = 1024e-6 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    row = f"{time.monotonic() - _STARTED:.3f}\t{processor:.3f}\t{memory:.1f}\n"
    with suppress(OSError):  # a full disk: the job's own error names it
        path.write_text(f"seconds\tprocessor_seconds\tmax_memory_mb\n{row}")


def _report_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return  # the run reports it once
    if isinstance(error, OSError) and lacks_space(error):
        kind, error = InputError, no_space(error.filename or Path.cwd())
    foreign = (getattr(error, "name", None) or "xnbflow").partition(".")[0] != "xnbflow"
    if isinstance(error, ModuleNotFoundError) and foreign:
        msg = (
            f"{error} in {sys.executable}, which runs this job: install it there. All packages "
            "come with snakemake --sdm conda, which gives jobs an environment of their own, or "
            "with pip install 'xnbflow[workflow]' (in a clone: '.[workflow]')"
        )
        kind, error = InputError, InputError(msg)
    if isinstance(error, MemoryError):
        msg = (
            f"The job ran out of memory ({str(error) or 'no size is given'}). Run it again with "
            "more: --retries 2 doubles mem_mb at each attempt, --set-resources sets it"
        )
        kind, error = InputError, InputError(msg)
    text = "".join(traceback.format_exception(kind, error, trace))
    if logging.getLogger().hasHandlers():  # otherwise the log could not be opened
        logging.getLogger().error(text)
    sys.stderr.write(printable(f"Error: {error}\n" if issubclass(kind, InputError) else text))
