"""Findings in words: each kind has a sentence, made from its row alone."""

import pytest
from report_study import finding_row

from xnbflow.core.findings import KINDS, VERDICT_LEVELS, Finding
from xnbflow.report import findings
from xnbflow.report.findings import clauses_of

NUMBERS = {"estimate": 0.61, "lower": 0.42, "upper": 0.78, "limit": 0.5, "p": 0.04}


#: The kinds that limit a verdict, by name.
LIMITING = [": ".join(filter(None, name)) for name, row in KINDS.items() if row.allows]


@pytest.mark.parametrize(("code", "kind"), KINDS)
def test_a_sentence_is_made_from_the_row_alone(code, kind):
    finding = Finding(
        code=code,
        kind=kind,
        subject="s",
        label="x",
        other="y",
        detail="few",
        numbers=NUMBERS | {"count": 3, "total": 9},
    )
    (clause,) = clauses_of([finding.columns()], "gene")
    assert not {"{", "}", "nan"} & set(clause.split())
    assert not clause[0].isupper()
    assert not clause.endswith(".")
    advice = findings.advice_of(finding.columns(), "gene")
    assert not {"{", "}", "nan"} & set(advice.split())


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(
            finding_row("chance: interval", **NUMBERS),
            "42.0% to 78.0%, is not above chance (50.0%)",
            id="an interval",
        ),
        pytest.param(
            finding_row("chance: label test", count=2, total=99),
            "the label test does not exclude chance: 2 of 99 orders of the labels were as good",
            id="permutations that were counted",
        ),
        pytest.param(
            finding_row("chance: label test"),
            "the label test does not exclude chance",
            id="permutations",
        ),
        pytest.param(
            finding_row("values: library size", label="b", other="a", estimate=4.04),
            "by the library size: libraries of “b” have 4.0 times the reads of “a”",
            id="library sizes",
        ),
        pytest.param(
            finding_row("unstable: most features", count=5.5, total=10),
            "most genes are in the short lists (6 of 10)",
            id="most features",
        ),
        pytest.param(
            finding_row("cohort: held in ranking", subject="two"),
            "its threshold did not hold in the second cohort two, where its ranking did",
            id="a cohort",
        ),
        pytest.param(
            finding_row("unstable: not replicated", estimate=0.31),
            "its first genes do not replicate: 31% of those of half of the samples",
            id="stability",
        ),
        pytest.param(
            finding_row("not fitted", count=1, total=3),
            "it could not be fitted in 1 of 3 folds",
            id="a failed fold",
        ),
    ],
)
def test_findings_in_words(row, expected):
    (clause,) = clauses_of([row], "gene")
    assert expected in clause


def test_classes_that_are_not_recognised_are_named_together():
    rows = [finding_row("class not recognised: class", label=label) for label in "ac"]
    assert clauses_of(rows) == ["“a”, “c” are not recognised"]
    assert clauses_of(rows[:1]) == ["“a” is not recognised"]


def test_a_class_with_most_samples_right_is_not_shown_to_be_recognised():
    """Its recall is above one half, and the interval alone is the reason."""
    rows = [
        finding_row("class not recognised: class", label=label, estimate=estimate)
        for label, estimate in (("a", 0.5), ("c", 0.51))
    ]
    assert clauses_of(rows[:1]) == ["“a” is not recognised"]
    assert clauses_of(rows) == ["“a”, “c” are not shown to be recognised"]


def test_pairs_of_classes_that_are_not_distinguished_are_named_together():
    rows = [finding_row("class not recognised: pair", label="a", other=other) for other in "bc"]
    words = ["it is not shown to distinguish “a” and “b”, “a” and “c”"]
    assert clauses_of(rows) == words


@pytest.mark.parametrize("code", LIMITING)
def test_only_a_clause_of_the_level_has_its_name(code):
    """“Cannot be judged” is a level: other reasons use other words."""
    row = finding_row(code, subject="s", label="x", other="y", count=3, total=9, **NUMBERS)
    (clause,) = clauses_of([row], "gene")
    assert not any(level in clause for level in VERDICT_LEVELS)


def test_only_the_findings_that_decide_a_level_are_named():
    rows = [finding_row("chance: interval", **NUMBERS), finding_row("unstable: not replicated")]
    assert findings.deciding("not supported", rows) == rows[:1]
    assert findings.deciding("partly supported", rows[1:]) == rows[1:]
    assert findings.deciding("well supported", rows) == []


def test_a_finding_has_its_detail_p_levels_and_advice_in_this_order():
    row = finding_row(
        "column: separates classes",
        subject="source",
        other="source",
        detail="a: “x (y) z.” (10); b: “v” (12)",
        p_holm=0.001,
    )
    text = findings.finding_in_words(row, "within its levels are 0 pairs")
    parts = ["completely", "(a: “x (y) z.” (10); b: “v” (12))", "(adjusted p = 0.001)"]
    parts += ["within its levels are 0 pairs", "`adjust: [source]`"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "“x (y)" not in findings.finding_in_short(row)


def test_the_advice_for_a_column_has_its_term_and_the_samples_that_it_leaves_out():
    row = finding_row("column: associated", subject="plate", other="factor(plate)", count=3)
    advice = findings.advice_of(row)
    assert "write `adjust: [factor(plate)]` in the design of the study (3 samples have no" in advice
    row = finding_row("column: associated", subject="batch (day)")
    assert findings.advice_of(row) == "no comparison of features can be adjusted for it"


def test_the_documentation_has_a_line_for_every_kind():
    lines = [*findings.verdict_table(), *findings.notice_table()]
    assert len(lines) == 4 + len(KINDS)
    assert "| `not fitted` | not supported | a fold failed |" in lines
