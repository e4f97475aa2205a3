"""Panels of few genes: what is chosen, what accuracy remains, the score sheet beside predict."""

import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.models.panel import choose_genes, design_panel, gene_symbols
from xnbflow.models.prediction import predict_table
from xnbflow.models.trained import fit_model
from xnbflow.running.cli.commands import score_sheet


@pytest.fixture(scope="module")
def series():
    """Two modules of five genes that separate the classes, and each sample's own offset."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["</script>", "b", "c"], 20)
    values = rng.normal(8.0, 1.0, (60, 60))
    for start, label in ((0, "b"), (5, "c")):
        values[start : start + 5] = 8 + rng.normal(0, 1, 60) + 4 * (labels == label)
        values[start : start + 5] += rng.normal(0, 0.2, (5, 60))
    values[50:] = 9 + rng.normal(0, 0.1, (10, 60))
    values += rng.normal(0, 0.3, 60)
    return dataset(values, labels)


@pytest.fixture(scope="module")
def panel(series):
    model = fit_model(series, {"method": "csnb", "params": {"n_features": 6}})
    return design_panel(series, model, n_genes=3, floor=0.1)


def test_a_panel_has_a_gene_of_each_module_and_two_keep_more_accuracy_than_one(panel):
    first = panel.genes.iloc[:2]
    modules = [{f"g{i}" for i in range(5)}, {f"g{i}" for i in range(5, 10)}]
    for row in first.itertuples():
        own = next(module for module in modules if row.gene in module)
        assert set(row.substitutes.split()) == own - {row.gene}
    assert {row.gene for row in first.itertuples()} & modules[0]
    assert {row.gene for row in first.itertuples()} & modules[1]
    assert {int(name[1:]) for name in panel.references} <= set(range(50, 60))
    assert (panel.model.series["references"], panel.model.figures["folds"]) == (panel.references, 5)
    accuracy = panel.accuracy.set_index("genes")["accuracy"]
    assert (accuracy[1] < 0.8, accuracy[2] > 0.9) == (True, True)


def test_without_references_values_are_differences_and_with_some_they_are_refused(series, panel):
    frame, names = series.frame(), panel.references
    given = frame.sub(frame[names].mean(axis=1), axis=0).drop(columns=names)
    told, expected = predict_table(panel.model, frame), predict_table(panel.model, given)
    pd.testing.assert_frame_equal(told.table, expected.table)
    assert any("which the table lacks" in note for note in expected.notes)
    with pytest.raises(InputError, match="of which values are missing; add them"):
        predict_table(panel.model, frame.drop(columns=names[0]))


def test_the_floor_excludes_genes_and_references_and_a_constant_feature_is_no_reference():
    codes = np.array([0, 0, 1, 1])
    values = np.array([[9.0, 9, 1, 1], [2, 2, 0, 0], [5, 5, 5, 5.1], [1, 1, 1, 1]])
    for more, ranked, floor in (([], [1, 0], 0.75), ([[0.0] * 4, [12.0] * 4], [0], 0.5)):
        own = np.array([*values, *more])  # unexpressed and saturated ones vary least
        symbols = gene_symbols(map(str, range(len(own))), {})
        genes, references = choose_genes(own, codes, np.array(ranked), 2, floor, symbols)
        assert (genes.tolist(), references.tolist()) == ([0], [2])


def test_no_two_features_of_one_gene_are_chosen_and_no_control(rng):
    codes = np.repeat([0, 1], 10)
    values = 8 + rng.normal(size=(8, 20)) * np.array([1, 1, 1, 1, 0.1, 0.2, 0.3, 0.4])[:, None]
    values[:4] += 3 * codes  # not correlated within classes: modules of their own
    names = ["AFFX-BioB-3_at", "p1", "p2", "p3", "ERCC-00002", "r1", "r2", "r3"]
    known = {"p1": "A /// B", "p2": "B", "p3": "ERCC1", "r1": "C", "r2": "C", "r3": "A"}
    symbols = gene_symbols(names, known)
    genes, references = choose_genes(values, codes, np.arange(4), 4, 0.0, symbols)
    assert [names[i] for i in genes] == ["p1", "p3"]
    assert [names[i] for i in references] == ["r1"]


def test_features_that_correlate_over_all_samples_may_be_probes_of_one_gene(rng):
    codes = np.repeat([0, 1], 20)
    values = 8 + 0.5 * rng.normal(size=(4, 40))
    values[:3] += codes * np.array([[6.0], [6.0], [-6.0]])  # within classes they are unrelated
    symbols = gene_symbols(["p1", "p2", "p3", "r1"], {})
    genes, _ = choose_genes(values, codes, np.arange(3), 3, 0.0, symbols)
    assert genes.tolist() == [0, 2]


def test_probabilities_of_a_panel_are_calibrated_by_the_folds(series):
    labels = series.labels.copy()
    labels[::7] = np.roll(labels, 20)[::7]  # a seventh is wrong, and predicted with certainty
    noisy = replace(series, labels=labels)
    made = design_panel(noisy, fit_model(noisy, {"method": "csnb"}), n_genes=3, floor=0.1)
    found = made.model.series["recalibration"]
    prior = made.model.estimator.class_log_prior_
    assert 0.0 < found["slope"] < 0.8
    assert found["intercept"] == pytest.approx((1 - found["slope"]) * prior)
    assert made.accuracy["log_loss"].iloc[-1] < np.log(3)


def test_values_that_are_no_logarithms_are_refused(series):
    linear = replace(series, values=2**series.values)
    with pytest.raises(InputError):
        design_panel(linear, fit_model(linear, {"method": "csnb"}))
    with pytest.raises(InputError):
        design_panel(series, fit_model(series, {"method": "gaussian_nb"}))


@pytest.mark.parametrize("unit", ["log2", "ct"])
def test_the_score_sheet_computes_what_predict_does_digit_by_digit(series, panel, unit):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    page = score_sheet(panel)
    assert page.count("</script>") == page.count("<script")  # the class's name closes none
    parts = dict(re.findall(r'<script id="(model|score)"[^>]*>(.*?)</script>', page, re.DOTALL))
    frame = series.frame()
    genes = frame[panel.genes["gene"]].to_numpy()
    references = frame[panel.references].to_numpy()
    if unit == "ct":
        genes, references = 30 - genes, 30 - references
    samples = json.dumps([genes.tolist(), references.tolist()])
    program = (
        f"{parts['score']}\nconst panel = {parts['model']}, [g, r] = {samples};"
        f'const found = g.map((x, i) => probabilities(panel, differences(x, r[i], "{unit}")));'
        "console.log(JSON.stringify(found))"
    )
    done = subprocess.run([node], input=program, capture_output=True, text=True, check=True)
    expected = predict_table(panel.model, frame).table.filter(like="probability")
    np.testing.assert_allclose(json.loads(done.stdout), expected, rtol=1e-9, atol=1e-300)
