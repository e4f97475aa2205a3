"""Descriptions of a model: signatures by rank and size, coverage, figures."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from xnbflow.running.cli import model_texts


def model_of(n_features):
    """Return a model whose signature has so many features of the class a."""
    signature = pd.DataFrame(
        {
            "class": "a",
            "feature": [f"g{i}" for i in range(1, n_features + 1)],
            "symbol": "",
            "rank": range(1, n_features + 1),
            "direction": "high",
            "share_of_folds": np.nan,
        }
    )
    return SimpleNamespace(signature=signature)


def test_the_first_20_features_of_a_class_are_listed():
    text = model_texts.signature_text(model_of(21))
    assert "g20 (high)" in text
    assert "g21" not in text


def test_a_signature_is_cut_after_the_named_rank():
    lines = model_texts.signature_lines(model_of(5), gmt=False, top=3).splitlines()
    assert [line.split("\t")[1] for line in lines[1:]] == ["g1", "g2", "g3"]


def test_sets_aim_at_the_complement_of_the_error_rate():
    core = {"features": 3, "accuracy": 0.9, "balanced_accuracy": 0.8}
    lines = model_texts._core_as_lines(core, {"error_rate": 0.1, "held_out": {"a": 0.85}})
    assert lines[1] == "sets of classes, meant to hold 90% of each class, hold a 0.850"


def test_figures_have_balanced_accuracy_and_means_of_draws_with_a_decimal():
    interval = {"lower": 0.5, "upper": 1.0}
    figures = {
        "folds": 5,
        "repeats": 3,
        "groups": 12,
        "accuracy": {"value": 40 / 45, **interval, "right": 40 / 3, "of": 15},
        "balanced_accuracy": {"value": 0.9, **interval},
        "recall": {"a": {"value": 1.0, **interval, "right": 8.0, "of": 8}},
        "majority": {"class": "a", "share": 8 / 15},
    }
    heading, accuracy, balanced, recall, majority = model_texts._figures_as_lines(figures)
    assert "5 folds, means of 3 draws" in heading
    assert "12 groups" in heading
    assert accuracy.endswith(" 0.889 (13.3 of 15; 95% interval 0.500 to 1.000)")
    assert balanced.endswith(" 0.900 (95% interval 0.500 to 1.000)")
    assert "1.000 (8 of 8;" in recall
    assert majority.endswith("0.533")
    # model files of earlier versions
    del figures["balanced_accuracy"]
    figures["repeats"] = 1
    earlier = model_texts._figures_as_lines(figures)
    assert "draws" not in earlier[0]
    assert len(earlier) == 4
