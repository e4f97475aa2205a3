"""Medians, not means, replace missing values; a feature without values gets the overall median."""

import numpy as np
import pytest

from xnbflow.preprocessing import Imputer

NAN = np.nan


def test_each_missing_value_becomes_the_median_of_its_feature():
    X = np.array([[1.0, 10.0], [2.0, NAN], [30.0, 20.0], [40.0, 90.0]])
    imputer = Imputer().fit(X)
    assert imputer.medians_.tolist() == [16.0, 20.0]
    assert imputer.n_missing_ == 1
    assert imputer.transform([[NAN, NAN]]).tolist() == [[16.0, 20.0]]


def test_a_feature_without_values_gets_the_median_of_all():
    X = np.array([[1.0, NAN], [2.0, NAN], [90.0, NAN]])
    with pytest.warns(UserWarning, match="1 feature has no value among 3 training samples"):
        imputer = Imputer().fit(X)
    assert imputer.medians_.tolist() == [2.0, 2.0]
    assert imputer.n_empty_ == 1
