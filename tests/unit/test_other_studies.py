"""The folds of a finished study of another configuration are not replaced."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from xnbflow.data.contract import STUDY_TABLE, text_of
from xnbflow.data.errors import InputError
from xnbflow.data.study import Study
from xnbflow.workflow.config import Folds
from xnbflow.workflow.other_studies import refuse_other_folds

MINE = Study("mine", "", "", ("wine",), ("nb",), ("cv",), diagnostics=False, analyses={})


@pytest.fixture
def check(tmp_path):
    """Check a scheme where a study called ``theirs`` has 2 repeats of 3 folds on wine."""
    places = [("wine", "cv", repeat, fold) for repeat in range(2) for fold in range(3)]
    path = tmp_path / text_of(STUDY_TABLE.of(study="theirs", table="metrics"))
    path.parent.mkdir(parents=True)
    frame = pd.DataFrame(places, columns=["dataset", "folds", "repeat", "fold"])
    frame.to_csv(path, sep="\t", index=False)

    def checked(scheme, study=MINE, place=("wine", "cv")):
        config = SimpleNamespace(folds={place[1]: scheme}, studies={study.id: study})
        refuse_other_folds(config, *place, root=tmp_path)

    return checked


@pytest.mark.parametrize("scheme", [Folds(2, 2), Folds(10, 2), Folds(3, 1)])
def test_other_folds_of_the_same_id_are_refused(check, scheme):
    with pytest.raises(InputError) as refusal:
        check(scheme)
    assert refusal.value.key == "folds.cv"
    assert refusal.value.file.endswith("results/studies/theirs/metrics.tsv")
    assert "delete results/studies/theirs" in refusal.value.remedy
    for words in ("2 x 3 folds", f"{scheme.repeats} x {scheme.splits} folds of wine"):
        assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("scheme", "options"),
    [
        (Folds(3, 2), {}),
        (Folds(3, 5), {}),  # more repeats of the same
        (Folds(None, 1), {}),  # by groups of samples
        (Folds(1, 1, "folds.csv"), {}),
        (Folds(5, 1), {"study": replace(MINE, id="theirs")}),  # edited, not another
        (Folds(5, 1), {"place": ("wine", "other")}),
        (Folds(5, 1), {"place": ("beer", "cv")}),
    ],
)
def test_the_same_folds_are_shared_and_other_ids_are_independent(check, scheme, options):
    check(scheme, **options)
