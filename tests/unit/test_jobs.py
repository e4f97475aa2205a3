"""The start of a job, the words of its errors, and what it asks for."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from xnbflow.data.contract import JOBS

START = """
import json, sys
from types import SimpleNamespace
from xnbflow.workflow.jobs import start_job
sources = json.loads({sources!r})
start_job(SimpleNamespace(threads=1, log=["logs/a.log"], params=SimpleNamespace(sources=sources)))
"""


@pytest.fixture
def run(tmp_path):
    """Run a script that begins as a job does, in a folder; returns its exit code and errors."""

    def run(work, before="", sources=None):
        script = before + START.format(sources=json.dumps(sources or {})) + work
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    return run


def test_what_is_raised_is_logged_and_a_persons_mistake_is_told_in_a_sentence(run, tmp_path):
    code, said = run("from xnbflow.data.errors import InputError; raise InputError('name it')")
    assert (code, said) == (1, "Error: name it\n")
    assert "Traceback" in (tmp_path / "logs/a.log").read_text()


def test_numba_with_another_number_of_threads_than_the_job_s_is_refused(run):
    code, said = run("", "import os; os.environ['NUMBA_NUM_THREADS'] = '2'; import numba\n")
    assert code == 1
    assert "numba was imported for 2 threads in a job that may use 1" in said


def test_a_job_of_other_sources_than_the_plan_s_does_not_begin(run):
    sources = {"xnbflow.data": "sha256:0123456789ab", "sklearn": "0.0.1"}
    code, said = run("print('work')", sources=sources)
    assert code == 1
    assert said.startswith("Error: the sources of xnbflow.data were edited")


RULES = Path(__file__).parents[2] / "workflow" / "rules"


def test_every_rule_of_the_contract_has_a_script_a_log_and_asks_for_memory_and_time():
    text = "".join(path.read_text() for path in RULES.glob("*.smk"))
    for rule in JOBS:
        for word in (f'log_of("{rule}")', f'benchmark_of("{rule}")', f"scripts/{rule}.py"):
            assert text.count(word) == 1, word
    for word in ("mem_mb=memory(", "runtime=minutes("):
        assert text.count(word) == len(JOBS)
    assert not re.search(r"\._[a-z]", text)  # private names: ruff reads the rest of the sources


def test_a_package_that_is_not_installed_is_told_with_where_to_install_it(run):
    code, said = run("import no_such_package")
    assert code == 1
    assert said.startswith(f"Error: No module named 'no_such_package' in {sys.executable}, which")
    code, said = run("import xnbflow.no_such_module")  # a mistake of ours
    assert "Traceback" in said


def test_a_job_without_memory_is_told_how_to_get_more(run, tmp_path):
    code, said = run("raise MemoryError('Unable to allocate 8 EiB')")
    assert code == 1
    assert said.startswith("Error: The job ran out of memory (Unable to allocate 8 EiB)")
    assert "mem_mb" in said
    assert "Traceback" in (tmp_path / "logs/a.log").read_text()
