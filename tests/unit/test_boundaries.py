"""Decision boundaries: the paper's numbers, and the densities at the boundary."""

import numpy as np
import pytest
from scipy import stats

from xnbflow.naive_bayes import boundaries

HALF = np.pi / 2


@pytest.mark.parametrize(
    ("mu", "kappa", "angles"),
    [
        ([HALF, np.pi], [2, 5], [-1.67, 2.43]),
        ([0, HALF], [5, 5], [round(-3 * np.pi / 4, 2), round(np.pi / 4, 2)]),
        ([HALF, HALF], [2, 10], [1.10, 2.04]),
    ],
    ids=["Figure 3", "Figure 4, the bisector", "Figure 5"],
)
def test_angles_are_those_of_the_paper(mu, kappa, angles):
    assert np.sort(boundaries.von_mises_boundary(mu, kappa)).round(2).tolist() == angles


@pytest.mark.parametrize(
    ("mu", "kappa", "plane", "offset_by"),
    [
        ([[-1, 0, -0.2], [-0.5, -0.5, 1]], [10, 20], [0, 10, -22], {1: -9.3069, -22: 0.4230}),
        ([[0, 0, 1], [0, 1, 0]], [7, 7], [0, -7, 7], {7: 0.0}),
        ([[-1, 0, 0], [-1, 0, 0]], [20, 5], [-15, 0, 0], {-15: -0.9076}),
    ],
    ids=["Figure 7", "Figure 8", "Figure 9"],
)
def test_planes_are_those_of_the_paper(mu, kappa, plane, offset_by):
    normal, offset = boundaries.von_mises_fisher_boundary(mu, kappa)
    np.testing.assert_allclose(normal, plane, atol=1e-12)
    for divisor, printed in offset_by.items():
        assert round(-offset / divisor, 4) == printed


def test_torus_curve_is_where_the_densities_times_priors_are_equal():
    mu, kappa = np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[3.0, 1.0], [0.5, 4.0]])
    priors = np.array([0.3, 0.7])
    phi = np.linspace(-3, 3, 50)
    for psi in boundaries.torus_boundary(phi, mu, kappa, priors):
        joint = [
            priors[c]
            * stats.vonmises.pdf(phi, kappa[c, 0], loc=mu[c, 0])
            * stats.vonmises.pdf(psi, kappa[c, 1], loc=mu[c, 1])
            for c in (0, 1)
        ]
        there = np.isfinite(psi)
        assert there.any()
        np.testing.assert_allclose(joint[0][there], joint[1][there])


def test_hybrid_surface_is_the_difference_of_log_densities():
    rng = np.random.default_rng(2)
    mu = rng.normal(size=(2, 3))
    mu /= np.linalg.norm(mu, axis=1, keepdims=True)
    kappa, mean, priors = np.array([2.0, 7.0]), rng.normal(size=(2, 2)), np.array([0.3, 0.7])
    root = rng.normal(size=(2, 2, 2))
    covariance = root @ root.transpose(0, 2, 1) + np.eye(2)
    surface = boundaries.hybrid_boundary(mu, kappa, mean, covariance, priors)
    x = rng.normal(size=(20, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = rng.normal(size=(20, 2))
    joint = [
        np.log(priors[c])
        + stats.vonmises_fisher.logpdf(x, mu[c], kappa[c])
        + stats.multivariate_normal.logpdf(y, mean[c], covariance[c])
        for c in (0, 1)
    ]
    value = x @ surface.normal + y @ surface.linear + surface.offset
    value += np.einsum("ni,ij,nj->n", y, surface.quadratic, y)
    np.testing.assert_allclose(value, joint[0] - joint[1])
