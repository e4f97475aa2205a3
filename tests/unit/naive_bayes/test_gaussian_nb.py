"""GaussianNB has the parameters of scikit-learn's, and its results."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB as ScikitGaussianNB

from xnbflow.naive_bayes import GaussianNB


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X, np.array(["x", "y", "z"])[y]


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_fit_is_scikit_learns(wine, priors):
    X, y = wine
    ours, theirs = GaussianNB(priors=priors).fit(X, y), ScikitGaussianNB(priors=priors).fit(X, y)
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=1e-9)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-6)
    np.testing.assert_allclose(ours.class_prior_, theirs.class_prior_)
    np.testing.assert_allclose(ours.class_count_, theirs.class_count_)
    expected = theirs.predict_log_proba(X)
    np.testing.assert_allclose(ours.predict_log_proba(X), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_gaussian_nb_of_constant_features_falls_back_on_the_priors():
    model = GaussianNB().fit(np.ones((4, 3)), [0, 0, 0, 1])
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3))), [[0.75, 0.25]])
