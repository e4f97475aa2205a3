"""The evidence of many test samples is interpolated."""

import numpy as np
from toys import markers

from xnbflow.naive_bayes import ClassSpecificNBCV
from xnbflow.naive_bayes.modules import ModuleWeights
from xnbflow.naive_bayes.path_evidence import sum_path_evidence


def overlapping(rng, n_classes=2, n_features=30, n_per_class=14):
    return markers(rng, n_features, [n_per_class] * n_classes, 1.2, n_markers=4)


def averaged(**params):
    return ClassSpecificNBCV(**{"rule": "average", "cv": 3, "sizes": [1, 2, 5], **params})


def test_many_test_samples_are_interpolated_with_the_results_of_all_nodes(rng, monkeypatch):
    X, y = overlapping(rng, 3, n_per_class=120)
    X[:, 4:] = np.exp(X[:, 4:])  # a long tail
    quick = averaged(sizes=[1, 5, 20]).fit(X, y)
    monkeypatch.setattr("xnbflow.naive_bayes.path_evidence._NODES", 1000)
    exact = averaged(sizes=[1, 5, 20]).fit(X, y)
    for name in ("log_loss", "weight"):
        np.testing.assert_allclose(quick.path_[name], exact.path_[name], rtol=0.02, atol=2e-3)
    np.testing.assert_allclose(quick.predict_proba(X), exact.predict_proba(X), atol=0.01)


def test_impossible_values_have_finite_evidence():
    values = np.array([[0.0, 0.1, -0.1, 5.0, 50.0, -50.0, 1e6]])
    codes, train, test = np.array([0, 0, 0, 1, 1, 1]), np.arange(6), np.array([6])
    modules = ModuleWeights(None, np.array([[1], [1]]), np.array([1]))
    options = {"bandwidth": "silverman", "min_bandwidth": 0.0, "kernel": "gaussian"}
    actual = sum_path_evidence(
        modules,
        values,
        codes,
        train=train,
        test=test,
        log_prior=np.log([0.5, 0.5]),
        contamination=0.0,
        **options,
    )
    assert actual.shape == (1, 1, 2)
    np.testing.assert_allclose(actual[0, 0], [-1e6, np.log(2.0)])
