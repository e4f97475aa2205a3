"""Gene sets in classes: planted ones are found, null studies of correlated genes have none."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from toys import dataset

from xnbflow.core.study import Design
from xnbflow.data.class_design import class_designs
from xnbflow.diagnostics.camera import camera
from xnbflow.diagnostics.gene_set_tests import _one_probe_per_gene, gene_set_notes, gene_set_tests
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, Shape
from xnbflow.sources.simulate import _simulate_truth


def modules(rng, correlation, n=30, n_modules=50, size=30):
    """Standard normal genes whose correlation is that of their module."""
    shared = np.repeat(rng.normal(size=(n_modules, n)), size, axis=0)
    independent = rng.normal(size=(n_modules * size, n))
    values = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * independent
    names = [f"g{i}" for i in range(len(values))]
    sets = {f"M{m}": set(names[m * size : (m + 1) * size]) for m in range(n_modules)}
    return dataset(values, np.repeat(["a", "b"], n // 2), features=names), sets


@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.3])
def test_null_studies_have_no_significant_set(correlation):
    n_studies, significant = 25, 0
    for seed in range(n_studies):
        series, sets = modules(np.random.default_rng(seed), correlation, n_modules=30)
        significant += (gene_set_tests(series, sets)["fdr"] < 0.05).any()
    assert significant <= binom.ppf(0.999, n_studies, 0.05)


def test_planted_sets_are_found_in_their_direction():
    shape = Shape(samples=60, features=2000, classes=2)
    series = acquire(DatasetEntry("modules", "simulate", shape=shape, options={"seed": 7}))
    truth = _simulate_truth(2000, 2, 7).set_index("feature")
    sizes = truth["effect"].abs().groupby(truth["block"]).mean()
    parts = truth.groupby(["block", np.sign(truth["effect"])]).groups
    sets = {
        f"{block} {sign:+.0f}": set(parts[block, sign])
        for block in sizes.nlargest(4).index
        for sign in (-1, 1)
    }
    sets |= {f"none {block}": set(parts[block, 0]) for block in sizes[sizes == 0].index[:4]}
    rows = gene_set_tests(series, sets)
    assert rows["class"].unique().tolist() == ["class_0"]  # class_1 is its mirror
    rows = rows.set_index("gene_set")
    mean = pd.Series(
        series.values[:, series.labels == "class_0"].mean(axis=1)
        - series.values[:, series.labels == "class_1"].mean(axis=1),
        series.features,
    )
    for name, genes in sets.items():
        assert (rows.loc[name, "fdr"] < 0.05) == (not name.startswith("none"))
        if not name.startswith("none"):
            higher = mean[sorted(genes)].mean() > mean.mean()
            assert rows.loc[name, "direction"] == ("higher" if higher else "lower")


def test_patients_covariates_probes_and_sizes_are_those_of_the_table_of_genes(rng):
    """Pairs with an age; two probes of a gene, of which the higher one counts; a gap leaves out."""
    n = 16
    labels, patients = np.tile(["a", "b"], 8), np.repeat([f"p{i}" for i in range(8)], 2)
    values = rng.normal(8, 1, (40, n)) + 2 * np.repeat(rng.normal(size=8), 2)
    age = np.repeat(rng.normal(60, 5, 8), 2) + rng.normal(size=n)
    symbols = np.array([f"G{i}" for i in range(38)] + ["G0", "G1///G2"])
    values[38] = values[0] + rng.normal(5, 1, n)
    values[3] = np.where(np.arange(n) == 0, np.nan, values[3])
    series = dataset(
        values, labels, groups=patients, missing=True,
        feature_metadata=pd.DataFrame({"symbol": symbols}),
        sample_metadata=pd.DataFrame({"age": age.astype(str)}),
    )  # fmt: skip
    sets = {"S": {f"G{i}" for i in range(8)}, "FEW": {"G9", "G10", "G11", "G3"}}
    (row,) = gene_set_tests(series, sets, Design(adjust=("age",))).to_dict("records")
    complete = [38, *(i for i in range(1, 38) if i != 3)]
    design = class_designs(np.tile([0, 1], 8), patients, {"age": age})[0]
    contrast = np.zeros(design.matrix.shape[1])
    contrast[:2] = [1, -1]
    tests = camera(values[complete], design.matrix, contrast, [np.arange(7)])
    assert (row["gene_set"], row["set_size"]) == ("S", 7)
    assert row["p"] == pytest.approx(tests.p[0], rel=1e-9)
    assert row["correlation"] == pytest.approx(tests.correlation[0], rel=1e-9)


@pytest.mark.parametrize(("mean", "counted"), [(0.0, "probe1"), (1.0, "probe2")])
def test_of_probes_with_equal_means_the_first_name_counts_else_the_greatest_mean(mean, counted):
    values = np.array([[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]])
    values[1] += mean
    symbols = pd.DataFrame({"symbol": ["G", "G"]})
    names = ["probe1", "probe2"]
    series = dataset(values, list("aabb"), features=names, feature_metadata=symbols)
    genes = _one_probe_per_gene(series)
    np.testing.assert_array_equal(genes.loc["G"], values[names.index(counted)])


def test_three_classes_are_tested_each_and_too_few_samples_not_at_all(rng):
    values = rng.normal(size=(60, 12))
    sets = {"S": {f"gene{i}" for i in range(10)}}
    names = [f"gene{i}" for i in range(60)]
    series = dataset(values, np.repeat(["a", "b", "c"], 4), features=names)
    assert gene_set_tests(series, sets)["class"].tolist() == ["a", "b", "c"]
    few = dataset(values[:, :2], ["a", "b"], features=names)
    assert gene_set_tests(few, sets).empty


@pytest.mark.parametrize(("size", "is_tested"), [(4, False), (5, True), (500, True), (501, False)])
def test_sets_of_5_to_500_measured_genes_are_tested(rng, size, is_tested):
    names = [f"g{i}" for i in range(600)]
    series = dataset(rng.normal(size=(600, 12)), np.repeat(["a", "b"], 6), features=names)
    sets = {"S": {*names[:size], "unmeasured"}, "OTHER": {*names[20:40]}}
    tested = set(gene_set_tests(series, sets)["gene_set"])
    assert ("S" in tested) == is_tested


@pytest.mark.parametrize(("size", "n_notes"), [(4, 1), (5, 0), (500, 0), (501, 1)])
def test_a_note_states_that_no_set_has_5_to_500_measured_genes(rng, size, n_notes):
    names = [f"g{i}" for i in range(600)]
    series = dataset(rng.normal(size=(600, 12)), np.repeat(["a", "b"], 6), features=names)
    notes = gene_set_notes(series, {"S": {*names[:size], "unmeasured"}, "OTHER": {"unmeasured"}})
    assert len(notes) == n_notes
    assert all(f"({size} genes of the sets are measured)" in note for note in notes)
    assert gene_set_notes(series, {}) == []
