"""Densities of features by class: they integrate to 1 and are those of the classifier."""

import numpy as np
import pytest
from toys import dataset

from xnbflow.naive_bayes.xnb import XNB
from xnbflow.studies.densities import class_densities

XNB_ENTRY = {"method": "xnbflow.naive_bayes.xnb.XNB", "params": {}}


@pytest.fixture(scope="module")
def series():
    """Class b is high in g0 and low in g1, c lies between the others in g0; g2 is constant in a."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], [20, 15, 10])
    values = rng.normal(size=(6, 45))
    values[0] += np.select([labels == "b", labels == "c"], [6.0, 3.0])
    values[1] -= 5.0 * (labels == "b")
    values[2, labels == "a"] = 0.0
    return dataset(values, labels)


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
