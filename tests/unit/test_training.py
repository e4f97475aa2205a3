"""Training sees training samples only, and every outcome is a row."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from xnbflow.errors import InputError
from xnbflow.evaluation.training import LOG_POSTERIOR, train
from xnbflow.series import Series

FOLDS = pd.DataFrame({"repeat": 0, "fold": [0, 0, 1, 1], "sample": ["s0", "s3", "s1", "s4"]})


@pytest.fixture
def series():
    rng = np.random.default_rng(1)
    labels = np.array(["a", "a", "a", "b", "b", "b"])
    values = rng.normal(size=(4, 6)) + 3 * (labels == "b")
    return Series("toy", values, list("wxyz"), [f"s{i}" for i in range(6)], labels)


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers nothing but what it saw, and predicts the first class."""

    seen: ClassVar[list] = []

    def fit(self, X, y):
        Spy.seen.append((list(X.index), list(y)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


class Failing(Spy):
    def fit(self, X, y):
        raise ZeroDivisionError("the third fold is unlucky")


GAUSSIAN = {"method": "xnbflow.naive_bayes.gaussian.GaussianNB"}


def entry(estimator):
    return {"method": f"{estimator.__module__}.{estimator.__qualname__}"}


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, Spy.__module__, sys.modules[__name__])
    monkeypatch.setattr(Spy, "seen", [])


def test_a_fold_never_sees_its_test_samples(series):
    train(series, FOLDS, entry(Spy), 0, [0, 1])
    assert Spy.seen[0] == (["s1", "s2", "s4", "s5"], ["a", "a", "b", "b"])
    assert Spy.seen[1] == (["s0", "s2", "s3", "s5"], ["a", "a", "b", "b"])


def test_predictions_are_those_of_scikit_learn(series):
    outcome = train(series, FOLDS, {"method": "sklearn.naive_bayes.GaussianNB"}, 0, [0])
    training = [1, 2, 4, 5]
    model = GaussianNB().fit(series.values[:, training].T, series.labels[training])
    expected = model.predict_log_proba(series.values[:, [0, 3]].T)
    assert outcome.predictions["predicted"].tolist() == ["a", "b"]
    got = outcome.predictions[[LOG_POSTERIOR + "a", LOG_POSTERIOR + "b"]].to_numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_a_test_sample_beyond_all_range_is_decided_by_the_priors(series):
    values = series.values.copy()
    values[:, 0] = 1e160
    series = Series("toy", values, series.features, series.samples, list("abbabb"))
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": ["s0"]})
    row = train(series, folds, GAUSSIAN, 0, [0]).predictions.iloc[0]
    assert row["predicted"] == "b"
    posterior = np.exp(row[[LOG_POSTERIOR + "a", LOG_POSTERIOR + "b"]].to_numpy(float))
    np.testing.assert_allclose(posterior, [0.2, 0.8])


def test_a_failed_fit_is_a_row_and_the_others_go_on(series):
    outcome = train(series, FOLDS, entry(Failing), 0, [0, 1])
    assert outcome.fits["status"].tolist() == ["failed", "failed"]
    assert outcome.fits["error"].iloc[0] == "ZeroDivisionError: the third fold is unlucky"
    assert outcome.predictions.empty
    assert "true" in outcome.predictions


def test_a_classifier_without_probabilities_has_missing_ones(series):
    outcome = train(series, FOLDS, entry(Spy), 0, [0])
    assert outcome.predictions[LOG_POSTERIOR + "b"].isna().all()


def test_a_class_absent_from_training_has_probability_zero(series):
    folds = pd.DataFrame({"repeat": 0, "fold": 0, "sample": ["s3", "s4", "s5"]})
    outcome = train(series, folds, {"method": "sklearn.dummy.DummyClassifier"}, 0, [0])
    assert (outcome.predictions[LOG_POSTERIOR + "b"] == -np.inf).all()


def test_a_parameter_that_does_not_exist_is_named(series):
    wrong = {"method": "sklearn.naive_bayes.GaussianNB", "params": {"smoothing": 1}}
    with pytest.raises(InputError, match="no parameter 'smoothing'"):
        train(series, FOLDS, wrong, 0, [0])
