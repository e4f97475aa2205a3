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
from xnbflow.diagnostics.contrasts import comparisons, contrast_table
from xnbflow.diagnostics.gene_tables import gene_tables
from xnbflow.diagnostics.least_squares import fit_contrasts
from xnbflow.diagnostics.linear_models import moderate, moderated_contrasts
from xnbflow.tables.contract import GENE_TABLES

#: Contrasts in rows; a single one has t, several F. Values are complete, so that limma is exact.
LIMMA = """
fit <- lmFit(values, design, block = if (exists("block")) as.vector(block),
             correlation = if (exists("block")) rho[1])
fit <- eBayes(contrasts.fit(fit, t(contrasts)), trend = trend[1] > 0)
put("df", fit$df.total)
if (nrow(contrasts) == 1) {
  table <- topTable(fit, number = Inf, sort.by = "none", confint = TRUE)
  for (name in c("logFC", "CI.L", "CI.R", "t", "P.Value", "adj.P.Val")) put(name, table[[name]])
} else {
  table <- topTable(fit, number = Inf, sort.by = "none")
  for (name in c("F", "P.Value", "adj.P.Val")) put(name, table[[name]])
}
"""
SINGLE = {"log_fold_change": "logFC", "lower": "CI.L", "upper": "CI.R", "t": "t"}
BOTH = {"p": "P.Value", "fdr": "adj.P.Val", "df": "df"}


@pytest.fixture(scope="module")
def series():
    """Three classes of ten samples with sexes, doses, stages and ages; logarithms to base 2."""
    rng = np.random.default_rng(11)
    y = np.repeat(["drug A", "drug B", "normal"], 10)
    phenotype = pd.DataFrame(
        {
            "sex": np.tile(["f", "m"], 15),
            "dose": np.tile(["0", "0.5", "2", "8", "1"], 6),
            "stage": np.tile(["6 h", "0 h", "24 h"], 10),
            "grade": np.tile(["low", "high", "middle"], 10),
            "age": [f"{age:.1f}" for age in rng.normal(60, 8, 30)],
        }
    )
    values = rng.normal(8, 1, (300, 30)) * rng.gamma(9, 1 / 9, (300, 1))
    values[:30] += 2 * (y == "drug A")
    values[30:60] += 1.5 * np.tile(np.arange(3), 10)
    return dataset(values, y, sample_metadata=phenotype, scale="log2")


def design_of(series, columns):
    """Return limma's design: indicators of levels, and the centred age."""
    age = series.sample_metadata["age"].astype(float).to_numpy()
    return np.column_stack([columns, age - age.mean()])


def indicators(cells):
    return (np.asarray(cells)[:, None] == np.unique(cells)).astype(float)


def agrees_with_limma(series, asked, name, design, contrasts, **more):
    """Compare a comparison that a study's design asks for with limma's contrasts in a matrix."""
    contrasts = np.pad(np.atleast_2d(contrasts), ((0, 0), (0, 1)))
    more = {"trend": [0.0], **more}
    arrays = {"values": series.values, "design": design, "contrasts": contrasts}
    limma = r_answers("limma", LIMMA, **arrays, **more)
    table = contrast_table(series, asked)
    rows = table[table["contrast"] == name].set_index("feature").loc[series.features]
    for ours, theirs in (BOTH | (SINGLE if len(contrasts) == 1 else {"f": "F"})).items():
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
        rows = agrees_with_limma(series, asked, name, design, contrast)
        assert rows["f"].isna().all()
        assert (rows["samples"] == 30).all()


def test_a_pair_at_each_level_of_a_column_is_as_in_limma(series):
    cells = [f"{a}{b}" for a, b in zip(series.labels, series.sample_metadata["sex"], strict=True)]
    design = design_of(series, indicators(cells))
    asked = by_age("drug A vs normal within sex")
    agrees_with_limma(series, asked, "drug A vs normal within sex=f", design, [1, 0, 0, 0, -1, 0])
    agrees_with_limma(series, asked, "drug A vs normal within sex=m", design, [0, 1, 0, 0, 0, -1])


@pytest.mark.slow
def test_levels_trends_and_slopes_are_as_in_limma(series):
    levels = design_of(series, indicators(series.sample_metadata["stage"]))  # 0 h, 24 h, 6 h
    asked = by_age(
        "levels(stage)",
        "trend(stage)",
        "trend(grade=low<middle<high)",
        "slope(dose)",
        "levels(class)",
    )
    agrees_with_limma(series, asked, "levels(stage)", levels, [[-1, 1, 0], [-1, 0, 1]])
    agrees_with_limma(series, asked, "trend(stage=0 h<6 h<24 h)", levels, [-0.5, 0.5, 0])
    grades = design_of(series, indicators(series.sample_metadata["grade"]))  # high, low, middle
    agrees_with_limma(series, asked, "trend(grade=low<middle<high)", grades, [0.5, -0.5, 0])
    dose = series.sample_metadata["dose"].astype(float).to_numpy()
    number = design_of(series, np.column_stack([np.ones(30), dose]))
    agrees_with_limma(series, asked, "slope(dose)", number, [0, 1])
    classes = design_of(series, indicators(series.labels))
    agrees_with_limma(series, asked, "levels(class)", classes, [[1, 0, -1], [0, 1, -1]])


def test_a_trend_of_unequal_steps_is_a_regression_of_means(series):
    asked = by_age("trend(dose)")
    levels = design_of(series, indicators(series.sample_metadata["dose"]))
    name = "trend(dose=0<0.5<1<2<8)"
    agrees_with_limma(series, asked, name, levels, np.array([-2, -1, 0, 1, 2]) / 10)


def test_interactions_are_as_in_limma(series):
    cells = [f"{a}{b}" for a, b in zip(series.labels, series.sample_metadata["sex"], strict=True)]
    design = design_of(series, indicators(cells))
    contrasts = [[1, -1, -1, 1, 0, 0], [1, -1, 0, 0, -1, 1]]
    agrees_with_limma(series, by_age("class:sex"), "class:sex", design, contrasts)
    two = series.labels != "drug B"
    smaller = dataset(
        series.values[:, two],
        series.labels[two],
        sample_metadata=series.sample_metadata[two].reset_index(drop=True),
        scale="log2",
    )
    design = design_of(smaller, indicators(np.array(cells)[two]))
    rows = agrees_with_limma(smaller, by_age("class:sex"), "class:sex", design, [1, -1, -1, 1])
    assert rows["t"].notna().all()  # one difference of differences


def test_an_age_is_an_outcome_without_itself_among_the_covariates(series):
    asked = by_age("slope(age)")
    age = series.sample_metadata["age"].astype(float).to_numpy()
    script = """
    fit <- eBayes(lmFit(values, design))
    put("t", fit$t[, 2])
    put("slope", fit$coefficients[, 2])
    """
    design = np.column_stack([np.ones(30), age])
    limma = r_answers("limma", script, values=series.values, design=design)
    rows = contrast_table(series, asked).set_index("feature").loc[series.features]
    np.testing.assert_allclose(rows["t"], limma["t"], rtol=1e-6)
    np.testing.assert_allclose(rows["log_fold_change"], limma["slope"], rtol=1e-6)


@pytest.mark.slow
def test_patients_are_blocks_or_means_or_correlated(series, rng):
    patients = np.repeat(np.arange(10), 3)
    hours = np.tile(["0 h", "6 h", "24 h"], 10)
    values = series.values + rng.normal(0, 2, (300, 10))[:, patients]
    arm = np.repeat(["a", "b"], 15)
    parts = {
        "sample_metadata": pd.DataFrame({"hours": hours, "dose": np.repeat(range(10), 3)}),
        "groups": patients.astype(str),
        "scale": "log2",
    }
    repeated = dataset(values, arm, **parts)
    asked = Design(contrasts=("levels(hours)", "slope(dose)", "a vs b"))
    blocks = np.column_stack([indicators(hours), indicators(patients)[:, 1:]])
    contrasts = np.pad([[-1, 1, 0], [-1, 0, 1]], ((0, 0), (0, 8)))
    agrees_with_limma(repeated, asked, "levels(hours)", blocks, contrasts)
    table = contrast_table(repeated, asked)
    means = values.reshape(300, 10, 3).mean(axis=2)
    by_patient = dataset(means, arm[::3], sample_metadata=pd.DataFrame({"dose": range(10)}),
                         scale="log2")  # fmt: skip
    expected = contrast_table(by_patient, Design(contrasts=("slope(dose)", "a vs b")))
    for name in ("slope(dose)", "a vs b"):
        actual = table[table["contrast"] == name].set_index("feature")["t"]
        alone = expected[expected["contrast"] == name].set_index("feature")["t"]
        np.testing.assert_allclose(actual[series.features], alone[series.features], rtol=1e-9)
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
    rows = contrast_table(repeated, correlated).set_index("feature").loc[series.features]
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


def test_f_of_weighted_values_is_that_of_nested_models(rng):
    values, weights = rng.normal(size=(50, 12)), rng.uniform(0.2, 4, (50, 12))
    design = indicators(np.arange(12) % 3)
    contrasts = np.array([[1.0, -1, 0], [1, 0, -1]])
    fit = fit_contrasts(lambda rows: values[rows], 50, design, contrasts, weights=weights)
    tests = moderate(fit)
    for y, w, f, variance in zip(values, weights, tests.f, tests.posterior_variance, strict=True):
        root = np.sqrt(w)
        squares = [
            np.linalg.lstsq(root[:, None] * columns, root * y)[1][0]
            for columns in (np.ones((12, 1)), design)
        ]
        assert f == pytest.approx((squares[0] - squares[1]) / 2 / variance, rel=1e-9)


def test_f_with_gaps_is_that_of_the_samples_with_values(rng):
    values, design = rng.normal(size=(30, 12)), indicators(np.arange(12) % 3)
    values[:, 5] = np.where(np.arange(30) < 20, np.nan, values[:, 5])
    contrasts = np.array([[1.0, -1, 0], [1, 0, -1]])
    fit = fit_contrasts(lambda rows: values[rows], 30, design, contrasts)
    used = np.arange(12) != 5
    alone = fit_contrasts(lambda rows: values[rows][:, used], 20, design[used], contrasts)
    np.testing.assert_allclose(fit.joint[:20], alone.joint)
    np.testing.assert_allclose(fit.unscaled[:, :20], alone.unscaled)
    values[0, np.arange(12) % 3 == 2] = np.nan
    fit = fit_contrasts(lambda rows: values[rows], 30, design, contrasts)
    assert np.isnan(fit.joint[0])
    assert np.isfinite(fit.estimate[0, 0])


def test_counts_are_compared_with_the_weights_of_voom():
    counts, codes, _, ages = simulated_counts(4)
    labels = np.array(["a", "b"])[codes]
    phenotype = pd.DataFrame({"age": ages})
    series = dataset(counts, labels, scale="counts", sample_metadata=phenotype)
    used = expressed_features(series)
    table = contrast_table(series, by_age("b vs a", "slope(age)"))
    pair = table[table["contrast"] == "b vs a"].set_index("feature").loc[series.features[used]]
    sizes = effective_sizes(counts[used])
    expected = moderated_contrasts(counts[used], codes, None, {"age": ages}, sizes=sizes)
    np.testing.assert_allclose(pair["t"], expected.t[1], rtol=1e-9)
    np.testing.assert_allclose(pair["log_fold_change"], expected.log_fold_change[1], rtol=1e-9)
    script = """
    fit <- eBayes(lmFit(voom(counts, design, lib.size = as.vector(sizes)), design))
    put("t", fit$t[, 2])
    """
    design = np.column_stack([np.ones(12), ages])
    limma = r_answers("limma", script, counts=counts[used], sizes=sizes, design=design)
    slope = table[table["contrast"] == "slope(age)"].set_index("feature").loc[pair.index]
    np.testing.assert_allclose(slope["t"], limma["t"], rtol=1e-6)


def test_samples_without_a_value_are_left_out(series):
    dose = series.sample_metadata["dose"].copy()
    dose[series.labels == "normal"] = "NA"
    phenotype = series.sample_metadata.assign(dose=dose)
    by_dose = Design(contrasts=("slope(dose)",))
    asked = dataset(series.values, series.labels, sample_metadata=phenotype, scale="ln")
    table = contrast_table(asked, by_dose)
    assert (table["samples"] == 20).all()
    two = series.labels != "normal"
    fewer = dataset(series.values[:, two], series.labels[two],
                    sample_metadata=phenotype[two].reset_index(drop=True))  # fmt: skip
    expected = contrast_table(fewer, by_dose)
    np.testing.assert_allclose(table["t"], expected["t"])
    np.testing.assert_allclose(table["log_fold_change"] * np.log(2), expected["difference"])
    assert expected["log_fold_change"].isna().all()


def test_the_table_is_by_rank_and_a_table_of_genes(series):
    table = gene_tables(series, by_age("drug A vs normal"))["contrasts"]
    assert list(table.columns) == GENE_TABLES["contrasts"].fixed
    assert table["rank"].tolist() == list(range(1, 301))
    assert table["t"].abs().is_monotonic_decreasing
    assert set(table["feature"][:10]) <= {f"g{i}" for i in range(30)}
    assert gene_tables(series, Design())["contrasts"].empty
    two = dataset(series.values, np.tile(["a", "b"], 15))
    assert contrast_table(
        two, Design(reference="a")
    ).empty  # the table of genes has this comparison


@pytest.mark.parametrize(
    ("contrast", "expected"),
    [
        pytest.param("drug A", "'drug A' is not a comparison; write A vs B", id="one class"),
        pytest.param(
            "drug A vs norml",
            "names 'norml', which is not a class; did you mean 'normal'",
            id="an unknown class",
        ),
        pytest.param(
            "slope(dos)",
            "names 'dos', which is not a column of the samples; did you mean 'dose'",
            id="an unknown column",
        ),
        pytest.param(
            "slope(sex)",
            r"needs numbers, and 'f' is none; use levels\(sex\)",
            id="a slope of texts",
        ),
        pytest.param(
            "trend(grade)",
            r"no numbers to order them by; write trend\(grade=high<low<middle\)",
            id="a trend without an order",
        ),
        pytest.param(
            "trend(grade=low<high)",
            "does not order the levels high, low, middle, each once",
            id="a trend without a level",
        ),
        pytest.param("class:grade", "no sample is", id="an empty combination"),
        pytest.param("levels(one)", "all samples have 1", id="one level"),
        pytest.param(
            "drug A vs normal within arm",
            "no level of 'arm' has samples of both classes; leave it out",
            id="a column that is the class",
        ),
    ],
)
def test_what_is_no_comparison_is_refused(series, contrast, expected):
    phenotype = series.sample_metadata.assign(one="1", arm=series.labels)
    phenotype["grade"] = np.where(series.labels == "normal", "low", phenotype["grade"])
    grade = phenotype["grade"].where(phenotype.index > 2, ["low", "high", "middle"] * 10)
    asked = dataset(series.values, series.labels, scale="log2",
                    sample_metadata=phenotype.assign(grade=grade))  # fmt: skip
    with refused(expected, key="contrasts"):
        contrast_table(asked, Design(contrasts=(contrast,)))


def test_a_column_that_is_the_class_cannot_be_adjusted_for(series):
    phenotype = series.sample_metadata.assign(arm=series.labels)
    asked = dataset(series.values, series.labels, sample_metadata=phenotype)
    by_arm = Design(adjust=("arm",), contrasts=("drug A vs normal",))
    with refused("contrast drug A vs normal: .*'arm' cannot be separated", key="contrasts"):
        contrast_table(asked, by_arm)


def test_an_interaction_has_the_first_levels_in_natural_order_as_its_bases(rng):
    phenotype = pd.DataFrame({"time": np.repeat(["10 h", "2 h"], 8)})
    labels = ["a", "b"] * 8
    values = rng.normal(size=(3, 16))
    values[0, (phenotype["time"] == "10 h") & (np.array(labels) == "b")] += 20
    asked = dataset(values, labels, scale="log2", sample_metadata=phenotype)
    table = contrast_table(asked, Design(contrasts=("class:time",)))
    changes = table.set_index("feature")["log_fold_change"]
    assert 15 < changes["g0"] < 25  # (b - a at 10 h) - (b - a at 2 h)


def test_levels_are_compared_with_the_first_in_natural_order(rng):
    phenotype = pd.DataFrame({"time": ["10 h", "2 h", "24 h"] * 4})
    asked = dataset(rng.normal(size=(3, 12)), ["a", "b"] * 6, sample_metadata=phenotype)
    (comparison,) = comparisons(asked, Design(contrasts=("levels(time)",)))
    assert comparison.parts == ("10 h vs 2 h", "24 h vs 2 h")
    assert comparison.weights.tolist() == [[1, -1, 0], [0, -1, 1]]  # 10 h, 2 h, 24 h
