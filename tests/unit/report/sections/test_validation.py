"""The section on second cohorts: verdicts in words, and numbers of both cohorts."""

import numpy as np
import pandas as pd
import pytest
from report_study import study_of_tables

from xnbflow.core.study import Validation
from xnbflow.report.page.blocks import Gallery, Group
from xnbflow.report.sections import cohorts
from xnbflow.report.sentences import cohort_sentence

PAIR = {"model": "xnb", "train": "d", "test": "e", "match": "feature", "harmonise": "none"}


def study_of_pairs(tmp_path, verdicts, **tables):
    """Return a study with a pair of cohorts for each verdict, by different harmonisations."""
    ways = ["none", "rank", "zscore"][: len(verdicts)]
    rows = [
        PAIR | {"harmonise": way, "verdict": verdict, "strategy": "second cohort"}
        for way, verdict in zip(ways, verdicts, strict=True)
    ]
    contents = {"cohorts.cohort_tests": rows}
    contents["class_sizes"] = [{"dataset": "d", "class": "a", "samples": 3}]
    contents |= {f"cohorts.{name}": rows for name, rows in tables.items()}
    pairs = tuple(Validation(model="xnb", train="d", test="e", harmonise=way) for way in ways)
    return study_of_tables(tmp_path, contents, validate=pairs)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        pytest.param(["held"], "the model held.", id="held"),
        pytest.param(
            ["cannot be judged"],
            "could not be judged.",
            id="shared samples",
        ),
        pytest.param(
            ["not held", "held"],
            "In a second cohort, of 2 models: 1 held, 1 did not hold.",
            id="two verdicts",
        ),
        pytest.param(
            ["held", "held"], "In a second cohort, of 2 models: 2 held.", id="two that held"
        ),
    ],
)
def test_one_verdict_is_a_sentence_and_several_are_counted(tmp_path, verdicts, expected):
    sentence = cohorts.verdicts_in_words(study_of_pairs(tmp_path, verdicts))
    assert sentence.startswith("In a second cohort")
    assert sentence.endswith(expected)


def test_a_cohort_that_shares_samples_is_named_once():
    """The verdict and its reason are the same words."""
    row = {"train": "a", "test": "b", "n": 40, "right": 30.0, "value": 0.75, "lower": 0.6}
    row |= {"upper": 0.85, "chance": 0.5, "p_value": 0.0250004, "loss": np.nan, "auc": np.nan}
    row |= {"verdict": "cannot be judged", "reason": "the cohorts share samples"}
    text = cohort_sentence(row, "NB")
    assert text.startswith("Cannot be judged (the cohorts share samples): NB, trained on")
    assert text.count("share") == 1
    assert "permuted labels: p = 0.0250004)" in text  # not .025, the level itself


def test_accuracies_of_both_cohorts_stand_side_by_side(tmp_path):
    rows = [
        PAIR | {"cohort": "train", "value": 0.9, "right": 27, "n": 30},
        PAIR | {"cohort": "test", "value": 0.6, "right": 12, "n": 20},
    ]
    study = study_of_pairs(tmp_path, ["held"], accuracy=rows)
    frame = cohorts._validation_overview(study).frame
    assert frame["value"].tolist() == [0.6]
    assert frame["cross-validated"].tolist() == [0.9]
    assert frame["n"].tolist() == [20]
    assert "match" not in frame  # the default
    section = cohorts.section(_with_details(tmp_path, rows))
    (group,) = (block for block in section.blocks if isinstance(block, Group))
    assert group.note == "held: 12 of 20 right"
    assert group.title == "XNB: d → e"


@pytest.mark.parametrize("has_densities", [False, True])
def test_a_pair_has_densities_where_the_model_selects_features(tmp_path, has_densities):
    accuracy = [PAIR | {"cohort": "test", "value": 0.6, "right": 12, "n": 20}]
    row = PAIR | {"feature": "g", "symbol": "", "class": "a", "x": 0.0, "cohort": "test"}
    densities = [row | {"density": 1.0}] if has_densities else []
    study = _with_details(tmp_path, accuracy, densities=densities)
    (pair,) = study.study.validate
    blocks = list(cohorts._blocks_of_pair(study, pair, "n"))
    names = [
        figure.name for block in blocks if isinstance(block, Gallery) for figure in block.figures
    ]
    assert ("n-density-01" in names) == has_densities
    assert sum(isinstance(block, Gallery) for block in blocks) == 1 + has_densities


def _with_details(tmp_path, accuracy, densities=()):
    """Return a study with every table that the section reads."""
    prediction = PAIR | {"true": "a", "predicted": "a"}
    recall = PAIR | {"cohort": "test", "class": "a", "right": 12, "n": 20}
    tables = {"accuracy": [*accuracy, recall], "predictions": [prediction]}
    tables |= {"signatures": [], "calibration": [], "densities": densities}
    return study_of_pairs(tmp_path, ["held"], **tables)


def test_densities_are_of_training_and_of_test():
    row = {"feature": "g", "symbol": "TP53", "class": "a", "x": 0.0}
    rows = [row | {"cohort": "test", "density": 2.0}, row | {"cohort": "train", "density": 1.0}]
    rows.append(row | {"class": "b", "cohort": "test", "density": 3.0})
    (figure,) = cohorts._cohort_densities(pd.DataFrame(rows), "n")
    curves = figure.arguments["curves"]
    assert [values.tolist() for values in curves["a"]] == [[1.0], [2.0]]
    assert curves["b"][0] is None
    assert figure.arguments["feature"] == "TP53 (g)"


def test_options_are_in_the_title_of_a_pair(tmp_path):
    study = study_of_pairs(tmp_path, ["held"])
    pair = Validation(model="xnb", train="d", test="e", match="symbol", harmonise="rank")
    assert cohorts._pair_title(study, pair) == "XNB: d → e (by symbol, rank)"
