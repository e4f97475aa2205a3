"""Bandwidths, kernels and distances of a classifier remain in its model file."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from toys import dataset

from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.trained import fit_model

OPTIONS = [
    {"bandwidth": "sheather_jones"},
    {"bandwidth": "cross_validation"},
    {"bandwidth": "adaptive"},
    {"kernel": "exponential"},
    {"kernel": 4},
    {"distance": "wasserstein"},
]


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
