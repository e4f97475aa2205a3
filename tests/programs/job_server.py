"""Runs Snakemake and its jobs, each in a fork of one process that has imported their packages.

The imports are half of the time of a job of a small study. The program writes ``FOLDER/python``,
which is called as Python is: its scripts and ``-m snakemake`` are forks of the server, all else
runs in Python itself. The server has imported nothing of this project, and not numba, which reads
its number of threads when it is imported. It ends when its standard input is closed.

Called as ``python job_server.py FOLDER``; it prints a line when it is ready.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import shlex
import socket
import sys
from contextlib import suppress
from pathlib import Path

#: Packages that jobs or Snakemake import, and that take long.
IMPORTED = (
    "pandas pyarrow.parquet scipy.stats sklearn.base jsonschema nbformat requests smart_open "
    "snakemake.cli snakemake.script snakemake.profiles snakemake.report.html_reporter "
    "snakemake.storage snakemake.workflow"
)

#: What ``FOLDER/python`` does: it sends its arguments, folder, environment and streams, and ends as
#: the fork does.
CLIENT = """
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
request = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [b"%10d" % len(request)], [0, 1, 2])
server.sendall(request)
sys.exit(int(server.recv(10) or 1))
"""


def write_client(folder):
    """Write the program that is called as Python is."""
    python = shlex.quote(sys.executable)
    client = f"-I -S -c {shlex.quote(CLIENT)} {shlex.quote(str(folder / 'socket'))}"
    lines = [
        "#!/bin/sh",
        'case "$1 $2" in',
        f"""*.py' '|'-m snakemake') exec {python} {client} "$@" ;;""",
        f'*) exec {python} "$@" ;;',
        "esac",
        "",
    ]
    program = folder / "python"
    program.write_text("\n".join(lines))
    program.chmod(0o755)


def next_request(listener):
    """Return, in a fork, the next request: arguments, folder, environment and streams."""
    while True:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # forks that have ended
                pass
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            os._exit(0)
        connection, _ = listener.accept()
        if os.fork():
            connection.close()
            continue
        listener.close()
        length, streams, _, _ = socket.recv_fds(connection, 10, 3)
        with connection.makefile("rb") as file:
            request = json.loads(file.read(int(length)))
        if job := os.fork():
            _, status = os.waitpid(job, 0)
            with suppress(OSError):  # the caller was killed
                connection.sendall(str(os.waitstatus_to_exitcode(status) & 255).encode())
            os._exit(0)
        connection.close()
        return *request, streams


def main():
    """Answer requests; a fork goes on as the program that was asked for."""
    code = 1

    def end():
        """End without the deletion of all that is imported, which takes a tenth of a second."""
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    atexit.register(end)  # before the imports: what these register is called before
    folder = Path(sys.argv[1])
    del sys.path[0]  # the folder of this file
    for name in IMPORTED.split():
        importlib.import_module(name)
    gc.freeze()  # a fork that looks for garbage would copy all that is imported
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "socket"))
    listener.listen(64)
    write_client(folder)
    print("ready", flush=True)
    words, place, environment, streams = next_request(listener)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(place)
    os.environ.clear()
    os.environ.update(environment)
    sys.executable = str(folder / "python")
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
        else:
            sys.argv = words
            sys.path.insert(0, str(Path(words[0]).parent))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        raise
    code = 0


if __name__ == "__main__":
    main()
