"""What a study of another configuration stands on is not taken from it without a word."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from report_study import write_declared

from xnbflow.data.contract import STUDY_TABLE, STUDY_TABLES
from xnbflow.data.errors import InputError
from xnbflow.workflow.config import Folds, Study
from xnbflow.workflow.standing import check_standing

MINE = Study("mine", "", "", ("wine",), ("nb",), ("cv",), diagnostics=False, analyses={})


@pytest.fixture
def check(tmp_path):
    """Check a scheme where a study called ``theirs`` has 2 repeats of 3 folds on wine."""
    places = [("wine", "cv", repeat, fold) for repeat in range(2) for fold in range(3)]
    frame = pd.DataFrame(places, columns=["dataset", "folds", "repeat", "fold"])
    path = tmp_path / STUDY_TABLE.of(study="theirs", table="metrics")
    write_declared(frame, path, STUDY_TABLES["metrics"])

    def checked(scheme, *studies, asked=("mine",)):
        known = {study.id: study for study in (MINE, *studies)}
        config = SimpleNamespace(folds={"cv": scheme, "other": scheme}, studies=known)
        check_standing(config, asked, tmp_path)

    return checked


@pytest.mark.parametrize("scheme", [Folds(2, 2), Folds(10, 2), Folds(3, 1)])
def test_other_folds_of_the_same_name_are_refused(check, scheme):
    with pytest.raises(InputError) as refusal:
        check(scheme)
    assert f"folds.cv: {scheme.repeats} x {scheme.splits} folds" in str(refusal.value)
    assert "the study theirs, which is not in this configuration" in str(refusal.value)
    assert "2 x 3 folds of that name on wine" in str(refusal.value)
    assert "delete results/studies/theirs" in str(refusal.value)


@pytest.mark.parametrize("scheme", [Folds(3, 2), Folds(3, 5)])
def test_the_same_folds_and_more_repeats_of_them_are_shared(check, scheme):
    check(scheme)


def test_a_study_of_this_configuration_may_be_edited(check):
    check(Folds(5, 1), replace(MINE, id="theirs"))


def test_other_schemes_and_data_sets_and_studies_that_do_not_run_are_left_alone(check):
    check(Folds(5, 1), asked=())
    check(Folds(5, 1), replace(MINE, id="more", folds=("other",)), asked=("more",))
    check(Folds(5, 1), replace(MINE, id="more", datasets=("beer",)), asked=("more",))


@pytest.mark.parametrize("scheme", [Folds(None, 1), Folds(1, 1, "folds.csv")])
def test_folds_that_follow_from_the_data_set_are_not_compared(check, scheme):
    check(scheme)
