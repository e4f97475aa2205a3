"""HybridNB, its relatives of angles and intervals, MDLP, and decision boundaries."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq
from sklearn import naive_bayes as sk
from sklearn.datasets import load_iris
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.evaluation.keyed_tables import LOG_POSTERIOR
from xnbflow.evaluation.training import train
from xnbflow.naive_bayes import DiscretizedNB, HybridNB, VonMisesFisherNB
from xnbflow.papers.directional import boundaries
from xnbflow.papers.directional.mdlp import cut_features, interval_numbers
from xnbflow.papers.directional.von_mises import VonMises


@pytest.fixture(scope="module")
def mixed():
    """A named table: an angle in degrees, two linear columns, a category; three classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [40, 30, 20])
    code = np.repeat([0, 1, 2], [40, 30, 20])
    X = pd.DataFrame(
        {
            "speed": rng.gamma(2 + code),
            "wind": np.degrees(rng.vonmises(code * 2.0, 3)) % 360,
            "sky": rng.integers(0, 2 + code),
            "pressure": rng.normal(code, 2),
        }
    )
    return X, y


BLOCKS = [
    ("wind", VonMises(period=360), ["wind"]),
    ("linear", "gaussian", ["speed", "pressure"]),
    ("sky", "categorical", "sky"),
]


def test_joint_log_likelihood_is_the_sum_over_groups(mixed):
    X, y = mixed
    nb = HybridNB(BLOCKS).fit(X, y)
    expected = np.tile(np.log([40 / 90, 30 / 90, 20 / 90]), (90, 1))
    for code, label in enumerate("abc"):
        own = X[y == label]
        kappa, loc, _ = stats.vonmises.fit(np.radians(own["wind"]), fscale=1)
        density = stats.vonmises.logpdf(np.radians(X["wind"]), kappa, loc=loc)
        expected[:, code] += density - np.log(180 / np.pi)
        for name in ("speed", "pressure"):
            expected[:, code] += stats.norm.logpdf(X[name], own[name].mean(), own[name].std(ddof=0))
        count = np.bincount(own["sky"], minlength=4)
        expected[:, code] += np.log((count + 1) / (len(own) + 4))[X["sky"]]
    np.testing.assert_allclose(nb.predict_joint_log_proba(X), expected, atol=1e-6)


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_vectors_off_the_sphere_are_refused_in_prediction_too():
    nb = VonMisesFisherNB().fit(np.eye(3), [0, 0, 1])
    with pytest.raises(InputError, match="group 'direction': the vector of sample 1 has length 2"):
        nb.predict([[1.0, 0, 0], [2.0, 0, 0]])


def test_discretized_nb_is_categorical_nb_on_mdlps_intervals(mixed):
    X, y = mixed
    nb = DiscretizedNB(categorical=["sky"]).fit(X, y)
    continuous = ["speed", "wind", "pressure"]
    features, classes = X[continuous].to_numpy().T, np.unique(y, return_inverse=True)[1]
    codes = interval_numbers(features, cut_features(features, classes, 3)).T
    reference = sk.CategoricalNB().fit(np.column_stack([codes, X["sky"]]).astype(int), y)
    np.testing.assert_allclose(
        nb.predict_proba(X), reference.predict_proba(np.column_stack([codes, X["sky"]]).astype(int))
    )


def test_parameters_of_groups_are_got_and_set_by_their_names():
    nb = HybridNB([("wind", VonMises(period=360), ["wind"]), ("speed", "kernel", ["speed"])])
    params = nb.get_params()
    assert params["wind__period"] == 360
    assert params["speed"] == "kernel"
    assert "wind__period" not in nb.get_params(deep=False)
    nb.set_params(speed__bandwidth="scott", wind__period=360.5)
    assert [nb.groups[0][1].period, nb.groups[1][1].bandwidth] == [360.5, "scott"]
    nb.set_params(speed="gaussian")
    assert nb.groups[1] == ("speed", "gaussian", ["speed"])


def entropy(y):
    share = np.unique(y, return_counts=True)[1] / len(y)
    return -np.sum(share * np.log2(share))


def cuts_by_recursion(x, y):
    """Fayyad and Irani's procedure as their paper words it, one cut at a time."""
    values = np.unique(x)
    best = None
    for low, high in itertools.pairwise(values):
        left, right = y[x <= low], y[x > low]
        weighted = (len(left) * entropy(left) + len(right) * entropy(right)) / len(y)
        if best is None or weighted < best[0] - 1e-12:
            best = (weighted, low, high)
    if best is None:
        return []
    weighted, low, high = best
    parts = [y[x <= low], y[x > low]]
    k, *ks = (len(np.unique(part)) for part in (y, *parts))
    delta = np.log2(3**k - 2) - (
        k * entropy(y) - sum(j * entropy(part) for j, part in zip(ks, parts, strict=True))
    )
    if entropy(y) - weighted <= (np.log2(len(y) - 1) + delta) / len(y):
        return []
    below, above = (cuts_by_recursion(x[part], y[part]) for part in (x <= low, x > low))
    return [*below, (low + high) / 2, *above]


def test_cut_points_of_iris_are_those_of_the_r_package_discretization():
    # the example of its function mdlp
    X, y = load_iris(return_X_y=True)
    cuts = cut_features(X.T, y, 3)
    expected = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.80, 1.75]]
    for found, printed in zip(cuts, expected, strict=True):
        np.testing.assert_allclose(found, printed)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 120))
@example(326, 4, 5)  # two cuts are equally good
def test_cut_points_are_those_of_the_procedure(seed, n_classes, n_samples):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n_samples)
    values = np.round(rng.normal(codes * rng.choice([0.0, 1.0, 4.0])), 1)
    np.testing.assert_allclose(
        cut_features(values[None], codes, n_classes)[0], cuts_by_recursion(values, codes)
    )


def numerical_boundary(phi, mu, kappa, priors):
    """Angles psi at which the log odds of the two classes change sign, by SciPy's root finder."""

    def log_odds(psi):
        joint = [
            np.log(priors[c])
            + stats.vonmises.logpdf(phi, kappa[c, 0], loc=mu[c, 0])
            + stats.vonmises.logpdf(psi, kappa[c, 1], loc=mu[c, 1])
            for c in (0, 1)
        ]
        return joint[0] - joint[1]

    grid = np.linspace(-np.pi, np.pi, 721)
    odds = np.array([log_odds(psi) for psi in grid])
    changes = np.flatnonzero(np.sign(odds[:-1]) != np.sign(odds[1:]))
    return sorted(brentq(log_odds, grid[i], grid[i + 1], xtol=1e-12) for i in changes)


@pytest.mark.parametrize("priors", [(0.5, 0.5), (0.15, 0.85)])
def test_theorem_2_gives_the_boundary_that_a_root_finder_finds(priors):
    """Figure 6's classes: at each phi both angles psi of the theorem, or none."""
    mu = np.array([[np.pi, -2 * np.pi / 3], [np.pi / 2, np.pi]])
    kappa = np.array([[2.0, 6.0], [5.0, 3.0]])
    all_phi = np.linspace(-3.1, 3.1, 24)
    curve = boundaries.torus_boundary(all_phi, mu, kappa, priors)
    n_crossed = 0
    for phi, psi in zip(all_phi, curve.T, strict=True):
        expected = numerical_boundary(phi, mu, kappa, priors)
        found = sorted(psi[np.isfinite(psi)])
        np.testing.assert_allclose(found, expected, atol=1e-9)
        n_crossed += len(expected) == 2
    assert 0 < n_crossed < len(all_phi)  # both cases occur


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


def test_hybrid_surface_is_the_difference_of_log_densities(rng):
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


def test_columns_are_given_by_their_kind(rng):
    labels = np.array(["a", "a", "a", "b", "b", "b"])
    values = [rng.uniform(-np.pi, np.pi, 6), *(rng.normal(size=(4, 6)) + 3 * (labels == "b"))]
    series = dataset(values, labels, kinds=["angular", *["linear"] * 4])
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": ["s0", "s3"]})
    path = "xnbflow.papers.directional.von_mises_nb.VonMisesNB"
    told, given, not_told = (
        train(series, folds, {"method": path, "params": {"angular": columns}})["predictions"]
        for columns in ("@angular", [0], [1])
    )
    pd.testing.assert_frame_equal(told, given)
    assert not np.allclose(told[LOG_POSTERIOR + "a"], not_told[LOG_POSTERIOR + "a"])
