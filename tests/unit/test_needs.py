"""What jobs ask for grows with their input and after a failure."""

import re
from pathlib import Path

import pytest

from xnbflow.data.contract import JOBS
from xnbflow.workflow.needs import NEEDS, Need

RULES = Path(__file__).parents[2] / "workflow" / "rules"


def test_every_rule_asks_for_memory_and_time():
    assert NEEDS.keys() == JOBS.keys()
    text = "".join(path.read_text() for path in RULES.glob("*.smk"))
    for rule in JOBS:
        assert re.findall(rf'\b(memory|minutes)_of\(\s*"{rule}"', text) == ["memory", "minutes"]


@pytest.mark.parametrize("rule", NEEDS)
def test_more_input_and_a_failure_ask_for_more(rule):
    need = NEEDS[rule]
    for ask in (need.mem_mb, need.runtime):
        first, second, third = (ask(50, attempt) for attempt in (1, 2, 3))
        assert second == pytest.approx(2 * first, abs=1)
        assert third == pytest.approx(4 * first, abs=3)
        assert ask(1000, 1) > ask(10, 1)


@pytest.mark.parametrize("rule", [name for name, need in NEEDS.items() if need.per_cpu])
def test_only_a_job_with_much_work_asks_for_a_second_cpu(rule):
    need = NEEDS[rule]
    asked = [need.threads(times * need.per_cpu) for times in (0, 0.99, 1, 100)]
    assert asked == [1, 1, 2, need.cpus]


def test_a_need_without_a_measure_of_work_asks_for_all_cpus():
    assert Need(mb=1, mb_per_mb=1, minutes=1, minutes_per_mb=1, cpus=4).threads(0) == 4
