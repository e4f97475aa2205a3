"""Genes over series: the list has the p of the interval, and null genes are seldom in it."""

from dataclasses import replace
from math import gamma, sqrt

import numpy as np
import pytest
from r_oracles import r_answers
from scipy.stats import binom, rankdata, ttest_ind
from several_series import cohort
from toys import dataset

from xnbflow.core.study import Design
from xnbflow.diagnostics import gene_table
from xnbflow.inference.hartung_knapp import hartung_knapp
from xnbflow.inference.meta_analysis import meta_genes

ADHOC = """
found <- sapply(seq_len(ncol(effects)), function(g) {
  fit <- rma(effects[, g], variances[, g], method = "DL", test = "adhoc")
  k <- nrow(effects)
  without <- sapply(1:k, function(i) weighted.mean(effects[-i, g], weights(fit)[-i]))
  error <- max(fit$se, sqrt((k - 1) / k * sum((without - c(fit$beta))^2)))
  margin <- qt(.975, k - 1) * error
  c(fit$beta, fit$beta - margin, fit$beta + margin, 2 * pt(-abs(fit$beta) / error, k - 1))
})
put("found", found)
"""


def three_series(rng, genes, effect=0.0, between=0.0):
    series = []
    for place in range(3):
        codes = np.repeat([0, 1], 8)
        values = rng.normal(8, 1, (genes, 16))
        shift = effect + between * rng.normal(size=(genes, 1))
        values += shift * codes
        series.append(dataset(values, np.array(["a", "b"])[codes], f"S{place}", scale="log2"))
    return series


def test_the_list_and_the_interval_are_one_method(rng):
    table = meta_genes(three_series(rng, 400, effect=1.0, between=0.5), {})
    rows = table[table["class"] == "b"]
    excludes = (rows["lower"] > 0) | (rows["upper"] < 0)
    assert (excludes == (rows["p"] < 0.05)).all()
    assert 0.1 < excludes.mean() < 0.9
    assert rows["p"].is_monotonic_increasing
    assert rows["rank"].tolist() == list(range(1, 401))


def test_null_genes_that_differ_between_series_are_seldom_in_the_list(rng):
    """By the normal p .05 of these genes have an FDR below .05 (1,130 of 20,000)."""
    table = meta_genes(three_series(rng, 4000, between=0.7), {})
    rows = table[table["class"] == "b"]
    assert (rows["fdr"] < 0.05).mean() < 0.005
    assert (rows["p"] < 0.05).mean() < 0.06


@pytest.mark.slow
def test_means_intervals_and_p_are_those_of_metafor(rng):
    series = three_series(rng, 30, effect=0.5, between=0.5)
    table = meta_genes(series, {})
    rows = table[table["class"] == "b"].set_index("feature").loc[series[0].features]
    effects = np.stack([rows[f"effect.S{i}"] for i in range(3)])
    from xnbflow.inference.meta_analysis import _effects_of_series

    tables = [_effects_of_series(one_series, Design(), logarithms=True) for one_series in series]
    arrays = {"effects": effects, "variances": np.stack([table["variance"][1] for table in tables])}
    expected_columns = r_answers("metafor", ADHOC, **arrays)["found"].reshape(30, 4).T
    for name, expected in zip(("effect", "lower", "upper", "p"), expected_columns, strict=True):
        np.testing.assert_allclose(rows[name], expected, rtol=1e-6)


@pytest.mark.parametrize("grouped", [False, True])
def test_effects_of_unknown_scale_are_those_of_hedges(grouped):
    """Of one gene, the variance of which no others moderate."""
    series = [cohort(name, seed, features=1) for seed, name in enumerate("ab")]
    values, labels = series[0].values[0], series[0].labels
    if grouped:  # of patients with two samples of a class each
        series[0] = replace(series[0], groups=np.arange(24) // 2)
        values, labels = values.reshape(12, 2).mean(axis=1), labels[::2]
    genes = meta_genes(series, {}).set_index("class")
    n1, n0 = (labels == "tumour").sum(), (labels == "normal").sum()
    t = ttest_ind(values[labels == "tumour"], values[labels == "normal"]).statistic
    m = n1 + n0 - 2
    g = t * sqrt(1 / n1 + 1 / n0) * gamma(m / 2) / (sqrt(m / 2) * gamma((m - 1) / 2))
    row = genes.loc["tumour"]
    assert row["effect.a"] == pytest.approx(g, rel=1e-3)  # the factor is approximate
    half = 1.959964 * sqrt(1 / n1 + 1 / n0 + g**2 / (2 * m))
    assert row["upper.a"] - row["effect.a"] == pytest.approx(half, rel=1e-3)
    assert genes.loc["normal", "effect.a"] == pytest.approx(-row["effect.a"])
    assert row["unit"] == "standard deviations"


def test_effects_of_logarithms_are_log2_fold_changes():
    series = [
        cohort("a", seed=1, scale="log2"),
        cohort("b", seed=2, scale="ln"),
        cohort("c", seed=3, scale="log2"),
    ]
    genes = meta_genes(series, {}).query("`class` == 'tumour'").set_index("feature")
    effects = np.empty((3, 60))
    variances = np.empty((3, 60))
    for i, one in enumerate(series):
        rows = gene_table(one).query("`class` == 'tumour'").set_index("feature")
        rows = rows.loc[one.features]
        combined = genes.loc[one.features]
        for name, shown in (("log_fold_change", "effect"), ("lower", "lower"), ("p", "p")):
            np.testing.assert_allclose(combined[f"{shown}.{one.name}"], rows[name])
        ranks = rankdata(-rows["log_fold_change"].abs())
        np.testing.assert_array_equal(combined[f"rank.{one.name}"], ranks)
        effects[i] = rows["log_fold_change"]
        variances[i] = (rows["log_fold_change"] / rows["t"]) ** 2
    expected = hartung_knapp(effects, variances, ad_hoc=True, jackknife=True)
    for name in ("effect", "lower", "upper", "prediction_lower", "prediction_upper", "tau2"):
        np.testing.assert_allclose(genes.loc[series[0].features, name], expected[name], atol=1e-12)
    assert set(genes["unit"]) == {"log2 fold change"}
    planted = [f"g{i:02}" for i in range(0, 60, 12)]
    assert set(genes.index[:5]) == set(planted)
    assert (genes.loc[planted, "holds"] == 3).all()


def test_without_differences_a_gene_holds_as_rarely_as_is_said():
    """Labels at random in three small series of 30,000 genes, unequal classes."""
    sizes = [(6, 6), (4, 9), (12, 8)]
    null = [cohort(f"n{i}", i, n, 0.0, 30_000) for i, n in enumerate(sizes)]
    genes = meta_genes(null, {}).query("`class` == 'tumour'")
    for holds in (1, 2, 3):
        chance = 2 * binom.sf(holds - 1, 3, 0.025)
        assert (genes["holds"] >= holds).sum() <= binom.ppf(0.999, 30_000, chance)
        assert (genes.loc[genes["holds"] == holds, "chance"] - chance).abs().max() < 1e-12
    # a gene that holds in one series may have another sign of the mean, but rarely
    assert (genes["holds"] >= 1).sum() > 0.6 * 30_000 * 2 * binom.sf(0, 3, 0.025)
    for level in (0.05, 0.001):
        assert (genes["p"] <= level).sum() <= binom.ppf(0.999, 30_000, level)
    assert genes["p"].rank().tolist() == genes["rank"].tolist()
