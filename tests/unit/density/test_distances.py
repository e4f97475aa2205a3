"""Distances between densities agree with SciPy and with closed forms, and are scaled to [0, 1]."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr
from scipy.stats import norm, wasserstein_distance
from sklearn.datasets import load_wine

from xnbflow.density.distances import DISTANCES, density_distances
from xnbflow.naive_bayes import XNB, ClassSpecificNB
from xnbflow.preprocessing.selection.class_features import pair_distances

PAIR = np.array([[0, 1]])


def distance_of(name, densities):
    """The distances of the features of one pair."""
    return density_distances(densities.copy(), PAIR, name)[0]


def by_scipy(name, p, q):
    """The distance of two densities on a grid, independently."""
    if name == "hellinger":
        return np.linalg.norm(np.sqrt(p) - np.sqrt(q)) / np.sqrt(2)  # Eq. 9 as printed
    if name == "jensen_shannon":
        return jensenshannon(p, q, base=2)
    if name == "wasserstein":
        grid = np.linspace(0, 1, len(p))
        return wasserstein_distance(grid, grid, p, q)
    divergence = rel_entr(p, q).sum() + rel_entr(q, p).sum()
    if name == "jeffreys":
        return np.sqrt(1 - np.exp(-divergence / 8))
    return 1 - np.exp(-divergence / 2)


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_agree_with_scipy(rng, name):
    densities = rng.dirichlet(np.full(20, 2.0), size=(2, 30)).transpose(0, 2, 1)
    actual = distance_of(name, densities)
    expected = [by_scipy(name, *densities[:, :, f]) for f in range(30)]
    np.testing.assert_allclose(actual, expected, rtol=1e-10)


@pytest.mark.parametrize("shift", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("name", ["hellinger", "jeffreys", "kullback_leibler"])
def test_distance_of_normal_densities_is_known(name, shift):
    """Jeffreys' divergence is shift², Hellinger's distance sqrt(1 - exp(-shift² / 8))."""
    expected = np.sqrt(1 - np.exp(-(shift**2) / 8))
    if name == "kullback_leibler":
        expected = 1 - np.exp(-(shift**2) / 2)
    x = np.linspace(-12, 12 + shift, 4001)
    densities = np.array([norm.pdf(x), norm.pdf(x, shift)])
    densities = (densities / densities.sum(axis=1, keepdims=True))[:, :, None]
    assert distance_of(name, densities)[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", DISTANCES)
def test_equal_densities_are_at_0_and_the_two_ends_at_1(name):
    densities = np.zeros((2, 9, 2))
    densities[:, 2:5, 0] = 1 / 3
    densities[0, 0, 1] = densities[1, 8, 1] = 1.0
    np.testing.assert_allclose(distance_of(name, densities), [0, 1], atol=1e-7)


@pytest.mark.parametrize("name", DISTANCES)
def test_the_least_numbers_are_no_obstacle(name):
    densities = np.zeros((2, 3, 1))
    densities[0, 0] = densities[1, 1] = 1.0
    densities[0, 2] = 5e-324  # half of it is 0
    assert distance_of(name, densities)[0] == pytest.approx(0.5 if name == "wasserstein" else 1.0)


@pytest.mark.parametrize("name", DISTANCES)
def test_a_density_that_underflowed_is_at_distance_one_from_every_other(name):
    densities = np.zeros((2, 9, 2))
    densities[0, :, 0] = 1 / 9
    np.testing.assert_array_equal(distance_of(name, densities), 1)


def test_only_wasserstein_measures_how_far_densities_are_apart():
    densities = np.zeros((2, 11, 2))
    densities[0, 0] = densities[1, [1, 5], [0, 1]] = 1.0
    for name in DISTANCES:
        near, far = distance_of(name, densities)
        if name == "wasserstein":
            np.testing.assert_allclose([near, far], [0.1, 0.5])
        else:
            assert near == far == pytest.approx(1.0)


@pytest.mark.parametrize("name", DISTANCES)
def test_classifiers_select_by_the_distance(name):
    X, y = load_wine(return_X_y=True)
    features = np.ascontiguousarray(X.T)
    distances = pair_distances(features, y, 3, distance=name)
    model = XNB(distance=name, min_distance="mean").fit(X, y)
    assert model.mean_distance_ == pytest.approx(distances.mean())
    pairs_of_first = distances[:2, model.columns_[0]]
    np.testing.assert_allclose(model.distances_[0], pairs_of_first)
    by_size = ClassSpecificNB(distance=name, n_features=2).fit(X, y)
    assert by_size.score(X, y) > 0.85


def test_a_density_that_underflows_is_uniform_in_the_older_program():
    """Class 0 is almost constant against the range of 1: its density is 0 at every grid point.

    Uniform, its Hellinger distance to a density p is sqrt(1 - sum sqrt(p / 50)), and not 1.
    """
    rng = np.random.default_rng(0)
    # between the grid points 0 and 1 / 49
    features = np.concatenate([0.01 + 1e-9 * rng.normal(size=9), rng.uniform(0, 1, 20), [0, 1]])
    codes = np.repeat([0, 1], [9, 22])
    distances = {}
    for underflow in ("as_published", "uniform", "log"):
        distances[underflow] = pair_distances(features[None], codes, 2, underflow=underflow)[0, 0]
    assert distances["as_published"] == 1.0
    values, grid = features[codes == 1], np.linspace(0, 1, 50)
    spread = min(
        values.std(ddof=1), np.subtract(*np.quantile(values, [0.75, 0.25], method="hazen")) / 1.349
    )
    width = 0.9 * spread * 22**-0.2
    density = np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2).sum(axis=1)
    density /= density.sum()
    assert distances["uniform"] == pytest.approx(np.sqrt(1 - np.sqrt(density / 50).sum()))
    assert distances["uniform"] < 0.5 < distances["log"]
