"""Snakemake's command and its jobs, in forks of a process that has imported their packages."""

import atexit
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

from toys import PROGRAMS

from xnbflow.running.job_process import THREAD_VARIABLES


@cache
def python_with_packages():
    """Return a program that is called as Python is, see ``programs/job_server.py``."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "1")
    environment.pop("PYTHONPATH", None)
    server = subprocess.Popen(
        [sys.executable, PROGRAMS / "job_server.py", folder.name],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    atexit.register(server.communicate)  # which closes its input
    assert server.stdout.readline() == "ready\n"
    return Path(folder.name, "python")


def run(words, folder, environment=None):
    """Run Snakemake to its end; what it writes is ``stdout`` of the result."""
    command = [python_with_packages(), "-m", "snakemake", *map(str, words)]
    environment = dict(environment or os.environ)
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return CompletedProcess(words, done.returncode, done.stdout)
