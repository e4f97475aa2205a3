"""Calibration curves, counted by hand."""

import numpy as np
import pytest

from xnbflow.inference.calibration import calibration_curve


def test_calibration_of_the_predicted_class_counts_by_hand():
    classes = np.array(["a", "b"])
    probability_of_a = np.array([0.95, 0.92, 0.5, 0.45, 0.03, 1.0])
    log_posterior = np.log(np.column_stack([probability_of_a, 1 - probability_of_a + 1e-300]))
    true = np.array(["a", "b", "a", "b", "b", "a"])
    curve = calibration_curve(true, log_posterior, classes).set_index("bin")
    assert curve["count"].tolist() == [0, 0, 0, 0, 0, 2, 0, 0, 0, 4]
    means = [(0.5 + 0.55) / 2, (0.95 + 0.92 + 0.97 + 1) / 4]
    assert curve.loc[[5, 9], "mean_predicted"].tolist() == pytest.approx(means)
    assert curve.loc[[5, 9], "observed"].tolist() == [1, 3 / 4]
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
        assert curve.loc[[9, 6, 0], "few"].tolist() == [False, True, True]  # 14, 4 and 0 samples
    limits = ["observed_lower", "observed_upper"]
    np.testing.assert_allclose(once[limits], thrice[limits])
    assert thrice.loc[9, "count"] == 42
