"""Calibration and intervals: counts by hand, scikit-learn's curve, the mass of the posterior."""

import numpy as np
import pytest
from scipy.integrate import quad

from xnbflow.evaluation.calibration import calibration_curve, confidence_table
from xnbflow.evaluation.intervals import proportion_interval


def test_calibration_of_the_predicted_class_counts_by_hand():
    classes = np.array(["a", "b"])
    probability_of_a = np.array([0.95, 0.92, 0.5, 0.45, 0.03, 1.0])
    log_posterior = np.log(np.column_stack([probability_of_a, 1 - probability_of_a + 1e-300]))
    true = np.array(["a", "b", "a", "b", "b", "a"])
    curve = calibration_curve(true, log_posterior, classes).set_index("bin")
    assert curve["count"].tolist() == [0, 0, 0, 0, 0, 2, 0, 0, 0, 4]
    assert curve.loc[5, "mean_predicted"] == pytest.approx((0.5 + 0.55) / 2)
    assert curve.loc[5, "observed"] == 1
    assert curve.loc[9, "mean_predicted"] == pytest.approx((0.95 + 0.92 + 0.97 + 1) / 4)
    assert curve.loc[9, "observed"] == 3 / 4
    assert curve.loc[0, ["mean_predicted", "observed"]].isna().all()


def test_a_bin_of_few_samples_is_marked_however_often_they_were_tested():
    true = np.repeat(["a", "b"], [14, 4])
    log_posterior = np.log(np.where((np.arange(18) < 14)[:, None], [0.95, 0.05], [0.35, 0.65]))
    classes = np.array(["a", "b"])
    once = calibration_curve(true, log_posterior, classes).set_index("bin")
    thrice = calibration_curve(
        np.tile(true, 3), np.tile(log_posterior, (3, 1)), classes, repeats=3
    ).set_index("bin")
    for curve in (once, thrice):
        assert not curve.loc[9, "few"]  # 14 samples
        assert curve.loc[6, "few"]  # 4 samples
        assert curve.loc[0, "few"]
    limits = ["observed_lower", "observed_upper"]
    np.testing.assert_allclose(once[limits], thrice[limits])
    assert thrice.loc[9, "count"] == 42


def test_sure_predictions_are_counted_with_how_many_are_right():
    probability = np.array([0.9995, 0.9991, 0.995, 0.95, 0.9, 0.6])
    log_posterior = np.log(np.column_stack([probability, 1 - probability]))
    true = np.array(["a", "b", "b", "a", "a", "b"])
    table = confidence_table(true, log_posterior, np.array(["a", "b"])).set_index("above")
    assert table["count"].to_dict() == {0.9: 4, 0.99: 3, 0.999: 2}
    assert table["right"].to_dict() == {0.9: 2, 0.99: 1, 0.999: 1}
    assert table.loc[0.99, "share"] == 0.5
    assert table.loc[0.99, "accuracy"] == pytest.approx(1 / 3)
    assert table.loc[0.99, "mean_probability"] == pytest.approx((0.9995 + 0.9991 + 0.995) / 3)
    assert set(table["predictions"]) == {6}
    lower, upper = proportion_interval(1, 3)
    assert table.loc[0.99, "accuracy_lower"] == lower
    assert table.loc[0.99, "accuracy_upper"] == upper


@pytest.mark.parametrize(("right", "n"), [(5, 10), (3.7, 12), (60, 83), (1, 7)])
def test_each_end_leaves_out_a_fortieth_of_the_posterior(right, n):
    """The posterior is binomial likelihood times Jeffreys' prior, 1 / sqrt(p (1 - p)).

    It is integrated here over the angle of which p is the squared sine, where it has no pole.
    """

    def mass(below):
        power = (2 * right, 2 * (n - right))
        return quad(lambda t: np.sin(t) ** power[0] * np.cos(t) ** power[1], 0, below)[0]

    lower, upper = proportion_interval(right, n)
    whole = mass(np.pi / 2)
    assert mass(np.arcsin(np.sqrt(lower))) / whole == pytest.approx(0.025, rel=1e-6)
    assert mass(np.arcsin(np.sqrt(upper))) / whole == pytest.approx(0.975, rel=1e-6)
