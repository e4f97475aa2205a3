"""The rule of verdicts: conditions, boundaries, and what is near a limit."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from xnbflow.core.findings import KINDS, VERDICT_LEVELS, Finding, lowest
from xnbflow.diagnostics.false_discovery import benjamini_hochberg, holm
from xnbflow.inference import intervals
from xnbflow.inference.estimates import performance
from xnbflow.inference.verdicts import (
    LabelTest,
    class_pair_findings,
    cohort_findings,
    column_findings,
    stability_findings,
    verdict,
    verdicts,
)
from xnbflow.tables.contract import GROUPS

CODES = np.repeat([0, 1], 20)
PERFECT = performance(CODES, np.eye(2)[CODES])
NO_FINDINGS = pd.DataFrame(columns=GROUPS["audit"].tables["findings"].fixed)


def names(findings):
    """Return the code and kind of each finding as one text."""
    return [": ".join(filter(None, (finding.code, finding.kind))) for finding in findings]


@pytest.mark.parametrize(
    ("p", "level"),
    [(0.025, "well supported"), (0.0251, "not supported"), (np.nan, "well supported")],
)
def test_p_at_its_level_supports_a_result(p, level):
    assert verdict(PERFECT, LabelTest(p)).level == level


@pytest.mark.parametrize(
    ("lower", "upper", "near"),
    [
        (0.025, 0.0251, True),
        (0.0251, 0.05, False),
        (0.01, 0.025, False),
        (0.001, 0.9, True),
        (np.nan, np.nan, False),
    ],
)
def test_p_is_near_its_level_if_the_level_is_between_its_limits(lower, upper, near):
    test = LabelTest(0.02, p_lower=lower, p_upper=upper)
    judged = verdict(PERFECT, test)
    assert (judged.near_test, judged.near_interval) == (near, False)


@pytest.mark.parametrize(
    ("lower", "near"), [(0.479, False), (0.481, True), (0.519, True), (0.521, False)]
)
def test_a_lower_limit_within_two_points_of_chance_is_near_it(lower, near):
    balanced = PERFECT.balanced_accuracy._replace(lower=lower)
    test = LabelTest(0.001, p_lower=0.0, p_upper=0.01)
    judged = verdict(replace(PERFECT, balanced_accuracy=balanced), test)
    assert (judged.near_test, judged.near_interval) == (False, near)


def test_missing_p_are_no_tests():
    """Two of four are missing: .01 and .04 are adjusted for two tests."""
    p = np.array([0.01, np.nan, 0.04, np.nan])
    assert benjamini_hochberg(p)[[0, 2]].tolist() == [0.02, 0.04]
    assert holm(p)[[0, 2]].tolist() == [0.02, 0.04]


def test_a_finding_on_the_data_limits_every_classifier_and_a_notice_none():
    finding = Finding(
        code="values", kind="library size", label="b", other="a", numbers={"estimate": 4.0}
    )
    notice = replace(finding, severity="notice")
    rows = [finding.columns() | {"dataset": "raw"}, notice.columns() | {"dataset": "less"}]
    keys = [("raw", "5-fold", "nb"), ("raw", "5-fold", "xnb"), ("less", "5-fold", "nb")]
    data = pd.DataFrame(rows)
    tables = tables_of_verdicts(dict.fromkeys(keys, PERFECT), data_findings=data)
    levels = ["partly supported", "partly supported", "well supported"]
    assert tables["verdicts"]["level"].tolist() == levels
    of_data = tables["findings"].query("classifier == ''")
    assert of_data["allows"].tolist() == ["partly supported", ""]
    refused = performance(CODES, np.eye(2)[1 - CODES])
    tables = tables_of_verdicts({keys[0]: refused}, data_findings=data)
    assert tables["verdicts"]["level"].tolist() == ["not supported"]


def test_pairs_that_are_right_together_count_once():
    """Six of eight pairs: the sign test has p = 0.14."""
    codes, pairs = np.tile([0, 1], 8), np.repeat(np.arange(8), 2)
    actual = performance(codes, predictions(codes, pairs < 2), pairs, inflation=1.0)
    assert verdict(actual).level == "not supported"
    assert names(verdict(actual).findings)[0] == "chance: interval"
    assert not any(row.is_recognised for row in actual.classes)


def predictions(codes, wrong, n_classes=2):
    hot = np.eye(n_classes)[codes]
    hot[wrong] = np.roll(hot[wrong], 1, axis=1)
    return hot


def test_choosing_the_best_of_six_widens_intervals_and_leaves_p():
    one = performance(CODES, predictions(CODES, [0, 25]), candidates=1)
    six = performance(CODES, predictions(CODES, [0, 25]), candidates=6)
    assert six.accuracy.lower < one.accuracy.lower
    assert verdict(one, LabelTest(0.005)).level == "well supported"
    actual = verdict(six, LabelTest(0.005))  # the label test does not use the classifiers
    assert (actual.p_value, actual.level) == (0.005, "well supported")


@pytest.mark.parametrize(("value", "codes"), [(0.5, []), (0.49, ["unstable: not replicated"])])
def test_stability_is_judged_by_its_mean_over_divisions(value, codes):
    findings = stability_findings(intervals.Estimate(value, 0.0, 1.0))
    actual = verdict(PERFECT, LabelTest(0.01), findings)
    assert names(actual.findings) == codes
    assert actual.level == ("partly supported" if codes else "well supported")


@pytest.mark.parametrize(
    ("mean_size", "code"), [(5.0, "unstable: not replicated"), (5.5, "unstable: most features")]
)
def test_halves_that_select_most_features_do_not_differ(mean_size, code):
    """The index is corrected for chance: it is near 0 where nearly all features are selected."""
    (finding,) = stability_findings(intervals.Estimate(0.1, 0.0, 0.2), mean_size, 10)
    assert names([finding]) == [code]
    assert finding.numbers["limit"] == 0.5


def test_a_selection_without_halves_is_at_most_partly_supported():
    actual = verdict(PERFECT, LabelTest(0.001), stability_findings(None))
    assert (actual.level, names(actual.findings)) == ("partly supported", ["unstable: not tested"])


@pytest.mark.parametrize(("code", "kind"), KINDS)
def test_a_verdict_is_the_lowest_level_that_a_finding_allows(code, kind):
    finding = Finding(code=code, kind=kind)
    actual = verdict(PERFECT, LabelTest(0.001), [finding])
    assert actual.level == (KINDS[code, kind].allows or "well supported")
    actual = verdict(PERFECT, LabelTest(0.001), [replace(finding, severity="notice")])
    assert actual.level == "well supported"


def test_a_finding_of_no_known_kind_is_refused():
    with pytest.raises(KeyError):
        Finding(code="chance", kind="copies")


def test_the_levels_are_in_their_order():
    assert VERDICT_LEVELS == (
        "well supported",
        "partly supported",
        "cannot be judged",
        "not supported",
    )
    for better, worse in itertools.pairwise(VERDICT_LEVELS):
        assert lowest([better, worse]) == lowest([worse, better]) == worse
    ranks = [VERDICT_LEVELS.index(row.allows) for row in KINDS.values() if row.allows]
    assert ranks == sorted(ranks, reverse=True)  # what decides a verdict comes first


def test_recognition_needs_more_than_half_and_more_than_false_alarms():
    """Eight of twelve right samples are enough of one classifier, not of the best of six."""
    codes = np.repeat([0, 1], 12)
    predicted = predictions(codes, range(4))
    assert performance(codes, predicted, candidates=1).classes[0].is_recognised
    assert not performance(codes, predicted, candidates=6).classes[0].is_recognised
    # all are named as class 0; then of class 1 six of ten are, but so are 40 of 90 others
    codes = np.repeat([0, 1], [90, 10])
    actual = performance(codes, np.eye(2)[np.zeros(100, dtype=int)])
    assert not any(row.is_recognised for row in actual.classes)
    assert verdict(actual, LabelTest(0.005)).level == "not supported"
    actual = performance(codes, predictions(codes, [*range(40), *range(90, 94)]), inflation=1.0)
    assert actual.classes[1].recall.value == pytest.approx(0.6)
    assert not actual.classes[1].is_recognised
    codes = np.repeat([0, 1, 2], [40, 40, 10])  # one of three classes is never recognised
    actual = performance(codes, predictions(codes, range(80, 90), 3))
    assert names(verdict(actual, LabelTest(0.001)).findings) == ["class not recognised: class"]


def test_a_result_that_a_column_may_explain_cannot_be_judged():
    codes = np.repeat([0, 1], 20)
    actual = performance(codes, np.eye(2)[codes])
    assert verdict(actual, LabelTest(0.001)).level == "well supported"
    batch = Finding(code="column", kind="not separated")
    capped = verdict(actual, LabelTest(0.001), [batch])
    assert (capped.level, names(capped.findings)) == ("cannot be judged", ["column: not separated"])


def test_an_accuracy_whose_interval_contains_the_majority_is_partly_supported():
    """48 of 60 and 16 of 20 are right: the accuracy .8 is above .75, its lower limit is not."""
    codes = np.repeat([0, 1], [60, 20])
    wrong = np.r_[0:12, 60:64]
    actual = performance(codes, predictions(codes, wrong))
    assert actual.accuracy.lower <= actual.majority == 0.75 < actual.accuracy.value
    assert names(verdict(actual, LabelTest(0.001)).findings) == ["chance: majority class"]


KEYS = {name: (name, "5-fold", "nb") for name in ("batch", "unstable", "chosen", "failed")}


def of_key(name):
    return dict(zip(["dataset", "folds", "classifier"], KEYS[name], strict=True))


def tables_of_verdicts(performances, **changes):
    """Return both tables of studies with these performances, by key."""
    header = SimpleNamespace(classes=np.array(["x", "y"]), n_features=100)
    arguments = {
        "headers": {key[0]: header for key in performances},
        "fits": dict.fromkeys(performances, (0, 5)),
        "stability": pd.DataFrame(columns=GROUPS["study"].tables["stability"].fixed),
        "label_tests": pd.DataFrame(columns=GROUPS["study"].tables["label_tests"].fixed),
        "data_findings": NO_FINDINGS,
        "further": {},
    }
    return verdicts(performances, **arguments | changes)


def test_a_table_of_findings_has_what_limits_each_result():
    short = {"replicated": 0.2, "replicated_lower": 0.1, "replicated_upper": 0.3}
    # of 100 features the list of all has 90, the short one 9
    halves = {"class": "", "mean_size": 90, "short_size": 9, **short}
    of_six = performance(CODES, np.eye(2)[CODES], candidates=6)
    performances = {key: of_six if name == "chosen" else PERFECT for name, key in KEYS.items()}
    tests = [
        {"dataset": name, "classifier": "nb", "p_value": 0.004, "at_least": 4,
         "permutations": 1000, "p_lower": 0.001, "p_upper": 0.01} for name in KEYS
    ]  # fmt: skip
    tables = tables_of_verdicts(
        performances,
        fits=dict.fromkeys(performances, (0, 5)) | {KEYS["failed"]: (1, 5)},
        stability=pd.DataFrame([of_key("unstable") | halves]),
        label_tests=pd.DataFrame(tests),
        further={KEYS["batch"]: [Finding(code="column", kind="not examined", subject="plate")]},
    )
    findings = tables["findings"].set_index("dataset")
    assert findings["code"].to_dict() == {
        "batch": "column",
        "unstable": "unstable",
        "failed": "not fitted",
    }
    assert findings.loc["failed", ["count", "total"]].tolist() == [1, 5]
    assert findings.loc["batch", "subject"] == "plate"
    table = tables["verdicts"].set_index("dataset")
    assert table["level"].to_dict() == {
        "batch": "cannot be judged",
        "unstable": "partly supported",
        "chosen": "well supported",
        "failed": "not supported",
    }
    expected = dict.fromkeys(KEYS, 0.004) | {"failed": np.nan}  # also of six candidates
    assert table["p_value"].to_dict() == pytest.approx(expected, nan_ok=True)
    assert table["near_test"].to_dict() == dict.fromkeys(KEYS, False)
    assert not table["near_interval"].any()
    assert table["selects"].to_dict() == dict.fromkeys(KEYS, False) | {"unstable": True}


def test_every_classifier_has_the_label_test_of_its_data_set():
    keys = [("d", "f", name) for name in ("first", "beside")] + [("e", "f", "beside")]
    test = {"dataset": "d", "classifier": "first", "p_value": 0.03, "at_least": 30}
    table = pd.DataFrame([test]).assign(permutations=1000, p_lower=np.nan, p_upper=np.nan)
    tables = tables_of_verdicts(dict.fromkeys(keys, PERFECT), label_tests=table)
    rows = tables["verdicts"].set_index(["dataset", "classifier"])
    assert rows["p_value"].tolist() == pytest.approx([0.03, 0.03, np.nan], nan_ok=True)
    assert rows["level"].tolist() == ["not supported"] * 2 + ["well supported"]
    refused = tables["findings"]
    assert refused["classifier"].tolist() == ["first", "beside"]
    assert refused[["count", "total", "limit"]].drop_duplicates().values.tolist() == [
        [30, 1000, 0.025]
    ]


def test_pairs_of_several_classes_that_are_not_separated_are_findings():
    """With two classes their pair is the result itself."""
    row = {"dataset": "d", "folds": "f", "classifier": "nb", "class": "a", "other": "b"}
    row |= {"samples": 9, "other_samples": 8, "auc": 0.6, "lower": 0.4, "upper": 0.8}
    row |= {"separated": False, "judged": True}
    rows = [row, row | {"other": "c", "separated": True}]
    rows += [row | {"class": "b", "other": "c"}, row | {"dataset": "two"}]
    findings = class_pair_findings(pd.DataFrame(rows))
    numbers = {"estimate": 0.6, "lower": 0.4, "upper": 0.8, "limit": 0.5, "count": 9, "total": 8}
    fields = {"code": "class not recognised", "kind": "pair", "dataset": "d", "numbers": numbers}
    assert findings == {
        ("d", "f", "nb"): [
            Finding(label="a", other="b", **fields),
            Finding(label="b", other="c", **fields),
        ]
    }
    limited = verdict(PERFECT, LabelTest(0.001), findings["d", "f", "nb"])
    assert limited.level == "partly supported"


def test_pairs_of_small_classes_limit_nothing():
    """One wrong sample decides whether such a pair is separated."""
    row = {"dataset": "d", "folds": "f", "classifier": "nb", "class": "a", "other": "b"}
    row |= {"samples": 6, "other_samples": 7, "auc": 0.9, "lower": 0.4, "upper": 1.0}
    row |= {"separated": False, "judged": False}
    rows = [row, row | {"other": "c", "samples": 5}, row | {"class": "b", "other": "c"}]
    (finding,) = class_pair_findings(pd.DataFrame(rows))["d", "f", "nb"]
    assert (finding.kind, finding.severity, finding.allows) == ("small classes", "notice", "")
    assert (finding.numbers, finding.detail) == ({"count": 3, "total": 3}, "5 to 6")
    assert verdict(PERFECT, LabelTest(0.001), [finding]).level == "well supported"


def test_columns_that_may_explain_a_result_are_findings_by_pair_of_classes():
    row = {"dataset": "d", "folds": "f", "classifier": "nb", "column": "plate", "limits": True}
    row |= {"class": "a", "other": "b", "status": "cannot be separated", "pairs": 12, "p": 0.4}
    row |= {"auc_within": 0.5, "lower": 0.3, "upper": 0.7, "together": False}
    rows = [row, row | {"other": "c", "status": "cannot be examined"}]
    rows += [row | {"status": "recognised"}, row | {"column": "age", "limits": False}]
    several = {"d": SimpleNamespace(classes=list("abc"))}
    findings = column_findings(pd.DataFrame(rows), several)["d", "f", "nb"]
    assert [(one.kind, one.subject, one.label, one.other) for one in findings] == [
        ("pair not separated", "plate", "a", "b"),
        ("pair not examined", "plate", "a", "c"),
    ]  # the third pair is recognised within plates; columns of biology limit no verdict
    rows.append(row | {"class": "b", "other": "c"})
    findings = column_findings(pd.DataFrame(rows), several)["d", "f", "nb"]
    codes = ["column: not separated", "column: not examined", "column: not separated"]
    assert names(findings) == codes  # no pair is left
    two = column_findings(pd.DataFrame([row]), {"d": SimpleNamespace(classes=list("ab"))})
    (finding,) = two["d", "f", "nb"]
    assert (finding.label, finding.other, finding.numbers["count"]) == ("", "", 12)


@pytest.mark.parametrize(
    ("column", "together", "subject"),
    [
        ("plate × site", True, "plate × site"),  # two columns
        ("dose × time", False, '"dose × time"'),  # one column with the sign in its name
    ],
)
def test_the_subject_of_a_finding_distinguishes_one_column_from_several(column, together, subject):
    row = {"dataset": "d", "folds": "f", "classifier": "nb", "column": column, "limits": True}
    row |= {"class": "a", "other": "b", "status": "cannot be separated", "pairs": 12, "p": 0.4}
    row |= {"auc_within": 0.5, "lower": 0.3, "upper": 0.7, "together": together}
    headers = {"d": SimpleNamespace(classes=list("ab"))}
    (finding,) = column_findings(pd.DataFrame([row]), headers)["d", "f", "nb"]
    assert finding.subject == subject


@pytest.mark.parametrize(
    ("verdicts_in_cohort", "code"),
    [
        (["not held"], "cohort: not held"),
        (["held in ranking"], "cohort: held in ranking"),
        (["not held", "held in ranking"], "cohort: held in ranking"),
        (["not held", "held"], None),
        (["held in ranking", "held"], None),
        (["cannot be judged"], None),
        (["not held", "cannot be judged"], "cohort: not held"),
    ],
)
def test_a_second_cohort_is_one_finding_unless_the_classifier_held_there(verdicts_in_cohort, code):
    rows = [
        {"model": "xnb", "train": "d", "test": "e", "verdict": verdict_in_cohort}
        for verdict_in_cohort in verdicts_in_cohort
    ]
    numbers = {"n": 20, "right": 9, "value": 0.45, "lower": 0.3, "upper": 0.6, "chance": 0.5}
    tests = pd.DataFrame(rows).assign(**numbers, p_value=0.7)
    findings = cohort_findings(tests)
    if code is None:
        assert findings == {}
        return
    (finding,) = findings["d", "xnb"]
    assert (names([finding]), finding.subject) == ([code], "e")
    assert finding.allows == "partly supported"
    assert (finding.numbers["count"], finding.numbers["total"], finding.numbers["limit"]) == (
        9,
        20,
        0.5,
    )


def test_each_second_cohort_is_a_finding():
    row = {"model": "xnb", "train": "d", "test": "e", "verdict": "not held"}
    tests = pd.DataFrame([row, row | {"test": "g"}, row | {"train": "e", "test": "d"}])
    numbers = ["n", "right", "value", "lower", "upper", "chance", "p_value"]
    findings = cohort_findings(tests.assign(**dict.fromkeys(numbers, 1.0)))
    assert [finding.subject for finding in findings["d", "xnb"]] == ["e", "g"]
    assert list(findings) == [("d", "xnb"), ("e", "xnb")]
    assert cohort_findings(tests.head(0)) == {}


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
    assert "chance: interval" in names(verdict(measured).findings)
    assert verdict(measured, LabelTest(0.01)).level != "not supported"
