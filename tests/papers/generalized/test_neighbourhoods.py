"""Sums over the neighbourhoods of a value: against their definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xnbflow.papers.generalized.naive_effect import QUADRATIC_KERNELS, neighbourhood_sums


def shares_and_weights(values, counts, span, kernel):
    """Each window's share and kernel weight of every value, straight from the definition."""
    level, curvature = kernel
    ends = np.cumsum(counts)
    starts = ends - counts
    reach = span * ends[-1] / 2
    shares, weights = np.zeros((2, len(values), len(values)))
    for i, value in enumerate(values):
        middle = (starts[i] + ends[i]) / 2
        low, high = min(middle - reach, starts[i]), max(middle + reach, ends[i])
        inside = np.clip((np.minimum(ends, high) - np.maximum(starts, low)) / counts, 0, 1)
        inside[inside < 1e-12] = 0.0
        distance = np.abs(values - value)
        width = distance[inside > 0].max()
        u = distance / width if width > 0 else np.zeros(len(values))
        shares[i], weights[i] = inside, inside * (level - curvature * u**2)
    return shares, weights


@given(
    values=st.lists(st.integers(-50, 50), min_size=1, max_size=40, unique=True),
    span=st.sampled_from([0.01, 0.1, 0.3, 0.6, 1.0]),
    kernel=st.sampled_from(sorted(QUADRATIC_KERNELS)),
    seed=st.integers(0, 100),
)
@settings(max_examples=150, deadline=None)
def test_sums_follow_the_definition(values, span, kernel, seed):
    rng = np.random.default_rng(seed)
    values = np.sort(np.array(values, dtype=float))
    counts = rng.integers(1, 8, len(values)).astype(float)
    weights = rng.normal(size=(2, len(values)))
    _, kernel_weights = shares_and_weights(values, counts, span, QUADRATIC_KERNELS[kernel])
    sums = neighbourhood_sums(values, counts, weights, span, QUADRATIC_KERNELS[kernel])
    assert sums == pytest.approx(weights @ kernel_weights.T, abs=1e-12)


@pytest.mark.parametrize("kernel", QUADRATIC_KERNELS)
@pytest.mark.parametrize("far", [-1e9, 1e9, -1e15])
def test_fine_structure_survives_far_outliers(rng, kernel, far):
    """Differences of running moments over the whole feature lose every digit here."""
    values = np.sort(np.r_[far, 2 * far, rng.normal(size=300) * 1e-3])
    counts, weights = np.ones(302), rng.normal(size=(1, 302))
    shares, kernel_weights = shares_and_weights(values, counts, 0.2, QUADRATIC_KERNELS[kernel])
    sums = neighbourhood_sums(values, counts, weights, 0.2, QUADRATIC_KERNELS[kernel])
    error = np.abs(sums - weights @ kernel_weights.T)
    assert (error <= 1e-11 * (np.abs(weights) @ shares.T)).all()


@pytest.mark.parametrize("kernel", QUADRATIC_KERNELS)
def test_kernels_integrate_to_one(kernel):
    """∫ K over [-1, 1] = 2 (level - curvature / 3), as the paper's kernels have it."""
    level, curvature = QUADRATIC_KERNELS[kernel]
    assert 2 * (level - curvature / 3) == pytest.approx(1.0)
