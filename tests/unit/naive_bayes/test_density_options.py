"""Bandwidths, kernels and distances in classifiers: sparse samples, model files."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_wine
from toys import dataset

from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.trained import fit_model
from xnbflow.naive_bayes import XNB, ClassSpecificNB

OPTIONS = [
    {"bandwidth": "sheather_jones"},
    {"bandwidth": "cross_validation"},
    {"bandwidth": "adaptive"},
    {"kernel": "exponential"},
    {"kernel": 4},
    {"distance": "wasserstein"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("classifier", [XNB, ClassSpecificNB])
def test_sparse_samples_are_fitted_as_dense_ones(rng, classifier, options):
    y = rng.permutation(np.repeat([0, 1, 2], 14))
    X = np.where(rng.random((42, 30)) < 0.5, 0.0, rng.normal(size=(42, 30)))
    X[:, :6] += 3.0 * (y[:, None] == np.arange(6) % 3)
    model = classifier(**options)
    if classifier is XNB:
        model.set_params(min_distance="mean")
    dense = model.fit(X, y)
    selected, expected = dense.selected_features_, dense.predict_joint_log_proba(X)
    sparse = model.fit(csr_array(X), y)
    assert sparse.selected_features_ == selected
    np.testing.assert_allclose(sparse.predict_joint_log_proba(csr_array(X)), expected, rtol=1e-9)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_model_file_keeps_the_densities(tmp_path, options):
    X, y = load_wine(return_X_y=True)
    series = dataset(X.T, np.array(list("abc"))[y], "wine")
    params = options | {"min_distance": "mean"}
    model = fit_model(series, {"method": "xnb", "params": params})
    write_model(model, tmp_path / "model.skops")
    frame = pd.DataFrame(X, columns=series.features)
    np.testing.assert_array_equal(
        read_model(tmp_path / "model.skops").estimator.predict_joint_log_proba(frame),
        model.estimator.predict_joint_log_proba(frame),
    )
