"""The evidence of many test samples is interpolated."""

import numpy as np
from toys import markers

from xnbflow.naive_bayes import ClassSpecificNBCV


def overlapping(rng, n_classes=2, n_features=30, each=14):
    return markers(rng, n_features, [each] * n_classes, 1.2, own=4)


def averaged(**params):
    return ClassSpecificNBCV(**{"rule": "average", "cv": 3, "sizes": [1, 2, 5], **params})


def test_many_test_samples_are_interpolated_with_the_results_of_all_nodes(rng, monkeypatch):
    X, y = overlapping(rng, 3, each=120)
    X[:, 4:] = np.exp(X[:, 4:])  # a long tail
    quick = averaged(sizes=[1, 5, 20]).fit(X, y)
    monkeypatch.setattr("xnbflow.naive_bayes.path_evidence._NODES", 1000)
    exact = averaged(sizes=[1, 5, 20]).fit(X, y)
    for name in ("log_loss", "weight"):
        np.testing.assert_allclose(quick.path_[name], exact.path_[name], rtol=0.02, atol=2e-3)
    np.testing.assert_allclose(quick.predict_proba(X), exact.predict_proba(X), atol=0.01)
