"""The mixing distribution: SciPy's non-central chi-square as oracle, and what EM must reach."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import ncx2

from xnbflow.preprocessing.selection.mixing import MixingDistribution, estimate_mixing

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


def test_a_weight_is_the_regression_of_the_real_on_the_observed_difference():
    """E[gamma'T | u] / u, by simulation of gamma and T."""
    rng = np.random.default_rng(1)
    true = rng.choice(MIXING.scores, p=MIXING.masses, size=400_000)
    along = np.sqrt(true) + rng.normal(size=len(true))
    observed = along**2 + rng.chisquare(3, size=len(true))
    near = np.abs(observed - 12) < 0.2
    expected = (np.sqrt(true) * along)[near].mean() / observed[near].mean()
    assert MIXING.weights(np.array([12.0]), 4)[0] == pytest.approx(expected, abs=0.01)


def test_likelihood_is_within_one_of_the_maximum():
    """The maximum by a general optimiser over the masses of a grid as fine."""
    rng = np.random.default_rng(2)
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


def test_two_kinds_of_blocks_are_told_apart():
    rng = np.random.default_rng(3)
    degrees = np.tile([2, 3], 5000)
    true = np.repeat([1e-9, 25.0], 5000)
    mixing = estimate_mixing(rng.noncentral_chisquare(degrees, true), degrees)
    useless = mixing.scores < 4
    assert mixing.masses[useless].sum() == pytest.approx(0.5, abs=0.02)
    assert mixing.scores @ mixing.masses == pytest.approx(12.5, rel=0.02)


def test_scores_of_zero_say_that_nothing_separates():
    mixing = estimate_mixing(np.zeros(10), np.full(10, 2))
    assert mixing.weights(np.zeros(3), 2).max() < 0.2
