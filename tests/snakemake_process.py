"""Snakemake's command in a process that has imported Snakemake already, and nothing of ours."""

import multiprocessing
import os
import sys
import tempfile
from pathlib import Path
from subprocess import CompletedProcess

#: One process imports these once; each command runs in a fork of it.
IMPORTED = (
    "snakemake.cli snakemake.workflow snakemake.profiles snakemake.storage "
    "snakemake.report.html_reporter snakemake_storage_plugin_fs "
    "jsonschema nbformat packaging platformdirs requests smart_open yaml"
)
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(IMPORTED.split())


def call(words, folder, environment, out):
    """Become the command `snakemake` with these words, in a folder."""
    from snakemake.cli import main

    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = environment.get("PYTHONPATH", "").split(os.pathsep)
    os.chdir(folder)
    for stream in (1, 2):
        os.dup2(os.open(out, os.O_WRONLY | os.O_APPEND), stream)
    sys.argv = ["snakemake", *words]
    main()


def run(words, folder, environment=None):
    """Run Snakemake to its end; what it writes is ``stdout`` of the result."""
    with tempfile.NamedTemporaryFile() as out:
        environment = dict(environment or os.environ)
        arguments = (list(map(str, words)), folder, environment, out.name)
        process = FORKS.Process(target=call, args=arguments)
        process.start()
        process.join()
        return CompletedProcess(words, process.exitcode, Path(out.name).read_text())
