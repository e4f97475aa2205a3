"""Linear models leave out samples without a value of a column to adjust for, as in limma."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from r_oracles import r_answers
from toys import dataset, refused

from xnbflow.core.study import Design
from xnbflow.diagnostics.adjustment import covariates, with_known_covariates
from xnbflow.diagnostics.contrasts import contrast_table
from xnbflow.diagnostics.gene_set_tests import gene_set_tests
from xnbflow.diagnostics.genes import class_comparisons, gene_table
from xnbflow.diagnostics.sample_levels import global_shifts
from xnbflow.inference.meta_analysis import meta_genes

N = 24
UNKNOWN = np.isin(np.arange(N), [1, 6, 7, 20])
OF_ALL_SAMPLES = ["auc", "distance", "ties"]
ADJUSTED = Design(adjust=("age", "plate"))


def measured(kind="logarithms", **changes):
    """Return three classes in pairs of samples; ages and a plate with missing values."""
    rng = np.random.default_rng(5)
    labels = np.tile(["a", "b", "c"], 8)
    age = rng.normal(60, 8, N)
    plate = np.tile(list("ppqqq"), 5)[:N]
    phenotype = pd.DataFrame({"age": age.round(1).astype(str), "plate": plate})
    phenotype.loc[[1, 7], "age"] = ["NA", ""]
    phenotype.loc[[6, 7, 20], "plate"] = "?"
    level = rng.normal(8, 1, (200, 1)) + 0.05 * (age - 60) * (np.arange(200) < 50)[:, None]
    level[:30] += labels == "a"
    values, scale = rng.normal(level, 1.0), "log2"
    if kind == "counts":  # some genes reach enough reads only with the samples that are left out
        values, scale = rng.poisson(2 ** (level - 4) * rng.gamma(2, 1, (200, 1))), "counts"
    if kind == "patients":
        changes["groups"] = np.repeat(np.arange(8).astype(str), 3)
        values[3, 2] = np.nan
        changes["missing"] = True
    return dataset(values, labels, sample_metadata=phenotype, scale=scale, **changes)


def without_unknown(series):
    """Return a series that never had the samples with missing values."""
    known_samples = np.flatnonzero(~UNKNOWN)
    groups = None if series.groups is None else [series.groups[i] for i in known_samples]
    return dataset(
        series.values[:, known_samples], series.labels[known_samples],
        samples=series.samples[known_samples], groups=groups,
        sample_metadata=series.sample_metadata.iloc[known_samples], scale=series.scale,
        missing=series.missing,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["logarithms", "counts", "patients"])
def test_tables_are_those_of_the_series_without_these_samples(kind):
    contrasts = ("a vs b",)
    design = Design(adjust=ADJUSTED.adjust, reference="c", contrasts=contrasts)
    series = measured(kind)
    fewer = without_unknown(series)
    assert covariates(fewer, design)["age"].dtype == float
    genes = gene_table(series, design).set_index(["class", "feature"]).sort_index()
    expected = gene_table(fewer, design).set_index(["class", "feature"]).sort_index()
    tested = [name for name in genes if name not in [*OF_ALL_SAMPLES, "rank"]]
    pd.testing.assert_frame_equal(genes[tested], expected[tested], check_exact=True)
    assert genes["t"].notna().mean() > 0.5
    every_sample = gene_table(measured(kind)).set_index(["class", "feature"])
    pd.testing.assert_frame_equal(genes[OF_ALL_SAMPLES], every_sample.sort_index()[OF_ALL_SAMPLES])
    assert not genes["auc"].equals(expected["auc"])
    pd.testing.assert_frame_equal(
        contrast_table(series, design), contrast_table(fewer, design), check_exact=True
    )


def test_gene_sets_and_series_together_are_those_without_these_samples():
    series = measured()
    fewer = without_unknown(series)
    sets = {"S": {f"g{i}" for i in range(20)}}
    tests = gene_set_tests(series, sets, ADJUSTED)
    pd.testing.assert_frame_equal(tests, gene_set_tests(fewer, sets, ADJUSTED), check_exact=True)
    assert len(tests) == 3
    assert not tests.equals(gene_set_tests(series, sets))
    designs = {"toy": ADJUSTED}
    other = replace(measured(), name="other")
    pd.testing.assert_frame_equal(
        meta_genes([series, other], {}, designs),
        meta_genes([fewer, other], {}, designs),
        check_exact=True,
    )


def test_the_model_is_that_of_limma_whose_design_omits_missing_values():
    """`model.matrix` omits the rows with missing values."""
    script = """
    plate[is.nan(plate)] <- NA  # otherwise a level of its own
    frame <- data.frame(class = factor(codes), age = age, plate = factor(plate))
    design <- model.matrix(~ 0 + class + age + plate, frame)
    used <- as.integer(rownames(design))
    contrast <- c(1, -0.5, -0.5, 0, 0)
    fit <- eBayes(contrasts.fit(lmFit(values[, used], design), contrast))
    table <- topTable(fit, number = Inf, sort.by = "none", confint = TRUE)
    put("t", table$t)
    put("p", table$P.Value)
    put("difference", table$logFC)
    put("lower", table$CI.L)
    put("n", length(used))
    """
    series = measured()
    cells = series.sample_metadata
    limma = r_answers(
        "limma", script, values=series.values,
        codes=np.unique(series.labels, return_inverse=True)[1],
        age=pd.to_numeric(cells["age"], errors="coerce"),
        plate=cells["plate"].map({"p": 0.0, "q": 1.0}),
    )  # fmt: skip
    assert limma["n"] == N - UNKNOWN.sum()
    compared = class_comparisons(series.values, series, ADJUSTED)
    for name in ("difference", "lower", "t", "p"):
        np.testing.assert_allclose(compared[name][0], limma[name], rtol=1e-6, atol=1e-10)


def test_series_with_all_values_are_the_same_object_and_classes_do_not_vanish():
    complete = without_unknown(measured())
    assert with_known_covariates(complete, ADJUSTED) is complete
    series = measured()
    known = with_known_covariates(series, ADJUSTED)
    assert known.samples.tolist() == complete.samples.tolist()
    assert with_known_covariates(series, Design(adjust=("factor(age)",))).n_samples == N - 2
    by_age = Design(adjust=("age",))
    cells = series.sample_metadata.assign(age=np.where(series.labels == "b", "n/a", "50"))
    without_b = dataset(series.values, series.labels, sample_metadata=cells)
    with refused("toy: no sample of the class b has a value of 'age'", key="adjust"):
        gene_table(without_b, by_age)
    assert global_shifts(without_b) == []  # the audit adjusts for nothing
    sets = {"S": {f"g{i}" for i in range(20)}}
    assert gene_set_tests(without_b, sets, by_age).empty
