"""The study of separation scores, small: its tables agree with each other and with the theory."""

from types import SimpleNamespace

import numpy as np
import pytest
from report_study import analysis_section, small
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.papers.separation import compute
from xnbflow.papers.separation.block_nb import BlockNB
from xnbflow.papers.separation.compute import analyse
from xnbflow.papers.separation.correlation_blocks import CorrelationBlocks
from xnbflow.papers.separation.entries import ANALYSIS
from xnbflow.report.page.blocks import figures_of

PARAMS = small("separation")
METHODS = {"all blocks", "Eq. 22 as printed", "best threshold, estimated H", "weights, estimated H"}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables():
    return analyse({}, PARAMS, threads=2)


def test_simulation_follows_the_asymptotic_formulas_of_every_method(tables):
    risk = tables["risk"]
    estimated = risk["method"].str.contains("estimated")
    without_estimates = risk[~estimated & (risk["samples"] == 300)]
    np.testing.assert_allclose(
        without_estimates["separation"], without_estimates["asymptotic_separation"], rtol=0.03
    )
    assert (risk[estimated]["asymptotic_risk"] < risk[estimated]["risk"] + 0.01).all()


def test_fitted_classifiers_come_near_the_simulation_with_known_covariances(tables):
    """300 samples per class and blocks of 3: estimating covariances costs little."""
    fitted = tables["fitted"]
    assert set(fitted["method"]) == METHODS
    share_kept = fitted.set_index("method")["kept"]
    assert (share_kept[["all blocks", "weights, estimated H"]] == 1).all()
    assert share_kept["Eq. 22 as printed"].between(0.4, 0.9).all()
    many = fitted[fitted["samples"] == 300]
    np.testing.assert_allclose(many["risk"], many["known_covariance_risk"], atol=0.01)
    np.testing.assert_allclose(many["expected_risk"], many["risk"], atol=0.04)
    np.testing.assert_allclose(fitted["above_exact"], fitted["expected_risk"] / fitted["risk"] - 1)
    above_known = fitted["risk"] / fitted["known_covariance_risk"] - 1
    np.testing.assert_allclose(fitted["above_known"], above_known)


def test_results_depend_neither_on_threads_nor_on_other_distributions(tables):
    alone = analyse({}, PARAMS | {"uniform": [], "noncentral": []}, threads=1)
    in_both = tables["risk"]["setting"].isin(alone["risk"]["setting"])
    np.testing.assert_array_equal(tables["risk"].loc[in_both, "risk"], alone["risk"]["risk"])


def test_blocks_of_a_microarray_are_described_and_unusable_parameters_refused(rng):
    """Two of the six features are copies of others but for noise; 12 samples are few."""
    values = rng.normal(size=(6, 12))
    values[4:] = values[:2] + 0.2 * rng.normal(size=(2, 12))
    toy = dataset(values, ["a", "b"] * 6)
    few = {"uniform": [5], "noncentral": [], "useless": [], "repeats": 2, "sizes": [2]}
    tables = analyse({"toy": toy}, PARAMS | few, threads=1)
    (row,) = tables["blocks"].itertuples(index=False)
    assert (row.dataset, row.size, row.samples, row.blocks, row.shrunk) == ("toy", 2, 12, 3, 1.0)
    assert row.mean_abs_r > 0.6
    assert 0 < row.mean_shrinkage < 1
    selective = BlockNB(blocks=CorrelationBlocks(size=2), selection="threshold")
    with pytest.warns(UserWarning, match="no block separates"):
        selective.fit(values.T, ["a", "b"] * 6)
    assert row.kept == selective.selected_blocks_.mean()
    assert row.positive == (selective.scores_ > selective.null_scores_).mean() < 1
    assert tables["fitted"].empty
    with pytest.raises(InputError, match="no distribution: give uniform, noncentral or useless"):
        analyse({}, PARAMS | {"uniform": [], "noncentral": [], "useless": []}, threads=1)


def test_equation_22_counts_the_features_of_each_block():
    """Blocks of 2, 2 and 1 features, with 3, 3 and 1.44 times their score without separation.

    On the scale of degrees of freedom the scores are 6, 6 and 1.44: S = 13.44 and B = 5, so the
    threshold is 2 S / (S + B) = 1.458 times the features. With blocks of one weight, S = 7.44 and
    B = 3 would give 1.425.
    """
    null_scores = np.array([[2.2, 2.2, 1.1]])
    model = SimpleNamespace(
        blocks_=[np.array([0, 1]), np.array([2, 3]), np.array([4])],
        null_scores_=null_scores,
        scores_=null_scores * [3.0, 3.0, 1.44],
    )
    assert compute._kept_by_equation_22(model).tolist() == [[True, True, False]]


def test_verdicts_count_the_cases_beyond_two_standard_errors(tables):
    risk, sure = tables["risk"], 2 * tables["risk"]["gain_error"]
    for row in tables["verdicts"].itertuples():
        is_case = risk["method"] == row.method
        is_case &= (risk["distribution"] == row.distribution) | (row.distribution == "all")
        is_case &= (risk["samples"].astype(str) == row.samples) | (row.samples == "all")
        gain = risk.loc[is_case, "gain"]
        counts = (gain > sure[is_case]).sum(), (gain < -sure[is_case]).sum()
        assert (row.cases, row.helps, row.harms) == (is_case.sum(), *counts)
        expected = [gain.min(), gain.mean(), gain.max()]
        assert [row.least_gain, row.mean_gain, row.greatest_gain] == pytest.approx(expected)
    # three kinds by two sizes, three kinds, and all
    assert len(tables["verdicts"]) == (3 * 2 + 3 + 1) * 6
    harmed = risk.set_index(["setting", "samples", "method"])["sets_harmed"]
    keeps_all = (risk["kept"] == 1) & ~risk["method"].str.contains("weights")
    assert (harmed[keeps_all.to_numpy()].dropna() == 0).all()
    assert 0 < harmed.mean() < 1
    assert harmed.xs("all blocks", level="method").isna().all()


def test_the_section_draws_and_sources_everything(tables, tmp_path):
    section, shown = analysis_section(ANALYSIS, tables, tmp_path)
    whole = tables["verdicts"].query("distribution == 'all' and samples == 'all'")
    gains = whole.set_index("method")["mean_gain"]
    best = gains.drop(["weights, known H", "threshold at the true scores"]).idxmax()
    assert best == "weights, estimated H"
    assert section.blocks[0].text.startswith("Use weights with H estimated from the scores: over ")
    # three kinds by two sizes and all, three methods
    assert len(shown[0].frame) == 9 * 3
    # gains by sample size, the paper's figures and ours by formula and by risk, weights
    assert len(list(figures_of(section.blocks))) == 2 + 2 * 3 + 3


def test_a_training_set_that_loses_no_block_is_not_harmed():
    """True scores from 3.75 on are above Eq. 20's threshold, below 6 less the 3 features."""
    few = {"blocks": 4, "uniform": [30], "noncentral": [], "useless": [], "samples": [20]}
    risk = analyse({}, PARAMS | few | {"repeats": 5, "fits": 0, "sizes": []}, threads=1)["risk"]
    row = risk.set_index("method").loc["threshold at the true scores"]
    assert row[["kept", "gain", "sets_harmed"]].tolist() == [1, 0, 0]
