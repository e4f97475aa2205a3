"""The model of all samples that a study writes, and its tables."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from model_files import two_classes
from study_files import StudyFiles

from xnbflow.models import cross_validate, fit_model, read_model
from xnbflow.models.final import final_model, model_tables

CSNB = {"method": "csnb", "params": {"n_features": 2}}


TRAIN = replace(two_classes(40), name="one")


@pytest.fixture(scope="module")
def folds():
    return cross_validate(TRAIN, CSNB, 5)


def test_a_kept_model_has_the_figures_and_shares_of_its_cross_validation(folds, tmp_path):
    model = final_model(
        TRAIN,
        CSNB,
        predictions=folds.predictions,
        selected=folds.selected,
        origin={"location": "one.csv"},
    )
    paths = StudyFiles(tmp_path).put_model(model, TRAIN, "small", "one", "csnb")
    read = read_model(paths["model"])
    assert read.figures == folds.figures()
    assert read.series["location"] == "one.csv"
    text = pd.read_csv(paths["signature"].removesuffix(".parquet") + ".tsv", sep="\t")
    assert text["feature"].tolist() == read.signature["feature"].tolist()
    sets = [line.split("\t") for line in Path(paths["gene_sets"]).read_text().splitlines()]
    assert {gene for cells in sets for gene in cells[2:]} == set(text["feature"])


def test_the_signature_has_the_core_that_the_classifier_found_and_its_scores():
    model = fit_model(TRAIN, {"method": "csnb_cv", "params": {"cv": 3}})
    signature = model_tables(model, TRAIN)["signature"]
    last = model.estimator
    core = {name for names in last.core_features_.values() for name in names}
    assert set(signature.query("core")["feature"]) == core
    assert signature["feature"].nunique() == len(last.used_columns_)
    scores = signature.filter(regex="^core_score[.]").drop_duplicates()
    (row,) = scores.rename(columns=lambda name: name.removeprefix("core_score.")).to_dict("records")
    assert row == last.core_scores_
