"""The files for a paper: checklists and model cards."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from report_study import (
    SCRIPT,
    study_of_tables,
    with_rows,
    write_declared,
    write_study,
)
from toys import dataset

from xnbflow.core.study import Validation
from xnbflow.data.dataset import DataSet
from xnbflow.models.trained import CrossValidation, cross_validate, fit_model
from xnbflow.report.manuscript import writer
from xnbflow.report.manuscript.paragraphs import paragraphs
from xnbflow.report.study_page import write_record
from xnbflow.running.cli.commands import model_summary
from xnbflow.tables import contract


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A study of two data sets, without groups and without permutations."""
    return write_study(tmp_path_factory.mktemp("study"))


def test_processing_of_deposited_values_is_named_and_raw_data_are_not_claimed(tmp_path):
    results = write_study(tmp_path)
    notes = {"platform": "GPL570", "processing": "MAS5, scaled", "other": "x"}
    rows = pd.DataFrame({"dataset": "GSE7904", "code": list(notes), "note": list(notes.values())})
    write_record(results, results.root / contract.RECORD.of(study="small"))
    folder = tmp_path / "manuscript"
    for with_notes in (False, True):
        study = with_rows(results, notes=rows) if with_notes else results
        data = writer.sections_of_text(paragraphs(study))["Data"]
        assert ("Platform: GPL570." in data) == with_notes
        assert ("their processing as “MAS5, scaled”." in data) == with_notes
        assert ("Notes on reading: x." in data) == with_notes
        writer.write_paper(study, folder)
        lines = (folder / "reforms.md").read_text().splitlines()
        (item,) = (line for line in lines if "**4c**" in line)
        assert item.startswith("- [x]") == with_notes  # measured values were processed before
        assert item.endswith("**Open**") != with_notes


def test_items_of_checklists_are_open_or_have_evidence_that_exists(results, tmp_path):
    folder = tmp_path / "paper"
    write_record(results, results.root / contract.RECORD.of(study="small"))
    written = writer.write_paper(results, folder)
    assert {path.name for path in folder.iterdir()} == set(written)
    for name, items in (("tripod-ai", 52), ("reforms", 32), ("dome", 21)):  # as published
        text = (folder / f"{name}.md").read_text()
        assert text.count("\n- [") == items
        for line in text.splitlines():
            if line.startswith("- ["):
                is_open = line.startswith("- [ ]")
                assert is_open == line.endswith("**Open**")
                assert is_open or "(Evidence: [" in line
                assert is_open or "for the authors" not in line
        links = re.findall(r"\]\((\S+?)\)", text)
        assert links
        assert all((folder / link).is_file() for link in links)
    assert SCRIPT not in (folder / "paragraphs.md").read_text()
    assert "<" not in (folder / "tripod-ai.md").read_text().replace("\\<", "")


def test_a_card_says_what_a_model_reached_and_where(results, toy_model, tmp_path):
    keys = {"model": "xnb", "train": "alpha", "test": "GSE7904"}
    keys |= {"match": "feature", "harmonise": "none"}
    for table, row in (
        ("accuracy", {"cohort": "test", "value": 0.6, "lower": 0.4, "upper": 0.8, "n": 36}),
        ("verdicts", {"verdict": "held in part"}),
    ):
        path = results.folder / f"validation/{table}.parquet"
        write_declared(pd.DataFrame([keys | row]), path, contract.VALIDATION_TABLES[table])
    pair = Validation(model="xnb", train="alpha", test="GSE7904")
    study = replace(results, study=replace(results.study, validate=(pair,)))
    facts = model_summary(toy_model)
    text = writer.model_card(facts, "toy", writer.accuracies_elsewhere(study, "alpha", "xnb"))
    assert "| GSE7904 | 0.600 | 0.400 to 0.800 | 36 |  | held in part |" in text
    for label, value in facts["figures"]["recall"].items():
        shown = f"{value['value']:.3f} | {value['lower']:.3f} to {value['upper']:.3f}"
        assert f"| recall of {label} | {shown}" in text
    assert "No second cohort" in writer.model_card(facts, "toy", [])


def test_the_figures_of_a_model_are_those_of_the_study_and_its_card_is_corrected(tmp_path):
    results = write_study(tmp_path, classifiers=("nb", "forest"), datasets=("alpha",))
    header = DataSet.read(results.root / contract.SERIES.of(dataset="alpha"), values=False)
    for name in ("nb", "forest"):
        place = {"dataset": "alpha", "folds": "3-fold", "classifier": name}
        tables = {t: results.training(*place.values(), t) for t in ("predictions", "selected")}
        figures = CrossValidation(**tables, series=header).figures()
        corrected = writer.with_study_intervals(results, "alpha", name, figures)
        rows = results.rows("estimates", **place).query("metric in ('accuracy', 'recall')")
        for row in rows.to_dict("records"):
            estimate = figures["recall"].get(row["class"], figures["accuracy"])
            shown = corrected["recall"].get(row["class"], corrected["accuracy"])
            assert estimate["value"] == row["estimate"]
            assert (shown["lower"], shown["upper"]) == (row["lower"], row["upper"])
            assert (estimate["lower"] == row["lower"]) == (row["candidates"] == 1)
    assert results.tables["headline"]["candidates"].item() == 2


@pytest.fixture(scope="module")
def toy_model():
    rng, labels = np.random.default_rng(0), np.repeat(["a", "b"], 12)
    values = rng.normal(size=(4, 24)) + 2 * (labels == "b")
    toy, entry = dataset(values, labels), {"method": "gaussian_nb"}
    return fit_model(toy, entry, cross_validate(toy, entry, 3))


def test_a_card_of_a_model_has_the_test_cohort(tmp_path):
    pair = {"model": "xnb", "train": "d", "test": "e", "match": "feature", "harmonise": "none"}
    rows = [pair | {"cohort": "train", "value": 0.9}, pair | {"cohort": "test", "value": 0.6}]
    tables = {"validation.accuracy": rows, "validation.verdicts": [pair | {"verdict": "held"}]}
    validate = (Validation(model="xnb", train="d", test="e"),)
    study = study_of_tables(tmp_path, tables, validate=validate)
    (row,) = writer.accuracies_elsewhere(study, "d", "xnb")
    assert (row["value"], row["verdict"]) == (0.6, "held")
    assert (
        writer.accuracies_elsewhere(
            replace(study, study=replace(study.study, validate=())), "d", "xnb"
        )
        == []
    )
