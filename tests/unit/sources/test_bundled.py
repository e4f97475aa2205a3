"""Data sets that scikit-learn distributes."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from toys import mistakes, refused

from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, Shape


def test_values_and_labels_are_scikit_learns():
    series = acquire(
        DatasetEntry(
            "bc",
            "bundled",
            shape=Shape(samples=569, features=30, classes=2),
            location="breast_cancer",
            sha256=None,
        )
    )
    bunch = load_breast_cancer()
    np.testing.assert_array_equal(series.values.T, bunch.data)
    assert list(series.features) == list(bunch.feature_names)
    assert (series.labels == "benign").sum() == 357  # scikit-learn's documentation
    assert list(series.samples[:2]) == ["0", "1"]


@pytest.mark.parametrize(("location", "expected", "key"), mistakes("bundled"))
def test_another_name_or_shape_is_refused(location, expected, key):
    with refused(key=key):
        acquire(DatasetEntry("w", "bundled", location, shape=Shape(**expected)))


def test_constant_features_and_a_tolerated_number_are_warned_of():
    shape = Shape(features=63, features_tolerance=1)
    with pytest.warns(UserWarning, match="data set d: ") as warned:
        acquire(DatasetEntry("d", "bundled", "digits", shape=shape))
    assert "64 features found, shape has 63" in str(warned[0].message)
    assert "3 of 64 features are constant (pixel_0_0" in str(warned[1].message)
