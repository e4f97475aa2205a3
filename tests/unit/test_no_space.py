"""What is said when the machine has no room, or no thread, left."""

import os
import resource
import subprocess
import sys

import pytest

#: Writes a table of a megabyte in a job whose files may have so many bytes.
CALL = """
import resource
from xnbflow.workflow.jobs import start_job
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
from types import SimpleNamespace
start_job(SimpleNamespace(threads=1, log=["job.log"], params=SimpleNamespace(sources=dict())))
import numpy as np, pandas as pd
{write}
"""
WRITES = {
    "part.parquet": """
import pyarrow as pa
from xnbflow.data.parquet import parquet_writer
table = pa.table({"x": np.random.default_rng(0).normal(size=131072)})
with parquet_writer("part.parquet", table.schema) as writer:
    writer.write_table(table)
""",
    "part.tsv": """
from xnbflow.data.tables import write_tsv
write_tsv(pd.DataFrame({"x": np.arange(131072)}), "part.tsv")
""",
}


def run(folder, limit, write):
    code = CALL.format(limit=limit, write=write)
    unwatched = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return subprocess.run(  # coverage would have no room for its own file either
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=unwatched,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITES)
def test_without_room_a_job_says_so_in_one_sentence_with_the_path(tmp_path, name):
    done = run(tmp_path, 50_000, WRITES[name])
    assert done.returncode == 1
    said = f"{name} cannot be written: no space is left there; make room and run it again"
    assert done.stderr == f"Error: {said}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["job.log"]
    assert run(tmp_path, resource.RLIM_INFINITY, WRITES[name]).returncode == 0


def test_without_room_for_its_log_a_job_says_the_same(tmp_path):
    raising = 'import errno, os\nraise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a/b.nbc")'
    done = run(tmp_path, 0, raising)
    assert done.stderr.startswith("Error: a/b.nbc cannot be written: no space is left there; ")
    assert done.stderr.count("\n") == 1
