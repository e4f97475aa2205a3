"""What classifiers use: folds, ties, constant classes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from xnbflow.evaluation.selected import _nearly_constant, feature_use, only_constant
from xnbflow.naive_bayes import XNB


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 40)
    X = rng.normal(size=(80, 10))
    X[:, 3] += 12 * (y == "b")
    X[:, 7] += 1.5 * (y == "b")
    return pd.DataFrame(X, index=[f"s{i}" for i in range(80)]).add_prefix("g"), y


def use_of(model, data):
    return feature_use(model.fit(*data), data[0].iloc[:5], explain=True)


@pytest.mark.parametrize("nested", [False, True])
def test_xnb_behind_a_scaler_tells_what_it_tells_alone(data, nested):
    alone = use_of(XNB(), data)
    assert set(alone.selected["feature"]) == {"g3"}
    scaled = make_pipeline(StandardScaler(), XNB())
    use = use_of(Pipeline([("only", scaled)]) if nested else scaled, data)
    assert (use.per_class, use.distinct) == (alone.per_class, alone.distinct)
    for table in ("selected", "explanations"):
        actual, expected = getattr(use, table), getattr(alone, table)
        names = ["class", "feature"]
        if table == "explanations":
            names.append("sample")
        pd.testing.assert_frame_equal(actual[names], expected[names])
    np.testing.assert_allclose(use.selected["distance"], alone.selected["distance"], rtol=1e-9)
    assert set(use.explanations["sample"]) == {"s0", "s1", "s2", "s3", "s4"}


def test_a_transformer_that_selects_is_counted(data):
    use = use_of(make_pipeline(StandardScaler(), SelectKBest(k=2), GaussianNB()), data)
    assert (use.per_class, use.distinct) == (2, 2)
    assert use.selected.to_numpy().tolist() == [
        ["a", 1, "g3", pytest.approx(np.nan, nan_ok=True)],
        ["a", 2, "g7", pytest.approx(np.nan, nan_ok=True)],
        ["b", 1, "g3", pytest.approx(np.nan, nan_ok=True)],
        ["b", 2, "g7", pytest.approx(np.nan, nan_ok=True)],
    ]


@pytest.mark.parametrize("maker", [PCA(2), FunctionTransformer(np.abs)])
def test_what_is_made_of_features_is_no_number_of_features(data, maker):
    use = use_of(make_pipeline(maker, XNB()), data)
    assert np.isnan([use.per_class, use.distinct]).all()
    assert use.selected is None
    assert use.explanations is None


LABELS = np.repeat(["a", "b", "c"], 10)


@pytest.fixture
def features():
    rng = np.random.default_rng(0)
    return rng.normal(size=(4, 30))


def test_a_class_with_nine_equal_values_of_ten_is_nearly_constant(features):
    features[0, :9] = 0.0
    features[1, :8] = 0.0
    classes, constant = _nearly_constant(features, LABELS)
    assert classes.tolist() == ["a", "b", "c"]
    assert constant[0].tolist() == [True, False, False]
    assert not constant[1:].any()


def marks(features, labels, label, distances):
    selected = pd.DataFrame({"class": [label], "feature": ["g0"]})
    for other, distance in (distances or {}).items():
        selected[f"distance_to.{other}"] = distance
    X = pd.DataFrame(features.T).add_prefix("g")
    return only_constant(selected, X, labels).tolist()


def test_a_feature_of_two_classes_is_examined_for_each(features):
    features[1, :10] = 5.0  # class a
    rows = [("a", "g1"), ("b", "g0"), ("b", "g1"), ("a", "g0")]
    selected = pd.DataFrame(rows, columns=["class", "feature"])
    X = pd.DataFrame(features.T).add_prefix("g")
    marks = only_constant(selected, X, LABELS)
    assert marks.tolist() == [True, False, False, False]


def test_a_feature_is_marked_with_the_only_constant_that_makes_it(features):
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.1}) == [False]
    features[0, 10:20] = 5.0  # class b
    assert marks(features, LABELS, "b", {"a": 1.0, "c": 1.0}) == [True]
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.4}) == [True]
    assert marks(features, LABELS, "a", {"b": 1.0, "c": 0.5}) == [False]  # it tells c apart as well
    assert marks(features, LABELS, "a", {"b": 0.3, "c": 0.4}) == [False]
    features[0, 20:] = 7.0  # and class c
    assert marks(features, LABELS, "a", {"b": 0.9, "c": 1.0}) == [True]


def marked_by_rows(selected, distances, constant_classes):
    """Return the marks row by row, as the docstring of `only_constant` defines them."""
    marks = []
    for label, feature in selected.itertuples(index=False):
        constant = constant_classes[feature]
        rows = distances[(distances["class"] == label) & (distances["feature"] == feature)]
        is_marked = label in constant
        if not is_marked and len(rows):
            farthest = rows.loc[rows["distance"].idxmax()]
            varying = rows.loc[~rows["other_class"].isin(constant), "distance"]
            is_near = varying.empty or 2 * varying.max() < farthest["distance"]
            is_marked = farthest["other_class"] in constant and is_near
        marks.append(is_marked)
    return marks


@pytest.mark.parametrize("seed", range(20))
def test_marks_of_many_classes_and_features_are_those_of_each_row(seed):
    rng = np.random.default_rng(seed)
    names = [f"class {i}" for i in range(4)]
    labels = np.repeat(names, 10)
    values = rng.normal(size=(6, 40))
    constant_classes = {}
    for feature, row in enumerate(values):
        constant_classes[f"g{feature}"] = rng.choice(names, rng.integers(4), replace=False)
        row[np.isin(labels, constant_classes[f"g{feature}"])] = 5.0
    pairs = [(label, f"g{feature}") for label in names for feature in range(6)]
    selected = pd.DataFrame(rng.permutation(pairs)[:18], columns=["class", "feature"])
    distances = selected.merge(pd.DataFrame({"other_class": names}), how="cross")
    distances = distances[distances["class"] != distances["other_class"]]
    distances = distances.assign(distance=rng.integers(1, 10, len(distances)) / 10)
    distances = distances[distances["feature"] != "g5"]  # one without distances
    X = pd.DataFrame(values.T).add_prefix("g")
    wide = distances.pivot(index=["class", "feature"], columns="other_class", values="distance")
    with_distances = selected.join(wide.add_prefix("distance_to."), on=["class", "feature"])
    marks = only_constant(with_distances, X, labels).tolist()
    assert marks == marked_by_rows(selected, distances, constant_classes)
