"""Terms of the glossary on the page: marked once in a text, with the meaning of the documents."""

import re
from pathlib import Path

import pytest

from xnbflow.report.page.blocks import Prose, Section
from xnbflow.report.page.glossary import glossary, with_terms
from xnbflow.report.page.page import write_page

DOCUMENT = Path(__file__).parents[4] / "docs/reference/glossary.md"


def test_meanings_are_those_of_the_documents():
    entries = re.findall(r"^([^\n:].*)\n: (.+)$", DOCUMENT.read_text(), re.MULTILINE)
    meanings = {term.removesuffix(", log2"): meaning for term, meaning in entries}
    assert {term: meanings.get(term) for term in glossary()} == dict(glossary())


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("The recall of a, its recall", ["recall"]),
        ("Recalls and AUCs of core sets", ["Recall", "AUC", "core set"]),
        ("Balanced accuracy and accuracy", ["Balanced accuracy"]),
        ("recalled, auc, FDRs2, Stability-like", []),
        ('<b>stability</b> & "FDR"', ["stability", "FDR"]),
    ],
)
def test_a_term_is_marked_once_and_only_as_a_word(text, marked):
    html = str(with_terms(text))
    assert re.findall(r'<abbr title="[^"]+">([^<]+)</abbr>', html) == marked
    assert "<b>" not in html


def test_the_page_explains_terms_under_the_pointer(tmp_path):
    section = Section("s", "S", "By stability.", [Prose("A core set."), Prose("FDR", "help")])
    write_page(tmp_path / "p.html", "t", lead="", sections=[section])
    html = (tmp_path / "p.html").read_text()
    assert all(f">{term}</abbr>" in html for term in ("stability", "core set", "FDR"))
