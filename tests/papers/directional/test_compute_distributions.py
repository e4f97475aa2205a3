"""Figures 1 and 2: points of both distributions, and the estimates from them."""

import numpy as np
import pytest
from scipy import stats

from xnbflow.papers.directional.compute_distributions import distribution_tables


@pytest.fixture(scope="module")
def tables():
    return distribution_tables()


@pytest.fixture(scope="module")
def directions(tables):
    return tables["directions"].set_index(["example", "parameters"])


def vectors_of(tables, example):
    points = tables["points"]
    return points.loc[points["example"] == example, ["x", "y", "z"]].dropna(axis=1).to_numpy()


@pytest.mark.parametrize(("example", "direction"), [("figure 1", [0, 1]), ("figure 2", [0, 0, 1])])
def test_points_are_of_the_printed_distribution(tables, directions, example, direction):
    """100 points of vM(pi/2, 5) and of vMF((0, 0, 1), 5)."""
    vectors = vectors_of(tables, example)
    assert vectors.shape == (100, len(direction))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)
    true = directions.loc[(example, "true")]
    assert true[["x", "y", "z"]].dropna().tolist() == direction
    assert true["concentration"] == 5.0
    # the cosine of the angle to the mean direction has the mean A_d(5), coth(5) - 1/5 on the sphere
    expected = true["resultant_length"]
    assert (vectors @ direction).mean() == pytest.approx(expected, abs=0.04)


def test_the_true_resultant_lengths_are_ratios_of_bessel_functions(directions):
    """I1(5) / I0(5) = .8934 (Abramowitz and Stegun, table 9.8); coth(5) - 1/5 = .8001."""
    lengths = directions["resultant_length"]
    assert lengths["figure 1", "true"] == pytest.approx(0.8934, abs=5e-5)
    assert lengths["figure 2", "true"] == pytest.approx(0.8001, abs=5e-5)


def test_estimates_are_scipys(tables, directions):
    angles = np.arctan2(*vectors_of(tables, "figure 1").T[::-1])
    kappa, mean, _ = stats.vonmises.fit(angles, fscale=1)
    on_circle = directions.loc["figure 1", "estimated"]
    assert on_circle["concentration"] == pytest.approx(kappa, rel=1e-5)
    assert on_circle[["x", "y"]].tolist() == pytest.approx([np.cos(mean), np.sin(mean)], rel=1e-5)
    mean, kappa = stats.vonmises_fisher.fit(vectors_of(tables, "figure 2"))
    on_sphere = directions.loc["figure 2", "estimated"]
    assert on_sphere["concentration"] == pytest.approx(kappa, rel=1e-5)
    assert on_sphere[["x", "y", "z"]].tolist() == pytest.approx(mean.tolist())
