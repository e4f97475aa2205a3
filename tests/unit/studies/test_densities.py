"""Densities of features by class: they integrate to 1 and are those of the classifier."""

import numpy as np

from xnbflow.naive_bayes.xnb import XNB
from xnbflow.studies.densities import class_densities

XNB_ENTRY = {"method": "xnbflow.naive_bayes.xnb.XNB", "params": {}}


def test_densities_integrate_to_one_and_are_those_of_the_classifier(series):
    table = class_densities(series, ["g0", "g3"], XNB_ENTRY)
    for _, curve in table.groupby(["class", "feature"]):
        # The picture ends a little beyond the values: of kernels at its edge a part is outside.
        assert 0.9 < np.trapezoid(curve["density"], curve["x"]) < 1.01
    assert table["own"].all()
    assert set(table["estimator"]) == {"gaussian kernels, bandwidth by silverman"}
    curve = table[(table["feature"] == "g0") & (table["class"] == "b")]
    model = XNB(threshold=0.999999).fit(series.values.T, series.labels)
    points = np.zeros((len(curve), 6))
    points[:, 0] = curve["x"]
    explained = model.explain(points).query("feature == 0")
    expected = explained[explained["class"] == "b"]["log_likelihood"]
    np.testing.assert_allclose(curve["density"], np.exp(expected), rtol=1e-6)
