"""Rules and scripts of the workflow: each has its places, and a script imports what it needs."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from rule_text import directive, rule_texts

from xnbflow.tables.contract import (
    ALL_COHORTS_FOLDER,
    ANALYSIS_FOLDER,
    CHECKSUMS,
    COHORTS_FOLDER,
    CURVES,
    DETAILS,
    FIGURES_FOLDER,
    GENE_SETS,
    GROUPS,
    JOBS,
    LIMMA_SCRIPT,
    MODEL,
    RECORD,
    SERIES,
    STUDY,
    _log_of,
    benchmark_of,
    text_of,
)

ROOT = Path(__file__).parents[3]


#: What takes a tenth of a second or more to import.
SLOW = {
    "matplotlib",
    "numba",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "skops",
    "sklearn.base",
    "sklearn.feature_selection",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.pipeline",
}


#: scikit-learn imports `scipy.stats`, and this `scipy.optimize`.
TRAINING = {"numba", "scipy.optimize", "scipy.special", "scipy.stats", "sklearn.base"}
NEEDED = {
    "acquire": set(),
    "diagnose": {"numba", "scipy.special"},
    "genes": {"numba", "scipy.special"},
    "classify": TRAINING,
    "check": TRAINING,
    "models": TRAINING,
    "cohorts": TRAINING,
    "compare": TRAINING,
    "report": set(),
    "draw": {"matplotlib"},
}


@pytest.mark.slow
def test_a_stage_imports_only_what_it_needs(run):
    """All stages but *analyse*, which imports the papers."""
    imports = {}
    for stage in NEEDED:
        text = (ROOT / f"workflow/scripts/{stage}.py").read_text()
        imports[stage] = "\n".join(re.findall(r"^from xnbflow\..*", text, re.MULTILINE))
    alike = {}
    for stage, packages in NEEDED.items():
        alike.setdefault(frozenset(packages), []).append(stage)
    arguments = f"{imports}, {[*alike.values()]}, {SLOW}"
    code, errors = run(f"import stage_imports; stage_imports.report({arguments})")
    lines = [line.split() for line in errors.splitlines()]
    assert {stage: set(packages) for stage, *packages in lines} == NEEDED
    assert code == 0


TRAINING_WITH_OWN_CLASSIFIERS = """
import sys
import numpy as np
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train
values = np.random.default_rng(0).normal(size=(30, 24))
values[:5, 12:] += 3.0
features = [f"g{i}" for i in range(30)]
samples = [f"s{i}" for i in range(24)]
series = DataSet("toy", values, features, samples, labels=np.repeat(["a", "b"], 12))
folds = draw_folds(series, 3, 1)
for name in ("ClassSpecificNBCV", "GaussianNB", "ShrunkenCentroids"):
    tables = train(series, folds, {"method": f"xnbflow.naive_bayes.{name}"})
    assert len(tables["predictions"]) == 24, name
"""


@pytest.mark.slow
def test_a_job_that_trains_our_classifiers_imports_no_more_of_scikit_learn(run):
    asked = f"sys.exit(' '.join({SLOW} & set(sys.modules)))"
    _, errors = run(TRAINING_WITH_OWN_CLASSIFIERS + asked)
    assert set(errors.split()) == TRAINING


def test_every_rule_has_its_three_places():
    """Its group in tables.toml, its rule and its script; with log and benchmark."""
    text = rule_texts()
    written = set(re.findall(r"^rule (\w+):", text, re.MULTILINE))
    scripts = {path.stem for path in (ROOT / "workflow/scripts").glob("*.py")}
    assert written == scripts == set(JOBS)
    for rule in written:
        assert f"scripts/{rule}.py" in text
        for path in (_log_of(rule), benchmark_of(rule)):
            assert f'"{path}"' in text


def test_the_paths_in_the_rules_are_those_of_the_contract():
    places = {
        SERIES,
        CHECKSUMS,
        MODEL,
        GENE_SETS,
        LIMMA_SCRIPT,
        ANALYSIS_FOLDER,
        ALL_COHORTS_FOLDER,
        COHORTS_FOLDER,
        DETAILS,
        FIGURES_FOLDER,
        RECORD,
        CURVES,
    }
    for group in GROUPS.values():
        places |= {group.path, text_of(group.path), *group.files.values()}
        places |= {text_of(path) for path in group.files.values()}
    for rule in JOBS:
        places |= {_log_of(rule), benchmark_of(rule)}
    written = set(re.findall(r'"(results/[^"]+)"', rule_texts()))
    assert written
    assert written <= places


def test_a_folder_of_a_study_has_one_writer():
    """No two rules write tables into one folder, and a job has its folder for itself."""
    rules_of_folder = {}
    for group in GROUPS.values():
        if group.path.startswith(STUDY):
            # the figures are a folder, of which the job writes the whole
            folder = group.path.parent if Path(group.path).suffix else group.path
            rules_of_folder.setdefault(folder, set()).add(group.rule)
    for folder, rules in rules_of_folder.items():
        assert len(rules) == 1, folder
        jobs = JOBS[next(iter(rules))]
        assert {f"{{{name}}}" for name in folder.wildcards} == set(jobs.split("/")), folder
    assert rules_of_folder[STUDY] == {"report"}
    for path in (MODEL, GENE_SETS):  # beside the tables of the model
        assert rules_of_folder[path.parent] == {"models"}


class StubPlan:
    """A plan of data sets of 600 MB; other methods are their names."""

    config = SimpleNamespace(diagnostics={"normality_alpha": 0.05, "dependence_alpha": 1e-6})

    def __init__(self, **study):
        self._study = SimpleNamespace(**study)

    def dataset_mb(self, wildcards, samples=300):
        return 2.0 * samples

    def datasets_mb(self, datasets):
        return 200.0 * len(datasets)

    def cohort_mb(self, wildcards):
        return self.datasets_mb(self._study.series)

    def size_mb(self, wildcards, files):
        return files.size_mb

    def repeats(self, wildcards):
        return 3

    def study(self, wildcards):
        return self._study

    def __getattr__(self, name):
        return name


def planned(rule, name, **study):
    """Evaluate a directive of a rule with planners whose methods are their names."""
    planner = StubPlan(**study)
    names = ("PLAN", "OF_DATA", "OF_STUDY")
    return directive(rule, name, **dict.fromkeys(names, planner))


#: MB and minutes that a job with 100 MB of input requests at first; *classify* with a factor of 3.
REQUESTED = {
    "acquire": (1800, 160),
    "diagnose": (2400, 160),
    "genes": (2400, 160),
    "classify": (1900, 1260),
    "check": (1900, 420),
    "models": (1900, 420),
    "compare": (2500, 110),
    "cohorts": (2700, 420),
    "analyse": (3100, 780),
    "report": (3100, 110),
    "draw": (3100, 110),
}


@pytest.mark.parametrize("rule", JOBS)
def test_memory_and_time_follow_from_the_input_and_double_at_each_attempt(rule):
    resources = planned(rule, "resources")
    files = SimpleNamespace(size_mb=100)
    for attempt, factor in ((1, 1), (2, 2), (3, 4)):
        requests = (resources[name](None, files, attempt) for name in ("mem_mb", "runtime"))
        assert tuple(requests) == tuple(factor * first for first in REQUESTED[rule])


@pytest.mark.parametrize(
    ("rule", "study", "threads"),
    [
        ("genes", {}, 1),
        ("diagnose", {}, 1),  # of 100 samples, if the entry has no shape: 200 MB
        ("cohorts", {"series": ("a",)}, 1),
        ("cohorts", {"series": ("a", "b", "c", "d")}, 2),
        ("draw", {"training_keys": range(49)}, 1),
        ("draw", {"training_keys": range(50)}, 2),
        ("draw", {"training_keys": range(500)}, 4),
    ],
)
def test_threads_follow_from_the_work(rule, study, threads):
    assert planned(rule, "threads", **study)(None) == threads


def test_threads_of_analyses_are_fixed():
    assert planned("analyse", "threads") == 4


def test_jobs_in_progress_precede_new_data_sets_and_large_ones_precede_small_ones():
    assert planned("acquire", "priority")(None) == -1 / 601
    assert planned("classify", "priority")(None) == 1 - 1 / 601
    assert planned("check", "priority")(None) == 1 - 1 / 601


#: The stage of each rule, whose code is a parameter.
STAGE = dict.fromkeys(JOBS, "computing")
STAGE |= {"acquire": "reading", "compare": "judging"}
STAGE |= {"report": "page", "draw": "page"}
#: Rules of jobs in which no module of the user has a part.
WITHOUT_OWN_CODE = {"diagnose", "genes"}


@pytest.mark.parametrize("rule", JOBS)
def test_an_edit_of_the_code_behind_a_rule_repeats_its_jobs(rule):
    params = planned(rule, "params")
    assert params["code"] == STAGE[rule]
    assert ("own_code" in params) == (rule not in WITHOUT_OWN_CODE)
