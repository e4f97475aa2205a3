"""Separation scores of blocks: Eqs. 17, 20 and 22, and the mixing distribution."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import ncx2

from xnbflow.papers.separation import separation_scores as separation
from xnbflow.papers.separation.mixing import MixingDistribution, estimate_mixing

#: Features of each block.
SIZE = 12
N_BLOCKS = 100
DEGREES = np.full(N_BLOCKS, SIZE)


def test_equation_22_as_printed_is_equation_20_at_the_true_distance():
    """With scores at their expectations, of J + B: 2 m (J + B) / (J + 2 B)."""
    true = np.linspace(0, 30, N_BLOCKS)
    distance, bias = true.sum(), DEGREES.sum()
    expected = 2 * (distance + bias) / (distance + 2 * bias)
    assert separation.printed_cut(true + SIZE, DEGREES) == pytest.approx(expected)


def test_scores_without_separation_have_the_mean_of_hotellings_t_squared(rng):
    counts, size = (20, 25), 2
    values = [rng.normal(size=(20_000, size, count)) for count in counts]
    means = [block.mean(axis=2) for block in values]
    scatter = []
    for class_values, class_means in zip(values, means, strict=True):
        centred = class_values - class_means[:, :, None]
        scatter.append(np.einsum("bin,bjn->bij", centred, centred))
    n = separation.effective_class_size(*counts)
    difference = (means[0] - means[1])[:, :, None]
    pooled = np.linalg.inv(sum(scatter) / 43)
    score = n / 2 * (difference * (pooled @ difference)).sum(axis=(1, 2))
    expected = separation.null_mean(size, np.zeros(1), 43)
    assert score.mean() == pytest.approx(expected[0], rel=0.02)


MIXING = MixingDistribution(np.array([1e-9, 3.0, 50.0]), np.array([0.3, 0.3, 0.4]))


@pytest.mark.parametrize("degrees", [1, 2, 5, 12, 90])
def test_density_and_weights_are_the_papers_integrals(degrees):
    """Eq. 17, with the densities of SciPy."""
    observed = np.array([0.5, 3, 20, float(degrees), 100, 700])
    pairs = list(zip(MIXING.scores, MIXING.masses, strict=True))
    density = sum(p * ncx2.pdf(observed, degrees, g) for g, p in pairs)
    numerator = sum(p * g * ncx2.pdf(observed, degrees + 2, g) for g, p in pairs)
    np.testing.assert_allclose(MIXING.density(observed, degrees), density, rtol=1e-7)
    expected = numerator / (observed * density)
    np.testing.assert_allclose(MIXING.weights(observed, degrees), expected, rtol=1e-7)


@pytest.mark.parametrize("degrees", [1, 12, 101, 103, 500])
def test_weight_of_score_zero_is_the_limit(degrees):
    """Where u goes to 0, chi(u; m + 2, g) / (u chi(u; m, g)) goes to 1 / m."""
    kernel = MIXING.masses * np.exp(-MIXING.scores / 2)
    expected = (kernel * MIXING.scores).sum() / kernel.sum() / degrees
    observed = np.array([0.0, 1e-12, 1e-9])
    np.testing.assert_allclose(MIXING.weights(observed, degrees), expected, rtol=1e-6)


def test_weights_of_many_scores_are_interpolated_closely():
    observed = np.random.default_rng(0).noncentral_chisquare(2, 8, size=20_000)
    chosen = observed[:50]
    many = MIXING.weights(observed, 2)[:50]
    np.testing.assert_allclose(many, MIXING.weights(chosen, 2), atol=1e-4)


def test_likelihood_is_within_one_of_the_maximum(rng):
    """The maximum by a general optimiser over the masses of a grid as fine."""
    observed = rng.noncentral_chisquare(4, np.repeat([1e-9, 6.0, 40.0], 40))
    grid = np.linspace(0, np.sqrt(observed.max()), 80) ** 2
    kernel = ncx2.pdf(observed[:, None], 4, np.maximum(grid, 1e-12))

    def loss(logits):
        masses = np.exp(logits - logits.max())
        masses /= masses.sum()
        share = kernel * masses / (kernel @ masses)[:, None]
        return -np.log(kernel @ masses).sum(), len(observed) * masses - share.sum(axis=0)

    best = -minimize(loss, np.zeros(80), jac=True, method="L-BFGS-B").fun
    mixing = estimate_mixing(observed, np.full(120, 4))
    reached = np.log(mixing.density(observed, 4)).sum()
    assert best - 1.1 < reached < best + 0.2
    assert mixing.masses.sum() == pytest.approx(1)
    nothing = estimate_mixing(np.zeros(10), np.full(10, 2))  # scores of zero: nothing separates
    assert nothing.weights(np.zeros(3), 2).max() < 0.2
    np.testing.assert_array_equal(
        separation.Moments(np.zeros(2), np.array([0.0, 4.0])).risk, [0.5, 0.5]
    )


@pytest.mark.parametrize(("m", "true", "threshold"), [(3, 6.0, 5.0), (12, 24.0, 20.0)])
def test_theorem_1_with_its_boundary_term_is_the_mean_of_equation_15(m, true, threshold):
    """Eq. 15 of a threshold t is ``gamma² P(chi²(m + 2, gamma²) > t)`` for each block."""
    n_blocks = 100_000
    scores = ncx2.ppf((np.arange(n_blocks) + 0.5) / n_blocks, m, true)
    mixing = MixingDistribution(np.array([true]), np.array([1.0]))
    degrees = np.full(n_blocks, m)
    moments = separation.kept_moments(
        scores, degrees, threshold=np.full(n_blocks, threshold), mixing=mixing, n=n_blocks
    )
    assert moments.mean == pytest.approx(true * ncx2.sf(threshold, m + 2, true), rel=1e-3)
    # Eq. 16: 2 E[u; u > t], and u chi(u; m, g) = m chi(u; m + 2, g) + g chi(u; m + 4, g)
    tail = m * ncx2.sf(threshold, m + 2, true) + true * ncx2.sf(threshold, m + 4, true)
    assert moments.variance == pytest.approx(2 * tail, rel=1e-3)


def test_too_few_degrees_of_freedom_have_a_denominator_of_a_half():
    """The mean of an inverse Wishart matrix of 3 features needs more than 4 degrees of freedom."""
    none = np.zeros(1)
    assert separation._inverse_inflation(3, none, 4) == pytest.approx([4 / 0.5])
    assert separation._inverse_inflation(3, none, 6) == pytest.approx([6 / 2])
