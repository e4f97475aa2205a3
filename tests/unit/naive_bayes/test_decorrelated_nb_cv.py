"""ClassSpecificNBCV with decorrelation: the mean of two classifiers, without leaks."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax

from xnbflow.naive_bayes import ClassSpecificNBCV, class_specific_nb_cv
from xnbflow.naive_bayes.class_specific_nb_cv import DecorrelatedNBCV
from xnbflow.naive_bayes.inner_folds import inner_folds
from xnbflow.preprocessing import Decorrelator


def with_common_factor(n_classes=2, n_samples=42, n_features=40, seed=0):
    """Return a DataFrame of samples whose features share a factor within classes, and classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_features)) + 1.5 * rng.normal(size=(n_samples, 1))
    X[:, :4] += 1.5 * y[:, np.newaxis]
    return pd.DataFrame(X).add_prefix("g"), y


def fitted(X, y, cls=ClassSpecificNBCV, **params):
    return cls(**{"cv": 3, "sizes": [1, 2, 5], "decorrelation": 0.2, **params}).fit(X, y)


@pytest.mark.parametrize("rule", ["average", "one_standard_error"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_posteriors_are_the_mean_of_both_classifiers(n_classes, rule):
    X, y = with_common_factor(n_classes)
    new, _ = with_common_factor(n_classes, seed=1)
    first = fitted(X, y, decorrelation=0.0, rule=rule)
    second = fitted(X, y, cls=DecorrelatedNBCV, rule=rule)
    expected = (first.predict_log_proba(new) + second.predict_log_proba(new)) / 2.0
    both = fitted(X, y, rule=rule)
    assert np.allclose(both.predict_log_proba(new), log_softmax(expected, axis=1))
    assert np.abs(first.predict_proba(new) - both.predict_proba(new)).max() > 0.01


def test_the_signature_is_that_of_the_values_as_measured():
    X, y = with_common_factor()
    first = fitted(X, y, decorrelation=0.0)
    both = fitted(X, y)
    assert not hasattr(first, "decorrelated_")
    assert both.selected_features_ == first.selected_features_
    assert both.core_features_ == first.core_features_
    assert both.path_.equals(first.path_)


def test_each_fold_is_transformed_by_its_own_training_samples(monkeypatch):
    X, y = with_common_factor()
    training_sets = []

    class Spied(Decorrelator):
        def fit(self, X, y):
            training_sets.append((X, y))
            return super().fit(X, y)

    monkeypatch.setattr(class_specific_nb_cv, "Decorrelator", Spied)
    fitted(X, y)
    folds = [train for train, _ in inner_folds(3, y, None)]
    for (values, codes), samples in zip(training_sets, [*folds, np.arange(len(y))], strict=True):
        assert np.array_equal(values, X.to_numpy()[samples])
        assert np.array_equal(codes, y[samples])


def test_both_classifiers_have_the_same_inner_folds():
    X, y = with_common_factor()

    class Drawn:
        """A splitter whose folds differ each time that it is used."""

        rng = np.random.default_rng(0)

        def get_n_splits(self, X=None, y=None, groups=None):
            return 3

        def split(self, X, y=None, groups=None):
            for test in np.array_split(self.rng.permutation(len(X)), 3):
                yield np.setdiff1d(np.arange(len(X)), test), test

    both = fitted(X, y, cv=Drawn())
    assert np.array_equal(both.held_out_codes_, both.decorrelated_.held_out_codes_)
    assert np.array_equal(both.held_out_folds_, both.decorrelated_.held_out_folds_)


def test_held_out_scores_are_posteriors_of_the_mean():
    X, y = with_common_factor(3)
    first = fitted(X, y, decorrelation=0.0)
    second = fitted(X, y, cls=DecorrelatedNBCV)
    both = fitted(X, y)
    # softmax of the mean of log posteriors: the true class against the sum over all classes
    geometric_means = np.exp((first._held_out_log_posterior + second._held_out_log_posterior) / 2.0)
    of_class = np.sqrt(first.held_out_scores_ * second.held_out_scores_)
    assert np.allclose(both.held_out_scores_, of_class / geometric_means.sum(axis=1))
    assert both.predict_set(X).any(axis=1).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_explanations_add_up_to_the_joint_log_probability(n_classes):
    X, y = with_common_factor(n_classes)
    both = fitted(X, y)
    terms = both.explain(X)
    sums = terms.groupby(["sample", "class"])["evidence"].sum().unstack().to_numpy()
    joint = both.class_log_prior_ + both.calibration_intercept_ + sums
    assert np.allclose(joint, both.predict_joint_log_proba(X))
    assert not terms.duplicated(["sample", "class", "feature"]).any()
    used = {X.columns[i] for i in np.union1d(both.used_columns_, both.decorrelated_.used_columns_)}
    assert set(terms["feature"]) == used


def test_new_samples_that_lack_features_are_predicted_by_the_others():
    X, y = with_common_factor()
    both = fitted(X, y)
    new, _ = with_common_factor(seed=1)
    lacking = ["g0", "g7", "g8", "g20"]
    with pytest.warns(UserWarning, match="lack features"):
        incomplete = both.predict_log_proba(new.drop(columns=lacking))
    with pytest.warns(UserWarning, match="lack features"):
        reordered = both.predict_log_proba(new.iloc[:, ::-1].drop(columns=lacking))
    assert np.allclose(incomplete, reordered)

    terms = both.explain(new.drop(columns=lacking))
    assert (terms.loc[terms["feature"].isin(lacking), "evidence"] == 0.0).all()
    left = both.evidence_left(new.drop(columns=lacking))
    first = fitted(X, y, decorrelation=0.0).evidence_left(new.drop(columns=lacking))
    second = fitted(X, y, cls=DecorrelatedNBCV).evidence_left(new.drop(columns=lacking))
    assert np.allclose(left, (first + second) / 2.0)
    assert (left < 1.0).all()


def test_few_missing_features_change_little():
    X, y = with_common_factor(n_features=400)
    both = fitted(X, y)
    new, _ = with_common_factor(n_features=400, seed=1)
    unused = np.setdiff1d(
        np.arange(400), np.union1d(both.used_columns_, both.decorrelated_.used_columns_)
    )
    with pytest.warns(UserWarning, match="lack features"):
        incomplete = both.predict_proba(new.drop(columns=new.columns[unused[::5]]))
    assert np.abs(incomplete - both.predict_proba(new)).max() < 0.05


def test_a_common_factor_no_longer_moves_the_log_odds():
    X, y = with_common_factor(n_samples=60, n_features=300)
    rng = np.random.default_rng(2)
    factor = rng.normal(size=400)
    new = rng.normal(size=(400, 300)) + 1.5 * factor[:, np.newaxis]
    new[:, :4] += 0.75  # between the classes

    def correlation(model):
        log_posterior = model.predict_log_proba(new)
        return abs(np.corrcoef(log_posterior[:, 1] - log_posterior[:, 0], factor)[0, 1])

    X = X.to_numpy()
    first = fitted(X, y, decorrelation=0.0)
    both = fitted(X, y)
    assert correlation(both.decorrelated_) < 0.5 * correlation(first)


@pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")
def test_samples_of_one_class_have_one_classifier():
    X, _ = with_common_factor()
    model = fitted(X, np.zeros(len(X)))
    assert not hasattr(model, "decorrelated_")
    assert (model.predict_proba(X) == 1.0).all()
