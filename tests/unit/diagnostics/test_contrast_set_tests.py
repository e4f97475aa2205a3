"""Gene sets of further comparisons: limma's `camera` with the contrast is the oracle."""

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from r_oracles import r_answers
from toys import dataset

from xnbflow.core.study import Design
from xnbflow.data.read_counts import expressed_features, with_log_counts
from xnbflow.diagnostics.gene_set_tests import contrast_set_tests, gene_set_tests
from xnbflow.tables.contract import GROUPS

#: Sets are columns of an indicator matrix (n_genes, n_sets).
CAMERA = """
index <- lapply(seq_len(ncol(member)), function(i) which(member[, i] > 0))
tests <- camera(values, index, design, as.vector(contrast), inter.gene.cor = NA,
                trend.var = trend[1] > 0, sort = FALSE)
put("p", tests$PValue)
put("fdr", tests$FDR)
put("correlation", tests$Correlation)
put("higher", tests$Direction == "Up")
"""
#: Positions of the genes of three sets: raised in drug A, in drug B, and in neither.
SETS = {"A": range(30), "B": range(30, 60), "NONE": range(100, 120)}
SYMBOLS = {name: {f"g{i}" for i in genes} for name, genes in SETS.items()}
LABELS = np.repeat(["drug A", "drug B", "normal"], 10)


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(3)
    values = rng.normal(8, 1, (300, 30)) * rng.gamma(9, 1 / 9, (300, 1))
    values[:30] += 1.2 * (LABELS == "drug A")
    values[30:60] += 0.2 * (LABELS == "drug B")
    values[100:120] += rng.normal(0, 0.7, 30)
    return values


def indicators(cells):
    return (np.asarray(cells)[:, None] == np.unique(cells)).astype(float)


def comparison_tests(values, *contrasts, reference="", **changes):
    series = dataset(values, LABELS, scale="log2", **changes)
    return contrast_set_tests(series, SYMBOLS, Design(contrasts=contrasts, reference=reference))


def agrees_with_limma(rows, values, design, contrast, trend=0.0):
    member = np.zeros((len(values), len(SETS)))
    for column, genes in enumerate(SETS.values()):
        member[list(genes), column] = 1
    limma = r_answers(
        "limma",
        CAMERA,
        values=values,
        member=member,
        design=design,
        contrast=np.asarray(contrast, dtype=float),
        trend=[trend],
    )
    rows = rows.set_index("gene_set").loc[list(SETS)]
    for column in ("p", "fdr", "correlation"):
        np.testing.assert_allclose(rows[column], limma[column], rtol=1e-6, atol=1e-12)
    np.testing.assert_array_equal(rows["direction"] == "higher", limma["higher"] > 0)


@pytest.mark.slow
def test_pairs_of_classes_are_limma_s_and_their_planted_set_is_first(values):
    table = comparison_tests(values, "drug A vs drug B", reference="normal")
    contrasts = {
        "drug A vs normal": [1, 0, -1],
        "drug B vs normal": [0, 1, -1],
        "drug A vs drug B": [1, -1, 0],
    }
    assert table["contrast"].drop_duplicates().tolist() == list(contrasts)
    assert list(table.columns) == GROUPS["genes"].tables["gene_set_tests"].fixed
    for name, contrast in contrasts.items():
        rows = table[table["contrast"] == name]
        agrees_with_limma(rows, values, indicators(LABELS), contrast)
    first = table[table["rank"] == 1].set_index("contrast")
    assert first.loc[["drug A vs normal", "drug A vs drug B"], "gene_set"].tolist() == ["A", "A"]
    fdr = table[table["gene_set"] == "A"].set_index("contrast")["fdr"]
    assert fdr["drug A vs normal"] < 0.05 < fdr["drug B vs normal"]


def test_patients_are_blocks(values):
    patients = np.repeat(np.arange(10), 3)
    labels = np.tile(["drug A", "drug B", "normal"], 10)
    values = values + np.random.default_rng(0).normal(0, 2, (300, 10))[:, patients]
    series = dataset(values, labels, scale="log2", groups=patients.astype(str))
    rows = contrast_set_tests(series, SYMBOLS, Design(contrasts=("drug B vs normal",)))
    design = np.column_stack([indicators(labels), indicators(patients)[:, 1:]])
    agrees_with_limma(rows, values, design, [0, 1, -1, *[0] * 9])


def test_counts_are_tested_as_logarithms_of_genes_with_reads_with_a_trend():
    counts, codes, _, ages = simulated_counts(5)
    counts[100:120] = 0
    counts[100:120, 0] = 1
    labels = np.array(["a", "b"])[codes]
    series = dataset(
        counts,
        labels,
        scale="counts",
        sample_metadata=pd.DataFrame({"age": ages}),
    )
    by_age = Design(adjust=("age",), contrasts=("b vs a",))
    rows = contrast_set_tests(series, SYMBOLS, by_age)
    expressed = expressed_features(series)
    assert "NONE" not in set(rows["gene_set"])  # no gene of it has reads
    logarithms = with_log_counts(series).values[expressed]
    names = series.features[expressed]
    member = np.column_stack([np.isin(names, sorted(SYMBOLS[name])) for name in ("A", "B")])
    classes = gene_set_tests(series, SYMBOLS)
    for table, design, contrast in (
        (rows, np.column_stack([indicators(labels), ages]), [-1, 1, 0]),
        (classes, indicators(labels), [1, -1]),
    ):
        limma = r_answers(
            "limma",
            CAMERA,
            values=logarithms,
            member=member.astype(float),
            design=design,
            contrast=np.asarray(contrast, dtype=float),
            trend=[1.0],
        )
        actual = table.set_index("gene_set").loc[["A", "B"], "p"]
        np.testing.assert_allclose(actual, limma["p"], rtol=1e-6)


def test_series_without_comparisons_or_degrees_of_freedom_have_no_rows(values):
    assert comparison_tests(values).empty
    two = dataset(values[:, [0, 10]], ["a", "b"])
    assert contrast_set_tests(two, SYMBOLS, Design(contrasts=("a vs b",))).empty
