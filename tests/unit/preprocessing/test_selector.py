"""Our selectors work as scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest, SelectorMixin

from xnbflow.preprocessing.selector import FeatureSelector, selects_features


class Keep:
    """Keep the second and fourth of four features."""

    def fit(self, X, y=None):
        self.n_features_in_ = 4
        self.feature_names_in_ = np.array(["a", "b", "c", "d"], dtype=object)
        return self

    def _get_support_mask(self):
        return np.array([False, True, False, True])


class Ours(Keep, FeatureSelector, BaseEstimator):
    """By our base class."""


class Peer(Keep, SelectorMixin, BaseEstimator):
    """By scikit-learn's base class."""


FRAME = pd.DataFrame(np.arange(12.0).reshape(3, 4), columns=["a", "b", "c", "d"])


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_a_selector_returns_the_features_of_scikit_learns(output):
    ours = Ours().fit(FRAME).set_output(transform=output)
    peer = Peer().fit(FRAME).set_output(transform=output)

    selected = ours.transform(FRAME)

    assert type(selected) is type(peer.transform(FRAME))
    np.testing.assert_array_equal(np.asarray(selected), [[1, 3], [5, 7], [9, 11]])
    back = ours.inverse_transform(np.asarray(selected))
    np.testing.assert_array_equal(back, [[0, 1, 0, 3], [0, 5, 0, 7], [0, 9, 0, 11]])
    assert ours.get_feature_names_out().tolist() == ["b", "d"]
    assert ours.get_support(indices=True).tolist() == [1, 3]
    assert ours.get_support().tolist() == [False, True, False, True]


def test_selectors_are_ours_and_those_of_scikit_learn():
    assert selects_features(Ours())
    assert selects_features(SelectKBest())
    assert not selects_features(Keep())
