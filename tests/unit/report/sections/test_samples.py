"""The section on samples: evidence, misclassified samples."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from report_study import study_of_tables, write_study
from scipy.special import logsumexp

from xnbflow.report.page.page import write_page
from xnbflow.report.sections import (
    samples,
)
from xnbflow.report.sections.samples import contributions


@pytest.mark.slow  # two to three seconds, for each explanation of five classifiers
def test_every_explanation_of_a_page_has_the_predicted_class_and_probabilities(tmp_path):
    results = write_study(tmp_path, classifiers=("xnb", "priors", "calibrated"))
    page = tmp_path / "page.html"
    write_page(page, "t", lead="l", sections=[samples.section(results)])
    (script,) = re.findall(r'<script type="application/json">(.*?)</script>', page.read_text())
    models = {model["name"]: model for model in json.loads(script)}
    shown = [key for key in results.study.training_keys if key[::2] != ("GSE7904", "priors")]
    assert len(models) == len(shown)  # two classes do not fit three priors
    for key in shown:
        model = models[f"{results.with_folds(*key[:2])}: {results.labels[key[2]]}"]
        place = dict(zip(("dataset", "folds", "classifier"), key, strict=True))
        predictions = results.training(*key, "predictions", repeat=0).set_index("sample")
        evidence = dict(list(results.rows("evidence", **place).groupby(["sample", "class"])))
        scores = results.rows("scores", **place).set_index(["sample", "class"])
        assert {sample[0] for sample in model["samples"]} == set(predictions.index)
        for name, true, predicted, explanation in model["samples"]:
            row = predictions.loc[name]
            assert [model["classes"][k] for k in (true, predicted)] == [row.true, row.predicted]
            joint = []
            for label, parts in zip(model["classes"], explanation, strict=True):
                *sums, probability, n_others, others, drawn = parts
                terms_of_class = evidence.get((name, label), results.tables["evidence"][:0])
                expected = [
                    scores.loc[(name, label), "log_offset"],
                    *terms_of_class[["evidence", "log_reference"]].sum(),
                ]
                joint.append(sum(expected))
                assert sums == pytest.approx([*expected, joint[-1]], abs=0.0051)
                assert probability == pytest.approx(np.exp(row[f"log_posterior.{label}"]), rel=1e-5)
                terms = terms_of_class.set_index("feature")["evidence"]
                names = [model["features"][k] for k, _ in drawn]
                assert [value for _, value in drawn] == pytest.approx(terms[names], abs=0.0051)
                rest = terms.drop(names)  # the smaller ones
                assert (n_others, others) == (len(rest), pytest.approx(rest.sum(), abs=0.0051))
                assert rest.abs().max() <= terms[names].abs().min() or rest.empty
            # The tables add up to the classifier's own posterior, which decides on the label.
            posterior = row[[f"log_posterior.{label}" for label in model["classes"]]]
            np.testing.assert_allclose(joint - logsumexp(joint), posterior.astype(float), atol=1e-6)


def test_with_too_many_samples_the_misclassified_stay(tmp_path, monkeypatch):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("xnb",))
    everything = contributions(results, "alpha", "3-fold", "xnb")
    wrong = {s[0] for s in everything["samples"] if s[1] != s[2]}
    assert everything["left_out"] == 0
    drawn = sum(len(parts[-1]) for sample in everything["samples"] for parts in sample[3])
    numbers = 2 * drawn / 36 + 7 * 3
    monkeypatch.setattr(samples, "_MOST_NUMBERS", int(numbers * (len(wrong) + 2.5)))
    some = contributions(results, "alpha", "3-fold", "xnb")
    assert wrong < {s[0] for s in some["samples"]}
    assert len(some["samples"]) == len(wrong) + 2
    assert some["left_out"] == 36 - len(some["samples"])


SAMPLE = {"dataset": "d", "folds": "f", "classifier": "nb", "true": "a"}


def test_a_wrong_sample_has_the_classes_that_it_was_predicted_as(tmp_path):
    tests = [
        SAMPLE | {"sample": "s1", "tested": 2, "wrong": 1, "mistakes": "b 1"},
        SAMPLE | {"sample": "s1", "tested": 1, "wrong": 1, "mistakes": "c 1", "classifier": "xnb"},
    ]
    study = study_of_tables(tmp_path, {"samples": tests})
    group = samples._misclassified_block(study, "d", "f")
    assert group.note == "1 sample that some classifier got wrong"
    row = group.blocks[0].frame.iloc[0]
    assert (row["NB"], row["XNB"]) == ("b 1 of 2", "c")


@pytest.mark.parametrize(("n_wrong", "more"), [(150, ""), (152, " 2 more are in")])
def test_a_long_table_counts_the_samples_that_it_leaves_out(tmp_path, n_wrong, more):
    names = [f"s{i}" for i in range(n_wrong)]
    wrong = {"tested": 1, "wrong": 1, "mistakes": "b 1"}
    study = study_of_tables(tmp_path, {"samples": [SAMPLE | {"sample": s} | wrong for s in names]})
    table = samples._misclassified_block(study, "d", "f").blocks[0]
    assert len(table.frame) == 150
    assert ("more are in" in table.caption) == bool(more)
    assert more in table.caption


def test_samples_without_a_mistake_and_untested_samples_are_named(tmp_path):
    tests = [SAMPLE | {"sample": "s1", "tested": 1, "mistakes": ""}]
    study = study_of_tables(tmp_path, {"samples": tests})
    assert samples._misclassified_block(study, "d", "f").note == "no mistake"
    untested = study_of_tables(tmp_path, {"samples": []})
    assert samples._misclassified_block(untested, "d", "f").note == "not tested"


def test_hard_samples_count_classifiers_that_are_wrong_more_often_than_right():
    rows = [("s", "nb", 2, 2), ("s", "xnb", 2, 1), ("t", "nb", 2, 0), ("t", "xnb", 2, 0)]
    table = pd.DataFrame(rows, columns=["sample", "classifier", "tested", "wrong"])
    actual = samples.hard_samples(table.assign(dataset="a", folds="f")).set_index("classifiers")
    assert actual["samples"].to_dict() == {0: 1, 1: 1}  # half of the repeats is not more than half
    assert actual["share"].sum() == pytest.approx(1)


def test_samples_wrong_by_most_classifiers_come_first_and_right_ones_are_left_out():
    rows = [("s1", "nb", 1), ("s1", "xnb", 0), ("s2", "nb", 0), ("s2", "xnb", 0)]
    rows += [("s3", "nb", 2), ("s3", "xnb", 3)]
    table = pd.DataFrame(rows, columns=["sample", "classifier", "wrong"])
    table = table.assign(dataset="a", folds="f", true="t", tested=3)
    actual = samples.misclassified_samples(table)
    # s1 is wrong once in three tests by one classifier, which is not most of its tests.
    assert actual[["sample", "wrong_by", "wrong", "tested"]].to_numpy().tolist() == [
        ["s3", 2, 5, 6],
        ["s1", 0, 1, 6],
    ]
