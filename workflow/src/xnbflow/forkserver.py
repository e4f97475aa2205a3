"""A server from which jobs are forked: what most of them import is imported once, not by each.

These imports take nine tenths of a short job's processor time. The process of Snakemake starts the
server (`start`); a job hands itself over as its Python starts (`xnbflow.handover`), and runs alone
where there is none: on a cluster's nodes, in another environment, on another system than Linux.

What a job sees is what it would see alone: a server serves jobs of one number of threads, since
numba and BLAS read theirs when they are imported, and no job whose environment or folder is another
than its own; plugins are imported in the job. The modules of this library are those of the run's
beginning, which is what the digests of its jobs say, however their files are edited meanwhile.
(Snakemake reads the scripts when a job starts, and processes that a job starts afresh the files.)

Processes of the server end with those that they serve: all of them with Snakemake's, however that
ends, and a forked job with the process that handed it over.
"""

import ast
import atexit
import contextlib
import fcntl
import gc
import importlib
import marshal
import os
import random
import resource
import runpy
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any, NoReturn

from xnbflow.handover import ADDRESS, STARTED, THREAD_VARIABLES, identity
from xnbflow.jobs import import_from
from xnbflow.kernel_digest import kernel_digest

__all__ = ["start"]

_LIBRARY = Path(__file__).parent
_WORKFLOW = _LIBRARY.parents[1]

#: What jobs import besides what the scripts show: for estimators, and before the scripts begin.
_PRELOADED = (
    "scipy.optimize",
    "scipy.stats",
    "sklearn.feature_selection",
    "sklearn.model_selection",
    "sklearn.pipeline",
    "snakemake.iocontainers",
    "snakemake.logging",
)
#: A run has few of these jobs, and what they import is much: matplotlib, skops.
_FEW = {"final.py", "index.py", "pictures.py", "report.py", "validate.py"}

#: What Snakemake and the shell between set for each job; what reads them does so when it needs it.
_OF_EACH_JOB = {
    *THREAD_VARIABLES,
    *("TMPDIR", "TMP", "TEMPDIR", "TEMP"),
    *("PWD", "OLDPWD", "SHLVL", "_"),
}


@cache
def start() -> None:
    """Start the server; it lives as long as this process, and jobs find it by the environment.

    Does nothing where jobs cannot be handed over, or there is one; an empty ``XNBFLOW_FORKSERVER``
    in the environment makes each job run alone.
    """
    if sys.platform != "linux" or os.environ.get(ADDRESS) == "":
        return
    os.environ.pop(ADDRESS, None)  # that of a run one of whose jobs this is
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            folder = tempfile.mkdtemp(prefix="xnbflow-")  # for this user alone
            address = f"{identity()}{os.pathsep}{folder}/socket"
            listener.bind(f"{folder}/socket")
        except OSError:  # no place for it, or too long a path
            return
        listener.listen(128)
        alive, ours = os.pipe()  # nothing is written: it ends when this process does
        import_from(str(_LIBRARY.parent))
        server = subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", __file__, str(listener.fileno()), str(alive), folder],
            pass_fds=(listener.fileno(), alive),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt is for Snakemake
        )
        os.close(alive)
    os.environ[ADDRESS] = address
    import_from(str(_WORKFLOW / "startup"))
    atexit.register(_stop, server, ours)


def _stop(server: "subprocess.Popen[bytes]", alive: int) -> None:
    """Wait for the server's end, so that its processor seconds count among ours."""
    os.close(alive)
    server.wait()


def _serve(listener: socket.socket, alive: int) -> None:
    """Hand connections to a process per number of threads, until Snakemake's ends."""
    sys.meta_path.insert(0, _Library())
    given = dict(os.environ)
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
                _fork(_fork_jobs, theirs, number, given, close=[*ours, alive, *streams])
                theirs.close()
            _hand_on(servers[number], connection, streams)


def _hand_on(server: socket.socket, connection: socket.socket, streams: list[int]) -> None:
    try:
        socket.send_fds(server, [b"."], [connection.fileno(), *streams])
    finally:
        for each in streams:
            os.close(each)


class _AsItWas(SourceFileLoader):
    """Loads a module from what was in its file when this was made."""

    def __init__(self, name: str, path: str) -> None:
        super().__init__(name, path)
        self._code = super().get_code(name)

    def get_code(self, fullname: str) -> types.CodeType | None:  # noqa: ARG002
        return self._code


class _Library:
    """Finds the modules of this library as they are now, whatever becomes of their files."""

    def __init__(self) -> None:
        self._loaders: dict[str, _AsItWas] = {}
        for path in _LIBRARY.rglob("*.py"):
            parts = path.relative_to(_LIBRARY.parent).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            with contextlib.suppress(OSError, SyntaxError, ValueError):  # the job will say so
                self._loaders[name] = _AsItWas(name, str(path))
        kernel_digest()  # is kept: what is compiled of these modules is not taken for newer ones

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if loader := self._loaders.get(name):
            return spec_from_file_location(name, loader=loader)
        return None


def _fork_jobs(requests: socket.socket, threads: int, given: dict[str, str]) -> None:
    """Import what jobs need, then fork one for each request."""
    gc.set_threshold(100_000)  # the imports to come leave nothing to collect
    for variable in THREAD_VARIABLES:
        os.environ[variable] = str(threads)
    # Arrow's allocator: no thread that tidies up, for one that has threads had better not fork.
    os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")
    _preload()
    gc.freeze()  # what all share is not looked through, and so not copied, in each
    signal.signal(signal.SIGCHLD, lambda *_: _wait(os.WNOHANG))
    while True:
        _, handed, _, _ = socket.recv_fds(requests, 1, 4)
        if not handed:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return _wait()
        _fork(_be_job, given, *handed, close=[requests.fileno()])
        for each in handed:
            os.close(each)


def _preload() -> None:
    """Import what jobs import; what cannot be, the job that needs it will tell."""
    for module in _PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    with contextlib.suppress(ImportError):
        numba = importlib.import_module("numba")
        numba.jit(lambda: None)()  # numba learns of all that it can compile when it first does
    if not _keeps_kernels():
        return
    for module in dict.fromkeys(_imported()):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)


def _keeps_kernels() -> bool:
    """Return whether compiled kernels can be kept; else every job shall warn in its own log."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            importlib.import_module("xnbflow.jit").cache_folder()
        except (ImportError, RuntimeWarning):
            return False
    return True


def _imported() -> Iterator[str]:
    """Yield the modules that scripts import, and those of the library's methods."""
    for script in sorted((_WORKFLOW / "scripts").glob("*.py")):
        if script.name not in _FEW:
            for node in ast.parse(script.read_bytes()).body:
                if isinstance(node, ast.ImportFrom) and node.module:
                    yield node.module
    with contextlib.suppress(ImportError):
        for method in importlib.import_module("xnbflow.methods").METHODS.values():
            yield method.estimator.rpartition(".")[0]


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
    """Wait for processes of this one, or with ``os.WNOHANG`` for those that have ended.

    What a job has started ends with it if it is killed: who asked for it waits for all of them.
    """
    with contextlib.suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | options):
            if ended.si_code != os.CLD_EXITED:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(ended.si_pid, signal.SIGKILL)  # still its own: it is not yet buried
            os.waitpid(ended.si_pid, 0)


def _be_job(given: dict[str, str], asked: int, *streams: int) -> NoReturn:
    """Run the script that asked, as if it ran there."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setpgid(0, 0)
    for number, each in enumerate(streams):
        os.dup2(each, number)
        os.close(each)
    connection = socket.socket(fileno=asked)
    with connection.makefile("rb") as lines:
        request = marshal.load(lines)  # noqa: S302  from this user alone
    if not _fits(request, given) or not _inherit(connection, request["umask"]):
        os._exit(0)  # it runs alone
    os.environ.clear()
    os.environ.update(request["environ"])
    sys.argv, sys.orig_argv, sys.path = request["argv"], request["orig_argv"], request["path"]
    _renew()
    connection.sendall(STARTED)
    _end_with(connection)
    code = _run(request["script"])
    fcntl.fcntl(connection, fcntl.F_SETFL, 0)
    with contextlib.suppress(OSError):
        connection.sendall(bytes([code & 255]))
    os._exit(code)


def _fits(request: dict[str, Any], given: dict[str, str]) -> bool:
    """Return whether what was imported here saw the environment and the folder of a job."""
    theirs, ours = (
        {name: value for name, value in environ.items() if name not in _OF_EACH_JOB}
        for environ in (request["environ"], given)
    )
    return theirs == ours and request["cwd"] == str(Path.cwd())


def _inherit(connection: socket.socket, mask: int) -> bool:
    """Take over what a process inherits, as a shell may have set it; return whether that may be."""
    process, _, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    os.umask(mask)
    try:
        os.sched_setaffinity(0, os.sched_getaffinity(process))
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, process))
        for name in dir(resource):
            if name.startswith("RLIMIT_"):
                limit = getattr(resource, name)
                resource.setrlimit(limit, resource.prlimit(process, limit))
    except (OSError, ValueError):  # what has been taken away is not given back
        return False
    return True


def _renew() -> None:
    """Make new what a forked process has of its parent, and no process should share."""
    if "numpy" in sys.modules:  # the state was copied; that of `random` Python renews
        sys.modules["numpy"].random.seed()
    random.seed()
    tempfile.tempdir = None  # it is looked for in the environment of the job
    sys.stdout.reconfigure(line_buffering=sys.stdout.isatty())  # type: ignore[union-attr]


def _end_with(connection: socket.socket) -> None:
    """Have the system kill this process, and those that it starts, when the one that asked ends.

    That is what it does when a connection says something whose owner wants `SIGKILL` for it: the
    other side says nothing more, but closes it. No thread watches, so that a job can fork.
    """
    fcntl.fcntl(connection, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(connection, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(connection, fcntl.F_SETFL, os.O_ASYNC)
    if select.select([connection], [], [], 0)[0]:  # it had ended before
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
