"""Genes over series: the list has the p of the interval, and null genes are seldom in it."""

import numpy as np
import pytest
from r_oracles import r_answers
from toys import dataset

from xnbflow.inference.meta_analysis import meta_genes

ADHOC = """
found <- sapply(seq_len(ncol(effects)), function(g) {
  fit <- rma(effects[, g], variances[, g], method = "DL", test = "adhoc")
  c(fit$beta, fit$ci.lb, fit$ci.ub, fit$pval)
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
    from xnbflow.inference.meta_analysis import _effects

    variances = np.stack([_effects(each, logarithms=True)["variance"][1] for each in series])
    arrays = {"effects": effects, "variances": variances}
    found = r_answers("metafor", ADHOC, **arrays)["found"].reshape(30, 4).T
    for name, expected in zip(("effect", "lower", "upper", "p"), found, strict=True):
        np.testing.assert_allclose(rows[name], expected, rtol=1e-6)
