"""Descriptions of a model: signatures by rank and size, names that are no markup, coverage."""

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


def test_a_name_in_a_score_sheet_ends_no_script():
    panel = SimpleNamespace(
        model=SimpleNamespace(
            estimator=SimpleNamespace(
                class_log_prior_=np.zeros(2), theta_=np.zeros((2, 1)), var_=np.ones((2, 1))
            ),
            series={"name": "</script>", model_texts.RECALIBRATION: {}},
            symbols={},
            classes=["a", "b"],
        ),
        genes=pd.DataFrame({"gene": ["g1"]}),
        references=["r1"],
        accuracy=pd.DataFrame({"genes": [1, 2], "accuracy": [0.7, 0.9]}),
    )
    page = model_texts.score_sheet(panel)
    assert '"name": "\\u003c/script>"' in page
    assert '"accuracy": {"genes": 2.0, "accuracy": 0.9}' in page  # that of all genes


def test_sets_aim_at_the_complement_of_the_error_rate():
    core = {"features": 3, "accuracy": 0.9, "balanced_accuracy": 0.8}
    lines = model_texts.core_as_lines(core, {"error_rate": 0.1, "held_out": {"a": 0.85}})
    assert lines[1] == "sets of classes, meant to hold 90% of each class, hold a 0.850"


def test_the_intercept_is_that_of_the_second_class():
    fit = {"slope": 1.2, "slope_interval": (0.8, 1.6)}
    fit |= {"intercept": [0.0, 0.7], "intercept_interval": (0.1, 1.3)}
    model = SimpleNamespace(series={model_texts.RECALIBRATION: fit}, classes=["a", "b"])
    lines = model_texts.recalibration_in_words(model, {"before": {}, "after": {}}).splitlines()
    assert lines[1] == "intercept of b\t0.7\t95% interval 0.1 to 1.3"


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
    heading, accuracy, balanced, recall, majority = model_texts.figures_as_lines(figures)
    assert "5 folds, means of 3 draws" in heading
    assert "12 groups" in heading
    assert accuracy.endswith(" 0.889 (13.3 of 15; 95% interval 0.500 to 1.000)")
    assert balanced.endswith(" 0.900 (95% interval 0.500 to 1.000)")
    assert "1.000 (8 of 8;" in recall
    assert majority.endswith("0.533")
    # model files of earlier versions
    del figures["balanced_accuracy"]
    figures["repeats"] = 1
    earlier = model_texts.figures_as_lines(figures)
    assert "draws" not in earlier[0]
    assert len(earlier) == 4
