"""What is said when the machine has no room, or no thread, left."""

import os
import resource
import shutil
import subprocess
import sys
import time

import pytest

from xnbflow.data.atomic import atomic, write_atomically

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


def test_until_it_is_whole_a_file_is_as_it_was(tmp_path):
    with atomic(tmp_path / "new/table.tsv") as part:
        part.write_text("half")
        assert not (tmp_path / "new/table.tsv").exists()
    shutil.rmtree(tmp_path / "new")
    path = tmp_path / "table.tsv"
    path.write_text("before")
    with atomic(path) as part:
        part.write_text("half")
        assert path.read_text() == "before"
        assert part.parent == path.parent  # a move within a folder is one step
        part.write_text("whole")
        assert path.read_text() == "before"
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("before")

    def fail(part):
        part.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, fail)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_a_file_do_not_meet(tmp_path):
    path = tmp_path / "series.parquet"
    with atomic(path) as first:
        first.write_text("first")
        with atomic(path) as second:
            assert second != first
            second.write_text("second")
        assert first.read_text() == "first"
    assert path.read_text() == "first"


def test_what_a_killed_writer_left_goes_after_a_day(tmp_path):
    names = ("1.ab12.part.a.tsv", "2.ab12.part.a.tsv", "1.ab12.part.b.tsv")
    old, new, other = (tmp_path / f".elsewhere.{name}" for name in names)
    for part in (old, new, other):
        part.touch()
    for part in (old, other):
        os.utime(part, (time.time() - 90_000,) * 2)
    write_atomically(tmp_path / "a.tsv", lambda part: part.write_text("a"))
    assert [part.exists() for part in (old, new, other)] == [False, True, True]
