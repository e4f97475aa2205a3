"""What jobs ask for grows with their input and after a failure, and never beyond what there is."""

import re
from pathlib import Path

import pytest

from xnbflow.data.contract import JOBS
from xnbflow.workflow.needs import NEEDS, Need, fitting
from xnbflow.workflow.partition import Partition, largest, read_partition

RULES = Path(__file__).parents[2] / "workflow" / "rules"


def test_every_rule_that_runs_a_script_asks_for_memory_time_and_cpus():
    assert NEEDS.keys() == JOBS.keys()
    text = "".join(path.read_text() for path in RULES.glob("*.smk"))
    for rule in JOBS:
        (body,) = re.findall(rf"^rule {rule}:\n(.*?)(?=^rule |\Z)", text, re.DOTALL | re.MULTILINE)
        asked = re.findall(rf'\b(cpus|memory|minutes)_of\("{rule}"', body)
        assert sorted(asked) == ["cpus", "memory", "minutes"]


@pytest.mark.parametrize("rule", NEEDS)
def test_after_a_failure_a_job_asks_for_twice_as_much(rule):
    need = NEEDS[rule]
    for ask in (need.mem_mb, need.runtime):
        first, second, third = (ask(50, attempt) for attempt in (1, 2, 3))
        assert second == pytest.approx(2 * first, abs=1)
        assert third == pytest.approx(4 * first, abs=3)


@pytest.mark.parametrize("rule", ["acquire", "train", "diagnose", "final", "describe"])
def test_more_input_asks_for_more(rule):
    need = NEEDS[rule]
    assert need.mem_mb(1000, 1) > 2 * need.mem_mb(10, 1)
    assert need.runtime(1000, 1) > need.runtime(10, 1)


def test_a_job_gets_no_more_than_the_largest_node_has():
    partition = largest("main*|2|4000|1:00:00\nmain*|8|16000|1:00:00\n")
    assert partition == Partition("main", cpus=8, mem_mb=16_000, runtime=60)
    assert fitting(4, "cpus", partition) == 4
    assert fitting(16, "cpus", partition) == 8
    assert fitting(20_000, "mem_mb", partition) == 16_000
    assert fitting(120, "runtime", partition) == 60


def test_memory_that_nobody_configured_limits_nothing():
    partition = largest("main*|2|1|infinite\n")
    assert fitting(20_000, "mem_mb", partition) == 20_000
    assert fitting(10**6, "runtime", partition) == 10**6


def test_where_slurm_does_not_answer_nothing_is_limited(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_partition() is None
    (tmp_path / "sinfo").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "sinfo").chmod(0o755)
    assert read_partition(["main"]) is None
    assert largest("", default_only=True) is None


@pytest.mark.parametrize("rule", [name for name, need in NEEDS.items() if need.per_cpu])
def test_only_a_job_with_much_work_asks_for_a_second_cpu(rule):
    need = NEEDS[rule]
    asked = [need.threads(times * need.per_cpu) for times in (0, 0.99, 1, 100)]
    assert asked == [1, 1, 2, need.cpus]


def test_a_need_without_a_measure_of_work_asks_for_all_cpus():
    assert Need(mb=1, mb_per_mb=1, minutes=1, minutes_per_mb=1, cpus=4).threads(0) == 4
