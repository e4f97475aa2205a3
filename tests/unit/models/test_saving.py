"""Model files of classifiers that were fitted in Python."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from toys import markers

from xnbflow import ClassSpecificNBCV, ShrunkenCentroids
from xnbflow.core.errors import InputError
from xnbflow.models import load_model, predict_table, read_model, save_model


@pytest.fixture
def table(rng):
    values, codes = markers(rng, 20, [12, 14], 2.0)
    names = [f"g{i}" for i in range(20)]
    samples = [f"s{i}" for i in range(26)]
    return pd.DataFrame(values, index=samples, columns=names), np.array(["no", "yes"])[codes]


@pytest.mark.parametrize(
    "classifier",
    [
        ClassSpecificNBCV(),
        ShrunkenCentroids(),
        make_pipeline(StandardScaler().set_output(transform="pandas"), ClassSpecificNBCV()),
        GridSearchCV(ShrunkenCentroids(), {"threshold": [0.5, 1.0]}, cv=3),
    ],
    ids=["alone", "centroids", "pipeline", "search"],
)
def test_a_saved_classifier_predicts_as_before(classifier, table, tmp_path):
    X, y = table
    classifier.fit(X, y)
    save_model(classifier, tmp_path / "new" / "model.skops", X, y)
    again = load_model(tmp_path / "new" / "model.skops")
    np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))
    predicted = predict_table(read_model(tmp_path / "new" / "model.skops"), X).table
    assert predicted["label"].tolist() == classifier.predict(X).tolist()


def test_samples_of_another_fit_are_refused(table, tmp_path):
    X, y = table
    model = ClassSpecificNBCV().fit(X, y)
    with pytest.raises(InputError, match=r"without names of features"):
        save_model(model, tmp_path / "m.skops", X.to_numpy(), y)
    with pytest.raises(InputError, match="26 labels of the classes maybe, yes"):
        save_model(model, tmp_path / "m.skops", X, np.where(y == "no", "maybe", y))
    with pytest.raises(InputError, match="25 labels"):
        save_model(model, tmp_path / "m.skops", X, y[1:])
    assert not (tmp_path / "m.skops").exists()
