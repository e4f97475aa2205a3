"""A file appears whole or not at all."""

import os
import shutil
import time

import pytest

from xnbflow.data.atomic import atomic, write_atomically


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
