"""A process that begins as a job of the workflow does."""

import json

import pytest
from toys import run_program


@pytest.fixture
def run(tmp_path):
    """Run code in a job with these parameters, in a folder; return its exit code and errors.

    ``before`` runs before the job starts. The log is ``logs/a.log``.
    """

    def run(work, before="", params=None, **options):
        arguments = (before, json.dumps({"code": "computing 01234567"} | (params or {})), work)
        process = run_program("run_job.py", *arguments, check=False, cwd=tmp_path, **options)
        return process.returncode, process.stderr

    return run
