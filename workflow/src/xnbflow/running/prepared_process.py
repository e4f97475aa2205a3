"""Jobs as forks of one process that has imported what they need: the sides of a run and of a job.

A job imports NumPy, pandas, Arrow, numba and scikit-learn for .4 to 1 s, and numba prepares itself
for .3 s more. A run on this machine therefore starts one *prepared process*
(`xnbflow.running.prepared_server`), which does so once. A job of it asks this process for a fork,
which runs its script, and ends as the fork does. Where a fork would differ from the job's process
(`circumstances`), or none can be had, the job does its work itself.

The run owns a private folder with a Unix socket, whose path jobs find in the environment variable
`ADDRESS`. A job connects to it, and

1. sends its standard streams and a line of JSON (`Request`);
2. receives ``begun PROCESS``; until then it can still do its work itself;
3. passes signals on to the process, and receives its exit code when it ends.

If the job ends first, the prepared process kills the fork. If the run ends, in whatever way, the
prepared process sees the end of a pipe, kills all forks and ends.

Jobs import this module before everything else, so it imports Python's modules only.
"""

import hashlib
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

from xnbflow.core.errors import InputError

#: Environment variable of users: with the value ``no`` each job imports its libraries itself.
SWITCH = "XNBFLOW_PREPARE"
#: Environment variable that a run sets for its jobs: circumstances and path of the socket.
ADDRESS = "XNBFLOW_PREPARED_PROCESS"
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
#: Arrow's second allocator, jemalloc, starts a thread when Arrow is imported, and a process with
#: several threads cannot be forked safely. Its variable has the prefix of Arrow's build.
WITHOUT_ALLOCATOR_THREAD = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
#: A run of fewer jobs, its target included, would save less than it costs to prepare a process.
LEAST_JOBS = 4

#: Variables that Snakemake and its shell set for each job, and that no library reads when it is
#: imported, or (threads) that the prepared process has as a job of one thread.
_OF_A_JOB = {*THREAD_VARIABLES, ADDRESS, "TMPDIR", "TMP", "TEMPDIR", "TEMP"}
_OF_A_SHELL = {"_", "SHLVL", "PWD", "OLDPWD"}
#: Signals by which people and schedulers end or stop a job; others have no effect on its fork.
_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGCONT")
#: Jobs that may wait for a connection; a machine runs fewer at once.
_MOST_WAITING = 128
_SERVER = Path(__file__).with_name("prepared_server.py")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a fork needs of the process of its job."""

    arguments: list[str]
    folder: str
    umask: int
    environment: dict[str, str]
    #: The start of the job, by the monotonic clock, and its processor seconds so far.
    started: float
    processor_seconds: float

    def as_line(self) -> bytes:
        """Return the request as a line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> "Request":
        """Return the request of a line.

        Examples
        --------
        >>> request = Request(
        ...     arguments=["job.py"],
        ...     folder="/",
        ...     umask=0o022,
        ...     environment={"LANG": "C"},
        ...     started=1.0,
        ...     processor_seconds=0.1,
        ... )
        >>> Request.of_line(request.as_line()) == request
        True
        """
        return cls(**json.loads(line))


class PreparedProcess:
    """The prepared process of a run: started before its first job, and stopped at its end.

    Examples
    --------
    >>> process = PreparedProcess()
    >>> process.stop()  # it was not started
    """

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._run = -1

    def start(self, planned_code: Iterable[str], n_jobs: int) -> None:
        """Start the process if this run of ``n_jobs`` jobs can use one, and announce it to jobs.

        ``planned_code`` are the digests of the library in the plan. The process serves only if
        its code is the code of the plan.
        """
        if n_jobs < LEAST_JOBS or os.environ.get(SWITCH) == "no" or not is_possible():
            return
        try:
            self._folder = tempfile.mkdtemp(prefix="xnbflow-")  # for this user alone (mode 700)
            path = f"{self._folder}/socket"
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(path)
                listener.listen(_MOST_WAITING)
                self._launch(listener, planned_code)
        except OSError:  # such as a path that is too long for a socket: jobs do without
            self.stop()
            return
        os.environ[ADDRESS] = f"{circumstances()} {path}"

    def _launch(self, listener: socket.socket, planned_code: Iterable[str]) -> None:
        """Start the program, with the socket and the end of a pipe that this process keeps open."""
        end_of_run, self._run = os.pipe()
        environment_of_process = dict.fromkeys(THREAD_VARIABLES, "1") | WITHOUT_ALLOCATOR_THREAD
        files = (listener.fileno(), end_of_run)
        try:
            self.process = subprocess.Popen(  # noqa: S603  this package's program
                [sys.executable, str(_SERVER), *map(str, files), self._folder, *planned_code],
                pass_fds=files,
                stdin=subprocess.DEVNULL,
                env=os.environ | environment_of_process,
                start_new_session=True,  # Ctrl-C of a terminal reaches jobs, which pass it on
            )
        finally:
            os.close(end_of_run)

    def stop(self) -> None:
        """End the process and its forks, and remove its folder; nothing if it was not started."""
        os.environ.pop(ADDRESS, None)
        if self._run >= 0:
            os.close(self._run)
            self._run = -1
        if self.process is not None:
            self.process.terminate()  # it may still prepare, and see the end of the pipe later
            self.process.wait()
            self.process = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""


def is_possible() -> bool:
    """Return whether this system has what a prepared process needs: Linux 5.3 or newer."""
    if not sys.platform.startswith("linux") or not hasattr(os, "pidfd_open"):
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


def circumstances() -> str:
    """Return a digest of all that a fork has from the prepared process and not from its job.

    These are the interpreter, this library, the environment at imports, the limits of the system
    and ignored signals. A job whose digest differs from the digest of its run does its work itself.
    """
    apart = _OF_A_JOB | _OF_A_SHELL
    environment = {name: value for name, value in os.environ.items() if name not in apart}
    limits = {
        name: resource.getrlimit(getattr(resource, name))
        for name in dir(resource)
        if name.startswith("RLIMIT_")
    }
    signals = [code for code in signal.valid_signals() if signal.getsignal(code) is signal.SIG_IGN]
    facts = (
        (sys.executable, sys.version, sys.prefix, str(_SERVER.resolve())),
        sorted(environment.items()),
        limits,
        os.getpriority(os.PRIO_PROCESS, 0),
        sorted(os.sched_getaffinity(0)),
        (os.getresuid(), os.getresgid(), sorted(os.getgroups())),
        sorted(signals),
    )
    return hashlib.sha256(repr(facts).encode(errors="surrogateescape")).hexdigest()


def run_in_fork(started: float) -> None:
    """Let a fork of the prepared process run this script, and end this process as the fork ends.

    It returns if there is no prepared process for this job, which then does its work itself.

    Parameters
    ----------
    started : float
        The start of this job by the monotonic clock.

    Raises
    ------
    InputError
        If the prepared process ends while the fork works.
    """
    digest, _, path = os.environ.get(ADDRESS, "").partition(" ")
    if not path or digest != circumstances():
        return
    umask = os.umask(0o077)
    os.umask(umask)
    request = Request(
        arguments=sys.argv,
        folder=os.getcwd(),  # noqa: PTH109  as text
        umask=umask,
        environment=dict(os.environ),
        started=started,
        processor_seconds=time.process_time(),
    )
    with socket.socket(socket.AF_UNIX) as connection:
        answers = connection.makefile("rb")
        try:
            connection.connect(path)
            socket.send_fds(connection, [b"\n"], [0, 1, 2])
            connection.sendall(request.as_line())
            word, _, process = answers.readline().partition(b" ")
        except OSError:
            return
        if word != b"begun":
            return
        _pass_signals_on(int(process))
        status = answers.readline()
        if not status:
            with suppress(ProcessLookupError):
                os.killpg(int(process), signal.SIGKILL)
            msg = (
                "the process from which the jobs of this run are forked was killed, perhaps "
                f"because memory ran out. Run it again, or with {SWITCH}=no, so that no job "
                "depends on it"
            )
            raise InputError(msg)
    _end_as(int(status))


def _pass_signals_on(group: int) -> None:
    """Pass signals to this process on to the group of processes of a fork."""

    def pass_on(number: int, _frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):  # it ends at this moment
            os.killpg(group, number)

    def stop(_number: int, _frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)

    for name in _PASSED_ON:
        number = signal.Signals[name]
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on)
    signal.signal(signal.SIGTSTP, stop)


def _end_as(status: int) -> None:
    """End this process with an exit code, or if it is negative by the signal of this number."""
    if status >= 0:
        sys.exit(status)
    if -status != signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
