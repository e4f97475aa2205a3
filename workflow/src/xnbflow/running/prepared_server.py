"""The prepared process of a run: it imports what jobs need, and forks itself for each of them.

`xnbflow.running.prepared_process` starts this program and describes what it exchanges with jobs. It
has one thread, which prepares, and waits for jobs, for the end of forks and for the end of the run.
"""

import atexit
import ctypes
import gc
import importlib
import importlib.util
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import NoReturn

_PACKAGE = Path(__file__).parents[1]
#: The option of the system call `prctl` (linux/prctl.h): a signal when the parent ends.
_PR_SET_PDEATHSIG = 1
#: Stages whose modules are imported; *acquire* is the first job of most runs, and imported first.
_STAGES = ("diagnose", "genes", "classify", "check", "models", "compare", "report")
#: What skops imports of scikit-learn; skops itself is imported in jobs (`import_skops`).
_OF_SKOPS = ("cluster", "ensemble", "linear_model", "tree")


def import_readers() -> None:
    """Import what *acquire* needs, and Snakemake's modules in the first lines of each script."""
    importlib.import_module("snakemake.logging")
    importlib.import_module("xnbflow.jobs.acquire")


def import_stages() -> None:
    """Import what the other stages need."""
    for stage in _STAGES:
        importlib.import_module(f"xnbflow.jobs.{stage}")


def import_models() -> None:
    """Import what *models* needs besides, and run a kernel, for which numba prepares itself."""
    for module in _OF_SKOPS:
        importlib.import_module(f"sklearn.{module}")
    import numpy as np  # noqa: PLC0415

    from xnbflow.density.bandwidth import overall_spread  # noqa: PLC0415

    overall_spread(np.zeros((1, 2)))


@dataclass(frozen=True, kw_only=True)
class Fork:
    """A fork that works: the connection to its job, its process, and the file of this process."""

    connection: socket.socket
    process: int
    process_file: int


class End:
    """The end of a fork, without the clean-up of its memory.

    Python takes its objects apart when it ends, and the system would first copy the memory of those
    that a fork shares: this takes longer than all else that a fork costs.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        # the first function that is registered is called last, after threads have ended
        atexit.register(self._exit)

    def _exit(self) -> None:
        """End the process if it is a fork that has its exit code."""
        if self.code is None:
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            return  # Python reports it when it ends
        os._exit(self.code)


class Server:
    """The prepared process, which becomes the process of a job in a fork.

    ``end_of_run`` is the end of a pipe; the other one is closed when the run ends.
    """

    def __init__(self, listener: socket.socket, end_of_run: int) -> None:
        self._listener = listener
        self._end_of_run = end_of_run
        self._forks: list[Fork] = []

    def serve(self, *, wait: bool) -> socket.socket | None:
        """Serve the jobs that wait, and with ``wait`` all jobs until the run ends.

        Returns
        -------
        socket or None
            In a fork: the connection to its job. In this process None.
        """
        while True:
            poll = select.poll()
            poll.register(self._end_of_run, 0)  # an end of a connection is always reported
            if self._listener.fileno() >= 0:
                poll.register(self._listener, select.POLLIN)
            for fork in self._forks:
                poll.register(fork.connection, 0)
                poll.register(fork.process_file, select.POLLIN)
            ready = {number for number, _ in poll.poll(None if wait else 0)}
            if not ready:
                return None
            if self._end_of_run in ready:
                self.end()
                return None
            for fork in list(self._forks):
                if fork.process_file in ready:
                    self._report(fork)
                elif fork.connection.fileno() in ready:  # the job was killed
                    kill(fork)
                    self._report(fork)
            if self._listener.fileno() in ready:
                connection = self._fork()
                if connection is not None:
                    return connection

    def refuse(self) -> None:
        """Serve no more jobs; those that run continue."""
        self._listener.close()

    def end(self) -> None:
        """Kill all forks."""
        self.refuse()
        for fork in list(self._forks):
            kill(fork)
            self._report(fork)

    def _fork(self) -> socket.socket | None:
        """Fork for the next job; return the connection in the fork, and None in this process."""
        try:
            connection, _ = self._listener.accept()
        except OSError:  # no file can be opened: jobs do their work themselves
            self.refuse()
            return None
        if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208
            connection.close()  # a fork of several threads may block: the job does its work itself
            return None
        this_process = os.getpid()
        try:
            reserved = os.dup(self._end_of_run)  # in place of the file of the fork
            process = os.fork()
        except OSError:  # no file, process or memory is left: the job does its work itself
            connection.close()
            return None
        os.close(reserved)
        if process:
            set_group(process)
            file = os.pidfd_open(process)
            self._forks.append(Fork(connection=connection, process=process, process_file=file))
            return None
        set_group(0)
        # If this process is killed, so that its forks cannot report to their jobs, they end.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != this_process:
            os._exit(1)
        self._listener.close()
        os.close(self._end_of_run)
        for fork in self._forks:
            fork.connection.close()
            os.close(fork.process_file)
        return connection

    def _report(self, fork: Fork) -> None:
        """Send the exit code of a fork to its job."""
        _, status = os.waitpid(fork.process, 0)
        os.close(fork.process_file)
        with suppress(OSError), fork.connection as connection:  # the job may have been killed
            connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
        self._forks.remove(fork)


def set_group(process: int) -> None:
    """Give a fork a group of its own, so that signals reach its children as well."""
    with suppress(OSError):  # it has ended, or the other process has done so
        os.setpgid(process, 0)


def kill(fork: Fork) -> None:
    """Kill a fork and its children."""
    with suppress(ProcessLookupError):
        os.killpg(fork.process, signal.SIGKILL)


def prepare(server: Server, planned_code: list[str]) -> socket.socket | None:
    """Prepare in steps, and serve jobs that wait after each; the result is that of `Server.serve`.

    The process serves no more where it would not be as the process of a job: if the code is not
    that of the plan, a package is missing, memory or files are used up, or an import warns. Then
    jobs do their work themselves and have the error or the warning in their logs.
    """
    from xnbflow.core.deferred import defer_import  # noqa: PLC0415
    from xnbflow.core.errors import InputError  # noqa: PLC0415
    from xnbflow.running import provenance  # noqa: PLC0415

    provenance.remove_stale_bytecode()
    defer_import("scipy.stats")  # as in `start_job`
    gc.disable()  # until a fork: a search for cycles would take a tenth of the preparation
    for step in (import_readers, import_stages, import_models):
        try:
            if warns(step):
                server.refuse()
            # afterwards: modules that were edited since the plan may have been imported
            provenance.refuse_other_code(planned_code, {})
        except (ImportError, InputError, MemoryError, OSError):
            server.refuse()
        provenance.forget_digests()  # a fork compares the code of its time
        gc.freeze()  # a search for cycles in a fork would copy all memory
        connection = server.serve(wait=False)
        if connection is not None:
            return connection
    return server.serve(wait=True)


def warns(step: Callable[[], None]) -> bool:
    """Return whether a step of the preparation shows a warning, which is not shown here."""
    shown = []
    show = warnings.showwarning
    warnings.showwarning = lambda *warning, **_: shown.append(warning)
    try:
        step()
    finally:
        warnings.showwarning = show
    return bool(shown)


def become_job(connection: socket.socket, paths: list[str]) -> Path:
    """Take from a job's process what a fork does not have from it; return the job's script.

    ``paths`` are the paths of modules at the start of Python.
    """
    import numpy as np  # noqa: PLC0415

    from xnbflow.running.job_process import continue_job  # noqa: PLC0415
    from xnbflow.running.prepared_process import ADDRESS, Request  # noqa: PLC0415

    with connection:
        _, streams, _, _ = socket.recv_fds(connection, 1, 3)
        with connection.makefile("rb") as lines:
            line = lines.readline()
        if len(streams) != 3 or not line.endswith(b"\n"):  # the job was killed
            os._exit(1)
        request = Request.of_line(line)
        for i, stream in enumerate(streams):
            os.dup2(stream, i)
            os.close(stream)
        sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
        os.umask(request.umask)
        os.chdir(request.folder)
        os.environ.clear()
        os.environ.update(request.environment)
        del os.environ[ADDRESS]  # this is the process that does the work
        script = Path(request.arguments[0]).absolute()
        sys.argv[:] = request.arguments
        sys.path[:] = [str(script.parent), *paths]
        importlib.invalidate_caches()
        gc.enable()
        tempfile.tempdir = None  # it depends on the environment
        np.random.seed()  # noqa: NPY002  the global generator: each job has its own state
        continue_job(request.started, request.processor_seconds)
        try:
            connection.sendall(b"begun %d\n" % os.getpid())
        except OSError:  # the job was killed
            os._exit(1)
    return script


def run_script(script: Path, end: End) -> NoReturn:
    """Run a script as Python's main module; an exception has the traceback that it has there."""
    main = ModuleType("__main__")
    main.__file__ = str(script)
    sys.modules["__main__"] = main
    code = compile(script.read_bytes(), str(script), "exec")
    status: object = None
    try:
        exec(code, vars(main))  # noqa: S102  the script of a job
    except SystemExit as exit_of_script:
        status = exit_of_script.code
    except Exception as error:  # noqa: BLE001  Python ends in this way
        trace = error.__traceback__.tb_next if error.__traceback__ else None  # without this module
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        status = 1
    end.code = exit_code(status)
    sys.exit(status)  # type: ignore[arg-type]


def show_all_but_interrupts(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an exception as Python does, except an interrupt, which the run reports once."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


def exit_code(status: object) -> int:
    """Return the exit code of a process for an argument of `sys.exit`.

    Examples
    --------
    >>> exit_code(None), exit_code(3), exit_code("a message")
    (0, 3, 1)
    """
    if status is None:
        return 0
    return status & 0xFF if isinstance(status, int) else 1


def main() -> None:
    """Prepare and serve until the run ends; in a fork, run the script of a job."""
    end = End()
    del sys.path[0]  # the folder of this file, whose modules belong to a package
    paths = list(sys.path)
    installed = importlib.util.find_spec("xnbflow")
    if installed is None or installed.origin != str(_PACKAGE / "__init__.py"):
        sys.path.insert(0, str(_PACKAGE.parent))
    listener, end_of_run, folder, *planned_code = sys.argv[1:]
    server = Server(socket.socket(fileno=int(listener)), int(end_of_run))
    connection = prepare(server, planned_code)
    if connection is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        sys.excepthook = show_all_but_interrupts  # until the job has one
        run_script(become_job(connection, paths), end)


if __name__ == "__main__":
    main()
