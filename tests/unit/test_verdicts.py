"""Intervals that count patients, calibration, and the rule of verdicts."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from xnbflow.inference import intervals
from xnbflow.inference.calibration import calibration_curve, confidence_table
from xnbflow.inference.estimates import performance
from xnbflow.inference.intervals import proportion_interval
from xnbflow.inference.verdicts import verdict, verdicts


def test_design_effect_is_the_variance_ratio_of_a_bootstrap_over_groups(rng):
    sizes = rng.integers(1, 9, 400)
    groups = np.repeat(np.arange(400), sizes)
    right = (rng.random(len(groups)) < rng.beta(2, 1, 400)[groups]).astype(float)
    totals = np.bincount(groups, right)
    drawn = rng.integers(0, 400, (4000, 400))
    shares = totals[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    p = right.mean()
    expected = shares.var() / (p * (1 - p) / len(right))
    assert intervals.design_effect(right, groups) == pytest.approx(expected, rel=0.08)


def test_groups_of_one_change_nothing_and_patients_who_are_all_right_count_once():
    right = np.arange(30) % 3 > 0
    assert intervals.share_interval(right, np.arange(30)) == intervals.share_interval(right)
    assert intervals.share_interval(right)[1:] == pytest.approx(proportion_interval(20, 30))
    groups = np.repeat(np.arange(20), 5)
    alone = intervals.share_interval(np.ones(20))
    together = intervals.share_interval(np.ones(100), groups)
    assert together.lower == pytest.approx(alone.lower, abs=0.05)
    assert intervals.share_interval(np.ones(5), np.zeros(5)) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize(("n_groups", "samples"), [(8, 2), (10, 5), (20, 5), (40, 2)])
def test_intervals_over_patients_of_both_classes_cover(n_groups, samples):
    """Beta-binomial patients with an intraclass correlation of one half."""
    rng = np.random.default_rng(n_groups)
    groups = np.repeat(np.arange(n_groups), samples)
    classes, held = np.arange(len(groups)) % 2, []
    for _ in range(600):
        right = rng.random(len(groups)) < rng.beta(0.7, 0.3, n_groups)[groups]
        found = (intervals.share_interval(right, groups),
                 intervals.balanced_interval(right, classes, groups))  # fmt: skip
        held.append([each.lower <= 0.7 <= each.upper for each in found])
    assert np.mean(held, axis=0).min() >= 0.95 - 2.6 * np.sqrt(0.05 * 0.95 / 600)


def test_pairs_that_are_right_together_count_once():
    """Six of eight pairs: the sign test has p = 0.14."""
    codes, pairs = np.tile([0, 1], 8), np.repeat(np.arange(8), 2)
    found = performance(codes, predictions(codes, pairs < 2), pairs, inflation=1.0)
    assert verdict(found).reasons == ["chance interval"]
    assert not any(row.recognised for row in found.classes)


def test_intervals_of_a_mean_of_recalls_cover():
    """All outcomes of 20 and 8 samples, weighed by their exact probabilities."""
    truth, sizes = (0.85, 0.7), (20, 8)
    held = 0.0
    for hits in itertools.product(*(range(n + 1) for n in sizes)):
        parts = [intervals.share_interval(np.arange(n) < hits[i]) for i, n in enumerate(sizes)]
        found = intervals.mean_of(parts)
        inside = found.lower <= np.mean(truth) <= found.upper
        held += inside * np.prod(binom.pmf(hits, sizes, truth))
    assert 0.93 <= held <= 0.98


def predictions(codes, wrong, n_classes=2):
    hot = np.eye(n_classes)[codes]
    hot[wrong] = np.roll(hot[wrong], 1, axis=1)
    return hot


CODES = np.repeat([0, 1], 20)


def test_choosing_the_best_of_six_multiplies_p_and_widens_intervals():
    one, six = (performance(CODES, predictions(CODES, [0, 25]), candidates=n) for n in (1, 6))
    assert six.accuracy.lower < one.accuracy.lower
    assert verdict(one, 0.005).level == "well supported"
    key = ("d", "f", "c")
    stability = pd.DataFrame(columns=["dataset", "folds", "classifier", "class", "halves"])
    test = {"dataset": "d", "classifier": "c", "p_value": 0.005, "permuted": ""}
    for permuted, p, level in (
        ("", 0.03, "not supported"),
        ("label test", 0.005, "well supported"),
    ):
        tests = pd.DataFrame([{**test, "permuted": permuted}])
        row = verdicts({key: six}, stability, tests, {}).iloc[0]
        assert (row["p_value"], row["level"]) == (pytest.approx(p), level)


@pytest.mark.parametrize(
    ("lower", "upper", "copies", "level", "reasons"),
    [(0.4, 1.0, None, "well", []), (0.39, 1.0, None, "partly", ["stability unknown"]),
     (0.0, 0.4, None, "partly", ["stability unknown"]), (0.0, 0.39, None, "partly", ["stability"]),
     (np.nan, np.nan, None, "well", []), (np.nan, np.nan, "warning", "partly", ["copies"]),
     (np.nan, np.nan, "severe", "not", ["copies"])],
)  # fmt: skip
def test_stability_is_judged_by_its_interval_and_copies_lower(lower, upper, copies, level, reasons):
    measured = performance(CODES, predictions(CODES, []))
    found = verdict(measured, 0.01, intervals.Estimate(0.5, lower, upper), copies=copies)
    assert (found.level, found.reasons) == (f"{level} supported", reasons)


def test_recognition_needs_more_than_half_and_more_than_false_alarms():
    """Eight of twelve right samples are enough of one classifier, not of the best of six."""
    codes = np.repeat([0, 1], 12)
    found = [performance(codes, predictions(codes, range(4)), candidates=n) for n in (1, 6)]
    assert [each.classes[0].recognised for each in found] == [True, False]
    # all are named as class 0; then of class 1 six of ten are, but so are 40 of 90 others
    codes = np.repeat([0, 1], [90, 10])
    found = performance(codes, np.eye(2)[np.zeros(100, dtype=int)])
    assert not any(row.recognised for row in found.classes)
    assert verdict(found, 0.005).level == "not supported"
    found = performance(codes, predictions(codes, [*range(40), *range(90, 94)]), inflation=1.0)
    assert found.classes[1].recall.value == pytest.approx(0.6)
    assert not found.classes[1].recognised
    codes = np.repeat([0, 1, 2], [40, 40, 10])  # one of three classes is never recognised
    found = performance(codes, predictions(codes, range(80, 90), 3))
    assert verdict(found, 0.001).reasons == ["classes"]


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


def test_sure_predictions_are_counted_with_how_many_are_right():
    probability = np.array([0.9995, 0.9991, 0.995, 0.95, 0.9, 0.6])
    log_posterior = np.log(np.column_stack([probability, 1 - probability]))
    true = np.array(["a", "b", "b", "a", "a", "b"])
    table = confidence_table(true, log_posterior, np.array(["a", "b"])).set_index("above")
    assert table.index.tolist() == [0.9, 0.99, 0.999]
    assert table[["count", "right"]].to_numpy().tolist() == [[4, 2], [3, 1], [2, 1]]
    assert table.loc[0.99, ["share", "accuracy"]].tolist() == pytest.approx([1 / 2, 1 / 3])
    assert table.loc[0.99, "mean_probability"] == pytest.approx((0.9995 + 0.9991 + 0.995) / 3)
    assert set(table["predictions"]) == {6}
    limits = table.loc[0.99, ["accuracy_lower", "accuracy_upper"]]
    assert tuple(limits) == proportion_interval(1, 3)
    assert table["overconfident"].all()
    right = confidence_table(np.repeat("a", 6), log_posterior, np.array(["a", "b"]))
    assert not right["overconfident"].any()


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
