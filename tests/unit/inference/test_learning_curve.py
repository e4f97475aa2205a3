"""Learning curves: power laws by least squares, and what is marked."""

import numpy as np
import pytest
from scipy.optimize import nnls
from toys import two_classes

from xnbflow.inference.learning_curve import learning_curve, power_laws

CSNB = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"


def test_power_laws_have_the_least_squares_of_all_floors_and_scales():
    sizes, rng = np.array([10.0, 14.0, 20.0, 28.0, 40.0]), np.random.default_rng(0)
    errors = np.clip(0.1 + sizes**-0.7 + rng.normal(0, 0.03, (20, 5)), 0, 1)
    laws = power_laws(sizes, errors)
    actual = np.square(errors - np.stack([laws.at(n) for n in sizes], axis=1)).sum(axis=1)
    for curve, sum_of_squares in zip(errors, actual, strict=True):
        residuals = []
        for exponent in np.linspace(0.1, 2.0, 39):
            design = np.stack([np.ones(5), sizes**-exponent], axis=1)
            _, norm_of_residuals = nnls(design, curve)
            residuals.append(norm_of_residuals**2)
        assert sum_of_squares == pytest.approx(min(residuals), abs=1e-12)


@pytest.mark.parametrize(("shift", "is_reliable"), [(1.2, True), (0.0, False)])
def test_a_curve_without_rise_is_marked(shift, is_reliable):
    curve = learning_curve(two_classes(3, n=60, shifted=20, shift=shift), {"method": CSNB}, CSNB)
    forecast = curve[curve["kind"] == "forecast"]
    assert forecast["training_samples"].tolist() == [60, 90, 120]
    assert curve["balanced_accuracy"].between(curve["lower"], curve["upper"]).all()
    marked = (forecast["unreliable"] != "").tolist()
    assert marked == sorted(marked)  # nothing beyond an unreliable forecast is reliable
    assert ("no rise" not in forecast["unreliable"].iloc[-1]) == is_reliable


def test_a_class_that_is_too_small_has_no_curve():
    assert learning_curve(two_classes(4, n=10), {"method": CSNB}, CSNB).empty
