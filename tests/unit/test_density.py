"""Kernels, bandwidths, grids and distances agree with NumPy, SciPy and scikit-learn."""

import numpy as np
import published_xnb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.distance import jensenshannon

from xnbflow.density.bandwidth import (
    BANDWIDTHS,
    bandwidths_of,
    leave_one_out_likelihood,
    overall_spread,
)
from xnbflow.density.distances import DISTANCES
from xnbflow.density.grid import grid_densities
from xnbflow.density.kernels import KERNELS, apply_kernel, exponentiate, kernel_code
from xnbflow.density.tiles import (
    class_offsets,
    feature_major,
    feature_strips,
    map_strips,
    sorted_classes,
)


@pytest.fixture
def rng():
    return np.random.default_rng(20240712)


def tile_of(features, codes):
    order, offsets = class_offsets(codes, codes.max() + 1)
    return sorted_classes(features, order, offsets), offsets


# --- strips and tiles ---------------------------------------------------------------------------


@given(n_features=st.integers(0, 5000), n_samples=st.integers(1, 100_000))
def test_strips_cover_all_features_once(n_features, n_samples):
    blocks = feature_strips(n_features, n_samples)
    covered = [f for block in blocks for f in range(block.start, block.stop)]
    assert covered == list(range(n_features))


def test_strips_keep_their_order_and_pass_on_errors():
    assert map_strips(lambda block: block.start, 20_000, 100) == [
        block.start for block in feature_strips(20_000, 100)
    ]

    def fail(block):
        msg = f"block {block.start}"
        raise ArithmeticError(msg)

    with pytest.raises(ArithmeticError, match="block"):
        map_strips(fail, 20_000, 100)


def test_feature_major_arrays_are_not_copied(rng):
    features = rng.normal(size=(700, 9))
    assert np.shares_memory(feature_major(features.T), features)
    copied = feature_major(np.ascontiguousarray(features.T))
    np.testing.assert_array_equal(copied, features)
    assert copied.flags.c_contiguous
    assert not copied.flags.writeable


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.lists(st.integers(1, 70), min_size=1, max_size=4))
def test_tiles_are_sorted_within_classes(seed, sizes):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    features = np.round(rng.normal(size=(5, len(codes))), 1)
    tile, offsets = tile_of(features, codes)
    for c in range(len(sizes)):
        np.testing.assert_array_equal(
            tile[offsets[c] : offsets[c + 1]], np.sort(features[:, codes == c].T, axis=0)
        )


# --- exponentials and kernels -------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 7, 32, 1000])
def test_exponentials_are_accurate_to_two_units_in_the_last_place(rng, n):
    values = rng.uniform(-708, 709, n)
    expected = np.exp(values)
    exponentiate(values)
    np.testing.assert_allclose(values, expected, rtol=2 * np.finfo(float).eps)


def test_exponentials_of_very_negative_numbers_are_next_to_nothing():
    values = np.array([-709.0, -1e9, -np.inf, 0.0])
    exponentiate(values)
    np.testing.assert_array_equal(values[:3], values[0])
    assert 0 <= values[0] < 1e-307
    assert values[3] == 1


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_are_densities(kernel):
    def at(u):
        values = np.array([u])
        apply_kernel(kernel_code(kernel), values)
        return values[0]

    assert quad(at, -1, 1)[0] + 2 * quad(at, 1, 10)[0] == pytest.approx(1)
    assert at(0.3) == at(-0.3) > 0


@pytest.mark.parametrize(
    ("kernel", "s"), [("uniform", 0), ("epanechnikov", 1), ("biweight", 2), ("triweight", 3)]
)
def test_beta_kernels_follow_equation_5(kernel, s):
    u = np.linspace(-0.95, 0.95, 9)
    double_factorial = np.prod(np.arange(2 * s + 1, 0, -2.0))
    factorial = np.prod(np.arange(1.0, s + 1))
    expected = double_factorial / (2 ** (s + 1) * factorial) * (1 - u**2) ** s
    apply_kernel(kernel_code(kernel), u)
    np.testing.assert_allclose(u, expected)


# --- bandwidths ---------------------------------------------------------------------------------


@settings(deadline=None, max_examples=80)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(1, 40),
    decimals=st.sampled_from([0, 1, 8]),
    scale=st.sampled_from([1e-3, 1.0, 1e5]),
)
def test_silverman_follows_the_published_rule(seed, size, decimals, scale):
    values = np.round(np.random.default_rng(seed).normal(size=size), decimals) * scale
    tile = np.sort(values)[:, None]
    found = bandwidths_of(tile, np.array([0, size]), "silverman")[0, 0]
    assert found == pytest.approx(published_xnb.bandwidth(values), rel=1e-12)


@pytest.mark.parametrize("rule", BANDWIDTHS)
def test_no_bandwidth_is_below_the_floor(rng, rule):
    codes = np.repeat([0, 1, 2], [30, 20, 1])
    features = np.vstack([rng.normal(size=51), np.where(codes == 0, 3.0, rng.normal(size=51))])
    features[0, codes == 1] *= 1e-3
    tile, offsets = tile_of(features, codes)
    published = bandwidths_of(tile, offsets, rule)
    found = bandwidths_of(tile, offsets, rule, min_bandwidth=0.3)
    classes = codes if rule == "adaptive" else np.arange(3)
    floors = 0.3 * features.std(axis=1, ddof=1) * np.bincount(codes)[classes, None] ** -0.2
    np.testing.assert_allclose(found, np.maximum(published, floors), rtol=1e-12)
    assert (published < floors).any()
    assert (published > floors).any()
    np.testing.assert_array_equal(bandwidths_of(tile, offsets, rule, min_bandwidth=0.0), published)


@pytest.mark.parametrize("scale", [1e-100, 1e-9, 1e9, 1e100])
def test_bandwidths_with_a_floor_have_the_unit_of_the_feature(rng, scale):
    codes = np.repeat([0, 1, 2], [10, 10, 1])
    features = np.where(codes == 0, 1.0, rng.normal(size=(1, 21)))
    tile, offsets = tile_of(features, codes)
    expected = bandwidths_of(tile, offsets, "silverman", min_bandwidth=0.2)
    found = bandwidths_of(tile * scale, offsets, "silverman", min_bandwidth=0.2)
    np.testing.assert_allclose(found / scale, expected, rtol=1e-12)


def test_a_constant_feature_and_a_single_sample_have_no_floor():
    for tile in (np.full((5, 1), 0.1), np.ones((1, 1))):
        assert overall_spread(tile)[0] == 0
        offsets = np.array([0, len(tile)])
        np.testing.assert_array_equal(
            bandwidths_of(tile, offsets, "silverman", min_bandwidth=0.5),
            bandwidths_of(tile, offsets, "silverman"),
        )


def test_scott_differs_from_silverman_by_its_factor(rng):
    tile, offsets = np.sort(rng.normal(size=(30, 4)), axis=0), np.array([0, 30])
    ratio = bandwidths_of(tile, offsets, "scott") / bandwidths_of(tile, offsets, "silverman")
    np.testing.assert_allclose(ratio, 1.059 / 0.9)


@pytest.mark.parametrize("rule", BANDWIDTHS)
def test_bandwidths_exist_for_degenerate_classes(rule):
    rows = np.array(
        [[3.0, 1.0, 0.0, 0.0], [3.0, 1.0, 0.0, 0.0], [3.0, 1.0, 7.0, 1e-310], [5.0, 5.0, 5.0, 5.0]]
    )
    found = bandwidths_of(rows, np.array([0, 3, 4]), rule)
    assert (found > 0).all()
    assert np.isfinite(found).all()
    factor = 1.059 if rule == "scott" else 0.9
    assert found[0, 0] == pytest.approx(factor * 1e-7 * 3**-0.2, rel=1e-12)


def sheather_jones(values):
    """Sheather and Jones (1991), section 5, with SciPy's root finder."""
    n = len(values)
    spread = published_xnb.bandwidth(values) / 0.9 * n**0.2
    differences = values[:, None] - values[None, :]

    def functional(h, derivative):
        d = (differences / h) ** 2
        polynomial = (d - 6) * d + 3 if derivative == 4 else ((d - 15) * d + 45) * d - 15
        density = np.exp(-d / 2) / np.sqrt(2 * np.pi)
        return (polynomial * density).sum() / (n * (n - 1) * h ** (derivative + 1))

    s = functional(1.24 * spread * n ** (-1 / 7), 4)
    t = -functional(1.23 * spread * n ** (-1 / 9), 6)

    def equation(h):
        alpha = 1.357 * abs(s / t) ** (1 / 7) * h ** (5 / 7)
        return (1 / (2 * np.sqrt(np.pi) * n * abs(functional(alpha, 4)))) ** 0.2 - h

    h = published_xnb.bandwidth(values)
    return brentq(equation, h / 500, 20 * h, xtol=1e-12)


def test_sheather_jones_solves_the_plug_in_equation(rng):
    columns = [rng.normal(size=40), rng.exponential(size=40), rng.normal(size=40) ** 3]
    tile = np.sort(np.array(columns).T, axis=0)
    found = bandwidths_of(tile, np.array([0, 40]), "sheather_jones")[0]
    np.testing.assert_allclose(found, [sheather_jones(c) for c in columns], rtol=1e-7)


@pytest.mark.parametrize("shape", ["normal", "rounded", "two clusters"])
def test_sheather_jones_of_many_samples_is_that_of_all_pairs(rng, shape):
    values = {
        "normal": lambda: rng.normal(size=1100),
        "rounded": lambda: np.round(rng.normal(size=1100), 1),
        "two clusters": lambda: np.r_[rng.normal(size=550), rng.normal(9, 0.01, 550)],
    }[shape]()
    tile = np.sort(values)[:, None]
    found = bandwidths_of(tile, np.array([0, 1100]), "sheather_jones")[0, 0]
    assert found == pytest.approx(sheather_jones(values), rel=1e-5)


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_cross_validation_finds_the_greatest_leave_one_out_likelihood(rng, kernel):
    values = np.sort(np.concatenate([rng.normal(size=15), rng.normal(6, 0.3, size=15)]))
    found = bandwidths_of(values[:, None], np.array([0, 30]), "cross_validation", kernel)[0, 0]
    code, silverman = kernel_code(kernel), published_xnb.bandwidth(values)
    best = leave_one_out_likelihood(values, found, code)
    for h in np.geomspace(silverman / 8, silverman * 8, 500):
        assert leave_one_out_likelihood(values, h, code) <= best + 1e-6


def test_leave_one_out_likelihood_leaves_one_out(rng):
    values = rng.normal(size=12)
    expected = sum(
        published_xnb.log_density([values[i]], np.delete(values, i), 0.4)[0] for i in range(12)
    )
    assert leave_one_out_likelihood(values, 0.4, kernel_code("gaussian")) == pytest.approx(expected)


def test_adaptive_bandwidths_follow_the_square_root_law(rng):
    values = np.sort(rng.exponential(size=25))
    found = bandwidths_of(values[:, None], np.array([0, 25]), "adaptive")[:, 0]
    pilot = published_xnb.bandwidth(values)
    log_pilot = published_xnb.log_density(values, values, pilot)
    np.testing.assert_allclose(found, pilot * np.exp(0.5 * (log_pilot.mean() - log_pilot)))
    assert found[-1] > found[0]


# --- densities on the grid ----------------------------------------------------------------------


def direct(values, h, points, kernel="gaussian"):
    """The sum of kernels without tricks, divided by its sum."""
    u = ((points[:, None] - values) / h).reshape(-1)
    apply_kernel(kernel_code(kernel), u)
    density = (u.reshape(len(points), -1) / h).sum(axis=1)
    return density / density.sum() if density.sum() > 0 else density


@pytest.mark.parametrize("width", [1, 9, 300])
@pytest.mark.parametrize("n_grid", [2, 7, 50, 200])
@pytest.mark.parametrize("spread", [0.5, 10.0, 100.0, 1e3])
def test_powers_equal_exponentials(rng, width, n_grid, spread):
    codes = np.repeat([0, 1], [4, 23])
    features = rng.normal(size=(width, 27))
    features[:, 0] = spread
    tile, offsets = tile_of(features, codes)
    bandwidths = bandwidths_of(tile, offsets, "silverman")
    found = grid_densities(tile, offsets, bandwidths, n_grid=n_grid)
    for f in range(width):
        points = np.linspace(features[f].min(), features[f].max(), n_grid)
        for c in range(2):
            expected = direct(features[f, codes == c], bandwidths[c, f], points)
            np.testing.assert_allclose(found[c, :, f], expected, atol=2e-13)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("local", [False, True])
def test_all_kernels_can_be_summed(rng, kernel, local):
    codes = np.repeat([0, 1], [8, 15])
    features = rng.normal(size=(3, 23))
    tile, offsets = tile_of(features, codes)
    bandwidths = bandwidths_of(tile, offsets, "adaptive" if local else "silverman", kernel)
    found = grid_densities(tile, offsets, bandwidths, kernel=kernel, n_grid=20)
    for f in range(3):
        points = np.linspace(features[f].min(), features[f].max(), 20)
        for c in range(2):
            rows = slice(offsets[c], offsets[c + 1])
            h = bandwidths[rows, f] if local else bandwidths[c, f]
            expected = direct(tile[rows, f], h, points, kernel)
            np.testing.assert_allclose(found[c, :, f], expected, atol=1e-13)


@pytest.mark.parametrize("rule", ["silverman", "adaptive"])
def test_a_density_that_underflows_is_zero_as_published_or_normalised_in_logs(rule):
    features = np.array([[0.0, 100.0, 40.0, 40.0, 40.0 + 1e-9]])
    tile, offsets = tile_of(features, np.array([0, 0, 1, 1, 1]))
    bandwidths = bandwidths_of(tile, offsets, rule)
    published = grid_densities(tile, offsets, bandwidths, underflow="as_published")
    in_logs = grid_densities(tile, offsets, bandwidths, underflow="log")
    assert published[1].sum() == 0
    nearest = np.argmin(abs(np.linspace(0, 100, 50) - 40))
    assert in_logs[1, nearest, 0] == pytest.approx(1)
    np.testing.assert_array_equal(published[0], in_logs[0])


def test_a_density_in_the_range_of_denormal_numbers_is_that_of_the_published_program():
    # the nearest grid point is 38.6 bandwidths away: exp(-745) is denormal, its sum not zero
    values = np.array([0.5, 0.5 + 1e-7, 0.5 + 3e-7])
    h = published_xnb.bandwidth(values)
    features = np.concatenate([values, [0.5 - 38.4 * h, 0.5 + 60 * h]])[None]
    tile, offsets = tile_of(features, np.array([0, 0, 0, 1, 1]))
    found = grid_densities(tile, offsets, bandwidths_of(tile, offsets, "silverman"), n_grid=2)
    points = np.array([features.min(), features.max()])
    expected = np.exp(published_xnb.log_density(points, values, h))
    assert 0 < expected.sum() < 1e-300
    np.testing.assert_allclose(found[0, :, 0], expected / expected.sum(), rtol=1e-9)


# --- distances ----------------------------------------------------------------------------------


def normal_pair(shift, n_grid=4001):
    x = np.linspace(-12, 12 + shift, n_grid)
    densities = np.array([stats.norm.pdf(x), stats.norm.pdf(x, shift)])
    return (densities / densities.sum(axis=1, keepdims=True))[:, :, None]


def distance_of(name, densities):
    out = np.empty((1, densities.shape[2]))
    DISTANCES[name](densities.copy(), np.array([[0, 1]]), out)
    return out[0]


@pytest.mark.parametrize("name", ["hellinger", "jeffreys"])
@pytest.mark.parametrize("shift", [0.1, 1.0, 3.0])
def test_distance_of_normal_densities_is_known(name, shift):
    # Hellinger: 1 - exp(-shift²/8); Jeffreys' divergence is shift²
    expected = np.sqrt(1 - np.exp(-(shift**2) / 8))
    assert distance_of(name, normal_pair(shift))[0] == pytest.approx(expected, rel=1e-6)


def test_jensen_shannon_agrees_with_scipy(rng):
    densities = rng.dirichlet(np.full(20, 0.3), size=(2, 30)).transpose(0, 2, 1)
    expected = jensenshannon(densities[0], densities[1], base=2, axis=0)
    np.testing.assert_allclose(distance_of("jensen_shannon", densities), expected)


def test_wasserstein_agrees_with_scipy(rng):
    densities = rng.dirichlet(np.full(20, 0.3), size=(2, 5)).transpose(0, 2, 1)
    x = np.linspace(0, 1, 20)
    expected = [
        stats.wasserstein_distance(x, x, densities[0, :, f], densities[1, :, f]) for f in range(5)
    ]
    np.testing.assert_allclose(distance_of("wasserstein", densities), expected)


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_go_from_zero_to_one(name):
    apart = np.zeros((2, 9, 1))
    apart[0, 0], apart[1, -1] = 1.0, 1.0
    assert distance_of(name, apart)[0] == pytest.approx(1)
    assert distance_of(name, np.full((2, 10, 1), 0.1))[0] == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("name", DISTANCES)
def test_a_density_that_underflowed_is_at_distance_one_from_every_other(name):
    densities = np.zeros((2, 9, 2))
    densities[0, :, 0] = 1 / 9
    np.testing.assert_array_equal(distance_of(name, densities), 1)
