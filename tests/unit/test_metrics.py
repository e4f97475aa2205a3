"""Metrics of a fold: scikit-learn's values where it defines them, and folds that lack classes."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax

from xnbflow.errors import InputError
from xnbflow.evaluation.metrics import FOLD_METRICS, calibration_curve, fold_metrics

PROBABILISTIC = ("roc_auc", "log_loss", "brier")


def random_fold(n, k, seed, sharpness=2.0):
    rng = np.random.default_rng(seed)
    classes = np.array([f"class {code}" for code in range(k)])
    codes = rng.integers(k, size=n)
    noise = rng.normal(size=(n, k)) + np.eye(k)[codes]
    log_posterior = log_softmax(sharpness * noise, axis=1)
    return classes[codes], classes[log_posterior.argmax(axis=1)], log_posterior, classes


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 30), st.integers(2, 6), st.integers(0, 1000))
@pytest.mark.filterwarnings("ignore")
def test_label_metrics_are_scikit_learn_s_even_if_the_fold_lacks_classes(n, k, seed):
    true, predicted, _, classes = random_fold(n, k, seed)
    ours = fold_metrics(true, predicted, None, classes)
    theirs = {
        "accuracy": sklearn.metrics.accuracy_score(true, predicted),
        "balanced_accuracy": sklearn.metrics.balanced_accuracy_score(true, predicted),
        "f1_macro": sklearn.metrics.f1_score(true, predicted, average="macro"),
        "mcc": sklearn.metrics.matthews_corrcoef(true, predicted),
    }
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)


@settings(deadline=None, max_examples=40)
@given(st.integers(20, 60), st.integers(2, 5), st.integers(0, 1000))
def test_probability_metrics_are_scikit_learn_s(n, k, seed):
    true, predicted, log_posterior, classes = random_fold(n, k, seed)
    if len(set(true)) < k:
        true[:k] = classes
    ours = fold_metrics(true, predicted, log_posterior, classes)
    probability = np.exp(log_posterior)
    if k == 2:
        auc = sklearn.metrics.roc_auc_score(true == classes[1], probability[:, 1])
    else:
        auc = sklearn.metrics.roc_auc_score(true, probability, multi_class="ovr", labels=classes)
    assert ours["roc_auc"] == pytest.approx(auc)
    log_loss = sklearn.metrics.log_loss(true, probability, labels=classes)
    assert ours["log_loss"] == pytest.approx(log_loss)
    indicator = (true[:, None] == classes).astype(float)
    assert ours["brier"] == pytest.approx(((probability - indicator) ** 2).sum(axis=1).mean())


def area_by_pairs(inside, outside):
    return np.mean([[(a > b) + (a == b) / 2 for b in outside] for a in inside])


def test_roc_auc_is_the_mean_over_the_classes_the_fold_tests():
    true, predicted, log_posterior, classes = random_fold(25, 4, seed=2)
    keep = true != classes[2]
    ours = fold_metrics(true[keep], predicted[keep], log_posterior[keep], classes)["roc_auc"]
    areas = []
    for column in (0, 1, 3):
        score, inside = log_posterior[keep, column], true[keep] == classes[column]
        areas.append(area_by_pairs(score[inside], score[~inside]))
    assert ours == pytest.approx(np.mean(areas))


def test_roc_auc_is_missing_if_the_fold_tests_one_class_only():
    true, predicted, log_posterior, classes = random_fold(12, 3, seed=3)
    keep = true == classes[0]
    metrics = fold_metrics(true[keep], predicted[keep], log_posterior[keep], classes)
    assert np.isnan(metrics["roc_auc"])
    assert metrics["mcc"] == 0
    assert metrics["accuracy"] == metrics["balanced_accuracy"]


def test_roc_auc_tells_posteriors_apart_that_all_round_to_one():
    # log odds of 40 and more: the log-posterior of "b" is 0 in floating point
    log_posterior = log_softmax(np.column_stack([np.zeros(4), [40.0, 45.0, 50.0, 55.0]]), axis=1)
    log_posterior[:, 1] = np.where(log_posterior[:, 1] > -1e-15, 0, np.nan)
    true = np.array(["a", "b", "a", "b"])
    metrics = fold_metrics(true, np.full(4, "b"), log_posterior, np.array(["a", "b"]))
    assert metrics["roc_auc"] == 0.75  # of the four pairs one is in the wrong order


def test_ties_count_one_half():
    log_posterior = np.log([[0.5, 0.5], [0.5, 0.5], [0.2, 0.8]])
    true = np.array(["a", "b", "b"])
    assert fold_metrics(true, true, log_posterior, np.array(["a", "b"]))["roc_auc"] == 0.75


def test_a_class_absent_from_training_costs_the_smallest_probability():
    classes = np.array(["a", "b", "c"])
    log_posterior = np.log(np.array([[0.5, 0.5], [0.1, 0.9], [0.2, 0.8]]))
    log_posterior = np.column_stack([log_posterior, np.full(3, -np.inf)])
    true, predicted = np.array(["a", "b", "c"]), np.array(["a", "b", "b"])
    metrics = fold_metrics(true, predicted, log_posterior, classes)
    assert all(np.isfinite(value) for value in metrics.values())
    smallest = -np.log(np.finfo(float).eps)
    assert smallest == pytest.approx(36.04, abs=0.01)
    assert metrics["log_loss"] == pytest.approx((-np.log(0.5) - np.log(0.9) + smallest) / 3)
    # "a": 0.5 against 0.1 and 0.2; "b": 0.9 against 0.5 and 0.8; "c": ties with both
    assert metrics["roc_auc"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert metrics["brier"] == pytest.approx((0.5 + 0.02 + (0.04 + 0.64 + 1)) / 3)


def test_a_certain_classifier_has_the_best_values():
    classes = np.array(["a", "b", "c"])
    true = np.array(["a", "b", "c", "b"])
    with np.errstate(divide="ignore"):
        log_posterior = np.log((true[:, None] == classes).astype(float))
    metrics = fold_metrics(true, true, log_posterior, classes)
    assert metrics == dict.fromkeys(FOLD_METRICS[:5], 1.0) | {"log_loss": 0.0, "brier": 0.0}


@pytest.mark.parametrize(
    "log_posterior",
    [None, np.full((3, 2), np.nan), np.array([[0, -np.inf], [-np.inf, -np.inf], [0, -np.inf]])],
    ids=["none given", "not a number", "no class possible"],
)
def test_without_probabilities_their_metrics_are_missing(log_posterior):
    true = np.array(["a", "b", "b"])
    metrics = fold_metrics(true, true, log_posterior, np.array(["a", "b"]))
    assert list(metrics) == list(FOLD_METRICS)
    assert all(np.isnan(metrics[name]) == (name in PROBABILISTIC) for name in FOLD_METRICS)


def test_the_order_of_classes_is_the_caller_s():
    true, predicted, log_posterior, classes = random_fold(40, 5, seed=5)
    order = np.array([3, 0, 4, 1, 2])
    shuffled = fold_metrics(true, predicted, log_posterior[:, order], classes[order])
    assert shuffled == pytest.approx(fold_metrics(true, predicted, log_posterior, classes))


def test_labels_of_any_array_type_are_understood():
    true, predicted, log_posterior, classes = random_fold(20, 3, seed=6)
    expected = fold_metrics(true, predicted, log_posterior, classes)
    as_objects = fold_metrics(
        true.astype(object), predicted.astype(object), log_posterior, classes.tolist()
    )
    assert as_objects == expected


@pytest.mark.parametrize(
    ("true", "predicted", "shape", "message"),
    [
        (["a", "z"], ["a", "b"], (2, 2), "found the label 'z'; the classes are a, b"),
        (["a", "b"], ["a", "0"], (2, 2), "found the label '0'"),
        ([], [], (0, 2), "found no sample"),
        (["a", "b"], ["a", "b"], (2, 3), "2 samples and 2 classes are needed"),
    ],
)
def test_predictions_that_do_not_fit_are_refused(true, predicted, shape, message):
    with pytest.raises(InputError, match=message):
        fold_metrics(np.array(true), np.array(predicted), np.zeros(shape), np.array(["a", "b"]))


def test_calibration_of_the_predicted_class_counts_by_hand():
    classes = np.array(["a", "b"])
    probability_of_a = np.array([0.95, 0.92, 0.5, 0.45, 0.03, 1.0])
    log_posterior = np.log(np.column_stack([probability_of_a, 1 - probability_of_a + 1e-300]))
    true = np.array(["a", "b", "a", "b", "b", "a"])
    curve = calibration_curve(true, log_posterior, classes).set_index("bin")
    assert curve["count"].tolist() == [0, 0, 0, 0, 0, 2, 0, 0, 0, 4]
    assert curve.loc[5, "mean_predicted"] == pytest.approx((0.5 + 0.55) / 2)
    assert curve.loc[5, "observed"] == 1
    assert curve.loc[9, "mean_predicted"] == pytest.approx((0.95 + 0.92 + 0.97 + 1) / 4)
    assert curve.loc[9, "observed"] == 3 / 4
    assert curve.loc[0, ["mean_predicted", "observed"]].isna().all()


def test_calibration_of_one_class_is_scikit_learn_s():
    from sklearn.calibration import calibration_curve as reference

    true, _, log_posterior, classes = random_fold(500, 3, seed=7)
    curve = calibration_curve(true, log_posterior, classes, label="class 1", n_bins=8)
    observed, predicted = reference(true == "class 1", np.exp(log_posterior[:, 1]), n_bins=8)
    filled = curve[curve["count"] > 0]
    np.testing.assert_allclose(filled["observed"], observed)
    np.testing.assert_allclose(filled["mean_predicted"], predicted)
    assert curve["count"].sum() == 500


def test_calibration_leaves_out_samples_without_probabilities():
    true, _, log_posterior, classes = random_fold(30, 3, seed=8)
    expected = calibration_curve(true[:20], log_posterior[:20], classes)
    log_posterior[20:25] = np.nan
    log_posterior[25:] = -np.inf
    assert calibration_curve(true, log_posterior, classes).equals(expected)


def test_calibration_refuses_an_unknown_class():
    true, _, log_posterior, classes = random_fold(10, 3, seed=9)
    with pytest.raises(InputError, match="found the label 'class 9'"):
        calibration_curve(true, log_posterior, classes, label="class 9")
