"""The section on random genes and more samples: forecasts in words, and learning curves."""

import pytest
from report_study import study_of_tables

from xnbflow.report.sections import context

KEY = {"dataset": "d", "classifier": "xnb"}


def point(kind, n, accuracy, unreliable=""):
    row = {"kind": kind, "training_samples": n, "balanced_accuracy": accuracy}
    return KEY | row | {"lower": accuracy - 0.1, "upper": accuracy + 0.1, "unreliable": unreliable}


CURVE = [
    point("measured", 10.0, 0.6),
    point("measured", 20.0, 0.7),
    point("forecast", 30.0, 0.8),
    point("forecast", 45.0, 0.82, "wide"),
    point("forecast", 60.0, 0.85, "wide"),
]


@pytest.fixture
def study(tmp_path):
    datasets = [{"dataset": "d", "classes": 4}]
    return study_of_tables(tmp_path, {"learning_curve": CURVE, "datasets": datasets})


def test_the_forecast_is_of_all_samples_and_of_twice_as_many(study):
    rows = study.tables["learning_curve"]
    sentence = context.forecast_sentence(study, ("d", "xnb"), rows)
    assert "80% [70%, 90%] with 30 training samples (all that there are)" in sentence
    assert "85% [75%, 95%] with 60 training samples. Unreliable: wide." in sentence


def test_a_simpler_classifier_is_named_in_its_forecast(study):
    rows = study.tables["learning_curve"].assign(fitted="ClassSpecificNB")
    text = context.forecast_sentence(study, ("d", "xnb"), rows)
    assert "of ClassSpecificNB, fitted in place of XNB because it is fast, is 80%" in text
    title = context.learning_curve_figure(study, ("d", "xnb"), rows).arguments["title"]
    assert title == "d, ClassSpecificNB"


def test_a_curve_names_the_samples_from_which_on_it_is_unreliable(study):
    rows = study.tables["learning_curve"]
    arguments = context.learning_curve_figure(study, ("d", "xnb"), rows).arguments
    labels = [line.label for line in arguments["lines"]]
    assert labels == ["measured", "forecast, unreliable from 45 samples on"]
    assert arguments["levels"] == [("chance", 0.25)]  # of four classes
    assert context.line_name("forecast", rows[rows["unreliable"] != ""]) == "forecast, unreliable"


def test_random_genes_mean_nothing_where_the_score_is_at_chance(tmp_path):
    study = study_of_tables(tmp_path, {"random_genes": [KEY | {"as_good_random": 70}]})
    section = context.section(study)
    assert "If the score is at chance" in section.blocks[0].caption
