"""Metrics of a fold and of all folds: scikit-learn's values, and folds that lack classes."""

import itertools

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax

from xnbflow.evaluation.metrics import (
    FOLD_METRICS,
    class_areas,
    class_metrics,
    fold_metrics,
    roc_curves,
)

PROBABILISTIC = ("roc_auc", "log_loss", "brier")


@pytest.fixture(autouse=True, scope="module")
def _trusted():
    """Scikit-learn's peers are called rightly here: it need not check that a thousand times."""
    with sklearn.config_context(skip_parameter_validation=True):
        yield


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 30), st.integers(2, 6), st.integers(0, 1000))
@pytest.mark.filterwarnings("ignore")
def test_label_metrics_are_scikit_learn_s_even_if_the_fold_lacks_classes(n, k, seed):
    rng = np.random.default_rng(seed)
    classes = np.array([f"class {code}" for code in range(k)])
    codes = rng.integers(k, size=n)
    scores = rng.normal(size=(n, k)) + np.eye(k)[codes]
    true, predicted = classes[codes], classes[scores.argmax(axis=1)]
    ours = fold_metrics(true, predicted, None, classes)
    theirs = {
        "accuracy": sklearn.metrics.accuracy_score(true, predicted),
        "balanced_accuracy": sklearn.metrics.balanced_accuracy_score(true, predicted),
        "f1_macro": sklearn.metrics.f1_score(true, predicted, average="macro"),
        "mcc": sklearn.metrics.matthews_corrcoef(true, predicted),
    }
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)


@settings(deadline=None, max_examples=150)
@given(st.integers(2, 6), st.integers(8, 40), st.integers(2, 20), st.integers(0, 10**6))
def test_roc_auc_is_scikit_learn_s_on_probabilities_that_tie(k, n, steps, seed):
    """Counts out of a few, as those of neighbours or trees: tenths, quarters, zeros and ones."""
    rng = np.random.default_rng(seed)
    classes = np.array([f"class {code}" for code in range(k)])
    true = classes[np.concatenate([np.arange(k), rng.integers(k, size=n)])]
    probability = rng.multinomial(steps, np.full(k, 1 / k), size=len(true)) / steps
    with np.errstate(divide="ignore"):
        log_posterior = np.log(probability)
    ours = fold_metrics(true, true, log_posterior, classes)["roc_auc"]
    arguments = {"y_true": true, "y_score": probability, "multi_class": "ovr", "labels": classes}
    arguments = arguments if k > 2 else {"y_true": true == classes[1], "y_score": probability[:, 1]}
    assert abs(ours - sklearn.metrics.roc_auc_score(**arguments)) < 1e-12


def folds_of_few(seed=0):
    """Five folds of a class of 20 and one of 2 samples, which is never recognised."""
    rng = np.random.default_rng(seed)
    true = np.repeat(["large", "small", "other"], [20, 2, 18])
    folds = np.concatenate([np.arange(20) % 5, [0, 1], np.arange(18) % 5])
    predicted = np.where(true == "small", "large", true)
    posterior = log_softmax(rng.normal(size=(40, 3)), axis=1)
    return true, predicted, posterior, np.array(["large", "other", "small"]), folds


def test_a_class_that_some_folds_lack_counts_like_any_other():
    true, predicted, posterior, classes, folds = folds_of_few()
    pooled = class_metrics(true, predicted, log_posterior=posterior, classes=classes, folds=folds)
    assert pooled["balanced_accuracy"] == pytest.approx(2 / 3)
    by_fold = [
        fold_metrics(true[folds == f], predicted[folds == f], None, classes)["balanced_accuracy"]
        for f in range(5)
    ]
    assert np.mean(by_fold) > 0.86  # flattered: three of five folds do not test it
    assert pooled["f1_macro"] == pytest.approx((40 / 42 + 1 + 0) / 3)


@pytest.mark.parametrize("absent", ["none", "small"])
def test_pooled_roc_auc_counts_the_pairs_within_folds(absent):
    true, predicted, posterior, classes, folds = folds_of_few(seed=4)
    present = true != absent
    true = true[present]
    predicted = predicted[present]
    posterior = posterior[present]
    folds = folds[present]
    areas = []
    for column, label in enumerate(classes):
        if label == absent:
            continue
        right = pairs = 0
        for i, j in itertools.permutations(range(len(true)), 2):
            if folds[i] == folds[j] and true[i] == label and true[j] != label:
                right += posterior[i, column] > posterior[j, column]
                pairs += 1
        areas.append(right / pairs)
    ours = class_metrics(true, predicted, log_posterior=posterior, classes=classes, folds=folds)[
        "roc_auc"
    ]
    assert ours == pytest.approx(np.mean(areas), abs=1e-12)


def test_small_folds_compare_the_ranks_of_samples_within_their_folds():
    """Folds of two "a" and one "b", which is first in two folds, second in one and third in one.

    The folds have scores on different scales. Eight pairs of 32 are fewer than a third.
    """
    true = np.array(list("aab" * 4))
    folds = np.repeat(np.arange(4), 3)
    scores = np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.1, 0.5, 0.3, 0.9, 0.8, 0.7])
    posterior = np.log(np.column_stack([1 - scores, scores]))
    ours = class_metrics(true, true, posterior, np.array(["a", "b"]), folds)["roc_auc"]
    ranks = np.array([1, 2, 3, 1, 2, 3, 1, 3, 2, 3, 2, 1])
    assert ours == pytest.approx(sklearn.metrics.roc_auc_score(true == "b", ranks))


def test_folds_of_single_samples_have_no_roc_auc():
    true = np.array(list("aabb"))
    posterior = np.log(np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.2, 0.8]]))
    metrics = class_metrics(true, true, posterior, np.array(["a", "b"]), np.arange(4))
    assert np.isnan(metrics["roc_auc"])


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


@pytest.mark.parametrize("sharpness", [0.5, 2.0])
def test_the_roc_curve_of_a_fold_is_scikit_learn_s(rng, sharpness):
    classes = np.array(["a", "b", "c"])
    true = rng.choice(classes, 40)
    scores = 2 * rng.normal(size=(40, 3)) + 2 * (true[:, None] == classes)
    log_posterior = np.floor(sharpness * log_softmax(scores, axis=1))  # some samples tie
    curves = roc_curves(true, log_posterior, classes, np.zeros(40))
    for j, label in enumerate(classes):
        curve = curves.loc[curves["class"] == label, "true_positive_rate"].to_numpy()
        theirs = sklearn.metrics.roc_curve(true == label, np.exp(log_posterior[:, j]))[:2]
        expected = np.interp(np.linspace(0, 1, 101), *theirs)
        assert curve.tolist() == pytest.approx([0.0, *expected], abs=1e-12)
    areas = class_areas(true, log_posterior, classes, np.zeros(40))
    probabilities = np.exp(log_posterior)
    for j, label in enumerate(classes):
        expected = sklearn.metrics.roc_auc_score(true == label, probabilities[:, j])
        assert areas[label] == pytest.approx(expected, abs=1e-12)
