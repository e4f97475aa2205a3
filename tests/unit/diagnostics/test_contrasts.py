"""Comparisons by reference and contrasts of a design: limma 3.54 as the oracle."""

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from r_oracles import r_answers
from toys import dataset, refused

from xnbflow.core.study import Design
from xnbflow.data.read_counts import effective_sizes, expressed_features
from xnbflow.diagnostics.block_correlation import block_correlation
from xnbflow.diagnostics.contrasts import Comparison, comparisons, contrast_table
from xnbflow.diagnostics.gene_tables import gene_tables
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.tables.contract import GROUPS

#: Values are complete, so that limma is exact.
LIMMA = """
fit <- lmFit(values, design, block = if (exists("block")) as.vector(block),
             correlation = if (exists("block")) rho[1])
fit <- eBayes(contrasts.fit(fit, t(contrasts)), trend = trend[1] > 0)
put("df", fit$df.total)
table <- topTable(fit, number = Inf, sort.by = "none", confint = TRUE)
for (name in c("logFC", "CI.L", "CI.R", "t", "P.Value", "adj.P.Val")) put(name, table[[name]])
"""
COLUMNS = {"log_fold_change": "logFC", "lower": "CI.L", "upper": "CI.R", "t": "t"}
COLUMNS |= {"p": "P.Value", "fdr": "adj.P.Val", "df": "df"}


@pytest.fixture(scope="module")
def series():
    """Three classes of ten samples with ages; logarithms to base 2."""
    rng = np.random.default_rng(11)
    y = np.repeat(["drug A", "drug B", "normal"], 10)
    phenotype = pd.DataFrame({"age": [f"{age:.1f}" for age in rng.normal(60, 8, 30)]})
    values = rng.normal(8, 1, (300, 30)) * rng.gamma(9, 1 / 9, (300, 1))
    values[:30] += 2 * (y == "drug A")
    return dataset(values, y, sample_metadata=phenotype, scale="log2")


def design_of(series, columns):
    """Return limma's design: indicators of levels, and the centred age."""
    age = series.sample_metadata["age"].astype(float).to_numpy()
    return np.column_stack([columns, age - age.mean()])


def indicators(cells):
    return (np.asarray(cells)[:, None] == np.unique(cells)).astype(float)


def agrees_with_limma(series, asked, name, design, contrast):
    """Compare a comparison that a study's design asks for with limma's contrast of a matrix."""
    arrays = {"values": series.values, "design": design, "contrasts": np.array([contrast], float)}
    limma = r_answers("limma", LIMMA, trend=[0.0], **arrays)
    table = contrast_table(series, asked)
    rows = table[table["contrast"] == name].set_index("feature").loc[series.features]
    for ours, theirs in COLUMNS.items():
        expected = limma[theirs]
        np.testing.assert_allclose(rows[ours], expected, rtol=1e-6, atol=1e-10, err_msg=ours)
    return rows


def by_age(*contrasts, reference=""):
    return Design(adjust=("age",), contrasts=contrasts, reference=reference)


@pytest.mark.slow
def test_pairs_and_a_reference_class_are_as_in_limma(series):
    design = design_of(series, indicators(series.labels))
    asked = by_age("drug A vs drug B", reference="normal")
    names = ["drug A vs normal", "drug B vs normal", "drug A vs drug B"]
    assert [comparison.name for comparison in comparisons(series, asked)] == names
    for name, contrast in zip(names, ([1, 0, -1], [0, 1, -1], [1, -1, 0]), strict=True):
        agrees_with_limma(series, asked, name, design, [*contrast, 0])  # 0 of the age


@pytest.mark.slow
def test_patients_are_blocks_or_means_or_correlated(series, rng):
    patients = np.repeat(np.arange(10), 3)
    values = series.values + rng.normal(0, 2, (300, 10))[:, patients]

    # each patient has a sample of each class: blocks
    hours = np.tile(["0 h", "6 h", "24 h"], 10)
    repeated = dataset(values, hours, groups=patients.astype(str), scale="log2")
    blocks = np.column_stack([indicators(hours), indicators(patients)[:, 1:]])
    asked = Design(contrasts=("6 h vs 0 h",))
    contrast = [-1, 0, 1, *[0] * 9]  # 0 h, 24 h, 6 h
    agrees_with_limma(repeated, asked, "6 h vs 0 h", blocks, contrast)

    # each patient has one class: means
    arm = np.repeat(["a", "b"], 15)
    parts = {"groups": patients.astype(str), "scale": "log2"}
    of_arms = dataset(values, arm, **parts)
    asked = Design(contrasts=("a vs b",))
    table = contrast_table(of_arms, asked).set_index("feature")
    means = values.reshape(300, 10, 3).mean(axis=2)
    alone = contrast_table(dataset(means, arm[::3], scale="log2"), asked).set_index("feature")
    np.testing.assert_allclose(table["t"], alone["t"][table.index], rtol=1e-9)

    # a common correlation
    correlated = Design(contrasts=("a vs b",), repeated="correlation")
    design = indicators(arm)
    rho = block_correlation(values, design, patients)
    limma = r_answers(
        "limma",
        LIMMA,
        values=values,
        design=design,
        contrasts=np.array([[1.0, -1.0]]),
        trend=[0.0],
        block=patients,
        rho=[rho],
    )
    rows = contrast_table(of_arms, correlated).set_index("feature").loc[series.features]
    np.testing.assert_allclose(rows["t"], limma["t"], rtol=1e-6)
    compared = moderated_contrasts(values, (arm == "b").astype(int), patients, correlated=True)
    np.testing.assert_allclose(compared.t[0], limma["t"], rtol=1e-6)


@pytest.mark.parametrize("share", [0.0, 1.0, 3.0])
def test_the_correlation_of_repeated_samples_is_limma_s(rng, share):
    groups = np.repeat(np.arange(9), [1, 2, 3, 2, 4, 1, 2, 3, 2])
    values = rng.normal(size=(200, 20)) + share * rng.normal(size=(200, 9))[:, groups]
    design = indicators(np.arange(20) % 2)
    script = """
    found <- duplicateCorrelation(values, design, block = as.vector(groups))
    put("rho", found$consensus.correlation)
    """
    arrays = {"values": values, "design": design, "groups": groups}
    limma = r_answers("limma", script, **arrays)
    assert block_correlation(values, design, groups) == pytest.approx(limma["rho"][0], rel=1e-6)


def test_a_correlation_that_cannot_be_estimated_is_refused(rng):
    values = rng.normal(size=(20, 8))
    with refused("leaves no differences", key="repeated"):
        block_correlation(values, np.ones((8, 1)), np.arange(8))
    with refused("without gaps", key="repeated"):
        gaps = np.where(values > 2, np.nan, values)
        gaps[0, 0] = np.nan
        block_correlation(gaps, np.ones((8, 1)), np.repeat(np.arange(4), 2))


def test_counts_are_compared_with_the_weights_of_voom():
    counts, codes, _, ages = simulated_counts(4)
    labels = np.array(["a", "b"])[codes]
    phenotype = pd.DataFrame({"age": ages})
    series = dataset(counts, labels, scale="counts", sample_metadata=phenotype)
    used = expressed_features(series)
    table = contrast_table(series, by_age("b vs a")).set_index("feature")
    pair = table.loc[series.features[used]]
    sizes = effective_sizes(counts[used])
    expected = moderated_contrasts(counts[used], codes, None, {"age": ages}, sizes=sizes)
    np.testing.assert_allclose(pair["t"], expected.t[1], rtol=1e-9)
    np.testing.assert_allclose(pair["log_fold_change"], expected.log_fold_change[1], rtol=1e-9)


def test_a_change_has_the_unit_of_the_scale(series):
    asked = Design(contrasts=("drug A vs normal",))
    logarithms = contrast_table(dataset(series.values, series.labels, scale="ln"), asked)
    numbers = contrast_table(dataset(series.values, series.labels), asked)
    change = logarithms["log_fold_change"] * np.log(2)  # log2 of natural logarithms
    np.testing.assert_allclose(change, numbers["difference"])
    assert numbers["log_fold_change"].isna().all()


def test_the_table_is_by_rank_and_a_table_of_genes(series):
    table = gene_tables(series, by_age("drug A vs normal"))["contrasts"]
    assert list(table.columns) == GROUPS["genes"].tables["contrasts"].fixed
    assert table["rank"].tolist() == list(range(1, 301))
    assert table["t"].abs().is_monotonic_decreasing
    assert set(table["feature"][:10]) <= {f"g{i}" for i in range(30)}
    assert gene_tables(series, Design())["contrasts"].empty
    two = dataset(series.values, np.tile(["a", "b"], 15))
    assert contrast_table(
        two, Design(reference="a")
    ).empty  # the table of genes has this comparison


@pytest.mark.parametrize(
    ("contrast", "message"),
    [
        ("drug A", "'drug A' is not a comparison; write A vs B"),
        ("drug A vs norml", "names 'norml', which is not a class; did you mean 'normal'"),
        ("drugA vs normal", "names 'drugA', which is not a class"),
        ("normal vs normal", "compares a class with itself"),
        ("drug A vs normal within sex", "names 'normal within sex', .*: adjust for the column"),
    ],
)
def test_what_is_no_comparison_is_refused(series, contrast, message):
    with refused(message, key="contrasts"):
        contrast_table(series, Design(contrasts=(contrast,)))


def of_classes(*labels):
    return dataset(np.zeros((1, 2 * len(labels))), np.repeat(labels, 2))


def test_a_class_may_contain_the_word_between_two_classes():
    """Such a label together with a reference was refused."""
    labels = ("healthy", "tumour", "tumour vs normal", "x vs y vs z")
    design = Design(
        reference="healthy",
        contrasts=("tumour vs normal vs tumour", "tumour vs x vs y vs z"),
    )
    pairs = comparisons(of_classes(*labels), design)
    assert pairs == [
        Comparison("tumour", "healthy"),
        Comparison("tumour vs normal", "healthy"),
        Comparison("x vs y vs z", "healthy"),
        Comparison("tumour vs normal", "tumour"),
        Comparison("tumour", "x vs y vs z"),
    ]
    assert pairs[3].contrast(np.array(labels), 5).tolist() == [[0, -1, 1, 0, 0]]


def test_a_text_that_can_be_read_in_two_ways_is_refused_with_both():
    ambiguous = of_classes("a", "a vs b", "b vs c", "c")
    with refused("in 2 ways: 'a' less 'b vs c', or 'a vs b' less 'c'", key="contrasts"):
        comparisons(ambiguous, Design(contrasts=("a vs b vs c",)))
    # the reference names its class, and is never ambiguous
    assert len(comparisons(ambiguous, Design(reference="c"))) == 3


def test_a_pair_with_the_reference_is_compared_once():
    design = Design(reference="a", contrasts=("b vs a", "c vs b"))
    names = [pair.name for pair in comparisons(of_classes("a", "b", "c"), design)]
    assert names == ["b vs a", "c vs a", "c vs b"]


def test_a_column_that_is_the_class_cannot_be_adjusted_for(series):
    phenotype = series.sample_metadata.assign(arm=series.labels)
    asked = dataset(series.values, series.labels, sample_metadata=phenotype)
    by_arm = Design(adjust=("arm",), contrasts=("drug A vs normal",))
    with refused("contrast drug A vs normal: .*'arm' cannot be separated", key="contrasts"):
        contrast_table(asked, by_arm)
