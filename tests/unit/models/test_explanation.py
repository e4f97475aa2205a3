"""Explanation of the prediction for one sample."""

import numpy as np
import pandas as pd
import pytest
from fitted_models import CSNB, NB, NEW, SERIES, XNB, adds_up
from toys import refused

from xnbflow.models import explanation, fit_model, predict_table
from xnbflow.models.explanation import Explanation, explain_sample
from xnbflow.models.prediction import Prediction


@pytest.mark.parametrize("model", [CSNB, NB, XNB], ids=["csnb", "nb", "xnb"])
def test_explanations_add_up_and_the_order_of_columns_and_unused_ones_change_nothing(model):
    assert adds_up(explain_sample(model, NEW, "s4"), model)
    unused = [name for name in NEW if name not in set(model.required)]
    assert bool(unused) == (model is not NB)
    noted = NEW.assign(**dict.fromkeys(unused, "text"))
    for other in (NEW[NEW.columns[::-1]].assign(note=1.0), noted, NEW.drop(columns=unused)):
        assert predict_table(model, other).table.equals(predict_table(model, NEW).table)


def test_the_text_lists_twelve_features_and_sums_the_others():
    evidence = [0.5] * 12 + [0.25, 0.25]
    terms = pd.DataFrame(
        {
            "class": "a",
            "feature": [f"g{i}" for i in range(14)],
            "symbol": "",
            "value": 1.0,
            "evidence": evidence,
            "log_reference": [0.125] * 14,
        }
    )
    table = pd.DataFrame({"sample": ["s"], "label": ["a"], "probability.a": [0.75]})
    explanation = Explanation(
        sample="s",
        prediction=Prediction(table),
        terms=terms,
        priors={"a": -1.0},
        intercepts={"a": 0.5},
    )
    lines = explanation.as_text().splitlines()
    assert lines[2] == "a: probability 0.750, log prior -1.00"
    assert lines[3:15] == [f"     +0.50  g{i} = 1" for i in range(12)]
    assert lines[15:19] == [
        "     +0.50  2 further features",
        "     +0.50  intercept of the calibration",
        "     +1.75  reference densities of its features",
        "     +7.75  in all",  # -1 + 0.5 + 6.5 + 1.75
    ]


def test_the_evidence_of_a_missing_feature_is_left_out():
    absent = CSNB.required[0]
    explanation = explain_sample(CSNB, NEW.drop(columns=absent), "s4")
    assert absent not in set(explanation.terms["feature"])
    assert adds_up(explanation, CSNB)


def test_terms_are_by_strength_and_relative_evidence_has_no_reference():
    explanation = explain_sample(CSNB, NEW, "s4")
    strengths = explanation.terms["evidence"].abs()
    assert strengths.is_monotonic_decreasing
    assert (explanation.terms["evidence"] < 0).any()
    assert (explanation.terms["log_reference"] == 0.0).all()


def test_a_classifier_without_calibration_has_no_intercepts():
    explanation = explain_sample(NB, NEW, "s4")
    assert explanation.intercepts == pytest.approx({"normal": 0.0, "tumour": 0.0})
    assert explanation.priors == pytest.approx({"normal": np.log(0.5), "tumour": np.log(0.5)})


def test_a_sample_is_named_once_and_the_step_before_keeps_the_values():
    twice = NEW.rename(index={"s5": "s4"})
    with refused("2 samples are called 's4'"):
        explain_sample(NB, twice, "s4")
    scaler = {"method": "sklearn.preprocessing.StandardScaler"}
    scaled = fit_model(SERIES, {"steps": [scaler, {"method": "xnb"}]})
    with refused("XNB gets other values than the table's"):
        explain_sample(scaled, NEW, "s4")
    relative = fit_model(SERIES, {"steps": [scaler, {"method": "csnb"}]})
    assert adds_up(explain_sample(relative, NEW, "s4"), relative)


def test_a_feature_whose_training_density_is_not_described_has_the_reference_0():
    """Of many features only evenly spaced ones are described; here the class normal lacks g1."""
    terms = pd.DataFrame(
        {"class": ["normal", "tumour"], "feature": ["g2", "g1"], "log_likelihood": [-1.0, -2.0]}
    )
    assert "g1" in XNB.required
    assert "g2" not in XNB.required
    undescribed, described = explanation._reference_densities(
        XNB, XNB.estimator, NEW.iloc[:1], terms
    )
    assert undescribed == 0.0
    assert described != 0.0
