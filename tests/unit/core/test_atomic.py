"""Files are written whole or not at all; temporary files of ended processes are removed."""

import errno
import os
import platform
import subprocess
import sys
import time

import pytest
from toys import refused

from xnbflow.core.atomic import atomic, lacks_space, write_atomically


@pytest.fixture
def ended_process():
    """The id of a process of this host that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def part_of(folder, host, process, age=0):
    """Create a temporary file of ``a.tsv`` that a process wrote ``age`` seconds ago."""
    path = folder / f".{host}.{process}.ab12.part.a.tsv"
    path.touch()
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def write_a(folder):
    write_atomically(folder / "a.tsv", lambda path: path.write_text("a"))


def test_the_file_of_an_ended_process_is_removed_at_once(tmp_path, ended_process):
    temporary = part_of(tmp_path, platform.node(), ended_process)
    write_a(tmp_path)
    assert not temporary.exists()


def test_the_file_of_a_running_process_is_not_removed(tmp_path):
    temporary = part_of(tmp_path, platform.node(), os.getpid())
    write_a(tmp_path)
    assert temporary.exists()


@pytest.mark.parametrize(("age", "exists"), [(86_000, True), (87_000, False)])
def test_the_file_of_another_host_is_removed_after_a_day(tmp_path, ended_process, age, exists):
    temporary = part_of(tmp_path, "elsewhere", ended_process, age)
    write_a(tmp_path)
    assert temporary.exists() == exists


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_a_quota_and_a_limit_of_size_are_lack_of_space(number):
    assert lacks_space(OSError(number, ""))


def test_other_errors_are_not_lack_of_space():
    assert not lacks_space(OSError(errno.ENOENT, ""))
    assert not lacks_space(ValueError())


def test_a_failure_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("before")

    def fail(temporary):
        temporary.write_text("half")
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
    old = tmp_path / ".elsewhere.1.ab12.part.a.tsv"
    new = tmp_path / ".elsewhere.2.ab12.part.a.tsv"
    other = tmp_path / ".elsewhere.1.ab12.part.b.tsv"
    for path in (old, new, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (time.time() - 90_000,) * 2)
    write_atomically(tmp_path / "a.tsv", lambda path: path.write_text("a"))
    assert [path.exists() for path in (old, new, other)] == [False, True, True]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_folder_that_must_not_be_written_is_told_with_the_path(tmp_path, number):
    path, elsewhere = tmp_path / "t.tsv", PermissionError(number, "", "/elsewhere")

    def fail(temporary):
        raise OSError(number, os.strerror(number), str(temporary))

    with refused(f"t.tsv cannot be written .{os.strerror(number)}.; obtain the right", file=path):
        write_atomically(path, fail)
    with pytest.raises(OSError, match="elsewhere"), atomic(path):
        raise elsewhere
