"""A server from which jobs are forked: scikit-learn and its like are imported once, not by each.

Their import takes three quarters of a short job's processor time. The process of Snakemake starts
the server (`start`); a job hands itself over to it (`run_job`), and runs alone where there is none:
on a cluster's nodes, in another environment, on another system than Linux. What a job sees is what
it would see alone: modules of this package and of plugins are imported in the job, and a server
serves jobs of one number of threads, since numba and BLAS read theirs when they are imported.

Processes of the server end with those that they serve: all of them with Snakemake's, however that
ends, and a forked job with the process that handed it over. The standard library alone is imported
here: every job reads it.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import random
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

__all__ = ["THREAD_VARIABLES", "is_running", "run_job", "start"]

#: What numba and BLAS read when they are imported.
THREAD_VARIABLES = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
)

#: Where jobs find the server: its environment and its socket.
_ADDRESS = "XNBFLOW_FORKSERVER"

#: Most jobs import these.
_PRELOADED = (
    "numba",
    "pandas",
    "pyarrow.parquet",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.feature_selection",
    "sklearn.model_selection",
    "sklearn.pipeline",
    "snakemake.iocontainers",
    "snakemake.logging",
)

_STARTED, _LOST = b"+", 137  # as a shell tells of a process that was killed


def start() -> None:
    """Start the server; it lives as long as this process, and its address is in the environment.

    Does nothing where jobs cannot be handed over, or there is a server; an empty
    ``XNBFLOW_FORKSERVER`` in the environment makes each job run alone.
    """
    if sys.platform != "linux" or is_running():
        return
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            folder = tempfile.mkdtemp(prefix="xnbflow-")  # for this user alone
            path = f"{folder}/socket"
            listener.bind(path)
        except OSError:  # no place for it, or too long a path
            return
        listener.listen(128)
        alive, ours = os.pipe()  # nothing is written: it ends when this process does
        server = subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", __file__, str(listener.fileno()), str(alive), folder],
            pass_fds=(listener.fileno(), alive),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt is for Snakemake
        )
        os.close(alive)
    os.environ[_ADDRESS] = f"{sys.prefix}{os.pathsep}{path}"
    atexit.register(_stop, server, ours)


def _stop(server: "subprocess.Popen[bytes]", alive: int) -> None:
    """Wait for the server's end, so that its processor seconds count among ours."""
    os.close(alive)
    server.wait()


def is_running() -> bool:
    """Whether jobs of this process have a server, or shall have none."""
    return _ADDRESS in os.environ


def run_job(threads: int) -> None:
    """Run this script in a process of the server and exit as that does; return if there is none.

    Parameters
    ----------
    threads : int
        Threads that the job may use.
    """
    prefix, _, path = os.environ.pop(_ADDRESS, "").rpartition(os.pathsep)
    if prefix != sys.prefix:
        return
    request = {
        "argv": sys.argv,
        "path": sys.path,
        "cwd": str(Path.cwd()),
        "environ": dict(os.environ),
    }
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(path)
            socket.send_fds(connection, [threads.to_bytes(4, "big")], [0, 1, 2])
            connection.sendall(json.dumps(request).encode() + b"\n")
            started = connection.recv(1)
        except OSError:
            return
        if started != _STARTED:
            return
        code = connection.recv(1)
    if not code:
        sys.stderr.write("Error: the job was killed; had it too little memory?\n")
        sys.stderr.flush()
    os._exit(code[0] if code else _LOST)


def _serve(listener: socket.socket, alive: int) -> None:
    """Hand connections to a process per number of threads, until Snakemake's ends."""
    servers: dict[int, socket.socket] = {}
    while True:
        waited: list[Any] = [listener, alive]
        ready, _, _ = select.select(waited, [], [])
        if alive in ready:
            for each in servers.values():
                each.close()
            return _wait()
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):  # it has ended, or it runs alone
            threads, streams, _, _ = socket.recv_fds(connection, 4, 3)
            number = int.from_bytes(threads, "big")
            if number not in servers:
                servers[number], theirs = socket.socketpair()
                ours = [each.fileno() for each in (listener, connection, *servers.values())]
                _fork(_fork_jobs, theirs, number, close=[*ours, alive, *streams])
                theirs.close()
            _hand_on(servers[number], connection, streams)


def _hand_on(server: socket.socket, connection: socket.socket, streams: list[int]) -> None:
    try:
        socket.send_fds(server, [b"."], [connection.fileno(), *streams])
    finally:
        for each in streams:
            os.close(each)


def _fork_jobs(requests: socket.socket, threads: int) -> None:
    """Import what jobs need, then fork one for each request."""
    gc.set_threshold(100_000)  # the imports to come leave nothing to collect
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(threads)
    for module in _PRELOADED:
        with contextlib.suppress(ImportError):  # the job that needs it will say so
            importlib.import_module(module)
    if numba := sys.modules.get("numba"):
        numba.jit(lambda: None)()  # numba learns of all that it can compile when it first does
    gc.freeze()  # what all share is not looked through, and so not copied, in each
    signal.signal(signal.SIGCHLD, lambda *_: _wait(os.WNOHANG))
    while True:
        _, handed, _, _ = socket.recv_fds(requests, 1, 4)
        if not handed:
            return _wait()
        _fork(_be_job, *handed, close=[requests.fileno()])
        for each in handed:
            os.close(each)


def _fork(work: Callable[..., object], *arguments: object, close: Iterable[int]) -> None:
    """Do some work in a process of its own, which never comes back here."""
    if os.fork():
        return
    try:
        for each in close:
            os.close(each)
        work(*arguments)
    except BaseException:  # noqa: BLE001  as the interpreter does
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _wait(options: int = 0) -> None:
    """Wait for processes of this one, or with ``os.WNOHANG`` for those that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, options) != (0, 0):
            continue


def _be_job(asked: int, *streams: int) -> NoReturn:
    """Run the script that asked, as if it ran there."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setpgid(0, 0)
    for number, each in enumerate(streams):
        os.dup2(each, number)
        os.close(each)
    connection = socket.socket(fileno=asked)
    with connection.makefile("rb") as lines:
        request = json.loads(lines.readline())
        os.environ.clear()
        os.environ.update(request["environ"])
        os.chdir(request["cwd"])
        sys.argv, sys.path = request["argv"], request["path"]
        if "numpy" in sys.modules:  # its state was copied; that of `random` Python renews
            sys.modules["numpy"].random.seed()
        random.seed()
        connection.sendall(_STARTED)
        threading.Thread(target=_end_with, args=[lines], daemon=True).start()
        code = _run(sys.argv[0])
        with contextlib.suppress(OSError):
            connection.sendall(bytes([code & 255]))
        os._exit(code)


def _end_with(lines: BinaryIO) -> None:
    """End this process, and those that it started, when the one that asked for it has ended."""
    lines.read(1)
    os.killpg(0, signal.SIGKILL)


def _run(script: str) -> int:
    """Run a script to its end; return its exit code."""
    code = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if not isinstance(end.code, int | None):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:  # noqa: BLE001  as the interpreter does
        sys.excepthook(*sys.exc_info())
        code = 1
    # As the interpreter ends: pools of processes first, or atexit would wait for idle ones.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
    shutil.rmtree(sys.argv[3], ignore_errors=True)
