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


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:40])
def test_a_text_is_whole_sentences_in_one_line(text):
    assert "\n" not in text
    assert "  " not in text
    if text not in FRAGMENTS:
        assert text[0].isupper() or text[0] in "▲{p●"
        assert text.endswith(".")


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:40])
def test_no_parenthesis_is_inside_a_parenthesis(text):
    assert not re.search(r"\([^()]*\(", text)
    assert text.count("(") == text.count(")")


@pytest.mark.parametrize(
    "words",
    ["unproven", "more with a weight", "pointer and finger", "by its ranks", "so many would"],
)
def test_phrases_that_misled_are_gone(words):
    assert not [text for text in TEXTS if words in text]


def test_the_rule_of_a_verdict_names_its_limits():
    rule = texts_of("verdicts")["rule"]
    for limit in ("p above .025", "a tenth of the samples", "above one half", "is below .4"):
        assert limit in rule
