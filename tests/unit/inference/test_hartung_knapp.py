"""Random-effects means over series: R's metafor, stored numbers of it, and derivations."""

import numpy as np
import pytest
from r_oracles import r_answers

from xnbflow.inference.hartung_knapp import hartung_knapp

METAFOR = """
tests <- c("knha", "adhoc")
found <- sapply(seq_len(ncol(effects)), function(g) {
  use <- !is.na(effects[, g])
  fit <- rma(effects[use, g], variances[use, g], method = "DL", test = tests[ad_hoc[1] + 1])
  pred <- predict(fit)
  c(fit$beta, fit$se, fit$ci.lb, fit$ci.ub, fit$pval, pred$pi.lb, pred$pi.ub, fit$tau2,
    fit$I2 / 100, fit$QEp)
})
put("found", found)
"""
NAMES = ["effect", "standard_error", "lower", "upper", "p", "prediction_lower", "prediction_upper"]
NAMES += ["tau2", "i2", "heterogeneity_p"]


@pytest.mark.parametrize("ad_hoc", [False, True])
@pytest.mark.slow
def test_means_intervals_and_predictions_are_those_of_metafor(rng, ad_hoc):
    variances = rng.gamma(2.0, size=(9, 60))
    between = rng.gamma(1.0, size=60) * rng.integers(0, 2, 60)
    effects = 1 + rng.normal(size=variances.shape) * np.sqrt(variances + between)
    effects[:, :50][rng.random((9, 50)) < 0.5] = np.nan
    actual = hartung_knapp(effects, variances, ad_hoc=ad_hoc)
    arrays = {"effects": effects, "variances": variances, "ad_hoc": [ad_hoc]}
    rows = r_answers("metafor", METAFOR, **arrays)["found"].reshape(60, len(NAMES)).T
    for name, row in zip(NAMES, rows, strict=True):
        shown = actual["series"] > (2 if name.startswith("prediction") else 1)
        expected = np.where(shown, row, np.nan)
        np.testing.assert_allclose(actual[name], expected, rtol=1e-6, atol=1e-9, err_msg=name)
    assert 2 in actual["series"]


#: Of metafor 3.8.1 for effects 1, 2, 4, 2.5 with variances .5, .2, .8, .1.
STORED = [2.27894023618, 0.52279948382, 0.61515895049, 3.94272152188, 0.02231312677]
STORED += [-0.40214385927, 4.96002433164, 0.43641975309, 0.61746724891, 0.04938216976]


def test_stored_numbers_of_metafor_are_found():
    effects, variances = np.array([[1.0, 2, 4, 2.5]]).T, np.array([[0.5, 0.2, 0.8, 0.1]]).T
    actual = hartung_knapp(effects, variances)
    assert [actual[name][0] for name in NAMES] == pytest.approx(STORED, rel=1e-9)


def test_features_with_too_few_effects_have_no_mean_or_no_prediction():
    effects = np.array([[1.0, 1.0, np.nan, 1.0], [2.0, np.nan, np.nan, 3.0], [4.0, 3, np.nan, 5]])
    variances = np.full((3, 4), 0.5)
    variances[2, 3] = 0.0  # an effect without variance is none
    actual = hartung_knapp(effects, variances)
    assert actual["series"].tolist() == [3, 2, 0, 2]
    assert np.isnan(actual["effect"]).tolist() == [False, False, True, False]
    assert np.isnan(actual["upper"]).tolist() == [False, False, True, False]
    assert np.isnan(actual["prediction_upper"]).tolist() == [False, True, True, True]
    assert actual["effect"][3] == pytest.approx(2.0)


def test_the_jackknife_is_that_of_the_means_without_one_series(rng):
    effects = rng.normal(size=(4, 3))
    variances = np.array([[0.01, 1.0, 2.0, 0.5]] * 3).T
    actual = hartung_knapp(effects, variances, jackknife=True)
    for gene in range(3):
        weights = 1 / (variances[:, gene] + actual["tau2"][gene])
        means = []
        for left_out in range(4):
            others = np.arange(4) != left_out
            means.append(np.average(effects[others, gene], weights=weights[others]))
        mean = np.average(effects[:, gene], weights=weights)
        error = np.sqrt(3 / 4 * np.sum((np.array(means) - mean) ** 2))
        plain = hartung_knapp(effects, variances)["standard_error"][gene]
        assert actual["standard_error"][gene] == pytest.approx(max(error, plain))


def test_with_equal_weights_the_jackknife_changes_nothing(rng):
    effects, variances = rng.normal(size=(5, 20)), np.full((5, 20), 0.3)
    for name in ("standard_error", "p", "lower"):
        whole = hartung_knapp(effects, variances, jackknife=True)[name]
        np.testing.assert_allclose(whole, hartung_knapp(effects, variances)[name])


def test_a_large_series_among_small_ones_keeps_the_level():
    """Five series of which one has 400 samples, between them a standard deviation of .5."""
    rng = np.random.default_rng(0)
    variances = 4 / np.array([400, 20, 20, 20, 20])[:, None] * np.ones(20_000)
    effects = rng.normal(size=variances.shape) * np.sqrt(variances + 0.25)
    share = {}
    for jackknife in (False, True):
        p = hartung_knapp(effects, variances, ad_hoc=True, jackknife=jackknife)["p"]
        share[jackknife] = np.mean(p < 0.05)
    # the standard error of a share is .002
    assert share[False] > 0.08
    assert share[True] < 0.06
