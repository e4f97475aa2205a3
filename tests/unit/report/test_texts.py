"""The constant texts of the page: whole sentences, without contradictions that were on a page."""

import re

import pytest

from xnbflow.report.texts import constant_texts, texts_of

TEXTS = sorted(constant_texts())
#: Texts that follow a colon or a comma of another sentence.
FRAGMENTS = {
    texts_of("genes")["chosen_sets"],
    texts_of("genes")["ranked_sets"],
    texts_of("signature")["files"],
    texts_of("cohorts")["standard_deviations"],
}


def faults_of(text):
    """Return what is wrong with a text: not a whole sentence in one line, or nested parentheses."""
    faults = []
    if "\n" in text or "  " in text:
        faults.append("several lines or spaces")
    if text not in FRAGMENTS and not (text[0].isupper() or text[0] in "▲{p●"):
        faults.append("begins with a small letter")
    if text not in FRAGMENTS and not text.endswith("."):
        faults.append("ends without a full stop")
    if re.search(r"\([^()]*\(", text):
        faults.append("a parenthesis within a parenthesis")
    if text.count("(") != text.count(")"):
        faults.append("a parenthesis without its other half")
    return faults


def test_every_text_is_whole_sentences_in_one_line_without_nested_parentheses():
    assert len(TEXTS) > 90
    assert {text: faults_of(text) for text in TEXTS if faults_of(text)} == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Two\nlines.", "several lines or spaces"),
        ("Two  spaces.", "several lines or spaces"),
        ("small.", "begins with a small letter"),
        ("No stop", "ends without a full stop"),
        ("One (two (three)).", "a parenthesis within a parenthesis"),
        ("One (two.", "a parenthesis without its other half"),
    ],
)
def test_a_fault_of_a_text_is_found(text, fault):
    assert faults_of(text) == [fault]


@pytest.mark.parametrize(
    "words",
    ["unproven", "more with a weight", "pointer and finger", "by its ranks", "so many would"],
)
def test_phrases_that_misled_are_gone(words):
    assert not [text for text in TEXTS if words in text]


def test_the_rule_of_a_verdict_names_its_limits():
    rule = texts_of("verdicts")["rule"]
    for limit in ("p above .025", "a tenth of the samples", "above one half", "below .5"):
        assert limit in rule
