"""Reasons and findings in words: each code has a sentence, made from its row alone."""

import numpy as np
import pytest
from report_study import reason

from xnbflow.diagnostics.audit_row import CHECKS, audit_row
from xnbflow.inference.verdict_reasons import ALLOWED, VERDICT_LEVELS
from xnbflow.report import reasons
from xnbflow.report.reasons import reason_clauses

NUMBERS = {"estimate": 0.61, "lower": 0.42, "upper": 0.78, "limit": 0.5, "p": 0.04}


def test_every_code_has_a_sentence_and_no_other_has():
    assert set(ALLOWED) == reasons.CODES


@pytest.mark.parametrize("code", ALLOWED)
def test_a_sentence_is_made_from_the_row_alone(code):
    row = reason(code, subject="s", label="x", other="y", count=3, total=9, **NUMBERS)
    (clause,) = reason_clauses([row], "gene")
    assert not {"{", "}", "nan"} & set(clause.split())
    assert not clause[0].isupper()
    assert not clause.endswith(".")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(
            reason("chance interval", **NUMBERS),
            "42.0% to 78.0%, is not above chance (50.0%)",
            id="an interval",
        ),
        pytest.param(
            reason("label test", count=45, total=1000),
            "the label test does not exclude chance: 45 of 1,000 orders of the labels were as good",
            id="orders that were counted",
        ),
        pytest.param(
            reason("label test"),
            "the label test does not exclude chance",
            id="label test",
        ),
        pytest.param(
            reason("library size", label="b", other="a", estimate=4.04),
            "by the library size: libraries of “b” have 4.0 times the reads of “a”",
            id="library sizes",
        ),
        pytest.param(
            reason("most features selected", count=5.5, total=10),
            "most genes are in the short lists (6 of 10)",
            id="most features",
        ),
        pytest.param(
            reason("cohort threshold", subject="two"),
            "its threshold did not hold in the second cohort two, where its ranking did",
            id="a cohort",
        ),
        pytest.param(
            reason("stability unclear", limit=0.4, lower=0.2, upper=0.81),
            "undecided whether its genes are stable",
            id="unclear stability",
        ),
        pytest.param(
            reason("not fitted", count=1, total=3),
            "it could not be fitted in 1 of 3 folds",
            id="a failed fold",
        ),
    ],
)
def test_reasons_in_words(row, expected):
    (clause,) = reason_clauses([row], "gene")
    assert expected in clause


def test_classes_that_are_not_recognised_are_named_together():
    rows = [reason("class not recognised", label=label) for label in "ac"]
    assert reason_clauses(rows) == ["“a”, “c” are not recognised"]
    assert reason_clauses(rows[:1]) == ["“a” is not recognised"]


def test_a_class_with_most_samples_right_is_not_shown_to_be_recognised():
    """Its recall is above one half, and the interval alone is the reason."""
    rows = [
        reason("class not recognised", label=label, estimate=estimate)
        for label, estimate in (("a", 0.5), ("c", 0.51))
    ]
    assert reason_clauses(rows[:1]) == ["“a” is not recognised"]
    assert reason_clauses(rows) == ["“a”, “c” are not shown to be recognised"]


def test_pairs_of_classes_that_are_not_distinguished_are_named_together():
    rows = [reason("classes not distinguished", label="a", other=other) for other in "bc"]
    words = ["it is not shown to distinguish “a” and “b”, “a” and “c”"]
    assert reason_clauses(rows) == words


@pytest.mark.parametrize("code", ALLOWED)
def test_only_a_clause_of_the_level_has_its_name(code):
    """“Cannot be judged” is a level: other reasons use other words."""
    row = reason(code, subject="s", label="x", other="y", count=3, total=9, **NUMBERS)
    (clause,) = reason_clauses([row], "gene")
    assert not any(level in clause for level in VERDICT_LEVELS)


def test_only_the_reasons_that_decide_a_level_are_named():
    rows = [reason("chance interval", **NUMBERS), reason("unstable")]
    assert reasons.deciding("not supported", rows) == rows[:1]
    assert reasons.deciding("partly supported", rows[1:]) == rows[1:]
    assert reasons.deciding("well supported", rows) == []


def finding(code, subject, text, p_holm=np.nan, **fields):
    return audit_row(code, subject, "warning", text, **fields) | {"p_holm": p_holm}


def test_a_finding_has_its_detail_p_remedy_and_meaning_in_this_order():
    row = finding(
        "separates classes",
        "source",
        "“source” separates classes completely",
        detail="a: “x (y) z.” (10); b: “v” (12)",
        remedy="write adjust=source",
        p_holm=0.001,
    )
    text = reasons.finding_in_words(row, "within its levels are 0 pairs")
    parts = ["completely (a: “x (y) z.” (10); b: “v” (12))", "(adjusted p = 0.001)"]
    parts += ["within its levels are 0 pairs", "write adjust=source", "Unless it is another name"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert reasons.finding_in_short(row) == "“source” separates classes completely."


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("equal samples", "S1 = s2: alike."),
        ("nearly equal samples", "S1 ~ s2: alike."),
        ("sex differs", "S1: alike."),
        ("ranks differ", "Alike."),
    ],
)
def test_a_finding_names_its_subject(code, words):
    assert reasons.finding_in_short(finding(code, "s1", "alike", other="s2")) == words


def test_a_finding_of_no_known_code_is_refused():
    with pytest.raises(KeyError):
        audit_row("no code", "s", "warning", "text")
    assert set(CHECKS.values()) >= {"confounder", "repeated sample", "library size", "sex"}
