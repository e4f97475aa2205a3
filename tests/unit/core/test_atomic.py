"""Temporary files of ended processes are removed; those of running processes are not."""

import errno
import os
import platform
import subprocess
import sys
import time

import pytest

from xnbflow.core.atomic import lacks_space, write_atomically


@pytest.fixture
def ended_process():
    """The id of a process of this host that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def part_of(folder, host, process, age=0):
    """Create a temporary file of ``a.tsv`` that a process wrote ``age`` seconds ago."""
    part = folder / f".{host}.{process}.ab12.part.a.tsv"
    part.touch()
    os.utime(part, (time.time() - age, time.time() - age))
    return part


def write_a(folder):
    write_atomically(folder / "a.tsv", lambda part: part.write_text("a"))


def test_the_file_of_an_ended_process_is_removed_at_once(tmp_path, ended_process):
    part = part_of(tmp_path, platform.node(), ended_process)
    write_a(tmp_path)
    assert not part.exists()


def test_the_file_of_a_running_process_is_not_removed(tmp_path):
    part = part_of(tmp_path, platform.node(), os.getpid())
    write_a(tmp_path)
    assert part.exists()


@pytest.mark.parametrize(("age", "exists"), [(86_000, True), (87_000, False)])
def test_the_file_of_another_host_is_removed_after_a_day(tmp_path, ended_process, age, exists):
    part = part_of(tmp_path, "elsewhere", ended_process, age)
    write_a(tmp_path)
    assert part.exists() == exists


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_a_quota_and_a_limit_of_size_are_lack_of_space(number):
    assert lacks_space(OSError(number, ""))


def test_other_errors_are_not_lack_of_space():
    assert not lacks_space(OSError(errno.ENOENT, ""))
    assert not lacks_space(ValueError())
