"""The start of a job: its log, and the record of what it took."""

import subprocess
import sys

import pytest

from xnbflow.evaluation.gathering import read_benchmark

START = """
from types import SimpleNamespace
from xnbflow.workflow.jobs import start_job
start_job(SimpleNamespace(threads=1, log=["logs/a.log"], output=SimpleNamespace(record="b/a.tsv")))
"""


@pytest.fixture
def run(tmp_path):
    """Run a script that begins as a job does, in a folder; returns its exit code and errors."""

    def run(work):
        done = subprocess.run(
            [sys.executable, "-c", START + work],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    return run


def test_a_job_records_its_seconds_and_the_most_memory_that_it_held(run, tmp_path):
    held = "import time; a = bytearray(200_000_000); del a; time.sleep(0.3)"
    assert run(held) == (0, "")
    (record,) = read_benchmark(tmp_path / "b/a.tsv").itertuples(index=False)
    assert 0.3 <= record.seconds < 30
    assert 200 < record.max_memory_mb < 400


def test_the_memory_of_a_process_that_it_started_counts_too(run, tmp_path):
    work = "import subprocess, sys\n"
    work += "subprocess.run([sys.executable, '-c', 'bytearray(200_000_000)'], check=True)"
    assert run(work) == (0, "")
    assert read_benchmark(tmp_path / "b/a.tsv")["max_memory_mb"].item() > 190


def test_a_package_that_is_not_installed_is_told_with_where_to_install_it(run):
    code, said = run("import no_such_package")
    assert code == 1
    assert said.startswith(f"Error: No module named 'no_such_package' in {sys.executable}, which")
    assert "--sdm conda" in said
    code, said = run("import xnbflow.no_such_module")  # a mistake of ours
    assert "Traceback" in said


def test_what_is_raised_is_logged_and_a_persons_mistake_is_told_in_a_sentence(run, tmp_path):
    code, said = run("from xnbflow.data.errors import InputError; raise InputError('name it')")
    assert (code, said) == (1, "Error: name it\n")
    assert "Traceback" in (tmp_path / "logs/a.log").read_text()


def test_numba_with_another_number_of_threads_than_the_job_s_is_refused():
    early = "import os; os.environ['NUMBA_NUM_THREADS'] = '2'; import numba\n"
    done = subprocess.run(
        [sys.executable, "-c", early + START], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "numba was imported for 2 threads in a job that may use 1" in done.stderr
