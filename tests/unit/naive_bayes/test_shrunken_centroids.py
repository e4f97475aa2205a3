"""Nearest shrunken centroids: scikit-learn's at every threshold, and the choice."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import GroupKFold, PredefinedSplit, StratifiedKFold, cross_val_predict
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.naive_bayes import ShrunkenCentroids
from xnbflow.naive_bayes.shrunken_centroids import Centroids, _class_moments

pytestmark = pytest.mark.filterwarnings("ignore:no feature separates the classes:UserWarning")


def unequal():
    """Classes of 7, 12 and 20 samples, with one constant feature."""
    rng = np.random.default_rng(2)
    codes = rng.permutation(np.repeat([0, 1, 2], [7, 12, 20]))
    X = rng.normal(size=(39, 25)) * 10.0 ** rng.uniform(-3, 3, 25)
    X[:, :3] += 2.0 * X[:, :3].std(axis=0) * (codes[:, np.newaxis] == [0, 1, 2])
    X[:, 20] = 3.0
    return X, codes


DATA = {
    "wine": lambda: load_wine(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "unequal": unequal,
}


def scores_of_scikit_learn(X, y, threshold):
    """Half of the discriminant scores (ESL, Eq. 18.2), relative to those of the first class."""
    scaled = StandardScaler().fit_transform(X)
    model = NearestCentroid(shrink_threshold=threshold or None, priors="empirical").fit(scaled, y)
    scores = model.decision_function(scaled) / 2.0
    return scores - scores[:, [0]], model


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has at least 1 zero:UserWarning")
@pytest.mark.parametrize("name", DATA)
def test_every_threshold_of_the_path_is_scikit_learns(name):
    X, y = DATA[name]()
    centroids = Centroids.of(X.T, y, len(np.unique(y)))
    thresholds = np.linspace(0.0, 1.01 * centroids.greatest_deviation, 12)
    evidence = centroids.evidence(X.T, thresholds)
    counts = centroids.count_features(thresholds)
    for threshold, actual, count in zip(thresholds, evidence, counts, strict=True):
        expected, model = scores_of_scikit_learn(X, y, threshold)
        joint = actual + np.log(model.class_prior_)
        np.testing.assert_allclose(joint - joint[:, [0]], expected, rtol=1e-6, atol=1e-9)
        assert (model.deviations_ != 0.0).any(axis=0).sum() == count
        np.testing.assert_allclose(
            centroids.shrunken(threshold), model.deviations_, rtol=1e-9, atol=1e-9
        )


def test_predictions_are_scikit_learns():
    X, y = load_wine(return_X_y=True)
    for threshold in (0.0, 1.5, 4.0, 9.0):
        model = ShrunkenCentroids(threshold=threshold).fit(X, y)
        expected, other = scores_of_scikit_learn(X, y, threshold)
        np.testing.assert_array_equal(
            model.predict(X), other.predict(StandardScaler().fit_transform(X))
        )
        # The paper's Eq. 8: half of the difference between two scores is the log odds.
        np.testing.assert_allclose(
            model.predict_log_proba(X), log_softmax(expected, axis=1), atol=1e-8
        )
        scale, mean = X.std(axis=0), X.mean(axis=0)
        np.testing.assert_allclose(model.centroids_, mean + scale * other.centroids_, rtol=1e-9)


def test_the_threshold_has_the_fewest_errors_and_the_fewest_features():
    X, y = unequal()
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    model = ShrunkenCentroids(cv=folds, n_thresholds=15).fit(X, y)
    path = model.path_
    assert len(path) == 15
    greatest = Centroids.of(X.T, y, 3).greatest_deviation
    np.testing.assert_allclose(path["threshold"], np.linspace(0.0, greatest, 15))
    assert path["n_features"].iloc[-1] == 0
    assert path["n_features"].is_monotonic_decreasing
    for row in path.iloc[:-1:3].itertuples():
        single = ShrunkenCentroids(threshold=row.threshold)
        posterior = cross_val_predict(single, X, y, cv=folds, method="predict_proba")
        assert row.accuracy == pytest.approx((posterior.argmax(axis=1) == y).mean())
        assert row.log_loss == pytest.approx(-np.log(posterior[np.arange(39), y]).mean())
    best = path[path["accuracy"] == path["accuracy"].max()]
    assert model.threshold_ == best["threshold"].max()
    assert path.loc[path["chosen"], "threshold"].tolist() == [model.threshold_]
    same = ShrunkenCentroids(threshold=model.threshold_).fit(X, y)
    np.testing.assert_array_equal(model.predict_log_proba(X), same.predict_log_proba(X))
    assert same.path_.columns.tolist() == ["threshold", "n_features", "chosen"]


def test_groups_stay_in_one_inner_fold():
    X, y = unequal()
    groups = np.arange(39) // 3
    apart = np.empty(39, dtype=int)
    for fold, (_, test) in enumerate(GroupKFold(3).split(X, y, groups)):
        apart[test] = fold
    grouped = ShrunkenCentroids(cv=GroupKFold(3)).fit(X, y, groups=groups)
    expected = ShrunkenCentroids(cv=PredefinedSplit(apart)).fit(X, y)
    pd.testing.assert_frame_equal(grouped.path_, expected.path_)


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
def test_a_class_that_an_inner_training_set_lacks_is_not_predicted_there():
    X, y = unequal()
    y[0] = 3
    model = ShrunkenCentroids(cv=3, priors=[0.1, 0.4, 0.4, 0.1]).fit(X, y)
    assert np.isfinite(model.path_["log_loss"]).all()
    assert (model.path_["accuracy"] < 1.0).all()  # the only sample of class 3 is an error
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.1, 0.4, 0.4, 0.1])


@pytest.mark.parametrize("samples", [None, np.r_[38:4:-2, 0:39:5]])
def test_moments_are_numpys_also_of_some_samples_in_any_order(samples):
    X, y = unequal()
    values, codes = (X, y) if samples is None else (X[samples], y[samples])
    means, squares = _class_moments(X.T, codes, 3, samples=samples)
    centred = values.copy()
    for c in range(3):
        expected = values[codes == c].mean(axis=0)
        np.testing.assert_allclose(means[c], expected, rtol=1e-12)
        centred[codes == c] -= expected
    np.testing.assert_allclose(squares, (centred**2).sum(axis=0), rtol=1e-11, atol=1e-25)


def test_evidence_of_some_samples_is_that_of_all():
    X, y = unequal()
    centroids = Centroids.of(X.T, y, 3)
    thresholds = np.array([0.0, 0.5, 2.0])
    samples = np.array([7, 3, 30])
    evidence = centroids.evidence(X.T, thresholds, samples=samples)
    expected = centroids.evidence(X.T, thresholds)[:, samples]
    np.testing.assert_allclose(evidence, expected, rtol=1e-9, atol=1e-10)


def test_a_sample_is_the_sum_of_its_features_and_directions_are_signs():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = ShrunkenCentroids(threshold=3.0).fit(X, y)
    shown = model.explain(X).groupby(["sample", "class"])["evidence"].sum().unstack()
    joint = shown.to_numpy() + model.class_log_prior_
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, atol=1e-9)
    for code, label in enumerate(model.classes_):
        selected = model.selected_features_[label]
        sizes = np.abs(model.deviations_[code, X.columns.get_indexer(selected)])
        assert (np.diff(sizes) <= 0.0).all()
        assert len(selected) == np.count_nonzero(model.deviations_[code])
        above = X[selected][y == label].mean() > X[selected].mean()
        assert model.direction_[label] == np.where(above, "high", "low").tolist()


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_and_origins_change_nothing(scale):
    X, y = unequal()
    expected = ShrunkenCentroids().fit(X, y)
    moved = ShrunkenCentroids().fit(X * scale - 3.0 * scale, y)
    assert moved.selected_features_ == expected.selected_features_
    actual = moved.predict_log_proba(X * scale - 3.0 * scale)
    np.testing.assert_allclose(actual, expected.predict_log_proba(X), rtol=1e-5, atol=1e-8)


def test_without_features_the_priors_decide():
    X, y = unequal()
    with pytest.warns(UserWarning, match="no feature separates the classes"):
        model = ShrunkenCentroids(threshold=1e3).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[7 / 39, 12 / 39, 20 / 39]])
    assert model.selected_features_ == {0: [], 1: [], 2: []}
    with pytest.warns(UserWarning, match="no feature separates the classes"):
        constant = ShrunkenCentroids(cv=2).fit(np.full((8, 3), 0.1), np.arange(8) % 2)
    np.testing.assert_allclose(constant.predict_proba([[0.1, 0.2, 5.0]]), [[0.5, 0.5]])


def test_a_feature_constant_within_classes_has_finite_evidence():
    """Where scikit-learn divides by a rounding error, its variance is that of all samples."""
    X, y = unequal()
    X[:, 21] = 1e5 * (y == 1) + 0.1
    model = ShrunkenCentroids(threshold=2.0).fit(X, y)
    assert model.selected_features_[1][0] == 21
    explained = model.explain(X[y == 1][:1])
    row = explained[(explained["class"] == 1) & (explained["feature"] == 21)]
    shift = (X[y == 1, 21].mean() - X[:, 21].mean()) / X[:, 21].std()
    left = 1.0 - 2.0 / np.abs(Centroids.of(X.T, y, 3).deviations[1, 21])
    expected = left * shift * (shift - left * shift / 2.0)
    assert row["evidence"].item() == pytest.approx(expected)


def test_it_is_the_last_step_of_a_pipeline():
    X, y = load_wine(return_X_y=True)
    plain = ShrunkenCentroids().fit(X, y)
    scaled = make_pipeline(StandardScaler(), ShrunkenCentroids()).fit(X, y)
    np.testing.assert_allclose(scaled.predict_proba(X), plain.predict_proba(X), atol=1e-9)
