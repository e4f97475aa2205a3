"""Free memory of a process: the machine's, and what each control group leaves."""

import pytest
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.sources.formats import memory
from xnbflow.sources.formats.memory import free_memory, refuse_too_large

GIGABYTE = 1_000_000_000


@pytest.fixture
def linux(tmp_path):
    """Return folders like /proc and /sys/fs/cgroup, of a machine with 8,000,000 kB available."""
    proc = tmp_path / "proc"
    groups = tmp_path / "groups"
    (proc / "self").mkdir(parents=True)
    groups.mkdir()
    text = "MemTotal:       16000000 kB\nMemFree: 100 kB\nMemAvailable:    8000000 kB\n"
    (proc / "meminfo").write_text(text)
    (proc / "self/cgroup").write_text("0::/job/step\n")
    return proc, groups


def write_group(folder, limit, usage, statistics="anon 1\n", version=2):
    folder.mkdir(parents=True, exist_ok=True)
    if version == 2:
        names = ("memory.max", "memory.current")
    else:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
    for name, value in zip(names, (limit, usage), strict=True):
        (folder / name).write_text(f"{value}\n")
    (folder / "memory.stat").write_text(statistics)


def test_without_limits_it_is_what_the_machine_has_available(linux):
    assert free_memory(*linux) == 8_192_000_000


def test_a_job_has_what_its_group_leaves(linux):
    _, groups = linux
    write_group(groups / "job/step", "max", 5)
    write_group(groups / "job", 4 * GIGABYTE, GIGABYTE)
    assert free_memory(*linux) == 3 * GIGABYTE


def test_the_least_of_all_groups_counts(linux):
    _, groups = linux
    write_group(groups / "job/step", 2 * GIGABYTE, GIGABYTE)
    write_group(groups / "job", 4 * GIGABYTE, GIGABYTE)
    assert free_memory(*linux) == GIGABYTE
    write_group(groups / "job", 4 * GIGABYTE, 5 * GIGABYTE)  # above its limit for a moment
    assert free_memory(*linux) == 0


def test_files_in_the_cache_are_released_when_memory_is_short(linux):
    _, groups = linux
    write_group(groups / "job", 4 * GIGABYTE, 3 * GIGABYTE, "file 9\ninactive_file 2000000000\n")
    assert free_memory(*linux) == 3 * GIGABYTE


def test_groups_of_version_1_are_read(linux):
    proc, groups = linux
    (proc / "self/cgroup").write_text("5:cpu,cpuacct:/other\n4:hugetlb,memory:/job\n")
    write_group(
        groups / "memory/job", 2 * GIGABYTE, GIGABYTE, "total_inactive_file 500000000\n", version=1
    )
    write_group(groups / "memory", 9223372036854771712, GIGABYTE, version=1)  # no limit
    assert free_memory(*linux) == 1_500_000_000


def test_other_systems_have_no_limit(tmp_path):
    assert free_memory(tmp_path, tmp_path) is None
    (tmp_path / "meminfo").write_text("MemTotal: 5 kB\n")  # before Linux 3.14
    assert free_memory(tmp_path, tmp_path) is None


def test_more_than_is_free_is_refused_with_both_numbers(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 3_140_000_000)
    refuse_too_large("x.h5ad", 3_140_000_000, "matrix X", "write fewer genes")
    message = r"matrix X needs at least 9\.6 GB of memory, but only 3\.1 GB .* or write fewer genes"
    with pytest.raises(InputError, match=message) as error:
        refuse_too_large("x.h5ad", 9_600_000_000, "matrix X", "write fewer genes")
    assert error.value.code == "memory.too-large"
    assert error.value.file == "x.h5ad"
    monkeypatch.setattr(memory, "free_memory", lambda: 2_100_000)
    with refused(r"at least 1,000\.0 GB of memory, but only 0\.0021 GB", code="memory.too-large"):
        refuse_too_large("x.h5ad", 1000 * GIGABYTE, "matrix X", "")


def test_where_the_free_memory_is_unknown_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    refuse_too_large("x.h5ad", 1 << 60, "matrix X", "")
