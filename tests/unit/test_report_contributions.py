"""The data of a waterfall: they are what the classifier computes, in few characters."""

import json

import numpy as np
import pytest
from report_study import write_study
from scipy.special import logsumexp

from xnbflow.report.sections import samples as module
from xnbflow.report.sections.samples import contributions


@pytest.mark.parametrize("classifier", ["xnb", "priors", "calibrated"])
def test_a_waterfall_adds_up_to_the_classifiers_posterior(tmp_path, classifier):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=(classifier,))
    place = ("alpha", "3-fold", classifier)
    model = contributions(results, *place)
    classes = model["classes"]
    predictions = results.training(*place, "predictions", repeat=0).set_index("sample")
    expected = predictions[[f"log_posterior.{label}" for label in classes]]
    assert len(model["samples"]) == len(expected) == 36
    for name, true, predicted, number, evidence, references in model["samples"]:
        fit = model["fits"][number]
        ends = np.cumsum([len(features) for features in fit["sets"]])
        sums = [part.sum() for part in np.split(np.array(evidence), ends[:-1])]
        joint = np.add(fit["prior"], np.add(sums, references))
        # A number has two decimals, from 100 on one: it is off by half a unit of the last.
        off = 0.005 * len(classes)
        off += sum(0.05 if abs(v) >= 100 else 0.005 for v in [*evidence, *references])
        np.testing.assert_allclose(joint - logsumexp(joint), expected.loc[name], atol=off)
        own = predictions.loc[name, ["true", "predicted"]].tolist()
        assert [classes[true], classes[predicted]] == own
    assert json.loads(json.dumps(model, allow_nan=False)) == model


def test_with_too_many_samples_the_misclassified_stay(tmp_path, monkeypatch):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("xnb",))
    everything = contributions(results, "alpha", "3-fold", "xnb")
    wrong = {s[0] for s in everything["samples"] if s[1] != s[2]}
    assert everything["left_out"] == 0
    numbers = results.rows("evidence", dataset="alpha")["evidence"].count()
    monkeypatch.setattr(module, "MOST_NUMBERS", int(numbers / 36 * (len(wrong) + 2.5)))
    some = contributions(results, "alpha", "3-fold", "xnb")
    assert wrong < {s[0] for s in some["samples"]}
    assert len(some["samples"]) == len(wrong) + 2
    assert some["left_out"] == 36 - len(some["samples"])
