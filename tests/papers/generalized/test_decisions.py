"""Decisions of the study of effects at the cut-off, by models of known probabilities."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from report_study import walk
from toys import dataset

from xnbflow.papers.generalized import compute
from xnbflow.papers.generalized.section import _DataSetResults
from xnbflow.report.page.blocks import Prose

LABELS = np.array(["mail", "mail", "mail", "spam", "spam"])


class Constant:
    """A model that gives every sample the same probability of the second class."""

    def __init__(self, probability):
        self.probability = probability
        self.classes_ = np.array(["mail", "spam"])

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.tile([1 - self.probability, self.probability], (len(X), 1))


def test_a_probability_of_exactly_the_cutoff_is_no_event():
    parts = {"test": (pd.DataFrame({"x": np.arange(5.0)}), LABELS)}
    (row,) = compute._fit_table({"m": Constant(0.5)}, parts, 0.5).to_dict("records")
    assert (row["false_alarms"], row["missed"]) == (0, 2)


@pytest.mark.parametrize(("losses", "event_is_predicted"), [((1, 3), True), ((3, 1), False)])
def test_random_splits_have_the_cutoff_of_the_losses(monkeypatch, losses, event_is_predicted):
    """An event of probability .3 is above 1 / (1 + 3), and below 3 / (3 + 1)."""
    monkeypatch.setattr(compute, "_compared_models", lambda *_: {"m": Constant(0.3)})
    data = dataset(np.arange(5.0)[None], LABELS, "d")
    params = {"random_splits": 3, "losses": losses, "generalized": {}}
    # Every sample is tested.
    errors = compute.random_splits(data, features=None, n_train=0, params=params)
    wrong_label = "mail" if event_is_predicted else "spam"
    assert errors["misclassification"].tolist() == [np.mean(wrong_label == LABELS)] * 3


def test_losses_weigh_the_error_that_they_name():
    """L1 = 3 for a false alarm and L2 = 1 for a missed event, scaled to a sum of 2: 1.5 and .5."""
    parts = {"test": (pd.DataFrame({"x": np.arange(5.0)}), LABELS)}
    fit = compute._fit_table({"m": Constant(0.9)}, parts, 0.75)
    assert fit["loss_per_1000"].item() == pytest.approx(1000 * 1.5 * 3 / 5)
    fit = compute._fit_table({"m": Constant(0.1)}, parts, 0.75)
    assert fit["loss_per_1000"].item() == pytest.approx(1000 * 0.5 * 2 / 5)


def test_a_split_with_exactly_the_papers_error_is_at_or_below_it():
    splits = pd.DataFrame({"model": "naive Bayes", "misclassification": [0.053, 0.06, 0.07, 0.05]})
    assert compute._summarise_splits(splits, 0.053)["paper_share"].item() == 0.5


def test_the_published_method_has_neither_atoms_nor_our_start():
    models = compute._compared_models([], {"span": 0.5})
    published = models["generalized naive Bayes, as published"].get_params()
    assert (published["atom"], published["start"], published["span"]) == (None, "naive", 0.5)
    ours = models["generalized naive Bayes"].get_params()
    assert (ours["atom"], ours["start"]) == (0.1, "logistic")
    assert models["naive Bayes"].get_params()["max_iter"] == 0


@pytest.mark.parametrize(("contains", "word"), [(True, "inside"), (False, "outside")])
def test_the_page_places_the_papers_error_in_the_interval(contains, word):
    summary = pd.DataFrame(
        {
            "features": ["paper"],
            "model": ["generalized naive Bayes"],
            "paper": 0.053,
            "mean": 0.06,
            "lower": 0.05,
            "upper": 0.07,
            "contains": contains,
        }
    )
    whole = SimpleNamespace(sources=lambda *_: [], show=lambda *_: Prose("table"))
    results = SimpleNamespace(tables={"splits": summary}, papers="paper", whole=whole)
    (group,) = _DataSetResults.splits(results)
    text = next(block.text for block in walk([group]) if isinstance(block, Prose))
    assert f"5.3% is {word} the interval of generalized naive Bayes (6.00%; 5.00% to 7.00%)" in text
