"""Every text of the page of a small study, as the file ``page_texts.txt`` has it."""

import difflib

from page_texts import GOLDEN, small_page, texts_of_page

from xnbflow.report.page.blocks import Group, Prose, Section


def test_the_page_has_the_texts_that_were_read_in_a_diff():
    """A changed sentence is read in the diff of the file, which the program writes again."""
    expected = GOLDEN.read_text(encoding="utf-8").splitlines()
    actual = small_page().splitlines()
    diff = list(difflib.unified_diff(expected, actual, "page_texts.txt", "page", lineterm="", n=0))
    assert diff == [], "\n".join(["after reading: python tests/page_texts.py", *diff])


def test_texts_are_in_the_order_of_the_page_and_numbers_are_masked():
    blocks = [Prose("It is 93.5% (-1.2e-05)."), Group("Inside", [Prose("1,024 genes")], note="n")]
    assert texts_of_page([Section("a", "First", "Lead", blocks)]).splitlines() == [
        "== a",
        "Section.title: First",
        "Section.lead: Lead",
        "  Prose.text: It is # (#).",
        "  Group.title: Inside",
        "  Group.note: n",
        "    Prose.text: # genes",
    ]
