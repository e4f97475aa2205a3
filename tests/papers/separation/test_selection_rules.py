"""Decision rules and limits of the separation scores, by literal numbers."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ncx2

from xnbflow.core.errors import InputError
from xnbflow.naive_bayes import BlockNB
from xnbflow.papers.separation import compute, compute_figures, compute_simulation
from xnbflow.papers.separation import separation_scores as separation
from xnbflow.papers.separation.block_nb import _couple_pairs
from xnbflow.papers.separation.gaussian_blocks import GaussianBlocks, _shrunken_covariance
from xnbflow.papers.separation.mixing import MixingDistribution, estimate_mixing
from xnbflow.preprocessing import CorrelationBlocks

NOTHING = MixingDistribution(np.array([0.0]), np.array([1.0]))


def test_a_score_at_the_threshold_is_kept():
    """Of the scores 5 and 3 the threshold 5 keeps the first: V = 2 * 5."""
    scores = np.array([5.0, 3.0])
    degrees = np.array([2, 2])
    moments = separation.kept_moments(
        scores, degrees, threshold=np.array([5.0, 5.0]), mixing=NOTHING, n=1
    )
    assert moments.variance == 2 * 5.0
    # two blocks of score m: S = B, so that the threshold is m itself
    selection = separation.select_blocks(np.array([4.0, 4.0]), np.array([4, 4]), 60, "threshold")
    assert selection.weights.tolist() == [1.0, 1.0]


def test_an_estimated_signal_is_not_below_0():
    """Scores below their degrees of freedom: the estimate of the signal is 0, the risk 1/2."""
    scores = np.array([1.0, 2.0])
    degrees = np.array([4, 4])
    assert separation.select_blocks(scores, degrees, 60, None).moments.mean == 0.0
    moments = separation.kept_moments(scores, degrees, threshold=np.zeros(2), mixing=NOTHING, n=60)
    assert moments.mean == 0.0
    assert moments.risk == 0.5


def test_the_optimal_threshold_is_0_where_every_block_helps():
    """With equal weights the ratio of the prefix sums rises to the last block."""
    assert separation.optimal_cut(np.array([9.0, 8.0, 7.0]), np.full(3, 2), np.ones(3)) == 0.0


def test_blocks_of_several_sizes_are_ordered_by_the_score_of_a_feature():
    """Ratios 2, 5 and 3 to the features: the best prefix is the second block, the next is 3."""
    scores = np.array([20.0, 10.0, 9.0])
    degrees = np.array([10, 2, 3])
    weights = np.array([0.0, 1.0, 0.0])
    assert separation.optimal_cut(scores, degrees, weights) == (5 + 3) / 2


def test_unequal_classes_have_the_harmonic_mean_of_their_sizes():
    assert separation.effective_class_size(10, 90) == 18.0


def test_each_block_has_the_weight_of_its_own_degrees_of_freedom():
    """Score 12 of 2 features and of 12: only the first is far above what noise gives."""
    scores = np.array([12.0, 12.0])
    degrees = np.array([2, 12])
    mixing = MixingDistribution(np.array([0.0, 10.0]), np.array([0.5, 0.5]))
    weights = separation._optimal_weights(scores, degrees, mixing)
    expected = [mixing.weights(scores[:1], 2)[0], mixing.weights(scores[1:], 12)[0]]
    assert weights.tolist() == pytest.approx(expected)
    assert weights[0] > 2 * weights[1]


def test_small_masses_of_the_mixing_distribution_are_kept():
    """One block of 300 is useful: its share of .0033 is an atom, and the masses add up to 1."""
    observed = np.append(np.full(299, 4.0), 150.0)
    mixing = estimate_mixing(observed, np.full(300, 4))
    far = mixing.scores > 100
    assert mixing.masses[far].sum() == pytest.approx(1 / 300, rel=0.1)
    assert mixing.masses.sum() == pytest.approx(1.0, abs=1e-12)


def test_the_grid_of_the_mixing_distribution_has_an_eighth_of_a_standard_deviation():
    """Square roots of scores up to 100 in 800 steps: the mean of the atoms is the true score."""
    observed = np.random.default_rng(0).noncentral_chisquare(2, 10_000, 400)
    mixing = estimate_mixing(observed, np.full(400, 2))
    largest_root = np.sqrt(observed.max())
    steps = np.sqrt(mixing.scores) / (largest_root / (int(largest_root * 8) - 1))
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
    assert mixing.scores @ mixing.masses == pytest.approx(10_000, rel=0.01)


def test_a_singular_covariance_with_exactly_enough_degrees_of_freedom_is_named():
    """Two features, of which one repeats the other, and two degrees of freedom."""
    first = np.array([1.0, -1.0, 2.0, -2.0])
    residuals = np.stack([first, 2 * first])[None]
    _, shrinkage, singular = _shrunken_covariance(residuals, 2)
    assert singular.tolist() == [True]
    assert shrinkage[0] > 0


@pytest.mark.filterwarnings("ignore:class .* has 1 sample")
@pytest.mark.parametrize("n_samples", [3, 4])
def test_as_many_samples_as_classes_leave_no_variance(n_samples):
    X = np.arange(12.0).reshape(4, 3)[:n_samples] ** 2
    y = ["a", "b", "c", "a"][:n_samples]
    if n_samples == 4:
        assert BlockNB().fit(X, y).n_features_in_ == 3
    else:
        with pytest.raises(InputError, match="3 samples in 3 classes leave no variance"):
            BlockNB().fit(X, y)


def test_a_block_may_have_as_many_features_as_there_are_samples(rng):
    assert BlockNB(blocks=6).fit(rng.normal(size=(6, 6)), [0, 1] * 3).shrinkage_.shape == (1,)


def test_a_block_that_is_singular_in_one_class_is_named(rng):
    X = rng.normal(size=(80, 2))
    y = np.arange(80) % 2
    X[y == 1, 1] = X[y == 1, 0]
    with pytest.warns(UserWarning, match="1 block has a singular covariance"):
        BlockNB(blocks=2, covariance="per_class").fit(X, y)


def test_ratios_of_far_samples_are_those_of_their_densities():
    """At 40 standard deviations the log density is -800, far below -100 but no limit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 1)) + np.repeat([0.0, 3.0], 50)[:, None]
    y = np.repeat([0, 1], 50)
    selective = BlockNB(selection="weights").fit(X, y)
    plain = BlockNB().fit(X, y)
    far = np.array([[-40.0], [43.0]])
    weight = selective.weights_[0, 0]
    log_odds = np.diff(selective.predict_joint_log_proba(far), axis=1)
    expected = weight * np.diff(plain.predict_joint_log_proba(far), axis=1)
    np.testing.assert_allclose(log_odds, expected, rtol=1e-9)
    assert np.abs(log_odds).min() > 100


def test_features_of_a_class_are_ordered_by_their_best_score():
    """Feature 0 separates a from b most, feature 1 separates a from c a little less."""
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], 40)
    X = rng.normal(size=(120, 2))
    X[y == "b", 0] += 20.0
    X[y == "c", 1] += 10.0
    classifier = BlockNB(selection="threshold").fit(X, y)
    best = np.where(classifier.selected_blocks_, classifier.scores_, -1)[:2].max(axis=0)
    assert best[0] > best[1] > 0
    assert classifier.selected_features_["a"] == [0, 1]


def test_a_small_weight_selects_its_block():
    """With weights every block of a weight above 0 takes part."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 30))
    y = np.arange(80) % 2
    X[y == 1, :5] += 1.5
    classifier = BlockNB(selection="weights").fit(X, y)
    assert ((classifier.weights_ > 0) & (classifier.weights_ < 0.5)).any()
    np.testing.assert_array_equal(classifier.selected_blocks_, classifier.weights_ > 0)


def test_three_features_that_correlate_make_one_block(rng):
    """The strongest pair is united first, and its third partner completes the block."""
    shared = rng.normal(size=(60, 1))
    X = np.column_stack([shared + 0.1 * rng.normal(size=(60, 3)), rng.normal(size=(60, 3))])
    X = X[:, [0, 3, 1, 4, 2, 5]]
    X[:, 4] *= -1  # the sign of a correlation does not matter
    blocks = CorrelationBlocks(size=3).fit(X, np.arange(60) % 2).blocks_
    assert blocks[0].tolist() == [0, 2, 4]


def test_per_class_distances_of_equal_densities_are_not_below_0():
    """Rounding may give -1e-16."""
    rng = np.random.default_rng(3)
    half = rng.normal(size=(4, 50))
    features = np.tile(half, 2)
    codes = np.repeat([0, 1], 50)
    columns = np.arange(4).reshape(2, 2)
    blocks = GaussianBlocks(columns=columns, covariance="per_class").fit(features, codes, 2)
    assert (blocks.distances(0, 1) >= 0).all()
    assert blocks.distances(0, 1).max() < 1e-12


def test_gains_have_intervals_of_half_a_per_cent_about_0():
    gains = pd.DataFrame({"figure": "f", "gain": [0.0, 0.0024, -0.0024, 0.0026, -0.5, 0.5]})
    bins = compute_figures._gain_histograms(gains, compute_figures._GAIN_EDGES)
    assert len(bins) == 41
    filled = bins[bins["training_sets"] > 0]
    assert filled["gain_from"].tolist() == pytest.approx([-0.1025, -0.0025, 0.0025, 0.0975])
    assert filled["training_sets"].tolist() == [1, 3, 1, 1]


def test_training_sets_without_a_gain_are_neither_helped_nor_harmed():
    gains = pd.DataFrame({"figure": "f", "reading": "exact", "gain": [0.0, 0.0, 0.1, -0.1]})
    (row,) = compute_figures._summarise_gains(gains).itertuples()
    assert (row.helped, row.harmed) == (0.25, 0.25)


def test_a_gain_counts_from_two_standard_errors_on():
    risk = pd.DataFrame({"gain": [0.021, 0.019, -0.021, -0.019], "gain_error": 0.01})
    signs = compute._mark_gains(risk)
    assert signs["helps"].tolist() == [True, False, False, False]
    assert signs["harms"].tolist() == [False, False, True, False]


def test_a_classifier_without_a_slope_is_wrong_in_half_of_the_cases():
    constant = SimpleNamespace(
        predict_joint_log_proba=lambda points: np.tile([0.0, 1.0], (len(points), 1))
    )
    assert compute._linear_risk(constant, np.ones(2)) == 0.5


def test_losses_by_sample_size_are_medians():
    fitted = pd.DataFrame(
        {"samples": 60, "shrinkage": 0.5, "above_known": [0, 0, 9], "above_exact": [1, 1, 7]}
    )
    (row,) = compute._mean_losses(fitted).itertuples()
    assert (row.shrinkage, row.above_known, row.above_exact) == (0.5, 0, 1)


def test_deviations_of_theorem_1_are_those_of_each_version():
    theorem1 = pd.DataFrame(
        {
            "setting": "uniform on [0, 20]",
            "threshold": 14.0,
            "kept": 0.6,
            "simulated": [10.0],
            "simulated_error": 0.1,
            "printed": 15.0,
            "corrected": 10.1,
            "corrected_estimated": 9.5,
        }
    )
    (row,) = compute._deviations(theorem1).to_dict("records")
    assert row["relative_error"] == pytest.approx(0.01)
    assert row["printed_off"] == pytest.approx(0.5)
    assert row["corrected_off"] == pytest.approx(0.01)
    assert row["corrected_estimated_off"] == pytest.approx(-0.05)


def test_settings_have_the_share_of_useless_blocks():
    params = {"blocks": 10, "size": 3, "uniform": [], "noncentral": []}
    (setting,) = compute_simulation.make_settings(params | {"useless": [0.3], "useful": [[10, 20]]})
    assert (setting.true == 0).sum() == 3
    assert setting.true[3:].tolist() == pytest.approx(10 + 10 * (np.arange(7) + 0.5) / 7)
    assert setting.useless == 0.3


def test_no_block_at_all_has_the_risk_of_chance():
    trials = compute_simulation.Trials(*np.ones((3, 2, 4)))
    assert compute_simulation.exact_risk(trials, np.zeros((2, 4)), 10).tolist() == [0.5, 0.5]


def test_standard_errors_are_of_a_sample():
    """Standard deviation of 1, 2, 3 is 1; 1 / sqrt(3) = .577."""
    assert compute_simulation.standard_error(np.array([1.0, 2, 3])) == pytest.approx(0.57735)
    assert np.isnan(compute_simulation.standard_error(np.array([1.0])))


def test_a_tied_pair_is_won_by_neither_class():
    """Log odds of a and b: 0; of a and c: 1; of b and c: .5. One win each, and a scores more."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    sums = np.zeros((3, 3, 1))
    for row, log_odds in enumerate([0.0, 1.0, 0.5]):
        first, _ = pairs[row]
        sums[first, row] = log_odds
    assert _couple_pairs(sums, pairs, np.zeros(3))[0].argmax() == 0


def test_the_mixing_distribution_is_estimated_to_lindsays_bound():
    """No true score has a gradient of the log-likelihood above 1, up to the width of a bin."""
    rng = np.random.default_rng(4)
    observed = rng.noncentral_chisquare(4, np.repeat([1.0, 9.0, 16.0], 700))
    mixing = estimate_mixing(observed, np.full(len(observed), 4))
    density = mixing.density(observed, 4)
    for true in np.linspace(0, np.sqrt(observed.max()), 50) ** 2:
        gradient = (ncx2.pdf(observed, 4, max(true, 1e-9)) / density).sum() - len(observed)
        assert gradient < 2
