"""A job hands itself over to the server from which jobs are forked, as its Python starts.

``workflow/startup/sitecustomize.py`` calls this before anything else is imported, so that what
Snakemake puts before each script is run, with all that it imports, in the process that is forked.
Hence nothing is imported here that the interpreter does not have at hand: `socket` and `json` take
as long as all of its start.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import marshal
import os
import site
import sys

__all__ = ["ADDRESS", "STARTED", "THREAD_VARIABLES", "hand_over", "identity"]

#: Where jobs find the server: whom it serves, and its socket.
ADDRESS = "XNBFLOW_FORKSERVER"
#: What numba and the libraries below NumPy read when they are imported.
THREAD_VARIABLES = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
#: What the server says when a job begins.
STARTED = b"+"

#: The line by which a script is one of the workflow's jobs, and not a user's own.
_BEGINS = b"\nstart_job(snakemake)\n"
#: Seconds that a server has to import what jobs need; then the job runs alone.
_PATIENCE = 120
_LOST = 137  # as a shell tells of a process that was killed


def identity() -> str:
    """Return whom a server serves: this environment, with the same files (not a container's)."""
    return f"{sys.prefix}:{os.readlink('/proc/self/ns/mnt')}"


def hand_over(script: str) -> None:
    """Run one of the workflow's jobs in a process of the server and exit as that does.

    Parameters
    ----------
    script : str
        What this interpreter has been started with. Nothing is done, and it runs here, unless it is
        one that Snakemake has written for a job, which begins with ``start_job(snakemake)``, and
        there is a server of this environment.
    """
    script = os.path.realpath(script)
    if os.path.dirname(script) != os.path.join(os.getcwd(), ".snakemake", "scripts"):
        return
    with open(script, "rb") as file:
        if _BEGINS not in file.read():
            return
    whom, _, path = os.environ.pop(ADDRESS).rpartition(os.pathsep)
    threads = os.environ.get("OMP_NUM_THREADS", "")  # Snakemake sets it to those of the job
    if whom != identity() or not threads.isdigit():
        return
    if site.ENABLE_USER_SITE:
        site.execusercustomize()  # it would come next
    interrupted = _signal.getsignal(_signal.SIGINT)
    if interrupted is _signal.default_int_handler:  # else it is ignored
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # while this waits, nothing needs an end
    _ask(path, int(threads), marshal.dumps(_request(script)))
    _signal.signal(_signal.SIGINT, interrupted)


def _request(script: str) -> dict[str, object]:
    """Return what a process needs to be this one."""
    folder = [] if sys.flags.safe_path else [os.path.dirname(script)]
    mask = os.umask(0)
    os.umask(mask)
    return {
        "script": script,
        "argv": sys.orig_argv[1:],
        "orig_argv": sys.orig_argv,
        "path": folder + sys.path,
        "cwd": os.getcwd(),
        "environ": dict(os.environ),
        "umask": mask,
    }


def _ask(path: str, threads: int, request: bytes) -> None:
    """Have the server run a job and exit as that does; return if it cannot."""
    streams = b"".join(each.to_bytes(4, sys.byteorder) for each in (0, 1, 2))
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(_PATIENCE)
    try:
        connection.connect(path)
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)
        connection.sendmsg([threads.to_bytes(4, "big")], [rights])
        connection.sendall(request)
        started = connection.recv(1)
    except OSError:
        started = b""
    if started != STARTED:
        connection.close()
        return
    connection.settimeout(None)
    try:
        code = connection.recv(1)
    except OSError:
        code = b""
    if not code:
        os.write(2, b"Error: the job was killed; had it too little memory?\n")
    os._exit(code[0] if code else _LOST)
