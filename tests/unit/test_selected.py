"""Claims about the features that a classifier is said to use, alone or at the end of a pipeline."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from xnbflow.evaluation.selected import feature_use
from xnbflow.naive_bayes import XNB
from xnbflow.preprocessing import StepwiseNaiveEffects

NAMES = [f"g{i}" for i in range(10)]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 40)
    X = rng.normal(size=(80, 10))
    X[:, 3] += 12 * (y == "b")
    X[:, 7] += 1.5 * (y == "b")
    return pd.DataFrame(X, index=[f"s{i}" for i in range(80)], columns=NAMES), y


def use_of(model, data):
    return feature_use(model.fit(*data), data[0].iloc[:5], explain=True)


def test_a_classifier_that_does_not_select_uses_all(data):
    use = use_of(GaussianNB(), data)
    assert (use.per_class, use.distinct) == (10, 10)
    assert use.selected is None


@pytest.mark.parametrize("nested", [False, True])
def test_xnb_behind_a_scaler_tells_what_it_tells_alone(data, nested):
    alone = use_of(XNB(), data)
    assert set(alone.selected["feature"]) == {"g3"}
    scaled = make_pipeline(StandardScaler(), XNB())
    use = use_of(Pipeline([("only", scaled)]) if nested else scaled, data)
    assert (use.per_class, use.distinct) == (alone.per_class, alone.distinct)
    for table in ("selected", "distances", "explanations"):
        ours, expected = getattr(use, table), getattr(alone, table)
        names = ["class", "feature"] + ["sample"] * ("sample" in expected)
        pd.testing.assert_frame_equal(ours[names], expected[names])
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
    stepwise = make_pipeline(StepwiseNaiveEffects(), GaussianNB()).fit(*data)
    kept = stepwise[0].get_support().sum()
    assert kept < 10
    assert feature_use(stepwise, data[0], explain=False).distinct == kept


def test_selection_twice_is_told_in_the_names_of_the_series(data):
    use = use_of(make_pipeline(SelectKBest(k=2), XNB()), data)
    assert set(use.selected["feature"]) == {"g3"}
    assert set(use.explanations["feature"]) == {"g3"}


@pytest.mark.parametrize("maker", [PCA(2), FunctionTransformer(np.abs)])
def test_what_is_made_of_features_is_no_number_of_features(data, maker):
    use = use_of(make_pipeline(maker, XNB()), data)
    assert np.isnan([use.per_class, use.distinct]).all()
    assert use.selected is None
    assert use.explanations is None


class Name(str):
    """A name that counts with how many others it is compared."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)


def test_names_behind_a_pipeline_are_looked_up_and_not_compared_each_with_each():
    """With the 54,675 of a microarray that took minutes a fold."""
    names = pd.Index([Name(f"g{i}") for i in range(300)], dtype=object)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 300)), columns=names)
    model = make_pipeline(StandardScaler(), GaussianNB()).fit(X, np.arange(12) % 2)
    Name.compared = 0
    assert feature_use(model, X, explain=False).distinct == 300
    assert Name.compared < 300 * 20
