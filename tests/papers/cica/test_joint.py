"""Joint densities of components and target: against their definitions."""

import numpy as np
import pytest
from scipy.stats import cauchy, norm

from xnbflow.papers.cica.joint import (
    TARGET_REACH,
    JointDensity,
    MeshTarget,
    _mesh_kernel,
    conditional_log_density,
)

JOINT_WIDTH = 0.3


def joint_samples():
    rng = np.random.default_rng(0)
    return rng.normal(size=(2, 40)), np.sort(rng.normal(size=40)) / JOINT_WIDTH


def joint_scores(components, target, reach=None):
    reach = np.full(len(target), len(target)) if reach is None else reach
    return JointDensity(target, reach, JOINT_WIDTH).scores(components)


def plain_log_density(z, target, codes):
    """Leave-one-out log p(z_i | y) as the module's docstring states it, pair by pair."""
    log_density = np.empty(len(z))
    for a in range(len(z)):
        others = (codes == codes[a]) & (np.arange(len(z)) != a)
        kernels = np.exp(-0.5 * (target[a] - target[others]) ** 2)
        total = 0.1 * cauchy.pdf(z[a]) + kernels @ norm.pdf(z[a], z[others], JOINT_WIDTH)
        log_density[a] = np.log(total / (0.1 + kernels.sum()))
    return log_density


@pytest.mark.parametrize("codes", [np.zeros(40), np.repeat([0, 1, 2], [20, 19, 1])])
def test_densities_are_the_leave_one_out_estimates_within_classes(codes):
    components, target = joint_samples()
    target = np.zeros(40) if codes.any() else target
    reach = np.searchsorted(codes, codes, side="right")
    log_density, score = joint_scores(components, target, reach)
    for z, row in zip(components, log_density, strict=True):
        np.testing.assert_allclose(row, plain_log_density(z, target, codes), rtol=1e-12)
    if codes.any():  # alone in its class, a sample has the score of the background
        z = components[:, -1]
        np.testing.assert_allclose(score[:, -1], 2 * z / (1 + z**2))


@pytest.mark.parametrize("mesh", [False, True])
def test_scores_are_the_derivative_of_the_summed_log_density(mesh):
    components, target = joint_samples()
    density = JointDensity(target, np.full(40, 40), JOINT_WIDTH)
    if mesh:
        density.use_mesh(MeshTarget.from_numbers(target))
    _, score = density.scores(components)
    for a in {*range(0, 40, 7), *components[0].argsort()[[0, -1]]}:
        sums = []
        for step in (1e-6, -1e-6):
            moved = components.copy()
            moved[:, a] += step
            sums.append(density.scores(moved)[0].sum(axis=1))
        np.testing.assert_allclose(score[:, a], (sums[1] - sums[0]) / 2e-6, rtol=1e-5, atol=1e-5)


def test_new_samples_get_the_density_they_would_have_had_left_out():
    components, target = joint_samples()
    log_density, _ = joint_scores(components, target)
    others = np.arange(40) != 17
    new = conditional_log_density(
        components[:, others],
        target[others],
        width=JOINT_WIDTH,
        new_components=components[:, 17:18],
        new_target=target[17:18],
    )
    np.testing.assert_allclose(new[:, 0], log_density[:, 17], rtol=1e-12)


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("width", [0.1, 0.3])
def test_the_mesh_is_near_the_sum_over_pairs(classes, width):
    rng = np.random.default_rng(4)
    if classes:
        codes = np.sort(rng.integers(0, 3, 600))
        target, mesh = codes * 1e30, MeshTarget.from_classes(codes)
    else:
        target = np.sort(rng.uniform(-1.7, 1.7, 600)) / width
        mesh = MeshTarget.from_numbers(target)
    reach = np.searchsorted(target, target + TARGET_REACH, side="right")
    components = np.stack([rng.normal(size=600), rng.uniform(-1.7, 1.7, 600)])
    exact = JointDensity(target, reach, width).scores(components)
    meshed = JointDensity(target, reach, width)
    meshed.use_mesh(mesh)
    approximate = meshed.scores(components)
    assert np.abs((approximate[0] - exact[0]).mean(axis=1)).max() < 1e-4
    np.testing.assert_allclose(approximate[0], exact[0], atol=0.1)
    assert np.corrcoef(approximate[1][0], exact[1][0])[0, 1] > 0.99


def test_scores_of_more_pairs_than_are_kept_in_memory_are_the_same():
    """2,100 samples have 2.2 million pairs: their kernels are computed again for the scores."""
    rng = np.random.default_rng(5)
    z = rng.normal(size=2100)
    target = np.sort(rng.normal(size=2100)) / JOINT_WIDTH
    _, score = joint_scores(z[np.newaxis], target)
    distances = z[:, np.newaxis] - z
    kernels = np.exp(
        -0.5 * ((distances / JOINT_WIDTH) ** 2 + (target[:, np.newaxis] - target) ** 2)
    )
    np.fill_diagonal(kernels, 0.0)
    # a tenth of a Cauchy density, in units of the kernels
    background = 0.1 * cauchy.pdf(z) * JOINT_WIDTH * np.sqrt(2 * np.pi)
    sums = kernels.sum(axis=1) + background
    slopes = kernels * distances / JOINT_WIDTH**2
    expected = (slopes * (1 / sums[:, np.newaxis] + 1 / sums)).sum(axis=1)
    expected += 2 * z / (1 + z**2) * background / sums
    np.testing.assert_allclose(score[0], expected, rtol=1e-8, atol=1e-10)


def test_the_mesh_kernel_between_spread_samples_is_the_gaussian():
    """Samples in the middle of a cell are spread by 1/6, 2/3 and 1/6; four cells are a width.

    Kernels are cut at six widths, where they have fallen to 2e-8.
    """
    kernel = np.zeros(60)
    kernel[: len(_mesh_kernel())] = _mesh_kernel()
    weights = {-1: 1 / 6, 0: 2 / 3, 1: 1 / 6}
    for cells in range(23):
        height = 0.0
        for i, first in weights.items():
            for j, second in weights.items():
                height += first * second * kernel[abs(cells + i - j)]
        expected = np.exp(-0.5 * (cells / 4) ** 2)
        assert height == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("distance", [0.0, 0.3, 1.0, 2.5, 4.1, 4.5, 5.5])
@pytest.mark.parametrize("axis", ["component", "target"])
def test_a_pair_on_the_mesh_has_a_sum_within_2e_4_of_a_kernels_height(distance, axis):
    """Of two samples each is the other's only neighbour, some widths away."""
    z = np.array([[0.1, 0.1]])
    target = np.array([0.05, 0.05])
    if axis == "component":
        z[0, 1] += distance * JOINT_WIDTH
    else:
        target[1] += distance
    # The weight of the other sample's target, and .1 of the background.
    log_weight = np.log(0.1 + np.exp(-0.5 * (target[1] - target[0]) ** 2))
    density = JointDensity(target, np.full(2, 2), JOINT_WIDTH)
    exact = density.scores(z)[0] + log_weight
    density.use_mesh(MeshTarget.from_numbers(target))
    meshed = density.scores(z)[0] + log_weight
    heights = (np.exp(meshed) - np.exp(exact)) * JOINT_WIDTH * np.sqrt(2 * np.pi)
    assert np.abs(heights).max() < 2e-4
