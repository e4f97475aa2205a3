"""The data sets that scikit-learn ships."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from xnbflow.data.errors import InputError
from xnbflow.data.sources.acquisition import acquire
from xnbflow.data.sources.sheet import SheetRow


def test_values_and_labels_are_scikit_learns():
    series = acquire(SheetRow("bc", "bundled", "breast_cancer", None, 569, 30, 2))
    bunch = load_breast_cancer()
    np.testing.assert_array_equal(series.values.T, bunch.data)
    assert list(series.features) == list(bunch.feature_names)
    assert (series.labels == "benign").sum() == 357  # scikit-learn's documentation
    assert list(series.samples[:2]) == ["0", "1"]


def test_constant_features_are_named_in_a_warning():
    with pytest.warns(UserWarning, match=r"3 of 64 features are constant \(pixel_0_0"):
        acquire(SheetRow("digits", "bundled", "digits"))


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match="no bundled data set 'iris'; use one of breast_cancer"):
        acquire(SheetRow("iris", "bundled", "iris"))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"samples": 100}, "178 samples found, the sheet expects 100"),
        ({"features": 12}, "13 features found, the sheet expects 12"),
        ({"classes": 2}, "3 classes found, the sheet expects 2"),
    ],
)
def test_a_shape_other_than_expected_is_refused(expected, message):
    with pytest.raises(InputError, match=f"data set wine: {message}"):
        acquire(SheetRow("wine", "bundled", "wine", **expected))


def test_a_feature_count_within_the_tolerance_is_only_warned_of():
    dataset = SheetRow("w", "bundled", "wine", features=12, options={"features_tolerance": "1"})
    with pytest.warns(UserWarning, match="13 features found, the sheet expects 12"):
        assert acquire(dataset).n_features == 13
