"""Recalibration: against another optimiser, on a shifted cohort, what it refuses, and panels."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from toys import dataset, refused
from typer.testing import CliRunner

from xnbflow.evaluation.metrics import fold_metrics
from xnbflow.models import recalibration
from xnbflow.models.explanation import explain_sample
from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.prediction import fitted_log_posterior, predict_table
from xnbflow.models.recalibration import (
    RECALIBRATION,
    fit_recalibration,
    recalibrate_model,
    recalibrated,
    shift_is_shown,
)
from xnbflow.models.trained import fit_model
from xnbflow.running.cli.app import app


def cohort(rng, n, shift=0.0, classes=("a", "b")):
    """Samples of two classes that differ in ten of thirty features, all shifted."""
    labels = np.array(classes)[np.arange(n) % len(classes)]
    values = rng.normal(size=(30, n)) + shift
    values[:10] += 1.5 * (labels == classes[0])
    return dataset(values, labels)


@pytest.fixture(scope="module")
def model():
    series = cohort(np.random.default_rng(0), 60)
    return fit_model(series, {"method": "csnb_cv", "params": {"cv": 3}})


def test_slope_and_intercept_are_those_of_another_optimiser(rng):
    odds = rng.normal(30.0, 8.0, 40)
    codes = (rng.random(40) < 1 / (1 + np.exp(-(odds - 32) / 4))).astype(int)
    actual = fit_recalibration(np.stack([np.zeros(40), odds], axis=1), codes)
    penalty = 2 * odds.std() / 2.5

    def loss(point):
        joint = point[0] * odds + point[1]
        losses = np.logaddexp(0, joint) - codes * joint
        return losses.sum() + (penalty * point[0]) ** 2 / 2

    best = minimize(loss, [0.1, -3.0], method="BFGS", options={"gtol": 1e-9})
    values = actual["slope"], actual["intercept"][1]
    assert values == pytest.approx(best.x, rel=1e-3)
    joint = best.x[0] * odds + best.x[1]
    weights = np.exp(joint) / (1 + np.exp(joint)) ** 2
    hessian = np.array([[weights @ odds**2 + penalty**2, weights @ odds], [0, weights.sum()]])
    hessian[1, 0] = hessian[0, 1]
    errors = np.sqrt(np.diag(np.linalg.inv(hessian)))
    for name, value, error in zip(("slope", "intercept"), best.x, errors, strict=True):
        limits = value + 1.96 * error * np.array([-1, 1])
        assert actual[f"{name}_interval"] == pytest.approx(limits, rel=1e-2, abs=1e-3)


def test_a_shifted_cohort_is_recognised_again_and_explained(model, rng, tmp_path):
    shifted, new = cohort(rng, 24, 1.2), cohort(rng, 400, 1.2)
    recalibrated_model, figures = recalibrate_model(
        model, shifted, fitted_log_posterior(model, shifted.frame())
    )
    write_model(recalibrated_model, tmp_path / "model.skops")
    recalibrated_model = read_model(tmp_path / "model.skops")
    codes, scores = (new.labels == "b").astype(int), {}
    for name, used_model in (("before", model), ("after", recalibrated_model)):
        table = predict_table(used_model, new.frame()).table
        logs = np.log(table[["probability.a", "probability.b"]].to_numpy())
        scores[name] = fold_metrics(codes, logs.argmax(axis=1), logs, np.arange(2))
        assert ("set" in table) == (name == "before")
    assert scores["before"]["balanced_accuracy"] < 0.75
    assert scores["after"]["balanced_accuracy"] > 0.9
    assert scores["after"]["log_loss"] < scores["before"]["log_loss"] / 2
    # each sample left out: an estimate for new ones
    assert figures["after"]["balanced_accuracy"] == pytest.approx(
        scores["after"]["balanced_accuracy"], abs=0.12
    )
    assert (recalibrated_model.figures, recalibrated_model.series[RECALIBRATION]["samples"]) == (
        {},
        {"a": 12, "b": 12},
    )
    explanation = explain_sample(recalibrated_model, new.frame(), new.samples[0])
    joint = explanation.scores()[recalibrated_model.classes]
    posterior = np.exp(joint - np.logaddexp(*joint))
    row = explanation.prediction.table.iloc[0]
    assert posterior.tolist() == pytest.approx([row["probability.a"], row["probability.b"]])


def test_what_cannot_be_recalibrated_is_refused(model, rng):
    new = cohort(rng, 24)
    other, few = np.where(new.labels == "a", "A", "b"), new.labels.copy()
    few[:20] = "a"
    cases = (
        (replace(new, labels=other), "A is not a class"),
        (replace(new, labels=few), "2 samples of 'b'; give at least 5"),
        (replace(new, labels=np.where(new.labels == "a", "b", "a")), "does not rank these samples"),
        (cohort(np.random.default_rng(0), 60), "was fitted to these samples"),
    )
    for series, message in cases:
        with refused(message):
            recalibrate_model(model, series, fitted_log_posterior(model, series.frame()))
    three = fit_model(cohort(rng, 30, classes=("a", "b", "c")), {"method": "gaussian_nb"})
    with refused("the model has 3 classes"):
        recalibrate_model(three, new, np.zeros((24, 3)))
    without = fit_model(new, {"method": "sklearn.svm.LinearSVC"})
    with refused("LinearSVC has no probabilities"):
        fitted_log_posterior(without, new.frame())


def test_ten_samples_that_are_ranked_well_are_recalibrated():
    """Five and five samples: the slope's interval contains 0, the AUC's is above one half."""
    odds = np.array([-1.0, 0.5, 0.8, 1.1, 2.2, 2.0, 2.5, 3.0, 3.3, 4.0])
    codes = np.repeat([0, 1], 5)
    recalibration.refuse_without_ranking("d", np.stack([0 * odds, odds], axis=1), codes, None)
    perfect = np.arange(10.0)
    scores = np.stack([0 * perfect, perfect], axis=1)
    recalibration.refuse_without_ranking("d", scores, codes, None)
    with refused("does not rank these samples"):
        recalibration.refuse_without_ranking("d", -scores, codes, None)
    with refused("too few to decide"):
        mixed = np.array([0, 1, 0, 0, 1, 0, 1, 0, 1, 1])  # AUC 19 / 25
        recalibration.refuse_without_ranking("d", scores, mixed, None)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ((1, 4, 6, 7, 8), "too few to decide"),  # AUC 16 / 25
        ((1, 3, 6, 7, 8), "does not rank these samples"),  # 15 / 25, not above .6
    ],
)
def test_an_auc_above_three_fifths_may_be_that_of_too_few_samples(places, words):
    codes = np.zeros(10, dtype=int)
    codes[list(places)] = 1
    scores = np.stack([np.zeros(10), np.arange(10.0)], axis=1)
    with refused(words):
        recalibration.refuse_without_ranking("d", scores, codes, None)


def test_five_samples_of_a_class_are_enough_and_four_are_not(model, rng):
    series = cohort(rng, 24, 1.2)
    for n in (4, 5):
        chosen = np.r_[
            np.flatnonzero(series.labels == "a"), np.flatnonzero(series.labels == "b")[:n]
        ]
        few = dataset(series.values[:, chosen], series.labels[chosen])
        scores = fitted_log_posterior(model, few.frame())
        if n == 4:
            with refused("4 samples of 'b'; give at least 5"):
                recalibrate_model(model, few, scores)
        else:
            recalibrated, _ = recalibrate_model(model, few, scores)
            assert recalibrated.series[RECALIBRATION]["samples"] == {"a": 12, "b": 5}


def test_the_command_writes_a_model_that_predicts_by_the_new_threshold(model, rng, tmp_path):
    shifted = cohort(rng, 24, 1.2)
    table = shifted.frame().assign(diagnosis=shifted.labels)
    table.to_csv(tmp_path / "new.csv", index_label="sample")
    write_model(model, tmp_path / "old.skops")
    names = [str(tmp_path / name) for name in ("old.skops", "new.csv", "new.skops")]
    options = ["--label", "diagnosis", "--id", "sample", "-o", names[2]]
    done = CliRunner().invoke(app, ["recalibrate", *names[:2], *options])
    assert (done.exit_code, "slope\t" in done.output) == (0, True), done.output
    old = predict_table(read_model(names[0]), shifted.frame()).table
    new = predict_table(read_model(names[2]), shifted.frame()).table
    assert (old["label"] == shifted.labels).mean() < 0.75
    assert (new["label"] == shifted.labels).mean() > 0.85


def test_log_odds_are_bounded_at_a_million_only():
    """A posterior of 0 has no infinite log odds; log odds of 500 stay as they are."""
    assert recalibration.log_odds(np.array([[0.0, -500.0], [-np.inf, 0.0]])).tolist() == [
        -500.0,
        1e6,
    ]


def test_figures_after_leave_a_whole_group_out(rng):
    series = replace(cohort(rng, 24), groups=np.arange(24) // 4)
    odds = rng.normal(size=24)
    log_posterior = np.stack([np.zeros(24), odds], axis=1)
    codes = (series.labels == "b").astype(int)
    held_out = recalibration.recalibrated_without(log_posterior, codes, series)
    first = series.groups == series.groups[0]
    assert first.sum() == 4
    others = fit_recalibration(log_posterior[~first], codes[~first])
    expected = recalibration.recalibrated({RECALIBRATION: others}, log_posterior[first])
    assert held_out[first].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("slope", "intercept", "is_shown"),
    [
        ([0.4, 1.6], [-1.0, 2.0], False),
        ([1.0, 1.6], [-1.0, 0.0], False),
        ([0.4, 0.9], [-1.0, 2.0], True),
        ([0.4, 1.6], [0.5, 2.0], True),
        ([0.4, 0.9], [0.5, 2.0], True),
    ],
)
def test_a_shift_is_shown_if_one_interval_excludes_the_model_as_it_was(slope, intercept, is_shown):
    recalibration = {"slope_interval": slope, "intercept_interval": intercept}
    assert shift_is_shown(recalibration) == is_shown


def test_an_impossible_class_keeps_a_finite_log_posterior():
    """Its log posterior counts as -1e6, times the slope 1/2."""
    series = {RECALIBRATION: {"slope": 0.5, "intercept": [0.0, 0.0]}}
    assert recalibrated(series, np.array([[-np.inf, 0.0]])).tolist() == [[-5e5, 0.0]]


def test_figures_of_the_first_cohort_are_not_those_of_the_recalibrated_model(model, rng):
    series = cohort(rng, 24, 1.2)
    validated = replace(model, figures={"folds": 3})
    recalibrated_model, _ = recalibrate_model(
        validated, series, fitted_log_posterior(model, series.frame())
    )
    assert recalibrated_model.figures == {}
