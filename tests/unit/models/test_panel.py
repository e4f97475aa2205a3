"""Panels of few genes: what is chosen, what accuracy remains, the score sheet beside predict."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.inference.intervals import TUNED_INFLATION, accuracy_interval
from xnbflow.models import panel as panels
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


def test_a_panel_finds_samples_as_its_model_does(series):
    origin = {"label": "type", "id_column": "id", "orientation": "columns", "options": ["x=1"]}
    model = fit_model(series, {"method": "csnb", "params": {"n_features": 6}}, origin=origin)
    panel_series = design_panel(series, model, n_genes=1, floor=0.1).model.series
    assert {name: panel_series.get(name) for name in origin} == origin | {"options": None}


def test_a_panel_has_a_gene_of_each_module_and_two_keep_more_accuracy_than_one(panel):
    first = panel.genes.iloc[:2]
    modules = [{f"g{i}" for i in range(5)}, {f"g{i}" for i in range(5, 10)}]
    for row in first.itertuples():
        module_of_gene = next(module for module in modules if row.gene in module)
        assert set(row.substitutes.split()) == module_of_gene - {row.gene}
    assert {row.gene for row in first.itertuples()} & modules[0]
    assert {row.gene for row in first.itertuples()} & modules[1]
    assert {int(name[1:]) for name in panel.references} <= set(range(50, 60))
    assert (panel.model.series["references"], panel.model.figures["folds"]) == (panel.references, 5)
    accuracy = panel.accuracy.set_index("genes")["accuracy"]
    assert (accuracy[1] < 0.8, accuracy[2] > 0.9) == (True, True)


def test_without_references_values_are_differences_and_with_some_they_are_refused(series, panel):
    frame, names = series.frame(), panel.references
    differences = frame.sub(frame[names].mean(axis=1), axis=0).drop(columns=names)
    actual, expected = predict_table(panel.model, frame), predict_table(panel.model, differences)
    pd.testing.assert_frame_equal(actual.table, expected.table)
    assert any("which the table lacks" in note for note in expected.notes)
    with pytest.raises(InputError, match="of which values are missing; add them"):
        predict_table(panel.model, frame.drop(columns=names[0]))


def test_the_floor_excludes_genes_and_references_and_a_constant_feature_is_no_reference():
    codes = np.array([0, 0, 1, 1])
    values = np.array([[9.0, 9, 1, 1], [2, 2, 0, 0], [5, 5, 5, 5.1], [1, 1, 1, 1]])
    for more, ranked, floor in (([], [1, 0], 0.75), ([[0.0] * 4, [12.0] * 4], [0], 0.5)):
        measured = np.array([*values, *more])  # unexpressed and saturated ones vary least
        symbols = gene_symbols(map(str, range(len(measured))), {})
        genes, references = choose_genes(
            measured, codes, np.array(ranked), n_genes=2, floor=floor, symbols=symbols
        )
        assert (genes.tolist(), references.tolist()) == ([0], [2])


def test_no_two_features_of_one_gene_are_chosen_and_no_control(rng):
    codes = np.repeat([0, 1], 10)
    values = 8 + rng.normal(size=(8, 20)) * np.array([1, 1, 1, 1, 0.1, 0.2, 0.3, 0.4])[:, None]
    values[:4] += 3 * codes  # not correlated within classes: modules of their own
    values[4:] += 4  # above the floor in both classes
    names = ["AFFX-BioB-3_at", "p1", "p2", "p3", "ERCC-00002", "r1", "r2", "r3"]
    symbol_of = {"p1": "A /// B", "p2": "B", "p3": "ERCC1", "r1": "C", "r2": "C", "r3": "A"}
    symbols = gene_symbols(names, symbol_of)
    genes, references = choose_genes(
        values, codes, np.arange(4), n_genes=4, floor=0.0, symbols=symbols
    )
    # p1 is of two genes, the controls of none, r2 of the gene of r1
    assert [names[i] for i in genes] == ["p2", "p3"]
    assert [names[i] for i in references] == ["r1", "r3"]


def test_a_feature_named_by_several_symbols_is_neither_gene_nor_reference(rng):
    codes = np.repeat([0, 1], 10)
    values = 8 + rng.normal(size=(4, 20)) * np.array([1, 1, 0.1, 0.2])[:, None]
    values[:2] += 3 * codes
    values[2:] += 4  # above the floor in both classes
    symbols = gene_symbols(["MYC///PVT1", "ABCB1", "ACTB///ACTG1", "CNN1"], {})
    genes, references = choose_genes(
        values, codes, np.arange(2), n_genes=2, floor=0.0, symbols=symbols
    )
    assert (genes.tolist(), references.tolist()) == ([1], [3])


def test_features_that_correlate_over_all_samples_may_be_probes_of_one_gene(rng):
    codes = np.repeat([0, 1], 20)
    values = 8 + 0.5 * rng.normal(size=(4, 40))
    values[:3] += codes * np.array([[6.0], [6.0], [-6.0]])  # within classes they are unrelated
    symbols = gene_symbols(["p1", "p2", "p3", "r1"], {})
    genes, _ = choose_genes(values, codes, np.arange(3), n_genes=3, floor=0.0, symbols=symbols)
    assert genes.tolist() == [0, 2]


def test_probabilities_of_a_panel_are_calibrated_by_the_folds(series):
    labels = series.labels.copy()
    labels[::7] = np.roll(labels, 20)[::7]  # a seventh is wrong, and predicted with certainty
    noisy = replace(series, labels=labels)
    panel = design_panel(noisy, fit_model(noisy, {"method": "csnb"}), n_genes=3, floor=0.1)
    actual = panel.model.series["recalibration"]
    prior = panel.model.estimator.class_log_prior_
    assert 0.0 < actual["slope"] < 0.8
    assert actual["intercept"] == pytest.approx((1 - actual["slope"]) * prior)
    assert panel.accuracy["log_loss"].iloc[-1] < np.log(3)


def test_values_that_are_no_logarithms_and_a_model_that_selects_nothing_are_refused(series):
    linear = replace(series, values=2**series.values)
    with pytest.raises(InputError, match="without logarithms, of which differences are no ΔCt"):
        design_panel(linear, fit_model(linear, {"method": "csnb"}))
    with pytest.raises(InputError, match="the model uses all features for every class"):
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


def orthonormal_residuals(n_vectors):
    """Vectors of 40 samples, 20 in each of two classes, without class means or correlation."""
    rng = np.random.default_rng(0)
    basis = np.repeat(np.eye(2), 20, axis=1)
    vectors = rng.normal(size=(n_vectors, 40))
    vectors -= vectors @ basis.T @ basis / 20
    return np.linalg.qr(vectors.T)[0].T


CODES = np.repeat([0, 1], 20)


def chosen(values, ranked, n_genes=9, floor=0.0):
    names = [frozenset({f"g{i}"}) for i in range(len(values))]
    genes, references = choose_genes(
        values, CODES, np.array(ranked), n_genes=n_genes, floor=floor, symbols=names
    )
    return genes.tolist(), references.tolist()


@pytest.mark.parametrize(("correlation", "genes"), [(0.72, [0]), (0.68, [0, 1])])
def test_genes_with_a_correlation_of_seven_tenths_within_classes_are_one_module(correlation, genes):
    u, v, w = orthonormal_residuals(3)
    other = correlation * u + np.sqrt(1 - correlation**2) * v
    assert chosen(np.array([u, other, w]), [0, 1])[0] == genes


def test_three_references_are_used_and_none_is_a_candidate_of_the_panel():
    u, v, *rest = orthonormal_residuals(7)
    values = 8 + np.array([u + CODES, 0.01 * (u + 0.1 * v), *rest])
    genes, references = chosen(values, [0, 1])
    assert genes == [0]
    assert len(references) == 3
    assert 1 not in references  # it varies least, but is a candidate of the same module


def test_three_hundred_candidates_are_compared():
    u, v, w, x = orthonormal_residuals(4)
    values = np.array([*[u] * 299, v, w, x])
    assert chosen(values, range(301))[0] == [0, 299]


def test_a_reference_reaches_the_floor_in_every_class():
    gene = np.where(CODES == 0, 9.0, 1.0) + orthonormal_residuals(1)[0]
    low_in_one = np.where(CODES == 0, 5.1, 4.9)
    high = np.where(CODES == 0, 6.0, 7.0)
    # the medians of all samples are 5, 5 and 6.5, so that the floor is 5
    assert chosen(np.array([gene, low_in_one, high]), [0], floor=0.5) == ([0], [2])


def test_data_without_logarithms_or_with_missing_values_have_no_panel(series):
    model = SimpleNamespace(signature=pd.DataFrame({"feature": ["g0"]}))
    values = np.tile(np.linspace(0, 1, 60), (60, 1))
    panels.refuse_unsuitable_panel(replace(series, values=40 * values), model)
    with pytest.raises(InputError, match="without logarithms"):
        panels.refuse_unsuitable_panel(replace(series, values=42 * values), model)
    with pytest.raises(InputError, match="missing values"):
        panels.refuse_unsuitable_panel(replace(series, values=40 * values, missing=True), model)


def test_a_panel_is_gaussian_naive_bayes_that_chose_its_size(series, panel):
    assert panel.model.entry["params"] == {"var_smoothing": 0.1}
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": series.samples})
    log_posterior = np.zeros((60, 3))
    assert panels.panel_folds(series, folds, log_posterior).inflation == 2.5


def test_intervals_of_a_panel_count_groups(series):
    pairs = replace(series, groups=np.arange(60) // 2)
    log_posterior = np.random.default_rng(0).normal(size=(60, 3))
    right = pairs.classes[log_posterior.argmax(axis=1)] == pairs.labels
    expected = accuracy_interval(right.astype(float), pairs.labels, pairs.groups, TUNED_INFLATION)
    row = panels.accuracy_row(pairs, 2, log_posterior)
    assert (row["accuracy"], row["lower"], row["upper"]) == tuple(expected)


def test_a_fold_is_calibrated_by_the_others():
    rng = np.random.default_rng(0)
    evidence = 5 * rng.normal(size=(40, 2))
    priors = np.log(np.full((40, 2), 0.5))
    codes = np.arange(40) % 2
    folds = np.repeat([0, 1], 20)
    changed = np.where(folds == 0, evidence.argmax(axis=1), codes)
    before = panels.calibrate_evidence(evidence, priors, codes, folds)[1]
    after = panels.calibrate_evidence(evidence, priors, changed, folds)[1]
    assert np.array_equal(before[folds == 0], after[folds == 0])
    assert not np.allclose(before[folds == 1], after[folds == 1])


def test_genes_of_a_fold_are_chosen_without_its_test_samples(series, monkeypatch):
    n_samples = []

    def spy(values, *arguments, **options):
        n_samples.append(values.shape[1])
        return choose_genes(values, *arguments, **options)

    monkeypatch.setattr(panels, "choose_genes", spy)
    model = fit_model(series, {"method": "csnb", "params": {"n_features": 6}})
    design_panel(series, model, n_genes=1, floor=0.1)
    assert n_samples == [60, 48, 48, 48, 48, 48]


def test_substitutes_are_ties_and_five_features_of_the_module():
    u, v = orthonormal_residuals(2)
    shift = np.where(CODES == 0, -1.0, 1.0)
    members = [u + 0.05 * i * v for i in range(8)]
    names = ["gene", *[f"m{i}" for i in range(1, 8)], "opposite", "tie", "AFFX-BioB-3_at", "A///B"]
    # within classes it follows the gene, but the classes differ in the other direction
    values = np.array([row + 0.1 * shift for row in members] + [u - 0.1 * shift, v, v, v])
    toy = dataset(values, np.array(["a", "b"])[CODES], features=names)
    signature = pd.DataFrame(
        {
            "feature": ["gene", "opposite"],
            "class": "a",
            "direction": "low",
            # a control, and a feature of two genes, are no substitutes
            "interchangeable": ["AFFX-BioB-3_at A///B tie", ""],
        }
    )
    model = SimpleNamespace(signature=signature, symbols={"gene": "TP53"})
    symbols = gene_symbols(names, model.symbols)
    table = panels.panel_genes(toy, CODES, np.array([0]), model, symbols)
    assert table["substitutes"].item() == "tie m1 m2 m3 m4 m5"
    table = panels.panel_genes(toy, CODES, np.array([8]), model, symbols)
    assert table["substitutes"].item() == ""


def test_the_best_genes_of_the_classes_come_first(series):
    signature = pd.DataFrame({"feature": ["g50", "g0", "g5"], "rank": [3, 2, 1]})
    codes = np.searchsorted(series.classes, series.labels)
    demands = panels.PanelDemands(1, 0.0, gene_symbols(series.features, {}))
    everyone = np.ones(60, dtype=bool)
    genes, _ = panels.choose_panel(
        series, codes, training=everyone, signature=signature, demands=demands
    )
    assert series.features[genes].tolist() == ["g5"]


def test_a_panel_tells_each_class_from_its_nearest_one(rng):
    """The first twelve of the ranking separate healthy tissue from both cancers, and only those."""
    codes = np.repeat([0, 1, 2], 12)
    values = rng.normal(8, 0.5, (40, 36))
    values[:12] += 1.5 * (codes == 0)
    values[12:15] += 1.2 * (codes == 1)
    names = [frozenset({f"g{i}"}) for i in range(40)]
    genes, _ = choose_genes(values, codes, np.arange(20), n_genes=6, floor=0.0, symbols=names)
    assert {12, 13, 14} <= set(genes.tolist())
    assert set(genes.tolist()) & set(range(12))
    genes, _ = choose_genes(
        values[:, :24], codes[:24], np.arange(20), n_genes=6, floor=0.0, symbols=names
    )
    assert genes.tolist() == list(range(6))  # with two classes the order is that of the ranking
