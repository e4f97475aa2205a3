"""GaussianNB has the parameters of scikit-learn's, and its results."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB as ScikitGaussianNB

from xnbflow.core.errors import InputError
from xnbflow.naive_bayes import GaussianNB


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X, np.array(["x", "y", "z"])[y]


def assert_same(ours, theirs, X):
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-9)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-6)
    np.testing.assert_allclose(ours.class_prior_, theirs.class_prior_)
    np.testing.assert_allclose(ours.class_count_, theirs.class_count_)
    np.testing.assert_allclose(
        ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
@pytest.mark.parametrize("weighted", [False, True])
def test_fit_is_scikit_learns(wine, rng, priors, weighted):
    X, y = wine
    weights = rng.integers(0, 4, size=len(y)) / 2 if weighted else None
    ours = GaussianNB(priors=priors).fit(X, y, sample_weight=weights)
    theirs = ScikitGaussianNB(priors=priors).fit(X, y, sample_weight=weights)
    assert_same(ours, theirs, X)


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_give_what_scikit_learns_do(wine, rng, weighted):
    X, y = wine
    order = rng.permutation(len(y))
    weights = rng.uniform(0.5, 2.0, size=len(y))
    # Smoothing is left out: scikit-learn takes the new part's off where the old one's was added.
    ours, theirs = GaussianNB(var_smoothing=0.0), ScikitGaussianNB(var_smoothing=0.0)
    for part in np.array_split(order, 5):
        own = weights[part] if weighted else None
        ours.partial_fit(X[part], y[part], classes=["x", "y", "z"], sample_weight=own)
        theirs.partial_fit(X[part], y[part], classes=["x", "y", "z"], sample_weight=own)
    assert_same(ours, theirs, X)


def test_labels_that_come_later_have_no_probability_yet(wine):
    X, y = wine
    model = GaussianNB().partial_fit(X[y != "z"], y[y != "z"], classes=["x", "y", "z"])
    assert set(model.predict(X)) == {"x", "y"}
    np.testing.assert_array_equal(model.predict_proba(X)[:, 2], 0.0)
    assert set(model.partial_fit(X, y).predict(X)) == {"x", "y", "z"}


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_gaussian_nb_of_constant_features_falls_back_on_the_priors():
    model = GaussianNB().fit(np.ones((4, 3)), [0, 0, 0, 1])
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3))), [[0.75, 0.25]])


def test_parts_that_do_not_fit_are_refused_and_change_nothing(wine):
    X, y = wine
    with pytest.raises(InputError):
        GaussianNB().partial_fit(X, y)
    model = GaussianNB().fit(X, y)
    expected = model.predict_log_proba(X)
    for part, labels, options in (
        (X, y, {"classes": ["x", "y"]}),
        (X[:1], ["w"], {}),
        (X[:, :2], y, {}),
        (X, y, {"sample_weight": -np.ones(178)}),
        (X, y, {"sample_weight": np.zeros(3)}),
    ):
        with pytest.raises(InputError):
            model.partial_fit(part, labels, **options)
    np.testing.assert_array_equal(model.predict_log_proba(X), expected)
