"""A process that begins as a job of the workflow does."""

import json

import pytest
from toys import PROGRAMS, python


@pytest.fixture
def run(tmp_path):
    """Run code in a job with these parameters, in a folder; return its exit code and errors.

    ``before`` runs before the job starts. The log is ``logs/a.log``, the usage ``usage/a.tsv``.
    """

    def run(work, before="", params=None, **options):
        script = before + PROGRAMS["start_job"].format(params=json.dumps(params or {})) + work
        process = python(script, cwd=tmp_path, check=False, **options)
        return process.returncode, process.stderr

    return run
