"""Recalls with equal priors: derived by Bayes' rule, and by a classifier with equal priors."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.equal_priors import _recalls_with_equal_priors, with_equal_priors
from xnbflow.inference.estimates import estimates, pooled_performance

KEY = ("toy", "5-fold", "nb")


def unequal(seed=0, sizes=(40, 10), shift=0.6):
    """Return a series in which five of five features are shifted in the second class."""
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1], sizes)
    values = rng.normal(size=(5, sum(sizes))) + shift * codes
    return dataset(values, np.array(["a", "b"])[codes])


def predictions_of(series, **params):
    entry = resolved({"method": "gaussian_nb", "params": params})
    return train(series, draw_folds(series, 5, 2), entry, explain=False)["predictions"]


def test_recalls_are_those_of_a_classifier_with_equal_priors():
    """The folds are the same, so that the predictions of both have to be."""
    series = unequal()
    rows = _recalls_with_equal_priors(predictions_of(series), series)
    balanced = predictions_of(series, priors=[0.5, 0.5])
    for row in rows:
        of_class = balanced[balanced["true"] == row["class"]]
        assert row["equal_priors"] == pytest.approx(np.mean(of_class["predicted"] == row["class"]))


def table_of(series, log_posterior):
    classes = series.classes
    table = pd.DataFrame({"repeat": 0, "fold": np.arange(series.n_samples) % 2})
    table["sample"], table["true"] = series.samples, series.labels
    table["predicted"] = classes[log_posterior.argmax(axis=1)]
    for label, column in zip(classes, log_posterior.T, strict=True):
        table[f"log_posterior.{label}"] = column
    return table


@pytest.mark.parametrize(
    ("odds", "decide"),
    [(3.9, True), (4.1, False)],  # the shares are 4 to 1: .2 * 4.1 is the greater part
)
def test_a_class_is_missed_by_the_priors_if_equal_ones_recognise_it(odds, decide):
    """The features have odds of 3.9 for the small class: with priors of 4 to 1 it is missed."""
    series = unequal(sizes=(40, 10))
    is_small = series.labels == "b"
    evidence = np.where(is_small[:, None], [1.0, odds], [odds, 1.0])
    posterior = evidence * [0.8, 0.2]
    posterior /= posterior.sum(axis=1, keepdims=True)
    rows = _recalls_with_equal_priors(table_of(series, np.log(posterior)), series)
    assert rows[1]["equal_priors"] == 1.0
    assert [row["priors_decide"] for row in rows] == [False, decide]


def test_equal_priors_that_lower_the_balanced_accuracy_decide_nothing():
    """All samples look alike: equal priors give the small class all samples, and no gain."""
    series = unequal(sizes=(40, 10))
    posterior = np.tile([0.79, 0.21], (50, 1))
    rows = _recalls_with_equal_priors(table_of(series, np.log(posterior)), series)
    assert rows[1]["equal_priors"] == 1.0
    assert not any(row["priors_decide"] for row in rows)


def test_a_class_that_training_lacks_is_not_predicted():
    series = dataset(np.zeros((1, 5)), np.array(list("aaaab")))
    table = table_of(series, np.log([[0.9, 0.1]] * 5))
    table["fold"] = [0, 0, 1, 1, 1]
    alone = table.assign(fold=[0, 0, 0, 0, 1])
    alone.loc[4, "log_posterior.b"] = -np.inf
    (first, second) = _recalls_with_equal_priors(alone, series)
    assert (first["class"], second["equal_priors"]) == ("a", 0.0)


def estimated(series, table, entry):
    """Return the estimates of predictions with those for equal priors, by metric and class."""
    performances = {KEY: pooled_performance(table, series, 1.0)}
    headers = {"toy": series}
    rows = estimates(performances, headers, {KEY: 0})
    return with_equal_priors(rows, {KEY: table}, headers, {KEY: entry}).set_index(
        ["metric", "class"]
    )


def test_recalls_and_balanced_accuracy_with_equal_priors_are_beside_the_estimates():
    series = unequal()
    rows = estimated(series, predictions_of(series), {"method": "gaussian_nb"})
    recalls = rows.loc["recall"]
    assert recalls.loc["a", "equal_priors"] <= recalls.loc["a", "estimate"]
    assert recalls.loc["b", "equal_priors"] > recalls.loc["b", "estimate"]
    mean = recalls["equal_priors"].mean()
    assert rows.loc[("balanced_accuracy", ""), "equal_priors"] == pytest.approx(mean)
    assert np.isnan(rows.loc[("accuracy", ""), "equal_priors"])


def test_given_priors_equal_classes_and_missing_probabilities_have_no_value():
    series = unequal()
    table = predictions_of(series)
    given = {"method": "gaussian_nb", "params": {"priors": [0.5, 0.5]}}
    for entry in (given, {"steps": [given]}):
        rows = estimated(series, table, entry)
        assert rows["equal_priors"].isna().all()
        assert not rows["priors_decide"].any()
    votes = table.assign(**{"log_posterior.a": np.nan, "log_posterior.b": np.nan})
    assert _recalls_with_equal_priors(votes, series) == []
    assert _recalls_with_equal_priors(table, unequal(sizes=(25, 25))) == []
