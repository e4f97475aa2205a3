"""Moments and thresholds: the paper's formulas, checked by simulation and by differentiation."""

import numpy as np
import pytest
from scipy.stats import ncx2, norm

from xnbflow.preprocessing.selection.mixing import MixingDistribution
from xnbflow.preprocessing.selection.separation import (
    Moments,
    bias_removed_cut,
    effective_samples,
    keep_above,
    keep_all,
    kept_moments,
    null_mean,
    optimal_cut,
    printed_cut,
    weigh,
    weighted_moments,
)

SIZE, N_BLOCKS = 12, 100
DEGREES = np.full(N_BLOCKS, SIZE)


def draw(true, n_draws, seed=0, size=SIZE):
    """Observed scores and gamma'T of blocks with these true scores."""
    rng = np.random.default_rng(seed)
    along = np.sqrt(true) + rng.normal(size=(n_draws, len(true)))
    across = rng.chisquare(size - 1, size=along.shape)
    return along**2 + across, np.sqrt(true) * along


@pytest.mark.parametrize("n", [1200, 60])
def test_without_selection_the_risk_is_equation_9(n):
    """Phi(-sqrt(J) / 2 / sqrt(1 + 2 rho m / J)), at scores that have their expectations."""
    true = np.linspace(0, 20, N_BLOCKS)
    distance, rho = 2 * true.sum() / n, N_BLOCKS / n
    expected = norm.cdf(-np.sqrt(distance) / 2 / np.sqrt(1 + 2 * rho * SIZE / distance))
    assert keep_all(true + SIZE, DEGREES, n).moments.risk == pytest.approx(expected, rel=1e-12)


def test_less_separation_than_noise_is_no_separation():
    selection = keep_all(np.full(N_BLOCKS, 11.0), DEGREES, 60)
    assert selection.moments.risk == 0.5


def test_nothing_selected_is_decided_by_chance():
    moments = Moments(np.zeros(2), np.array([0.0, 4.0]))
    np.testing.assert_array_equal(moments.risk, [0.5, 0.5])


def test_moments_are_those_of_a_classifier_of_normal_samples():
    """E and V from the definition: estimated means, known covariance, new samples."""
    rng = np.random.default_rng(1)
    n, size = 40, 3
    difference = rng.normal(size=(5, size))
    means = np.stack([difference / 2, -difference / 2]) + rng.normal(size=(2, 5, size)) / np.sqrt(n)
    means -= means.mean(axis=0)  # the midpoint's error does not belong to E
    weights = rng.uniform(size=5)
    slope = weights[:, None] * (means[0] - means[1])
    estimated, real = np.sqrt(n / 2) * (means[0] - means[1]), np.sqrt(n / 2) * difference
    moments = weighted_moments((estimated**2).sum(1), weights, (real * estimated).sum(1), n)
    assert moments.mean == pytest.approx((slope * difference / 2).sum())
    assert moments.variance == pytest.approx((slope**2).sum())


@pytest.mark.parametrize("cut", [8.0, 15.0, 20.0])
def test_theorem_1_needs_its_boundary_term(cut):
    """The mean signal of kept blocks within 1 % of simulation; the printed one overstates it."""
    true = np.append(np.zeros(50), np.linspace(0, 40, 50))
    mixing = MixingDistribution(true, np.full(N_BLOCKS, 1 / N_BLOCKS))
    observed, signal = draw(true, 4000)
    kept = observed >= cut
    simulated = (signal * kept).sum(axis=1).mean()
    threshold = np.full(observed.size, cut)
    degrees = np.full(observed.size, SIZE)
    corrected = kept_moments(observed.reshape(-1), degrees, threshold, mixing, len(observed))
    printed = ((observed - SIZE) * kept).sum(axis=1).mean()
    assert corrected.mean == pytest.approx(simulated, rel=0.01)
    assert printed > 1.03 * simulated
    assert corrected.variance == pytest.approx(2 * (observed * kept).sum(axis=1).mean())


def test_equation_22_as_printed_is_equation_20_at_the_true_distance():
    """With scores at their expectations, of J + B: 2 m (J + B) / (J + 2 B)."""
    true = np.linspace(0, 30, N_BLOCKS)
    distance, bias = true.sum(), DEGREES.sum()
    expected = 2 * (distance + bias) / (distance + 2 * bias)
    assert printed_cut(true + SIZE, DEGREES) == pytest.approx(expected)
    assert bias_removed_cut(true + SIZE, DEGREES) == pytest.approx(2 * distance / (distance + bias))
    assert bias_removed_cut(true + SIZE, DEGREES) < printed_cut(true + SIZE, DEGREES)


def test_equation_20_is_where_leaving_out_a_block_of_known_score_stops_to_help():
    """D = J / sqrt(J + B) by finite differences, on the scale of scores (B = sum of m)."""
    distance, bias = 1500.0, 1200.0
    at = SIZE * distance / (distance + 2 * bias)

    def gain(true, share=1e-5):
        less = distance - share * true
        return less / np.sqrt(less + bias - share * SIZE) - distance / np.sqrt(distance + bias)

    assert gain(0.99 * at) > 0 > gain(1.01 * at)
    assert at + SIZE == pytest.approx(2 * SIZE * (distance + bias) / (distance + 2 * bias))


def test_equation_19_is_the_change_of_d_squared():
    """Printed: ε(D) = ε(ρ) 2 J / (J + 2ρm)² [u (J + 4ρm) - 2m (J + 2ρm)], u the blocks' score."""
    rho, n, score = N_BLOCKS / 60, 60.0, 14.0
    distance, bias = 40.0, 2 * rho * SIZE
    lost = 1e-6  # share of blocks left out
    step = -lost * rho
    bracket = score * (distance + 2 * bias) - 2 * SIZE * (distance + bias)
    printed = step * 2 * distance / (distance + bias) ** 2 * bracket

    def moments(left_out):
        mean = distance / 2 - left_out * (score - SIZE) / n
        return Moments(mean, distance + bias - left_out * 2 * score / n)

    all_blocks, fewer = moments(0.0), moments(lost * N_BLOCKS)
    assert fewer.separation**2 - all_blocks.separation**2 == pytest.approx(printed, rel=1e-4)


def test_the_optimal_cut_is_where_the_weight_is_half_of_signal_per_score():
    """The derivative of log D: leave out where w0(t) < E[gamma'T; kept] / (2 E[u; kept])."""
    true = np.append(np.full(50, 1e-9), np.full(50, 30.0))
    mixing = MixingDistribution(np.array([0.0, 30.0]), np.array([0.5, 0.5]))
    observed, _ = draw(true, 2000)
    observed = observed.reshape(-1)
    weights = mixing.weights(observed, SIZE)
    cut = SIZE * optimal_cut(observed, np.full(len(observed), SIZE), weights)
    kept = observed >= cut
    half = (observed * weights)[kept].sum() / observed[kept].sum() / 2
    assert mixing.weights(np.array([cut]), SIZE)[0] == pytest.approx(half, rel=0.02)


def test_the_optimal_cut_keeps_all_blocks_that_are_all_alike():
    observed, _ = draw(np.full(N_BLOCKS, 12.0), 1)
    weights = MixingDistribution(np.array([12.0]), np.array([1.0])).weights(observed[0], SIZE)
    assert optimal_cut(observed[0], DEGREES, weights) == 0


def test_no_weights_have_a_greater_separation_than_the_optimal_ones():
    """Cauchy-Schwarz, by simulation: D under perturbed weights is smaller; V = 2 E."""
    true = np.append(np.zeros(60), np.linspace(5, 40, 40))
    mixing = MixingDistribution(true, np.full(N_BLOCKS, 1 / N_BLOCKS))
    observed, signal = draw(true, 3000)
    flat, flat_signal = observed.reshape(-1), signal.reshape(-1)
    best = mixing.weights(flat, SIZE)
    moments = weighted_moments(flat, best, flat_signal, 60)
    assert moments.variance == pytest.approx(2 * moments.mean, rel=0.01)
    for other in (best**2, np.sqrt(best), np.ones(len(flat)), (flat > 17).astype(float)):
        assert weighted_moments(flat, other, flat_signal, 60).separation < moments.separation


def test_estimated_risks_are_near_the_true_ones():
    """From one set of 4000 scores, against the sums that need the true scores."""
    true = np.append(np.zeros(2000), np.linspace(0, 40, 2000))
    observed, signal = draw(true, 1)
    degrees, n = np.full(4000, SIZE), 2400
    for selection in (
        keep_all(observed[0], degrees, n),
        keep_above(observed[0], degrees, n),
        keep_above(observed[0], degrees, n, cut="bias_removed"),
        keep_above(observed[0], degrees, n, cut="optimal"),
        weigh(observed[0], degrees, n),
    ):
        exact = weighted_moments(observed[0], selection.weights, signal[0], n)
        assert selection.moments.separation == pytest.approx(exact.separation, rel=0.06)


def test_scores_without_separation_have_the_mean_of_hotellings_t_squared():
    """And, with a covariance per class, that of simulated normal blocks."""
    rng = np.random.default_rng(4)
    counts, size = (20, 25), 2
    values = [rng.normal(size=(20_000, size, count)) for count in counts]
    means = [block.mean(axis=2) for block in values]
    scatter = [
        np.einsum("bin,bjn->bij", centred, centred)
        for centred in (v - m[:, :, None] for v, m in zip(values, means, strict=True))
    ]
    n = effective_samples(*counts)
    difference = (means[0] - means[1])[:, :, None]
    none = np.zeros(1)

    pooled = np.linalg.inv(sum(scatter) / 43)
    score = n / 2 * (difference * (pooled @ difference)).sum(axis=(1, 2))
    expected = null_mean(size, (none, none), (43, 43), n, pooled=True)
    assert score.mean() == pytest.approx(expected[0], rel=0.02)

    one, two = scatter[0] / 19, scatter[1] / 24
    inverse = np.linalg.inv(one) + np.linalg.inv(two)
    trace = np.einsum("bij,bji->b", np.linalg.inv(one), two)
    trace += np.einsum("bij,bji->b", np.linalg.inv(two), one)
    distance = (difference * (inverse @ difference)).sum(axis=(1, 2)) / 2 + trace / 2 - size
    expected = null_mean(size, (none, none), (19, 24), n, pooled=False)
    assert (n / 2 * distance).mean() == pytest.approx(expected[0], rel=0.02)


def test_a_score_is_noncentral_chi_square():
    """Eq. 14, and that u chi(u; m, g) = m chi(u; m + 2, g) + g chi(u; m + 4, g), used for V."""
    u = np.array([3.0, 14, 40])
    split = SIZE * ncx2.pdf(u, SIZE + 2, 9) + 9 * ncx2.pdf(u, SIZE + 4, 9)
    np.testing.assert_allclose(u * ncx2.pdf(u, SIZE, 9), split)
    observed, _ = draw(np.full(N_BLOCKS, 9.0), 2000)
    assert observed.mean() == pytest.approx(SIZE + 9, rel=0.01)
