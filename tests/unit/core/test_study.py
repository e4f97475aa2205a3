"""Priorities, jobs and combinations of a study do not depend on its results."""

import json
from dataclasses import asdict, replace

import pytest

from xnbflow.core.seeds import derive_seed
from xnbflow.core.study import Cohorts, Design, Study, Validation, study_of

STUDY = Study(
    id="s",
    title="",
    summary="",
    datasets=("a", "b"),
    classifiers=("nb", "xnb", "csnb"),
    folds=("5-fold",),
    diagnostics=False,
    analyses={},
    final=("csnb", "nb"),
)


def test_final_classifiers_precede_the_others():
    assert STUDY.priority == ("csnb", "nb", "xnb")


def test_a_headline_leads_alone():
    assert replace(STUDY, headline="xnb").priority == ("xnb",)


def test_each_classifier_is_trained_in_its_job():
    study = replace(STUDY, jobs={"xnb": "slow"})
    assert study.classifiers_of("main") == ("nb", "csnb")
    assert study.training_jobs == [
        ("a", "5-fold", "main"), ("a", "5-fold", "slow"), ("b", "5-fold", "main"),
        ("b", "5-fold", "slow"),
    ]  # fmt: skip


def test_data_sets_of_validations_are_named_once_in_order():
    pairs = (
        Validation(model="nb", train="b", test="a"),
        Validation(model="csnb", train="a", test="c"),
    )
    assert replace(STUDY, validate=pairs).validation_datasets == ["b", "a", "c"]


def test_series_are_combined_only_if_the_study_asks_for_it():
    assert STUDY.cohort_series == ()
    assert replace(STUDY, cohorts=Cohorts(("a", "b"))).cohort_series == ("a", "b")


@pytest.mark.parametrize("cohorts", [None, Cohorts(("a", "b"), "nb", harmonise="zscore")])
def test_a_study_is_read_from_its_record(cohorts):
    """The record of a run is JSON, which has no tuples and no dataclasses."""
    pair = Validation(model="nb", train="a", test="b", match="symbol")
    study = replace(STUDY, validate=(pair,), cohorts=cohorts, permutations=1999)
    design = Design(adjust=("age", "factor(plate)"), biology=("age",), trend=False)
    study = replace(study, designs={"a": design})
    assert study_of(json.loads(json.dumps(asdict(study)))) == study
    assert study_of(asdict(study)) == study


def test_parts_of_a_seed_are_separate():
    assert derive_seed("a", "bc") != derive_seed("ab", "c")
    assert 0 <= derive_seed("a", 1) < 2**32


def study_with(**changes):
    fields = {"id": "s", "title": "", "summary": "", "datasets": ("a", "b"), "classifiers": ("nb",)}
    fields |= {"folds": ("5-fold",), "diagnostics": True, "analyses": {}}
    return Study(**fields | changes)


def test_a_study_runs_without_data_sets_that_are_missing():
    analyses = {
        "simulated": {"datasets": ["b"]},
        "without_data": {"params": {"x": 1}},
        "divided": {"datasets": ["b"], "folds": "5-fold"},
        "both": {"datasets": ["a", "b"], "params": {"y": 2}},
    }
    pairs = (
        Validation(model="nb", train="a", test="b"),
        Validation(model="nb", train="b", test="a"),
        Validation(model="nb", train="a", test="c"),
    )
    cohorts = Cohorts(("a", "b", "c"), model="nb")
    study = study_with(
        datasets=("a", "b", "c"), analyses=analyses, validate=pairs, cohorts=cohorts, final=("nb",)
    )
    rest = study.without({"b": "no such file"})
    assert rest.datasets == ("a", "c")
    assert rest.missing == {"b": "no such file"}
    assert rest.analyses == {
        "simulated": {"datasets": []},
        "without_data": {"params": {"x": 1}},
        "both": {"datasets": ["a"], "params": {"y": 2}},
    }
    assert rest.validate == pairs[2:]
    assert rest.cohort_series == ("a", "c")
    assert rest.classifiers == ("nb",)
    assert study.without({"b": "", "c": ""}).cohorts is None


def test_a_study_without_any_data_set_keeps_its_simulations():
    study = study_with(analyses={"sim": {"datasets": ["a", "b"]}}, final=("nb",), headline="nb")
    rest = study.without({"a": "x", "b": "y"})
    assert rest.training_keys == rest.models == []
    assert (rest.classifiers, rest.folds, rest.headline) == ((), (), "")
    assert list(rest.analyses) == ["sim"]


def test_a_study_that_misses_nothing_is_itself():
    study = study_with()
    assert study.without({}) is study
