"""The first section: warnings before the cards, and labels to check."""

import pandas as pd
import pytest
from report_blocks import blocks
from report_study import study_of_tables, with_rows, write_study

from xnbflow.core.study import Study
from xnbflow.report.page.blocks import Cards, Prose
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import (
    answer,
)
from xnbflow.studies.sample_errors import suspects
from xnbflow.tables.contract import GROUPS


def test_labels_to_check_are_those_that_all_of_several_classifiers_predict_alike(tmp_path):
    study = Study(
        id="s",
        title="",
        summary="",
        datasets=("d",),
        classifiers=("nb", "xnb"),
        folds=("f",),
        diagnostics=False,
        analyses={},
    )
    results = StudyResults(study, {"nb": "NB", "xnb": "XNB"}, {}, tmp_path)
    row = {"true": "a", "predicted": "b", "suspect": True, "probability": 0.97, "margin": 0.9}
    row["recognised"] = True
    findings = pd.DataFrame(columns=GROUPS["study"].tables["findings"].fixed)
    rows = [
        {**row, "classifier": "nb", "sample": "both", "probability": 0.91, "margin": 0.5},
        {**row, "classifier": "xnb", "sample": "both"},
        {**row, "classifier": "nb", "sample": "one", "suspect": False},
        {**row, "classifier": "xnb", "sample": "one"},
        {**row, "classifier": "nb", "sample": "other class"},
        {**row, "classifier": "xnb", "sample": "other class", "predicted": "c"},
        {**row, "classifier": "nb", "sample": "tested by one"},
    ]
    table = suspects(pd.DataFrame(rows).assign(dataset="d", folds="f"), findings)
    (group,) = answer._suspect_blocks(with_rows(results, suspects=table))
    assert group.blocks[0].frame.to_numpy().tolist() == [["d", "both", "a", "b", 0.91, 0.7]]
    for none in (rows[2:], []):
        table = suspects(
            pd.DataFrame(none, columns=[*rows[0]]).assign(dataset="d", folds="f"), findings
        )
        assert answer._suspect_blocks(with_rows(results, suspects=table)) == []


def test_two_samples_that_are_exchanged_are_a_sentence_once(tmp_path):
    rows = [
        {"dataset": "d", "sample": "s2", "true": "b", "predicted": "a", "exchanged_with": "s1"},
        {"dataset": "d", "sample": "s1", "true": "a", "predicted": "b", "exchanged_with": "s2"},
        {"dataset": "d", "sample": "s3", "true": "a", "predicted": "b", "exchanged_with": ""},
    ]
    (group,) = answer._suspect_blocks(study_of_tables(tmp_path, {"suspects": rows}))
    assert "“s1” (a) and “s2” (b) are probably exchanged" in group.blocks[0].text
    assert group.blocks[0].text.count("s1") == 1
    (group,) = answer._suspect_blocks(study_of_tables(tmp_path, {"suspects": rows[2:]}))
    assert not [block for block in group.blocks if isinstance(block, Prose)]


@pytest.mark.parametrize("n_datasets", [1, 2])
def test_a_single_card_has_no_headline_above_it(tmp_path, n_datasets):
    results = write_study(tmp_path, datasets=("GSE7904", "alpha")[:n_datasets])
    section = answer.section(results)
    headlines = [text for text in blocks(section, Prose) if text.role == "headline"]
    assert len(headlines) == n_datasets - 1
    (cards,) = blocks(section, Cards)
    assert len(cards.cards) == n_datasets


def test_failed_fits_are_warned_of_and_warnings_are_not(tmp_path):
    problem = {"dataset": "d", "folds": "f", "classifier": "nb", "text": "t"}
    kinds = ["error", "warnings", "warnings"]
    tables = {"headline": [{"classifier": ""}]}
    tables["problems"] = [problem | {"kind": kind} for kind in kinds]
    section = answer.section(study_of_tables(tmp_path, tables))
    texts = [block.text for block in blocks(section, Prose) if block.role == "warning"]
    assert texts == ["1 fit failed: see what was run."]
