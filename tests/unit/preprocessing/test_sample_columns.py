"""Adjustment and centring at their boundaries, in numbers that are computed by hand."""

import numpy as np
import pandas as pd
import pytest
from toys import refused

from xnbflow.preprocessing import CovariateAdjuster, GroupCentrer, SampleStandardizer

TABLE = pd.DataFrame({"g": [1.0, 3.0, 5.0, 7.0, 2.0, 6.0], "plate": ["1", "2", "1", "2", "1", "1"]})
LABELS = ["a", "a", "b", "b", "a", "b"]


def test_a_new_sample_is_adjusted_relative_to_the_training_mean():
    X = pd.DataFrame({"g": [1.0, 2.0, 11.0, 12.0], "age": [10.0, 20.0, 10.0, 20.0]})
    adjuster = CovariateAdjuster(columns=["age"]).fit(X, ["a", "a", "b", "b"])
    new = pd.DataFrame({"g": [5.0, 5.0], "age": [15.0, 35.0]})  # 0.1 per year, mean age 15
    np.testing.assert_allclose(adjuster.transform(new), [[5.0], [3.0]])


def test_numbers_are_categories_in_factor():
    numeric = CovariateAdjuster(columns=["plate"]).fit(TABLE, LABELS)
    factor = CovariateAdjuster(columns=["factor(plate)"]).fit(TABLE, LABELS)
    assert numeric.levels_ == {"plate": []}
    assert factor.levels_ == {"plate": ["1", "2"]}
    new = TABLE.assign(plate="3")
    assert np.isfinite(numeric.transform(new)).all()
    with refused("'3' in the column 'plate' is not one of 1, 2, as the training samples have"):
        factor.transform(new)


def test_patients_need_two_samples_and_in_training_two_classes():
    X = pd.DataFrame({"g": [1.0, 3.0, 8.0, 6.0], "patient": list("ppqq")})
    centrer = GroupCentrer(column="patient").fit(X, ["a", "b", "a", "b"])
    with refused("patient 'q' has training samples of one class"):
        GroupCentrer(column="patient").fit(X, ["a", "b", "a", "a"])
    with refused("patient 'q' has one sample"):
        centrer.transform(X[:3])
    assert centrer.transform(X[2:]).tolist() == [[1.0], [-1.0]]


@pytest.mark.parametrize("n_features", range(3, 30))
def test_a_constant_sample_becomes_zero_whatever_the_rounding_of_its_mean(n_features):
    X = np.full((1, n_features), 0.1)
    assert SampleStandardizer().fit_transform(X).tolist() == [[0.0] * n_features]
