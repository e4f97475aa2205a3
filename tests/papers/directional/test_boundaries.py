"""Decision boundaries: where a root finder or the densities of SciPy put them."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from xnbflow.papers.directional.boundaries import (
    hybrid_boundary,
    torus_boundary,
    von_mises_boundary,
    von_mises_fisher_boundary,
)
from xnbflow.papers.directional.compute_examples import _EXAMPLES, example_points


def numerical_boundary(phi, mu, kappa, priors):
    """Angles psi at which the log odds of the two classes change sign, by SciPy's root finder."""

    def log_joint(psi, c):
        first = stats.vonmises.logpdf(phi, kappa[c, 0], loc=mu[c, 0])
        second = stats.vonmises.logpdf(psi, kappa[c, 1], loc=mu[c, 1])
        return np.log(priors[c]) + first + second

    def log_odds(psi):
        return log_joint(psi, 0) - log_joint(psi, 1)

    grid = np.linspace(-np.pi, np.pi, 721)
    odds = log_odds(grid)
    changes = np.flatnonzero(np.sign(odds[:-1]) != np.sign(odds[1:]))
    return sorted(brentq(log_odds, grid[i], grid[i + 1], xtol=1e-12) for i in changes)


@pytest.mark.parametrize("priors", [(0.5, 0.5), (0.15, 0.85)])
def test_theorem_2_gives_the_boundary_that_a_root_finder_finds(priors):
    """Figure 6's classes: at each phi both angles psi of the theorem, or none."""
    mu = np.array([[np.pi, -2 * np.pi / 3], [np.pi / 2, np.pi]])
    kappa = np.array([[2.0, 6.0], [5.0, 3.0]])
    all_phi = np.linspace(-3.1, 3.1, 24)
    curve = torus_boundary(all_phi, mu, kappa, priors)
    n_crossed = 0
    for phi, psi in zip(all_phi, curve.T, strict=True):
        expected = numerical_boundary(phi, mu, kappa, priors)
        actual = sorted(psi[np.isfinite(psi)])
        np.testing.assert_allclose(actual, expected, atol=1e-9)
        n_crossed += len(expected) == 2
    assert 0 < n_crossed < len(all_phi)  # both cases occur


def test_torus_curve_is_where_the_densities_times_priors_are_equal():
    mu, kappa = np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[3.0, 1.0], [0.5, 4.0]])
    priors = np.array([0.3, 0.7])
    phi = np.linspace(-3, 3, 50)

    def joint(psi, c):
        first = stats.vonmises.pdf(phi, kappa[c, 0], loc=mu[c, 0])
        second = stats.vonmises.pdf(psi, kappa[c, 1], loc=mu[c, 1])
        return priors[c] * first * second

    for psi in torus_boundary(phi, mu, kappa, priors):
        exists = np.isfinite(psi)
        assert exists.any()
        np.testing.assert_allclose(joint(psi, 0)[exists], joint(psi, 1)[exists])


def test_hybrid_surface_is_the_difference_of_log_densities(rng):
    mu = rng.normal(size=(2, 3))
    mu /= np.linalg.norm(mu, axis=1, keepdims=True)
    kappa, mean, priors = np.array([2.0, 7.0]), rng.normal(size=(2, 2)), np.array([0.3, 0.7])
    root = rng.normal(size=(2, 2, 2))
    covariance = root @ root.transpose(0, 2, 1) + np.eye(2)
    surface = hybrid_boundary(mu, kappa, mean=mean, covariance=covariance, priors=priors)
    x = rng.normal(size=(20, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = rng.normal(size=(20, 2))

    def log_joint(c):
        direction = stats.vonmises_fisher.logpdf(x, mu[c], kappa[c])
        linear = stats.multivariate_normal.logpdf(y, mean[c], covariance[c])
        return np.log(priors[c]) + direction + linear

    value = x @ surface.normal + y @ surface.linear + surface.offset
    value += np.einsum("ni,ij,nj->n", y, surface.quadratic, y)
    np.testing.assert_allclose(value, log_joint(0) - log_joint(1))


@pytest.mark.parametrize(("first", "second"), [(0.0, 1.0), (-2.9, 2.9), (0.3, -2.0)])
def test_equal_concentrations_are_separated_by_the_bisector(first, second):
    """Case 1 of Theorem 1: half-way between the mean directions, and the opposite angle."""
    bisector = np.angle(np.exp(1j * first) + np.exp(1j * second))
    angles = von_mises_boundary([first, second], [4, 4])
    turns = np.abs(np.exp(1j * angles[:, None]) - np.exp(1j * (bisector + np.array([0, np.pi]))))
    np.testing.assert_allclose(np.sort(turns.min(axis=1)), [0, 0], atol=1e-12)
    assert abs(np.exp(1j * angles[0]) + np.exp(1j * angles[1])) < 1e-12


def test_equal_mean_directions_are_separated_symmetrically_around_them():
    """Case 2 of Theorem 1: mu +- arccos(D / (kappa_1 - kappa_2)) with D = log(I0(k1) / I0(k2))."""
    half = np.arccos(np.log(np.i0(10) / np.i0(2)) / 8)
    angles = von_mises_boundary([0.5, 0.5], [2, 10])
    np.testing.assert_allclose(np.sort(angles), [0.5 - half, 0.5 + half])


def test_equal_concentrations_are_separated_through_the_origin():
    """Eq. 8: with equal priors the plane of Theorem 3 contains the centre of the sphere."""
    normal, offset = von_mises_fisher_boundary([[0, 0, 1], [0, 1, 0]], [7, 7])
    np.testing.assert_allclose(normal, [0, -7, 7])
    assert offset == 0
    # a more probable first class has the larger side, that of positive values
    assert von_mises_fisher_boundary([[0, 0, 1], [0, 1, 0]], [7, 7], [0.8, 0.2])[1] > 0


def log_odds(example, first, second):
    """The difference of the true log densities of an example's two classes, by SciPy."""
    of_class = []
    for code in (0, 1):
        x, y = example.mu[code]
        direction = np.arctan2(y, x)
        density = stats.vonmises.logpdf(first, example.kappa[code], loc=direction)
        if example.space == "cylinder":
            mean, variance = example.second[code]
            density = density + stats.norm.logpdf(second, mean, np.sqrt(variance))
        else:
            probability = example.second[code]
            density = density + np.log(np.where(second == 1, probability, 1 - probability))
        of_class.append(density)
    return of_class[0] - of_class[1]


@pytest.mark.parametrize("figure", [10, 11, 12])
def test_boundaries_of_the_examples_separate_their_regions(figure):
    """On the curves of Figures 10 to 12 both classes are equally probable."""
    example = next(example for example in _EXAMPLES if example.figure == figure)
    boundaries = example_points().query("kind == 'boundary'")
    boundaries = boundaries[boundaries["example"] == f"figure {figure}"]
    assert len(boundaries) > 3
    odds = log_odds(example, boundaries["first"].to_numpy(), boundaries["second"].to_numpy())
    np.testing.assert_allclose(odds, 0, atol=1e-9)


def test_a_uniform_class_has_a_boundary_and_two_of_them_have_none():
    """Concentration 0: 1 / (2 pi) is reached by vM(0, 2) where cos(angle) = log(I0(2)) / 2."""
    half = np.arccos(np.log(np.i0(2)) / 2)
    np.testing.assert_allclose(
        np.sort(von_mises_boundary([0.0, 1.0], [2, 0])), [-half, half], atol=1e-12
    )
    assert np.isnan(von_mises_boundary([0.0, 1.0], [0, 0])).all()
    assert np.isnan(von_mises_boundary([0.0, 0.1], [1, 1], [0.9, 0.1])).all()


def test_boundary_angles_are_above_minus_pi_and_at_most_pi():
    """The bisector of directions at right angles to pi: 0 and pi, not 0 and -pi."""
    angles = von_mises_boundary([np.pi / 2, -np.pi / 2], [3, 3])
    assert np.sort(np.abs(angles)).tolist() == pytest.approx([0.0, np.pi])
    assert angles.max() == pytest.approx(np.pi)


def test_a_more_probable_class_has_the_wider_arc():
    equal = von_mises_boundary([0.0, np.pi], [1, 1])
    unequal = von_mises_boundary([0.0, np.pi], [1, 1], [0.8, 0.2])
    np.testing.assert_allclose(np.abs(equal), np.pi / 2)
    # 2 cos(angle) = log(.2 / .8)
    np.testing.assert_allclose(np.abs(unequal), np.arccos(np.log(0.25) / 2))
