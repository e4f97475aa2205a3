"""Results of another configuration, of whose jobs Snakemake has no record."""

import copy
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from xnbflow.running.plan import Plan
from xnbflow.running.project import default_configuration
from xnbflow.running.provenance import code_of_stages
from xnbflow.running.study_jobs import StudyPlanner
from xnbflow.running.unrecorded import unrecorded_changes

ROOT = Path(__file__).parents[3]


class Graph:
    """Snakemake's graph with one job, which a run keeps or repeats."""

    jobs = ("genes",)

    def __init__(self, *, is_recorded, is_repeated):
        self._is_recorded = is_recorded
        self._is_repeated = is_repeated

    def reason(self, job):
        return SimpleNamespace(no_metadata=not self._is_recorded)

    def needrun(self, job):
        return self._is_repeated


KEPT = Graph(is_recorded=False, is_repeated=False)


def planner(**changes):
    raw = copy.deepcopy(default_configuration(ROOT))
    raw["studies"]["demo"] |= changes
    plan = Plan.read(raw, ROOT)
    plan.study_of("demo")
    return StudyPlanner(plan)


@pytest.fixture
def record(tmp_path, monkeypatch):
    """The record of the study `demo`, made by this code with the shipped configuration."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results/studies/demo"
    folder.mkdir(parents=True)
    made = {
        "configuration": planner().configuration(SimpleNamespace(study="demo")),
        "provenance": {"code": code_of_stages()},
    }
    path = folder / "run.json"
    path.write_text(json.dumps(made))
    return path


def test_a_design_that_differs_from_the_record_is_named(record):
    assert list(unrecorded_changes(planner(), KEPT)) == []
    (sentence,) = unrecorded_changes(planner(design={}), KEPT)
    assert sentence == (
        "The results of demo were made with another configuration (studies). Snakemake would keep "
        "the files of 1 job of which .snakemake has no record. Copy .snakemake together with "
        "results, or repeat all jobs by --forceall"
    )


def test_another_code_is_named(record):
    made = json.loads(record.read_text())
    made["provenance"]["code"]["judging"] = "00000000"
    record.write_text(json.dumps(made))
    (sentence,) = unrecorded_changes(planner(), KEPT)
    assert "made with another version of the code. Snakemake" in sentence


@pytest.mark.parametrize(
    "graph",
    [
        Graph(is_recorded=True, is_repeated=False),
        Graph(is_recorded=False, is_repeated=True),  # --forceall
    ],
)
def test_snakemake_repeats_jobs_of_which_it_has_a_record(record, graph):
    assert list(unrecorded_changes(planner(design={}), graph)) == []


def test_a_study_without_a_record_has_not_ended(record):
    record.unlink()
    assert list(unrecorded_changes(planner(design={}), KEPT)) == []
