"""Estimators from entries of the configuration."""

import pytest

from xnbflow.core.errors import InputError
from xnbflow.evaluation.build import build_estimator


@pytest.mark.parametrize(
    "entry",
    [
        {"method": "subprocess.Popen", "params": {"args": "false"}},
        {"method": "xnbflow.naive_bayes.xnb.XNB", "params": {"priors": "@angulr"}},
        {"method": "sklearn.naive_bayes.GaussianNB", "params": {"smoothing": 1}},
    ],
)
def test_what_is_no_estimator_column_or_parameter_is_refused(entry):
    with pytest.raises(InputError, match=r"subprocess\.Popen|'angular'|'smoothing'"):
        build_estimator(entry, {})
