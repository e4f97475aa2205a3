"""The ridge statistic, against scikit-learn's Ridge fitted without each sample or group."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut

from xnbflow.inference.ridge_score import _left_out_predictor, ridge_scores


def left_out(values, y, groups):
    """Return what scikit-learn predicts for each group from the others."""
    standard = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    X = standard.T
    # the trace of X X', a sum of n_features variances of one for each sample, over n_samples
    model = Ridge(alpha=len(values), fit_intercept=False)
    predicted = np.empty(len(y))
    for train, test in LeaveOneGroupOut().split(X, y, groups):
        predicted[test] = model.fit(X[train], y[train]).predict(X[test])
    return predicted


@pytest.mark.parametrize("n_features", [7, 90])
@pytest.mark.parametrize("per_group", [1, 3])
def test_predictions_are_those_of_ridge_fitted_without_the_group(rng, n_features, per_group):
    values = rng.normal(size=(n_features, 30))
    groups = np.arange(30) // per_group
    y = rng.permutation(np.repeat([0.0, 1.0], [12, 18]))
    y -= y.mean()
    predictor = _left_out_predictor(values, None if per_group == 1 else groups)
    assert predictor @ y == pytest.approx(left_out(values, y, groups), abs=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_score_is_the_mean_area_of_the_classes(rng, n_classes):
    values = rng.normal(size=(40, 30))
    orders = np.stack([rng.permutation(np.arange(30) % n_classes) for _ in range(5)])
    expected = []
    for codes in orders:
        areas = []
        for c in range(n_classes):
            y = (codes == c) - np.mean(codes == c)
            areas.append(roc_auc_score(codes == c, left_out(values, y, np.arange(30))))
        expected.append(np.mean(areas))
    assert ridge_scores(values)(orders) == pytest.approx(expected)


def test_constant_features_predict_nothing():
    codes = np.array([[0, 1] * 5])
    assert ridge_scores(np.ones((4, 10)))(codes).tolist() == [0.5]
