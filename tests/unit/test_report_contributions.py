"""The data of a waterfall: they are what the classifier said, in few characters."""

import json

import numpy as np
import pandas as pd
import pytest
from report_study import write_study
from scipy.special import logsumexp

from xnbflow.data.contract import (
    DESCRIPTION,
    DESCRIPTION_TABLES,
    SERIES,
    STUDY_TABLE,
    STUDY_TABLES,
    TRAINED,
    TRAINING_TABLES,
)
from xnbflow.data.dataset import read_header
from xnbflow.data.sources.simulate import simulate_series
from xnbflow.data.study import Study
from xnbflow.data.tables import write_parquet, write_tables
from xnbflow.evaluation.description import description_tables
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import samples as module
from xnbflow.report.sections.samples import contributions

METHODS = "xnbflow.naive_bayes"

ENTRIES = {
    "xnb": {"method": f"{METHODS}.class_specific.XNB"},
    "priors": {
        "method": f"{METHODS}.class_specific.XNB",
        "params": {"priors": [0.6, 0.3, 0.1]},
    },
    "calibrated": {"method": f"{METHODS}.class_specific_cv.ClassSpecificNBCV", "params": {"cv": 3}},
}


@pytest.fixture(scope="module", params=ENTRIES)
def trained(tmp_path_factory, request):
    """What the page has of a classifier that was trained on simulated data, and its predictions."""
    root = tmp_path_factory.mktemp("trained")
    series, _ = simulate_series("toy", 30, 60, 3, seed=2)
    path = root / SERIES.of(dataset="toy")
    series.write(path)
    folds = draw_folds(read_header(path), 3, 1)
    entry = ENTRIES[request.param]
    outcome = train(series, folds, entry)
    for name, table in TRAINING_TABLES.items():
        place = TRAINED.of(dataset="toy", folds="3-fold", classifier="xnb", table=name)
        write_parquet(outcome[name], root / place, table)
    study = Study("s", "S", "", ("toy",), ("xnb",), ("3-fold",), False, {})
    results = StudyResults(study, {"xnb": "XNB"}, {}, root)
    classes, sizes = np.unique(series.labels, return_counts=True)
    table = pd.DataFrame({"dataset": "toy", "class": classes, "samples": sizes})
    place = root / STUDY_TABLE.of(study="s", table="class_sizes")
    write_parquet(table, place, STUDY_TABLES["class_sizes"])
    owners = {"datasets": ["toy"], "diagnosed": [], "trained": study.trained}
    files = {"series": [path], "dependence_test": []}
    for name in TRAINING_TABLES:
        place = TRAINED.of(dataset="toy", folds="3-fold", classifier="xnb", table=name)
        files[name] = [root / place]
    told = description_tables(owners, {"toy": {"xnb": entry}}, files)
    write_tables(told, root / DESCRIPTION.of(study="s"), DESCRIPTION_TABLES)
    return contributions(results, "toy", "3-fold", "xnb"), outcome["predictions"]


def joint(model, sample):
    """Sum each class's prior, evidence and reference, as the page does."""
    _, _, _, number, values, references = sample
    fit = model["fits"][number]
    ends = np.cumsum([len(features) for features in fit["sets"]])
    parts = np.split(np.array(values), ends[:-1])
    terms = zip(fit["prior"], parts, references, strict=True)
    return np.array([prior + part.sum() + reference for prior, part, reference in terms])


def test_priors_and_contributions_add_up_to_the_classifiers_posterior(trained):
    model, predictions = trained
    classes = model["classes"]
    columns = [f"log_posterior.{label}" for label in classes]
    expected = predictions.set_index("sample")[columns]
    assert len(model["samples"]) == len(expected) == 30
    for sample in model["samples"]:
        sums = joint(model, sample)
        posterior = sums - logsumexp(sums)
        # A number has two decimals, from 100 on one: it is off by half a unit of the last.
        numbers = [*sample[4], *sample[5]]
        off = 0.005 * len(classes) + sum(0.05 if abs(v) >= 100 else 0.005 for v in numbers)
        np.testing.assert_allclose(posterior, expected.loc[sample[0]], atol=off)


def test_true_and_predicted_classes_are_those_of_the_predictions(trained):
    model, predictions = trained
    classes = model["classes"]
    told = {sample: (classes[true], classes[said]) for sample, true, said, *_ in model["samples"]}
    rows = predictions[["sample", "true", "predicted"]].itertuples(index=False)
    assert told == {sample: (true, said) for sample, true, said in rows}


def test_it_survives_json_and_holds_no_number_that_json_lacks(trained):
    model, _ = trained
    assert json.loads(json.dumps(model, allow_nan=False)) == model


def test_an_infinite_contribution_is_null():
    assert module._short([-np.inf, -12.3456, -1234.5678]) == [None, -12.35, -1234.6]


def test_with_too_many_samples_the_misclassified_stay(tmp_path, monkeypatch):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("xnb",))
    everything = contributions(results, "alpha", "3-fold", "xnb")
    wrong = {s[0] for s in everything["samples"] if s[1] != s[2]}
    assert everything["left_out"] == 0
    monkeypatch.setattr(module, "MOST_NUMBERS", 8 * (len(wrong) + 2))
    some = contributions(results, "alpha", "3-fold", "xnb")
    assert wrong < {s[0] for s in some["samples"]}
    assert len(some["samples"]) == len(wrong) + 2
    assert some["left_out"] == 36 - len(some["samples"])


def test_a_classifier_that_does_not_explain_has_none(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    assert contributions(results, "alpha", "3-fold", "nb") is None
