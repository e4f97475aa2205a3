"""The three averages of Eq. 8: against the densities of Eq. 10, differentiated and integrated."""

import numpy as np
import pytest
from scipy.stats import norm

from xnbflow.papers.cica.averages import (
    _batch_average,
    _integrated_average,
    _sample_term,
    _score_average,
    descend,
)
from xnbflow.papers.cica.simulation import recovery_error, simulate

AVERAGES = ("batch", "integration", "on-line")


@pytest.fixture(scope="module")
def samples():
    """Two components and a target of eight samples."""
    rng = np.random.default_rng(1)
    target = rng.uniform(-2, 2, 8)
    return np.stack([target, target**2]) + rng.normal(size=(2, 8)), target


def widths(component, target):
    """The paper's kernel widths, section 4."""
    return component.std() * 8 ** (-1 / 6), target.std() * 8 ** (-1 / 6)


def kernel_density(z, y, component, target, factor=1.0):
    """Eq. 10 with the normal kernel."""
    width, target_width = factor * np.array(widths(component, target))
    kernels = norm.pdf(z, component, width) * norm.pdf(y, target, target_width)
    return kernels.mean()


@pytest.mark.parametrize("factor", [1.0, 0.5])
@pytest.mark.parametrize("point", [(0.3, -0.7), (2.0, 1.5)])
def test_the_score_is_minus_the_slope_of_the_log_density(samples, point, factor):
    """Eq. 9, by a difference of logarithms of Eq. 10."""
    (component, _), target = samples
    z, y = point
    above = kernel_density(z + 1e-5, y, component, target, factor)
    below = kernel_density(z - 1e-5, y, component, target, factor)
    actual = _score_average(
        np.array(z), np.array(y), samples=component, sample_targets=target, factor=factor
    )
    assert actual == pytest.approx(-(np.log(above) - np.log(below)) / 2e-5, rel=1e-6)


def test_a_point_beyond_all_kernels_has_the_score_of_the_nearest_sample():
    """exp(-745) is 0: only the ratio of kernels has a value there."""
    component = np.array([0.0, 1.0])
    target = np.array([0.0, 1.0])
    width = 0.5 * 2 ** (-1 / 6)  # the standard deviation is 1/2
    actual = _score_average(
        np.array(100.0), np.array(1.0), samples=component, sample_targets=target
    )
    assert actual == pytest.approx(99.0 / width**2)


def test_the_batch_average_is_the_mean_over_the_samples(samples):
    components, target = samples
    terms = [_sample_term(sample, components, target) for sample in range(8)]
    np.testing.assert_allclose(_batch_average(components, target), np.mean(terms, axis=0))


def test_the_integral_is_that_over_the_kernel_density(samples):
    """E[phi_1 z_2] on a fine grid of the first component and the target.

    Under the kernel density the second component has, given both, the mean of the samples'
    values with the kernels as weights.
    """
    components, target = samples
    first, second = components
    width, target_width = widths(first, target)
    z = np.linspace(first.min() - 8 * width, first.max() + 8 * width, 401)
    y = np.linspace(target.min() - 8 * target_width, target.max() + 8 * target_width, 401)
    by_first = norm.pdf(z[:, None], first, width)
    by_target = norm.pdf(y[:, None], target, target_width)
    mean_of_second = np.einsum("zs,ys,s->zy", by_first, by_target, second) / 8  # times density
    points, targets = np.meshgrid(z, y, indexing="ij")
    scores = _score_average(points, targets, samples=first, sample_targets=target)
    expected = (scores * mean_of_second).sum() * (z[1] - z[0]) * (y[1] - y[0])
    assert _integrated_average(components, target)[0, 1] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_the_integral_is_one_on_the_diagonal_and_the_batch_average_less(samples, factor):
    """By parts: the integral of -p'(z) z is that of p. A sample that counts itself has a lower
    score than the points of its kernel."""
    components, target = samples
    integrated = _integrated_average(components, target, factor).diagonal()
    np.testing.assert_allclose(integrated, 1.0, atol=2e-3)
    assert (_batch_average(components, target, factor).diagonal() < 0.9).all()


@pytest.mark.parametrize("average", AVERAGES)
def test_a_step_is_a_fifth_of_equation_8(samples, average):
    """Of 20%, then scaled to unit variance; on-line the same in as many small steps as samples."""
    components, target = samples
    inputs = components - components.mean(axis=1, keepdims=True)
    path = descend(inputs, target, average, n_steps=1)
    start = np.diag(1 / inputs.std(axis=1))
    np.testing.assert_allclose(path[0], start)
    moments = _integrated_average(start @ inputs, target)
    if average != "integration":
        moments = _batch_average(start @ inputs, target)
    expected = start + 0.2 * (np.eye(2) - moments) @ start
    expected /= (expected @ inputs).std(axis=1, keepdims=True)
    tolerance = 0.03 if average == "on-line" else 1e-12
    np.testing.assert_allclose(path[1], expected, atol=tolerance)


def test_the_order_of_the_samples_on_line_is_random(samples):
    components, target = samples
    inputs = components - components.mean(axis=1, keepdims=True)
    ends = [
        descend(inputs, target, "on-line", n_steps=1, random=np.random.default_rng(seed))[-1]
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(ends[0], ends[1])
    assert not np.array_equal(ends[0], ends[2])


def test_steps_on_line_decrease_to_a_half_in_ten_passes(samples):
    """The condition of stochastic approximation; a batch does not need it."""
    components, target = samples
    inputs = components - components.mean(axis=1, keepdims=True)
    path = descend(inputs, target, "on-line", n_steps=40)
    moments = [_batch_average(W @ inputs, target) for W in path]
    lengths = []
    for W, following, moment in zip(path[:-1], path[1:], moments[:-1], strict=True):
        full = W + 0.2 * (np.eye(2) - moment) @ W
        full /= (full @ inputs).std(axis=1, keepdims=True)
        lengths.append(np.linalg.norm(following - W) / np.linalg.norm(full - W))
    assert lengths[0] == pytest.approx(1.0, abs=0.15)
    assert lengths[10] == pytest.approx(1 / 2, abs=0.1)
    assert lengths[30] == pytest.approx(1 / 4, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("average", AVERAGES)
def test_each_average_leads_from_the_mixture_towards_the_sources(average):
    """The paper's simulation with 100 samples: the mixture has 2."""
    errors = []
    for seed in range(3):
        simulation = simulate(100, np.random.default_rng(seed))
        inputs = (simulation.inputs - simulation.inputs.mean(axis=0)).T
        path = descend(inputs, simulation.target, average, n_steps=20, factor=0.5)
        errors.append([recovery_error(W @ simulation.mixing) for W in path])
    start, least = np.median([[path[0], min(path)] for path in errors], axis=0)
    assert start == pytest.approx(2.0, abs=0.1)
    assert least < 0.6
