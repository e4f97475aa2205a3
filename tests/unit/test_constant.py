"""Features that are there only because a class hardly varies in them."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.evaluation.constant import nearly_constant, only_constant
from xnbflow.naive_bayes import XNB

LABELS = np.repeat(["a", "b", "c"], 10)


@pytest.fixture
def features():
    rng = np.random.default_rng(0)
    return rng.normal(size=(4, 30))


def test_a_class_with_nine_equal_values_of_ten_is_nearly_constant(features):
    features[0, :9] = 0.0
    features[1, :8] = 0.0
    classes, constant = nearly_constant(features, LABELS)
    assert classes.tolist() == ["a", "b", "c"]
    assert constant[0].tolist() == [True, False, False]
    assert not constant[1:].any()


def test_a_class_with_a_hundredth_of_the_spread_is_nearly_constant(features):
    wobble = np.tile([-1.0, 1.0], 5)  # of standard deviation 1
    features[:] = np.tile([-100.0, 100.0], 15)
    features[0, 10:20] = 0.99 * features[0].std() / 122 * wobble
    features[1, 10:20] = 1.03 * features[1].std() / 122 * wobble
    overall = np.sqrt(2 / 3 * 100**2)
    assert features[:2].std(axis=1) == pytest.approx(overall, rel=1e-3)
    assert features[0, 10:20].std() < 0.01 * overall < features[1, 10:20].std()
    constant = nearly_constant(features, LABELS)[1]
    assert constant[0].tolist() == [False, True, False]
    assert not constant[1:].any()


def test_a_class_of_one_sample_is_constant_in_everything(features):
    labels = np.array(["one", *["a"] * 15, *["b"] * 14])
    classes, constant = nearly_constant(features, labels)
    assert constant[:, classes == "one"].all()
    assert not constant[:, classes != "one"].any()


def marks(features, labels, label, distances):
    selected = pd.DataFrame({"class": [label], "feature": ["g0"]})
    if distances is not None:
        distances = pd.DataFrame(
            {
                "class": label,
                "feature": "g0",
                "other_class": list(distances),
                "distance": list(distances.values()),
            }
        )
    return only_constant(selected, distances, features[:1], labels).tolist()


def test_a_feature_is_marked_with_the_only_constant_that_makes_it(features):
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.1}) == [False]
    features[0, 10:20] = 5.0  # class b
    assert marks(features, LABELS, "b", {"a": 1.0, "c": 1.0}) == [True]
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.4}) == [True]
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.5}) == [False]  # it tells c apart as well
    assert marks(features, LABELS, "a", {"b": 0.3, "c": 0.4}) == [False]
    features[0, 20:] = 7.0  # and class c
    assert marks(features, LABELS, "a", {"b": 0.9, "c": 1.0}) == [True]


def test_without_distances_the_other_of_two_classes_is_told(features):
    two = np.repeat(["a", "b"], 15)
    features[0, 15:] = 5.0
    assert marks(features, two, "a", None) == [True]
    assert marks(features, two, "b", None) == [True]
    features[0, 10:20] = 5.0
    features[0, 20:] = np.arange(10)
    assert marks(features, LABELS, "a", None) == [False]


def test_xnb_s_features_of_a_class_of_one_sample_are_all_marked():
    rng = np.random.default_rng(1)
    labels = np.array(["one", *["a"] * 15, *["b"] * 14])
    X = pd.DataFrame(rng.normal(size=(30, 50)), columns=[f"g{i}" for i in range(50)])
    X["g7"] += 9 * (labels == "a")
    model = XNB().fit(X, labels)
    selected = pd.DataFrame(
        [(c, f) for c, features in model.selected_features_.items() for f in features],
        columns=["class", "feature"],
    )
    values = X[selected["feature"]].to_numpy().T
    mark = only_constant(selected, model.pair_distances_, values, labels)
    assert mark[selected["class"] == "one"].all()
    assert not mark[(selected["class"] == "a") & (selected["feature"] == "g7")].any()
