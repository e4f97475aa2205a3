"""Claims about decision boundaries: the paper's numbers, and the densities at the boundary."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import i0

from xnbflow.data.errors import InputError
from xnbflow.naive_bayes import VonMisesFisherNB, VonMisesNB
from xnbflow.naive_bayes.boundaries import (
    hybrid_boundary,
    torus_boundary,
    von_mises_boundary,
    von_mises_fisher_boundary,
)

HALF = np.pi / 2


def test_figure_3_angles():
    assert von_mises_boundary([HALF, np.pi], [2, 5]).round(2).tolist() == [2.43, -1.67]


def test_figure_4_equal_concentrations_are_separated_by_the_bisector():
    np.testing.assert_allclose(
        von_mises_boundary([0, HALF], [5, 5]), [np.pi / 4, -3 * np.pi / 4], atol=1e-12
    )


def test_figure_5_angles_are_047_from_the_shared_direction():
    angles = np.sort(von_mises_boundary([HALF, HALF], [2, 10]))
    assert angles.round(2).tolist() == [1.10, 2.04]
    assert (angles - HALF).round(2).tolist() == [-0.47, 0.47]


def test_figure_7_plane_of_the_directions_as_printed():
    normal, offset = von_mises_fisher_boundary([[-1, 0, -0.2], [-0.5, -0.5, 1]], [10, 20])
    np.testing.assert_allclose(normal, [0, 10, -22], atol=1e-12)
    assert round(-offset, 4) == -9.3069
    assert round(-offset / normal[2], 4) == 0.4230


def test_figure_8_plane_goes_through_the_centre():
    normal, offset = von_mises_fisher_boundary([[0, 0, 1], [0, 1, 0]], [7, 7])
    np.testing.assert_allclose(normal / 7, [0, -1, 1])
    assert offset == 0


def test_figure_9_plane():
    normal, offset = von_mises_fisher_boundary([[-1, 0, 0], [-1, 0, 0]], [20, 5])
    assert normal.tolist() == [-15, 0, 0]
    assert round(-offset / normal[0], 4) == -0.9076


@pytest.mark.parametrize("priors", [(0.5, 0.5), (0.2, 0.8)])
def test_densities_times_priors_are_equal_at_the_angles(priors):
    mu, kappa = [0.3, -2.0], [1.5, 4.0]
    angles = von_mises_boundary(mu, kappa, priors)
    joint = [
        p * stats.vonmises.pdf(angles, k, loc=m) for p, k, m in zip(priors, kappa, mu, strict=True)
    ]
    np.testing.assert_allclose(joint[0], joint[1])


@pytest.mark.parametrize(
    ("mu", "kappa", "priors"),
    [
        ((1, 1), (2, 2), (0.5, 0.5)),
        ((0, 1), (0.1, 0.1), (0.99, 0.01)),
        ((1, 1), (2, 2), (0.4, 0.6)),
    ],
)
def test_where_no_angle_separates_there_is_nan(mu, kappa, priors):
    # equal classes, or a prior that outweighs every angle
    assert np.isnan(von_mises_boundary(mu, kappa, priors)).all()


def test_the_fitted_classifier_changes_its_mind_at_the_angles():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.vonmises(HALF, 2, 80), rng.vonmises(np.pi, 5, 40)])[:, None]
    nb = VonMisesNB().fit(X, np.repeat([1, 2], [80, 40]))
    family = nb.groups_[0].distribution
    angles = von_mises_boundary(
        family.mean_direction_[0], family.concentration_[0], np.exp(nb.class_log_prior_)
    )
    around = angles[:, None] + [-1e-6, 1e-6]
    predicted = nb.predict(around.reshape(-1, 1)).reshape(2, 2)
    assert sorted(predicted.tolist()) == [[1, 2], [2, 1]]


def test_the_fitted_classifier_changes_its_mind_at_the_plane():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) + np.repeat([[2, 0, 0], [0, 1, 1]], 30, axis=0)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    nb = VonMisesFisherNB().fit(X, np.repeat([1, 2], 30))
    family = nb.groups_[0].distribution
    normal, offset = von_mises_fisher_boundary(family.mean_direction_.T, family.concentration_)
    joint = nb.predict_joint_log_proba(X)
    np.testing.assert_allclose(X @ normal + offset, joint[:, 0] - joint[:, 1], rtol=1e-9)


def test_theorem_2_the_torus_curve_solves_the_papers_polynomials():
    # Eq. 5 on a torus of radii L and l, with z = l sin(phi), D as the right-hand side's negative
    mu = np.array([[np.pi, -2 * np.pi / 3], [HALF, np.pi]])  # Figure 6
    kappa = np.array([[2.0, 6.0], [5.0, 3.0]])
    phi = np.linspace(-np.pi, np.pi, 721)
    a, c = kappa[0] * np.cos(mu[0]) - kappa[1] * np.cos(mu[1])
    b, d = kappa[0] * np.sin(mu[0]) - kappa[1] * np.sin(mu[1])
    D = np.log(i0(kappa[1]).prod() / i0(kappa[0]).prod())
    L, small = 0.8, 0.2
    solved = 0
    for psi in torus_boundary(phi, mu, kappa):
        x, y = ((L + small * np.cos(phi)) * f(psi) for f in (np.cos, np.sin))
        z = small * np.sin(phi)
        w = np.sign(np.cos(phi)) * np.sqrt(np.maximum(small**2 - z**2, 0))
        value = (
            c * small * x + d * small * y - a * z**2 + b * z * w + b * L * z
            + (a * L + D * small) * w + a * small**2 + D * L * small
        )  # fmt: skip
        np.testing.assert_allclose(value[np.isfinite(psi)], 0, atol=1e-9)
        solved += np.isfinite(psi).sum()
    assert solved > 300


def test_torus_curve_is_where_the_densities_times_priors_are_equal():
    mu, kappa = np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[3.0, 1.0], [0.5, 4.0]])
    priors = np.array([0.3, 0.7])
    phi = np.linspace(-3, 3, 50)
    for psi in torus_boundary(phi, mu, kappa, priors):
        joint = [
            priors[c]
            * stats.vonmises.pdf(phi, kappa[c, 0], loc=mu[c, 0])
            * stats.vonmises.pdf(psi, kappa[c, 1], loc=mu[c, 1])
            for c in (0, 1)
        ]
        there = np.isfinite(psi)
        assert there.any()
        np.testing.assert_allclose(joint[0][there], joint[1][there])


def test_figure_10_equal_variances_make_a_hyperplane():
    # section 3.4, case 1, in the paper's own terms
    mu, kappa = np.array([[0.2, -0.8], [-0.8, -0.5]]), np.array([5, 10])
    surface = hybrid_boundary(mu, kappa, [0, 2], [1, 1])
    assert surface.quadratic.tolist() == [[0]]
    assert surface.linear.tolist() == [(0 - 2) / 1]
    constant = (2**2 - 0**2) / (2 * 1) + np.log(i0(10) / i0(5))
    assert surface.offset == pytest.approx(constant)


def test_figure_11_unequal_variances_are_quadratic():
    # section 3.4, case 2: N(0, 0.25) and N(2, 4)
    surface = hybrid_boundary([[0.2, -0.8], [-0.8, -0.5]], [5, 10], [0, 2], [0.25, 4])
    assert surface.quadratic.item() == pytest.approx((0.25 - 4) / (2 * 0.25 * 4))
    assert surface.linear.item() == pytest.approx((4 * 0 - 0.25 * 2) / (0.25 * 4))
    constant = -(0**2) / (2 * 0.25) + 2**2 / (2 * 4) + np.log(i0(10) * 2 / (i0(5) * 0.5))
    assert surface.offset == pytest.approx(constant)


def test_hybrid_surface_is_the_difference_of_log_densities():
    rng = np.random.default_rng(2)
    mu = rng.normal(size=(2, 3))
    mu /= np.linalg.norm(mu, axis=1, keepdims=True)
    kappa, mean, priors = np.array([2.0, 7.0]), rng.normal(size=(2, 2)), np.array([0.3, 0.7])
    root = rng.normal(size=(2, 2, 2))
    covariance = root @ root.transpose(0, 2, 1) + np.eye(2)
    surface = hybrid_boundary(mu, kappa, mean, covariance, priors)
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


@pytest.mark.parametrize(
    ("mu", "kappa", "priors", "message"),
    [
        ((0, 1, 2), (1, 1), (0.5, 0.5), "mu has shape"),
        ((0, 1), 3, (0.5, 0.5), "kappa has shape"),
        ((0, 1), (1, -1), (0.5, 0.5), "not negative"),
        ((0, 1), (1, np.inf), (0.5, 0.5), "finite"),
        ((0, 1), (1, 1), (0.0, 1.0), "two positive numbers"),
    ],
)
def test_parameters_out_of_range_are_refused(mu, kappa, priors, message):
    with pytest.raises(InputError, match=message):
        von_mises_boundary(mu, kappa, priors)
