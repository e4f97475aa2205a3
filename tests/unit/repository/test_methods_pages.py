"""A page of a method begins with the method, in at most 800 words; evidence is in its appendix."""

import re
from pathlib import Path

import pytest

METHODS = Path(__file__).parents[3] / "docs" / "methods"
PAGES = sorted(path.name for path in METHODS.glob("*.md"))
#: Words of a page before its appendix; bars of tables and dashes are no words.
LIMIT = 800


def method_of(text):
    """Return the part of a page before its heading "## Appendix ..."."""
    return re.split(r"^## Appendix", text, maxsplit=1, flags=re.MULTILINE)[0]


def n_words(text):
    """Return the number of words: parts with a letter or a digit."""
    return sum(any(sign.isalnum() for sign in part) for part in text.split())


@pytest.mark.parametrize("page", PAGES)
def test_a_method_has_at_most_800_words_before_its_appendix(page):
    text = (METHODS / page).read_text(encoding="utf-8")
    assert n_words(method_of(text)) <= LIMIT


@pytest.mark.parametrize("page", PAGES)
def test_no_section_of_the_method_is_below_the_appendix(page):
    """Evidence, derivations and variants are; only the generated coverage of a paper may follow."""
    text = (METHODS / page).read_text(encoding="utf-8")
    appendix = text.removeprefix(method_of(text))
    headings = re.findall(r"^## (.*)", appendix, re.MULTILINE)
    others = [heading for heading in headings if not heading.startswith("Appendix")]
    assert others in ([], ["What of the paper is here"])


def test_bars_and_dashes_are_no_words():
    assert n_words("| class | p |\n|---|---|\n| a | .5 |") == 4


def test_words_of_the_appendix_do_not_count():
    assert method_of("# Title\n\nOne.\n\n## Appendix: evidence\n\nTwo.") == "# Title\n\nOne.\n\n"
    assert method_of("# Title\n\nAn ## Appendix in a line.") == (
        "# Title\n\nAn ## Appendix in a line."
    )
