"""The rule of verdicts: conditions, boundaries, and what is near a limit."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from xnbflow.diagnostics.false_discovery import benjamini_hochberg, holm
from xnbflow.inference import intervals
from xnbflow.inference.estimates import performance
from xnbflow.inference.verdicts import copies, near_limit, unequal_libraries, verdict, verdicts

CODES = np.repeat([0, 1], 20)
PERFECT = performance(CODES, np.eye(2)[CODES])


@pytest.mark.parametrize(
    ("p", "level"),
    [(0.025, "well supported"), (0.0251, "not supported"), (np.nan, "well supported")],
)
def test_p_at_its_level_supports_a_result(p, level):
    assert verdict(PERFECT, p).level == level


@pytest.mark.parametrize(
    ("p", "near"), [(0.0125, True), (0.05, True), (0.0124, False), (0.0501, False), (np.nan, False)]
)
def test_p_within_twice_its_level_is_near_it(p, near):
    assert near_limit(PERFECT, p) == ["permutation test"] * near


def test_a_lower_limit_within_two_points_of_chance_is_near_it():
    for n_wrong in range(20):
        codes = np.repeat([0, 1], 40)
        wrong = np.arange(80) % 40 < n_wrong
        actual = performance(codes, np.eye(2)[np.where(wrong, 1 - codes, codes)])
        near = abs(actual.balanced_accuracy.lower - 0.5) <= 0.02
        assert near_limit(actual, 0.001) == ["chance interval"] * near


def test_missing_p_are_no_tests():
    """Two of four are missing: .01 and .04 are adjusted for two tests."""
    p = np.array([0.01, np.nan, 0.04, np.nan])
    assert benjamini_hochberg(p)[[0, 2]].tolist() == [0.02, 0.04]
    assert holm(p)[[0, 2]].tolist() == [0.02, 0.04]


def test_unequal_libraries_of_raw_counts_limit_a_verdict():
    audit = pd.DataFrame(
        [
            ["raw", "library size", "warning"],
            ["tmm", "library size", "warning"],
            ["less", "library size", "notice"],
            ["shift", "global shift", "warning"],
        ],
        columns=["dataset", "check", "severity"],
    )
    scales = {"raw": "", "tmm": "counts", "less": "", "shift": ""}
    headers = {name: SimpleNamespace(scale=scale) for name, scale in scales.items()}
    assert unequal_libraries(audit, headers) == {"raw"}
    limited = verdict(PERFECT, 0.001, library_size=True)
    assert (limited.level, limited.reasons) == ("partly supported", ["library size"])
    assert verdict(PERFECT, 0.1, library_size=True).level == "not supported"
    performances = {(name, "5-fold", "nb"): PERFECT for name in scales}
    stability = pd.DataFrame(columns=["dataset", "folds", "classifier", "class", "halves"])
    tests = pd.DataFrame(columns=["dataset", "classifier", "p_value", "permuted"])
    table = verdicts(performances, stability, tests, {}, unequal={"raw"}).set_index("dataset")
    assert table["reasons"].to_dict() == dict.fromkeys(scales, "") | {"raw": "library size"}


def test_pairs_that_are_right_together_count_once():
    """Six of eight pairs: the sign test has p = 0.14."""
    codes, pairs = np.tile([0, 1], 8), np.repeat(np.arange(8), 2)
    actual = performance(codes, predictions(codes, pairs < 2), pairs, inflation=1.0)
    assert verdict(actual).reasons == ["chance interval"]
    assert not any(row.recognised for row in actual.classes)


def predictions(codes, wrong, n_classes=2):
    hot = np.eye(n_classes)[codes]
    hot[wrong] = np.roll(hot[wrong], 1, axis=1)
    return hot


def test_choosing_the_best_of_six_multiplies_p_and_widens_intervals():
    one = performance(CODES, predictions(CODES, [0, 25]), candidates=1)
    six = performance(CODES, predictions(CODES, [0, 25]), candidates=6)
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
    actual = verdict(measured, 0.01, intervals.Estimate(0.5, lower, upper), copies=copies)
    assert (actual.level, actual.reasons) == (f"{level} supported", reasons)


def test_recognition_needs_more_than_half_and_more_than_false_alarms():
    """Eight of twelve right samples are enough of one classifier, not of the best of six."""
    codes = np.repeat([0, 1], 12)
    predicted = predictions(codes, range(4))
    assert performance(codes, predicted, candidates=1).classes[0].recognised
    assert not performance(codes, predicted, candidates=6).classes[0].recognised
    # all are named as class 0; then of class 1 six of ten are, but so are 40 of 90 others
    codes = np.repeat([0, 1], [90, 10])
    actual = performance(codes, np.eye(2)[np.zeros(100, dtype=int)])
    assert not any(row.recognised for row in actual.classes)
    assert verdict(actual, 0.005).level == "not supported"
    actual = performance(codes, predictions(codes, [*range(40), *range(90, 94)]), inflation=1.0)
    assert actual.classes[1].recall.value == pytest.approx(0.6)
    assert not actual.classes[1].recognised
    codes = np.repeat([0, 1, 2], [40, 40, 10])  # one of three classes is never recognised
    actual = performance(codes, predictions(codes, range(80, 90), 3))
    assert verdict(actual, 0.001).reasons == ["classes"]


def test_a_batch_makes_a_result_partly_supported_at_most():
    codes = np.repeat([0, 1], 20)
    actual = performance(codes, np.eye(2)[codes])
    assert verdict(actual, 0.001).level == "well supported"
    capped = verdict(actual, 0.001, batch=True)
    assert (capped.level, capped.reasons) == ("partly supported", ["batch"])


def test_an_accuracy_whose_interval_contains_the_majority_is_partly_supported():
    """48 of 60 and 16 of 20 are right: the accuracy .8 is above .75, its lower limit is not."""
    codes = np.repeat([0, 1], [60, 20])
    wrong = np.r_[0:12, 60:64]
    actual = performance(codes, predictions(codes, wrong))
    assert actual.accuracy.lower <= actual.majority == 0.75 < actual.accuracy.value
    assert verdict(actual, 0.001).reasons == ["majority class"]


@pytest.mark.parametrize(
    ("severity", "n_copies", "expected"),
    [
        ("severe", 10, "severe"),
        ("severe", 9, "warning"),
        ("warning", 50, "severe"),
        ("warning", 49, "warning"),
        ("warning", 10, "warning"),
        ("warning", 9, None),
        ("notice", 100, None),
    ],
)
def test_shares_of_copies_among_100_samples(severity, n_copies, expected):
    """Pairs of the first sample with others, exact (=) or nearly equal (~)."""
    sign = "=" if severity == "severe" else "~"
    subjects = [f"s0 {sign} s{i}" for i in range(1, n_copies)]
    audit = pd.DataFrame({"subject": subjects, "dataset": "d", "severity": severity})
    audit["check"] = "repeated sample"
    headers = {"d": SimpleNamespace(samples=np.arange(100))}
    assert copies(audit, headers).get("d") == expected
    assert copies(audit.assign(check="sex"), headers) == {}


def test_a_table_of_verdicts_has_the_conditions_of_each_result():
    keys = {name: (name, "5-fold", "nb") for name in ("batch", "copied", "unstable", "chosen")}
    halves = {"class": "", "halves": 0.2, "halves_lower": 0.1, "halves_upper": 0.3}
    rows = [dict(zip(["dataset", "folds", "classifier"], keys["unstable"], strict=True)) | halves]
    of_six = performance(CODES, np.eye(2)[CODES], candidates=6)
    performances = {key: of_six if name == "chosen" else PERFECT for name, key in keys.items()}
    tests = [
        {"dataset": name, "classifier": "nb", "p_value": 0.004, "permuted": ""} for name in keys
    ]
    table = verdicts(
        performances,
        pd.DataFrame(rows),
        permutation_tests=pd.DataFrame(tests),
        copied={"copied": "warning"},
        inseparable={keys["batch"]},
    ).set_index("dataset")
    expected = {"batch": "batch", "copied": "copies", "unstable": "stability", "chosen": ""}
    assert table["reasons"].to_dict() == expected
    assert table["p_value"].to_dict() == pytest.approx(
        dict.fromkeys(keys, 0.004) | {"chosen": 0.024}
    )
    assert table["near"].to_dict() == dict.fromkeys(keys, "") | {"chosen": "permutation test"}


def test_without_a_label_test_the_lower_limit_has_the_inflation_of_the_upper_side():
    """13 right of 18 in each class: one half is between the limits at n / 2 and n / 1.75."""
    codes = np.repeat([0, 1], 18)
    wrong = [*range(5), *range(18, 23)]
    measured = performance(codes, predictions(codes, wrong))
    assert measured.strict_lower < 0.5 < measured.balanced_accuracy.lower
    strict = intervals.balanced_interval(
        np.isin(np.arange(36), wrong, invert=True).astype(float),
        codes,
        inflation=2.0,
        below=2.0,
    )
    assert measured.strict_lower == strict.lower
    assert "chance interval" in verdict(measured).reasons
    assert verdict(measured, 0.01).level != "not supported"
