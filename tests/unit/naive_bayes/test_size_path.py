"""The path over sizes: predictions, scores, and the choice of one size."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from calibration_cases import by_another_optimiser, overconfident
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold
from toys import markers

from xnbflow.core.errors import InputError
from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV
from xnbflow.naive_bayes.evidence_calibration import fit_temperature
from xnbflow.naive_bayes.size_path import InnerPredictions, choose_size, path_sizes
from xnbflow.naive_bayes.vector_scaling import fit_vector

pytestmark = pytest.mark.filterwarnings("ignore:class .* has no feature:UserWarning")


#: The classifier of one size, which the tests of its path and its calibration are about.
one_size = partial(ClassSpecificNBCV, rule="one_standard_error")


def noisy(rng, sizes=(16, 12, 14), n_features=40, shift=1.2):
    """Classes that overlap, with features that repeat one another."""
    X, codes = markers(rng, n_features, sizes, shift, n_markers=5)
    X[:, 20:25] = X[:, :5] + 0.1 * rng.normal(size=(len(codes), 5))
    return X, codes


def test_the_path_is_that_of_a_fit_per_size_and_fold(rng):
    X, y = noisy(rng, sizes=(16, 14))  # two classes are calibrated by the temperature alone
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    sizes = [1, 2, 5, 9, 40]
    model = one_size(sizes=sizes, cv=folds).fit(X, y)
    path = model.path_.set_index("n_features_per_pair")
    assert path.index.tolist() == sizes
    for size in sizes:
        joint, prior = np.empty((2, len(y), 2))
        per_class = []
        for train, test in folds.split(X, y):
            inner = ClassSpecificNB(n_features=size).fit(X[train], y[train])
            joint[test] = inner.predict_joint_log_proba(X[test])
            prior[test] = inner.class_log_prior_
            per_class.append([len(features) for features in inner.selected_features_.values()])
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
    X, y = noisy(rng, sizes=(16, 14))
    tried = {"min_bandwidth": 0.1, "distance": "hellinger"}
    model = one_size(cv=4, **tried).fit(X, y)
    (chosen,) = model.path_[model.path_["chosen"]].to_dict("records")
    assert chosen["n_features_per_pair"] == model.n_features_
    assert len(model.path_) == 30
    tried |= {"n_features": model.n_features_, "temperature": model.temperature_}
    same = ClassSpecificNB(**tried).fit(X, y)
    assert model.selected_features_ == same.selected_features_
    np.testing.assert_array_equal(model.predict_log_proba(X), same.predict_log_proba(X))
    pd.testing.assert_frame_equal(model.explain(X[:3]), same.explain(X[:3]))


def rows(scores, errors, name="log_loss"):
    return [
        {"n_features_per_class": float(size), name: score, f"{name}_se": error}
        for size, (score, error) in enumerate(zip(scores, errors, strict=True), start=1)
    ]


def test_the_fewest_features_within_one_standard_error_of_the_best():
    path = rows([0.20, 0.12, 0.10, 0.07, 0.08], [0.01, 0.2, 0.01, 0.04, 0.01])
    assert choose_size(path, 1000) == 2
    path = rows([0.01, 0.0, 0.0], [0.1, 0.0, 0.0])  # one of 100 samples is no difference
    assert choose_size(path, 100) == 0
    assert choose_size(path, 1000) == 1


def inner(rng, n=60, **changes):
    sums, log_prior, codes = overconfident(rng, n=n)
    folds = np.arange(n) % 6
    parts = {"sums": sums[None], "log_prior": log_prior, "codes": codes, "folds": folds}
    return InnerPredictions(**parts | changes, counts=np.array([4.0]), weights=np.ones(n))


def test_what_is_scored_is_calibrated_by_other_folds(rng):
    path = inner(rng)
    (row,), (final,) = path.calibrate_sizes()
    sums = path.sums[0]
    temperature = fit_temperature(sums, path.log_prior, path.codes).temperature
    joint = np.empty_like(sums)
    for fold in range(6):
        held_out = path.folds == fold
        rest = sums[~held_out], path.log_prior[~held_out], path.codes[~held_out], temperature
        slope, intercept = by_another_optimiser(*rest)
        joint[held_out] = sums[held_out] * slope + intercept + path.log_prior[held_out]
    loss = log_loss(path.codes, np.exp(log_softmax(joint, axis=1)))
    assert row["log_loss"] == pytest.approx(loss, rel=1e-4)
    assert row["accuracy"] == (joint.argmax(axis=1) == path.codes).mean()
    slope, intercept = by_another_optimiser(sums, path.log_prior, path.codes, temperature)
    np.testing.assert_allclose(final.slope, slope, atol=2e-5)
    np.testing.assert_allclose(final.intercept, intercept, atol=2e-4)


def predictions(rng, n_sizes=4, n=40, n_folds=5):
    """Predictions of two classes, of unequal weights, whose evidence grows with the size."""
    codes = rng.integers(2, size=n)
    signal = 1.5 * (codes[:, np.newaxis] == [0, 1])
    sums = np.array([0.3 * size * signal + rng.normal(size=(n, 2)) for size in range(n_sizes)])
    return InnerPredictions(
        sums=sums,
        log_prior=np.log(np.full((n, 2), 0.5)),
        codes=codes,
        folds=np.arange(n) % n_folds,
        counts=np.arange(1.0, n_sizes + 1.0),
        weights=rng.uniform(0.5, 1.5, n),
    )


def loss_of(sums, code):
    """The log loss of one sample of two classes with equal priors."""
    return np.log1p(np.exp(sums[1 - code] - sums[code]))


@pytest.mark.parametrize("seed", range(6))
def test_the_core_is_scored_in_each_fold_with_the_size_that_the_others_choose(seed):
    path = predictions(np.random.default_rng(seed))
    sharpness = np.array([1.0, 0.5, 2.0, 1.0])
    correct = np.empty(40)
    for fold in range(5):
        rest = [i for i in range(40) if path.folds[i] != fold]
        losses = np.empty((len(path.sums), len(rest)))  # of each size and sample
        for size, sums in enumerate(path.sums):
            for position, i in enumerate(rest):
                losses[size, position] = loss_of(sums[i] * sharpness[size], path.codes[i])
        means = losses.mean(axis=1)
        of_best = losses[means.argmin()]
        by_fold = [of_best[path.folds[rest] == other].mean() for other in range(5) if other != fold]
        error = np.std(by_fold, ddof=1) / 2.0  # four folds
        size = int(np.flatnonzero(means <= means.min() + error)[0])
        for i in np.flatnonzero(path.folds == fold):
            correct[i] = path.sums[size, i].argmax() == path.codes[i]
    actual = path.core_scores(sharpness)
    assert actual["accuracy"] == pytest.approx(np.average(correct, weights=path.weights))
    recalls = [correct[path.codes == c].mean() for c in (0, 1)]
    assert actual["balanced_accuracy"] == pytest.approx(np.mean(recalls))


def test_scores_are_weighted_and_errors_are_over_folds():
    evidence = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 3.0]])
    codes, weights = np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 1.0, 4.0])
    path = InnerPredictions(
        sums=evidence[np.newaxis],
        log_prior=np.log(np.full((4, 2), 0.5)),
        codes=codes,
        folds=np.array([0, 0, 1, 1]),
        counts=np.ones(1),
        weights=weights,
    )
    actual = path.score(evidence)
    losses = np.array([loss_of(sums, code) for sums, code in zip(evidence, codes, strict=True)])
    assert actual["accuracy"] == 5.0 / 8.0  # the first and the last sample
    assert actual["accuracy_se"] == pytest.approx(abs(1 / 3 - 4 / 5) / 2)  # of two means
    assert actual["balanced_accuracy"] == 0.5
    assert actual["balanced_accuracy_se"] == pytest.approx(np.sqrt(2 * 0.25 / 2) / 2)
    assert actual["log_loss"] == pytest.approx((weights * losses).sum() / 8.0)
    first, second = (1 * losses[0] + 2 * losses[1]) / 3, (1 * losses[2] + 4 * losses[3]) / 5
    assert actual["log_loss_se"] == pytest.approx(abs(first - second) / 2)


def calibrated_without(path, held_out):
    """Sums that are calibrated by the other samples, at the temperature of all."""
    sums = path.sums[0]
    start = fit_temperature(sums, path.log_prior, path.codes, path.weights)
    rest = sums[~held_out], path.log_prior[~held_out], path.codes[~held_out]
    return fit_vector(*rest, path.weights[~held_out], start)(sums)


def test_more_than_ten_folds_are_left_out_in_ten_blocks(rng):
    path = inner(rng, folds=np.arange(60) % 12)
    expected = np.empty((60, 3))
    for block in range(10):
        held_out = path.folds % 10 == block
        expected[held_out] = calibrated_without(path, held_out)[held_out]
    (row,), _ = path.calibrate_sizes()
    assert row["log_loss"] == pytest.approx(path.score(expected)["log_loss"], abs=1e-9)


def test_many_samples_are_calibrated_once(rng):
    path = inner(rng, n=10_001)
    (row,), (calibration,) = path.calibrate_sizes()
    assert row["log_loss"] == path.score(calibration(path.sums[0]))["log_loss"]
    fewer = inner(rng, n=2_000)
    (row,), (calibration,) = fewer.calibrate_sizes()
    assert row["log_loss"] > fewer.score(calibration(fewer.sums[0]))["log_loss"]


def test_equal_numbers_of_features_are_decided_by_the_loss():
    path = rows([0.10, 0.09, 0.08], [0.05, 0.05, 0.05])
    path[1]["n_features_per_class"] = path[0]["n_features_per_class"]
    assert choose_size(path, 100) == 1
    path[2]["log_loss"] = path[1]["log_loss"] = 0.10
    assert choose_size(path[1:], 100) == 0


def test_the_default_path_has_thirty_sizes_up_to_two_hundred():
    sizes = path_sizes(None, 5_000)
    assert len(sizes) == 30
    assert sizes[[0, -1]].tolist() == [1, 200]
    assert np.ptp(np.diff(np.log(sizes[15:]))) < 0.06  # geometric
    assert path_sizes(None, 40).tolist()[-1] == 40
    assert path_sizes(None, 12).tolist() == list(range(1, 13))
    with pytest.raises(InputError, match="sizes is empty"):
        path_sizes([], 12)
