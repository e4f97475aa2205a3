"""Joint kernel densities and scores: against plain NumPy, and against each other."""

import numba
import numpy as np
import pytest
from scipy.stats import cauchy, norm

from xnbflow.density.joint import (
    TARGET_REACH,
    JointDensity,
    MeshTarget,
    conditional_log_density,
    joint_scores,
)

WIDTH = 0.3


def draw(n_components=2, n_samples=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_components, n_samples)), np.sort(rng.normal(size=n_samples)) / WIDTH


def everyone(target):
    return np.full(len(target), len(target))


def plain_log_density(z, target, alike):
    """Leave-one-out log p(z_i | y) as the module's docstring states it, pair by pair."""
    n_samples = len(z)
    out = np.empty(n_samples)
    for a in range(n_samples):
        weight, total = 0.1, 0.1 * cauchy.pdf(z[a])
        for b in range(n_samples):
            if b != a and alike(a, b):
                near = np.exp(-0.5 * (target[a] - target[b]) ** 2)
                weight += near
                total += near * norm.pdf(z[a], z[b], WIDTH)
        out[a] = np.log(total / weight)
    return out


def test_densities_are_the_leave_one_out_estimates():
    components, target = draw()
    log_density, _ = joint_scores(components, target, everyone(target), WIDTH)
    for z, row in zip(components, log_density, strict=True):
        np.testing.assert_allclose(row, plain_log_density(z, target, lambda a, b: True), rtol=1e-12)


def test_samples_of_other_classes_are_not_seen():
    components, _ = draw()
    codes = np.repeat([0, 1, 2], [20, 19, 1])
    reach = np.searchsorted(codes, codes, side="right")
    log_density, score = joint_scores(components, np.zeros(40), reach, WIDTH)
    for z, row in zip(components, log_density, strict=True):
        plain = plain_log_density(z, np.zeros(40), lambda a, b: codes[a] == codes[b])
        np.testing.assert_allclose(row, plain, rtol=1e-12)
    # alone in its class, a sample has the background only, whose score is 2 z / (1 + z²)
    z = components[:, -1]
    np.testing.assert_allclose(log_density[:, -1], cauchy.logpdf(z))
    np.testing.assert_allclose(score[:, -1], 2 * z / (1 + z**2))


def test_pairs_beyond_the_reach_hardly_matter():
    components, target = draw(n_samples=200)
    target = target * 4
    reach = np.searchsorted(target, target + TARGET_REACH, side="right")
    assert reach.min() < 60
    short = joint_scores(components, target, reach, WIDTH)
    full = joint_scores(components, target, everyone(target), WIDTH)
    np.testing.assert_allclose(short[0], full[0], atol=1e-5)


def test_scores_are_the_derivative_of_the_summed_log_density():
    components, target = draw()
    _, score = joint_scores(components, target, everyone(target), WIDTH)
    step = 1e-6
    for a in range(0, 40, 7):
        moved = components.copy()
        sums = []
        for sign in (1, -1):
            moved[:, a] = components[:, a] + sign * step
            sums.append(joint_scores(moved, target, everyone(target), WIDTH)[0].sum(axis=1))
        np.testing.assert_allclose(score[:, a], (sums[1] - sums[0]) / (2 * step), rtol=1e-6)


def test_scores_are_equation_11_and_its_counterpart():
    # Eq. 11, its own kernel left out and the background added, is what sample a feels; in every
    # other sample's density it is a kernel centre, which gives the same pair over that density
    components, target = draw()
    z = components[0]
    difference = z[:, None] - z
    kernels = norm.pdf(difference / WIDTH) / WIDTH
    kernels *= np.exp(-0.5 * (target[:, None] - target) ** 2)
    np.fill_diagonal(kernels, 0.0)
    background = 0.1 * cauchy.pdf(z)
    density = kernels.sum(axis=1) + background
    pull = difference * kernels / WIDTH**2
    equation_11 = pull.sum(axis=1) / density
    counterpart = (pull / density).sum(axis=1)
    expected = equation_11 + counterpart + background / density * 2 * z / (1 + z**2)
    _, score = joint_scores(components, target, everyone(target), WIDTH)
    np.testing.assert_allclose(score[0], expected, rtol=1e-10, atol=1e-12)


def test_new_samples_get_the_density_they_would_have_had_left_out():
    components, target = draw()
    log_density, _ = joint_scores(components, target, everyone(target), WIDTH)
    kept = np.arange(40) != 17
    new = conditional_log_density(
        components[:, kept], target[kept], WIDTH, components[:, ~kept], target[~kept]
    )
    np.testing.assert_allclose(new[:, 0], log_density[:, 17], rtol=1e-12)


def test_a_sample_far_from_all_others_has_a_small_density_but_not_none():
    components = np.array([[0.0, 0.1, 1e6]])
    log_density, score = joint_scores(components, np.zeros(3), np.full(3, 3), WIDTH)
    assert log_density[0, 2] == pytest.approx(cauchy.logpdf(1e6) + np.log(0.1 / 2.1))
    assert np.isfinite(score).all()


@pytest.mark.parametrize("n_samples", [50, 900])
def test_results_do_not_depend_on_the_number_of_threads(n_samples):
    components, target = draw(3, n_samples)
    threads = numba.get_num_threads()
    results = []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        results.append(joint_scores(components, target, everyone(target), WIDTH))
    numba.set_num_threads(threads)
    np.testing.assert_array_equal(results[0], results[1])


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("width", [0.1, 0.3])
def test_the_mesh_is_near_the_sum_over_pairs(classes, width):
    rng = np.random.default_rng(4)
    if classes:
        codes = np.sort(rng.integers(0, 3, 600))
        target, mesh = codes * 1e30, MeshTarget.of_classes(codes)
    else:
        target = np.sort(rng.uniform(-1.7, 1.7, 600)) / width
        mesh = MeshTarget.of(target)
    reach = np.searchsorted(target, target + TARGET_REACH, side="right")
    components = np.stack([rng.normal(size=600), rng.uniform(-1.7, 1.7, 600)])
    exact = JointDensity(target, reach, width).scores(components)
    meshed = JointDensity(target, reach, width)
    meshed.use_mesh(mesh)
    near = meshed.scores(components)
    assert np.abs((near[0] - exact[0]).mean(axis=1)).max() < 1e-4
    np.testing.assert_allclose(near[0], exact[0], atol=0.1)
    assert np.corrcoef(near[1][0], exact[1][0])[0, 1] > 0.99


def test_the_meshs_score_is_the_derivative_of_its_density():
    rng = np.random.default_rng(5)
    target = np.sort(rng.uniform(-1.7, 1.7, 200)) / 0.3
    density = JointDensity(target, np.arange(1, 201), 0.3)
    density.use_mesh(MeshTarget.of(target))
    z = rng.normal(size=(1, 200))
    _, score = density.scores(z)
    for a in [*range(10), int(z.argmin()), int(z.argmax())]:
        sums = []
        for step in (-1e-6, 1e-6):
            moved = z.copy()
            moved[0, a] += step
            sums.append(-density.scores(moved)[0].sum())
        assert score[0, a] == pytest.approx((sums[1] - sums[0]) / 2e-6, rel=1e-5, abs=1e-5)


def test_kernels_that_are_not_kept_give_the_same():
    """Kernels are kept for the second pass where there are not too many."""
    rng = np.random.default_rng(6)
    target = np.sort(rng.uniform(-1.7, 1.7, 2300)) / 0.3
    components = rng.normal(size=(1, 2300))
    reach = everyone(target)
    assert len(target) * (len(target) - 1) // 2 > 2_000_000
    log_density, score = joint_scores(components, target, reach, 0.3)
    assert np.isfinite(score).all()
    some = np.sort(rng.permutation(2300)[:5])
    weights = np.exp(-0.5 * (target[some, None] - target) ** 2)
    kernels = np.exp(-0.5 * ((components[0, some, None] - components[0]) / 0.3) ** 2)
    sums = (weights * kernels).sum(axis=1) - 1.0
    background = 0.1 * 0.3 * np.sqrt(2 * np.pi) / (np.pi * (1 + components[0, some] ** 2))
    expected = (sums + background) / (0.3 * np.sqrt(2 * np.pi)) / (weights.sum(axis=1) - 0.9)
    np.testing.assert_allclose(np.exp(log_density[0, some]), expected, rtol=1e-9)
