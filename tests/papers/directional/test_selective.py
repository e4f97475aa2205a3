"""SelectiveNB: one pass over the prefixes of the ranking."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from unit.data.test_samples import check_inner_folds

from xnbflow.naive_bayes import HybridNB, SelectiveNB, VonMisesNB
from xnbflow.naive_bayes.inner_folds import inner_folds
from xnbflow.papers.directional import selective_nb


@pytest.fixture(scope="module")
def angles():
    """Six angles: 2 tells most, 4 less and the same again, 0 a little; 1, 3 and 5 nothing."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [60, 50, 40])
    code = np.repeat([0, 1, 2], [60, 50, 40])
    X = rng.vonmises(0, 1, (150, 6))
    X[:, 2] = rng.vonmises(code * 2, 6)
    X[:, 4] = rng.vonmises(code, 2)
    X[:, 0] = rng.vonmises(code / 2, 1)
    return X, y


def test_one_pass_scores_every_prefix_as_refitting_would(angles):
    X, y = angles
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    nb = SelectiveNB(VonMisesNB(), cv=cv).fit(X, y)
    order = nb.ranking_["feature"].to_numpy(int)
    for n_features, accuracy in enumerate(nb.ranking_["accuracy"], start=1):
        predicted = cross_val_predict(VonMisesNB(), X[:, order[:n_features]], y, cv=cv)
        assert accuracy == pytest.approx(np.mean(predicted == y))


def test_the_shortest_best_prefix_of_the_ranking_is_selected(angles):
    X, y = angles
    nb = SelectiveNB(VonMisesNB()).fit(X, y)
    ranking = nb.ranking_
    assert ranking["mutual_information"].is_monotonic_decreasing
    assert ranking["feature"].tolist()[:3] == [2, 4, 0]
    n_selected = len(nb.selected_features_["a"])
    assert n_selected == ranking["accuracy"].argmax() + 1
    assert nb.selected_features_ == dict.fromkeys("abc", ranking["feature"].tolist()[:n_selected])


def test_it_predicts_as_the_classifier_fitted_to_the_selected_features(angles):
    X, y = angles
    nb = SelectiveNB(VonMisesNB(), n_max=2).fit(X, y)
    selected = nb.selected_features_["b"]
    assert len(nb.ranking_) == 2
    reference = VonMisesNB().fit(X[:, selected], y)
    np.testing.assert_allclose(
        nb.predict_joint_log_proba(X), reference.predict_joint_log_proba(X[:, selected])
    )
    explained = nb.explain(X[:3])
    assert set(explained["feature"]) == set(selected)
    total = explained.groupby(["sample", "class"])["log_likelihood"].sum().unstack()
    np.testing.assert_allclose(
        total + nb.class_log_prior_, nb.predict_joint_log_proba(X[:3]), rtol=1e-12
    )


def test_a_multivariate_group_is_taken_or_left_as_a_whole(angles):
    X, y = angles
    groups = [("pair", "multivariate_gaussian", [1, 2]), ("single", "von_mises", [3])]
    nb = SelectiveNB(HybridNB(groups)).fit(X, y)
    assert nb.ranking_["feature"].tolist() == ["pair", 3]
    assert nb.selected_features_["c"][:2] == [1, 2]


def test_inner_folds_may_be_a_list_or_a_generator_of_splits():
    check_inner_folds(SelectiveNB, StratifiedKFold(4))


def test_of_equally_accurate_prefixes_the_shortest_is_selected():
    """Two copies of an angle that separates the classes: one of them is as accurate as both."""
    y = np.repeat(["a", "b"], 20)
    angle = np.where(y == "a", 0.0, 3.0) + np.tile([-0.1, 0.1], 20)
    nb = SelectiveNB(VonMisesNB(), cv=5).fit(np.column_stack([angle, angle]), y)
    assert nb.ranking_["accuracy"].tolist() == [1.0, 1.0]
    assert len(nb.selected_) == 1


def test_many_samples_are_classified_in_pieces(monkeypatch, angles):
    X, y = angles
    whole = SelectiveNB(VonMisesNB()).fit(X, y)
    # pieces of 7 samples: 6 features and 3 classes
    monkeypatch.setattr(
        "xnbflow.papers.directional.selective_nb._SELECTION_CHUNK_VALUES", 7 * 6 * 3
    )
    pieces = SelectiveNB(VonMisesNB()).fit(X, y)
    np.testing.assert_array_equal(pieces.ranking_["accuracy"], whole.ranking_["accuracy"])
    np.testing.assert_array_equal(pieces.predict_proba(X), whole.predict_proba(X))


def test_samples_of_a_group_are_not_in_training_and_test(angles, monkeypatch):
    X, y = angles
    groups = np.arange(150) // 5
    received = []

    def folds(cv, codes, fold_groups, features):
        received.append(fold_groups)
        return inner_folds(cv, codes, fold_groups, features)

    monkeypatch.setattr(selective_nb, "inner_folds", folds)
    SelectiveNB(VonMisesNB(), cv=5).fit(X, y, groups)
    np.testing.assert_array_equal(received[0], groups)


def test_the_prior_counts_once_in_every_prefix():
    """One sample in ten is of class b, and four features have little information on it."""
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b"], [180, 20])
    X = rng.vonmises((y == "b")[:, np.newaxis] * 1.5, 2, (200, 4))
    cv = StratifiedKFold(5)
    ranking = SelectiveNB(VonMisesNB(), cv=cv).fit(X, y).ranking_
    order = ranking["feature"].to_numpy(int)
    for n_features, accuracy in enumerate(ranking["accuracy"], start=1):
        predicted = cross_val_predict(VonMisesNB(), X[:, order[:n_features]], y, cv=cv)
        assert accuracy == pytest.approx(np.mean(predicted == y))
    assert ranking["accuracy"].nunique() > 1
