"""ClassSpecificNBCV: the path is that of separate fits, and the choice on it follows its rule."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold

from xnbflow.data.errors import InputError
from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV
from xnbflow.naive_bayes.class_specific_cv import geometric_sizes
from xnbflow.naive_bayes.size_path import choose

one_size = partial(ClassSpecificNBCV, rule="one_standard_error")

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def noisy(rng, sizes=(16, 12, 14), n_features=40, shift=1.2):
    """Classes that overlap, with features that repeat one another."""
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(len(codes), n_features))
    for c in range(len(sizes)):
        X[codes == c, 5 * c : 5 * c + 5] += shift
    X[:, 20:25] = X[:, :5] + 0.1 * rng.normal(size=(len(codes), 5))
    return X, codes


# --- the path -----------------------------------------------------------------------------------


def test_the_path_is_that_of_a_fit_per_size_and_fold(rng):
    X, y = noisy(rng)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    sizes = [1, 2, 5, 9, 40]
    model = one_size(sizes=sizes, cv=folds, calibration="temperature").fit(X, y)
    path = model.path_.set_index("n_features_per_pair")
    assert path.index.tolist() == sizes
    for size in sizes:
        joint, prior = np.empty((2, len(y), 3))
        per_class = []
        for train, test in folds.split(X, y):
            inner = ClassSpecificNB(n_features=size).fit(X[train], y[train])
            joint[test], prior[test] = (
                inner.predict_joint_log_proba(X[test]),
                inner.class_log_prior_,
            )
            per_class.append([len(each) for each in inner.selected_features_.values()])
        row = path.loc[size]
        predicted = ((joint - prior) / row["temperature"] + prior).argmax(axis=1)
        right = [(predicted == y)[test].mean() for _, test in folds.split(X, y)]
        assert row["accuracy"] == pytest.approx((predicted == y).mean())
        assert row["accuracy_se"] == pytest.approx(np.std(right, ddof=1) / 2)
        assert row["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
        assert row["n_features_per_class"] == pytest.approx(np.mean(per_class))

        def loss(log_t, joint=joint, prior=prior):
            scores = np.exp((joint - prior) / np.exp(log_t) + prior)
            return log_loss(y, scores / scores.sum(axis=1, keepdims=True))

        best = minimize_scalar(loss, bounds=(0.0, 5.0), method="bounded")
        assert row["temperature"] == pytest.approx(np.exp(best.x), rel=1e-3)
        assert row["log_loss"] == pytest.approx(best.fun, rel=1e-6)


def test_the_model_is_the_fit_with_what_was_chosen(rng):
    X, y = noisy(rng)
    model = one_size(
        cv=4,
        calibration="temperature",
        min_bandwidth=[0.1, 0.5],
        distance=["combined", "hellinger"],
    ).fit(X, y)
    (chosen,) = model.path_[model.path_["chosen"]].to_dict("records")
    assert chosen["n_features_per_pair"] == model.n_features_
    assert (chosen["distance"], chosen["min_bandwidth"]) == (model.distance_, model.min_bandwidth_)
    assert len(model.path_) == 4 * 30
    same = ClassSpecificNB(
        n_features=model.n_features_,
        distance=model.distance_,
        min_bandwidth=model.min_bandwidth_,
        temperature=model.temperature_,
    ).fit(X, y)
    assert model.selected_features_ == same.selected_features_
    np.testing.assert_array_equal(model.predict_log_proba(X), same.predict_log_proba(X))
    pd.testing.assert_frame_equal(model.explain(X[:3]), same.explain(X[:3]))


def test_scores_are_honest_about_noise(rng):
    X, y = rng.normal(size=(60, 500)), np.arange(60) % 2
    path = one_size(cv=5).fit(X, y).path_
    assert path["accuracy"].mean() < 0.65  # selection happens inside the folds
    assert path["log_loss"].min() > 0.6


def test_units_and_names_change_nothing(rng):
    X, y = noisy(rng)
    model = one_size(cv=4).fit(X, y)
    scales = 10.0 ** rng.uniform(-6, 6, X.shape[1])
    names = rng.permutation([f"g{i}" for i in range(40)])
    other = one_size(cv=4).fit(pd.DataFrame(X * scales, columns=names), y)
    assert other.n_features_ == model.n_features_
    assert other.temperature_ == pytest.approx(model.temperature_, rel=1e-6)
    np.testing.assert_allclose(other.calibration_slope_, model.calibration_slope_, rtol=1e-6)
    scaled = other.predict_log_proba(pd.DataFrame(X * scales, columns=names))
    np.testing.assert_allclose(scaled, model.predict_log_proba(X), rtol=1e-6, atol=1e-9)
    for label, chosen in model.selected_features_.items():
        assert other.selected_features_[label] == names[chosen].tolist()


def test_the_inner_folds_keep_groups_together(rng):
    X, y = noisy(rng)
    patients = np.arange(len(y)) // 2
    seen = []

    class Recorder(LeaveOneGroupOut):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append((set(groups[train]), set(groups[test])))
                yield train, test

    one_size(sizes=[3], cv=Recorder()).fit(X, y, groups=patients)
    assert len(seen) == 21
    assert all(train.isdisjoint(test) for train, test in seen)
    # Two samples of one patient are nearly the same: apart, the inner scores would flatter.
    copies = np.repeat(rng.normal(size=(30, 200)), 2, axis=0)
    labels = np.repeat(rng.permutation(np.arange(30) % 2), 2)
    pairs = np.repeat(np.arange(30), 2)
    shuffled = StratifiedKFold(5, shuffle=True, random_state=0)
    apart = one_size(cv=shuffled).fit(copies, labels).path_["accuracy"].max()
    together = one_size(cv=5).fit(copies, labels, groups=pairs).path_["accuracy"].max()
    assert together < apart


@pytest.mark.filterwarnings("ignore:class .* has 1 sample")
def test_classes_that_an_inner_training_set_lacks_cost_but_do_not_fail(rng):
    X, y = noisy(rng, sizes=(12, 11, 1))
    model = one_size(cv=4).fit(X, y)
    assert model.path_["log_loss"].min() > -np.log(np.finfo(float).eps) / len(y) - 1e-9
    assert np.isfinite(model.path_.select_dtypes("number")).all(axis=None)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_scores_are_those_of_samples_whose_classes_weigh_as_the_priors(rng):
    X, y = noisy(rng)
    priors = np.array([0.2, 0.3, 0.5])
    weights = (priors / np.bincount(y))[y]
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    model = one_size(sizes=[4], cv=folds, priors=priors, calibration="temperature")
    model.fit(X, y)
    joint = np.empty((len(y), 3))
    for train, test in folds.split(X, y):
        inner = ClassSpecificNB(n_features=4, priors=priors).fit(X[train], y[train])
        joint[test] = inner.predict_joint_log_proba(X[test])
    sums = joint - np.log(priors)

    def loss(log_t):
        scores = np.exp(sums / np.exp(log_t) + np.log(priors))
        return log_loss(y, scores / scores.sum(axis=1, keepdims=True), sample_weight=weights)

    best = minimize_scalar(loss, bounds=(0.0, 5.0), method="bounded")
    right = (sums / np.exp(best.x) + np.log(priors)).argmax(axis=1) == y
    (row,) = model.path_.to_dict("records")
    assert row["temperature"] == pytest.approx(np.exp(best.x), rel=1e-3)
    assert row["log_loss"] == pytest.approx(best.fun, rel=1e-6)
    assert row["accuracy"] == pytest.approx(np.average(right, weights=weights))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"sizes": []}, "sizes is empty"),
        ({"distance": []}, "distance or min_bandwidth is empty"),
        ({"sizes": [0]}, "sizes is "),
        ({"cv": "ten"}, "cv is 'ten'"),
        ({"scoring": "auc"}, "scoring is 'auc'"),
        ({"calibration": "isotonic"}, "calibration is 'isotonic'"),
    ],
)
def test_what_cannot_be_tried_is_refused(rng, params, message):
    with pytest.raises(InputError, match=message):
        one_size(**params).fit(*noisy(rng))


@pytest.mark.filterwarnings("ignore:class .* has 1 sample")
def test_too_few_samples_for_inner_folds_are_refused():
    with pytest.raises(InputError, match="inner cross-validation needs 2 folds at least"):
        one_size().fit(np.eye(2), [0, 1])
    with pytest.raises(InputError, match="at most 1 groups"):
        one_size().fit(np.eye(4), [0, 1, 0, 1], groups=[1, 1, 1, 1])


def test_what_is_learned_holds_no_table(rng):
    model = one_size(cv=3).fit(*noisy(rng))
    assert not any(isinstance(value, pd.DataFrame | pd.Series) for value in vars(model).values())


# --- the choice ---------------------------------------------------------------------------------


def rows(scores, errors, name="accuracy"):
    return [
        {"n_features_per_class": float(size), name: score, f"{name}_se": error}
        for size, (score, error) in enumerate(zip(scores, errors, strict=True), start=1)
    ]


def test_the_fewest_features_within_one_standard_error_of_the_best():
    path = rows([0.80, 0.88, 0.90, 0.93, 0.92], [0.01, 0.2, 0.01, 0.04, 0.01])
    assert choose(path, "accuracy", "one_standard_error", 1000) == 2
    assert choose(path, "accuracy", "best", 1000) == 3
    losses = rows([0.5, 0.31, 0.30, 0.29], [0.1, 0.1, 0.1, 0.015], "log_loss")
    assert choose(losses, "log_loss", "one_standard_error", 1000) == 2


def test_what_one_sample_can_change_is_no_difference():
    path = rows([0.99, 1.0, 1.0], [0.1, 0.0, 0.0])
    assert choose(path, "accuracy", "one_standard_error", 100) == 0
    assert choose(path, "accuracy", "one_standard_error", 1000) == 1


def test_sizes_grow_geometrically():
    sizes = geometric_sizes(200, 30)
    assert len(sizes) == 30
    assert (sizes[0], sizes[-1]) == (1, 200)
    steps = sizes[1:] / sizes[:-1]
    assert steps[15:].max() < 1.25
    assert geometric_sizes(13, 30).tolist() == list(range(1, 14))


def test_the_temperature_makes_probabilities_honest(rng):
    X, y = noisy(rng, sizes=(90, 90), n_features=25, shift=0.3)
    X = np.tile(X, (1, 8))  # every feature counts eight times
    test = np.arange(len(y)) % 3 == 0
    sure = ClassSpecificNB(n_features=200).fit(X[~test], y[~test])
    honest = one_size(sizes=[200], cv=5).fit(X[~test], y[~test])
    assert honest.temperature_ > 4
    losses = [log_loss(y[test], each.predict_proba(X[test])) for each in (sure, honest)]
    assert losses[1] < losses[0] / 2
