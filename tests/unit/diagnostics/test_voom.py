"""Weights of counts by voom: limma 3.54 as the oracle, and its stored numbers."""

import numpy as np
import pytest
from counts_cases import formula_counts, pasilla, simulated_counts
from r_oracles import r_answers
from toys import refused

from xnbflow.data.read_counts import effective_sizes, enough_reads
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.diagnostics.voom import _lowess, voom

#: The first class against the second; further columns beside. The contrast is a coefficient of its
#: own parametrisation, since `contrasts.fit` approximates variances where there are weights.
LIMMA = """
library(edgeR)
design <- cbind(1, classes, if (exists("beside")) beside)
keep <- filterByExpr(counts, group = as.vector(classes))
v <- voom(calcNormFactors(DGEList(counts[keep, ])), design)
fit <- eBayes(lmFit(v, design))
table <- topTable(fit, coef = 2, number = Inf, sort.by = "none", confint = TRUE)
for (name in c("logFC", "CI.L", "CI.R", "t", "P.Value", "adj.P.Val")) put(name, table[[name]])
put("df", fit$df.total)
put("posterior", fit$s2.post)
put("prior", rep_len(fit$s2.prior, nrow(v)))
put("prior_df", fit$df.prior)
put("mean", fit$Amean)
put("keep", keep)
"""
NAMES = {"log_fold_change": "logFC", "lower": "CI.L", "upper": "CI.R", "t": "t", "p": "P.Value",
         "fdr": "adj.P.Val", "df": "df", "posterior_variance": "posterior",
         "prior_variance": "prior"}  # fmt: skip


def agrees_with_limma(counts, codes, groups=None, covariates=None, beside=None):
    """Compare every number of the model of counts; ``beside`` are further columns of limma's."""
    arrays = {"counts": counts, "classes": codes[:, None]}
    arrays |= {} if beside is None else {"beside": beside}
    limma = r_answers("limma", LIMMA, **arrays)
    counts = counts[limma["keep"] > 0]
    sizes = effective_sizes(counts)
    compared = moderated_contrasts(counts, codes, groups, covariates, sizes=sizes)
    for ours, theirs in NAMES.items():
        values = getattr(compared, ours)[1]
        np.testing.assert_allclose(values, limma[theirs], rtol=1e-6, atol=1e-9, err_msg=ours)
    np.testing.assert_allclose(compared.mean, limma["mean"], rtol=1e-9)
    assert compared.prior_df[0] == pytest.approx(limma["prior_df"][0], rel=1e-6)
    np.testing.assert_allclose(compared.t[0], -compared.t[1])


def test_stored_numbers_of_voom_are_found():
    counts, codes = formula_counts()
    counts = counts[enough_reads(counts, 4)]
    sizes = effective_sizes(counts)
    weights = voom(counts, sizes, np.eye(2)[codes]).weights
    stored = [[2.593514400363, 2.595490782195, 8.754934088993],
              [1.948122244937, 1.947779813874, 6.971768891393],
              [3.604053415084, 3.597913330281, 6.60883128274],
              [3.396495671668, 3.39079427855, 6.530850488734],
              [7.03002139216, 7.033107948054, 6.326731722577]]  # fmt: skip
    np.testing.assert_allclose(weights[::12, ::3], stored, rtol=1e-9)
    compared = moderated_contrasts(counts, codes, sizes=sizes)
    t = [24.606407130815, -1.099801664544, -1.751916100418, -1.254380196209, -0.973862576231]
    np.testing.assert_allclose(compared.t[1, :33:8], t, rtol=1e-8)
    assert compared.prior_df[1] == pytest.approx(1.528940161847)
    agrees_with_limma(*formula_counts())


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.slow
def test_counts_are_compared_as_by_limma(seed):
    counts, codes, patients, ages = simulated_counts(seed)
    agrees_with_limma(counts, codes)
    agrees_with_limma(counts, codes, None, {"age": ages}, ages[:, None])
    pairs = np.eye(6)[patients][:, 1:]
    agrees_with_limma(counts, codes, patients, None, pairs)
    agrees_with_limma(counts, codes, patients, {"age": ages}, np.column_stack([pairs, ages]))


@pytest.mark.slow
def test_pasilla_is_compared_as_by_limma(shared_data):
    counts, codes, library = pasilla(shared_data)
    agrees_with_limma(counts, codes)
    single = (library == "single-read").astype(float)[:, None]
    agrees_with_limma(counts, codes, None, {"type": library}, single)


def test_samples_of_a_patient_have_the_mean_of_their_counts():
    counts, codes, patients, _ = simulated_counts(3)
    of_patient = np.repeat(np.arange(12), 2)
    twice = np.repeat(counts, 2, axis=1)
    twice[:, ::2] *= 1.5
    twice[:, 1::2] *= 0.5  # their mean are the counts
    sizes = counts.sum(axis=0)
    compared = moderated_contrasts(twice, np.repeat(codes, 2), of_patient, sizes=twice.sum(axis=0))
    expected = moderated_contrasts(counts, codes, sizes=sizes)
    np.testing.assert_allclose(compared.t, expected.t, rtol=1e-9)
    assert len(set(patients)) == 6


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "span"), [(3, 0.5), (7, 0.5), (40, 2 / 3), (900, 0.5)])
def test_lowess_is_that_of_r(rng, n, span, ties):
    x = rng.gamma(2, size=n)
    y = np.sin(x) + rng.standard_t(2, size=n)
    x = np.round(x, 1) if ties else x
    script = 'l <- lowess(as.vector(x), as.vector(y), f = span[1]); put("x", l$x); put("y", l$y)'
    r = r_answers("stats", script, x=x, y=y, span=[span])
    actual = _lowess(x, y, span)
    np.testing.assert_allclose(actual[0], r["x"])
    np.testing.assert_allclose(actual[1], r["y"], rtol=1e-9, atol=1e-9)


def test_counts_without_a_variance_are_refused():
    counts = np.array([[9.0, 8, 7], [20, 30, 40]])
    with refused("two features and more samples"):
        voom(counts, counts.sum(axis=0), np.eye(3))
    with refused("two features and more samples"):
        voom(counts[:1], counts.sum(axis=0), np.ones((3, 1)))
