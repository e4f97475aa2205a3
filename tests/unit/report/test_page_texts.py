"""Every text of the page of a small study, as the file ``page_texts.txt`` has it."""

from page_texts import GOLDEN, changed_lines, sentences_of_page, small_page, texts_of_page
from toys import HOSTILE

from xnbflow.report.page.blocks import Group, Prose, Section
from xnbflow.report.texts import texts_of


def test_the_page_has_the_texts_that_were_read_in_a_diff():
    """A changed sentence is read in the diff of the file, which the program writes again."""
    assert not changed_lines(GOLDEN, small_page())


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


def test_sentences_of_a_study_have_neither_names_nor_numbers_nor_constant_texts():
    rule = texts_of("verdicts")["rule"]
    names = f"Genes {HOSTILE[0]}, 7_at and {HOSTILE[1]} differ."
    blocks = [Prose(f"{rule} In 3 of 4 data sets."), Prose(f"{names} Check sample 3, sample 12.")]
    assert sentences_of_page([Section("a", "First", "", blocks)]).splitlines() == [
        "== a",
        "Section.title: First",
        "  Prose.text: [verdicts.rule] In # of # data sets.",
        "  Prose.text: Genes ‹name›, … differ.",
        "      Check sample #, ….",
    ]


def test_a_changed_line_is_shown_with_the_command_that_writes_the_file_again(tmp_path):
    path = tmp_path / "renal.txt"
    path.write_text("one\ntwo\n", encoding="utf-8")
    assert changed_lines(path, "one\ntwo\n") == ""
    first, *_, removed, added = changed_lines(path, "one\n2\n").splitlines()
    assert first.endswith("tests/page_texts.py renal")
    assert (removed, added) == ("-two", "+2")
