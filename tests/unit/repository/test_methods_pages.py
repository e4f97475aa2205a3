"""A page of a method begins with the method, in at most 800 words; evidence is in its appendix."""

import re
from pathlib import Path

import pytest

METHODS = Path(__file__).parents[3] / "docs" / "methods"
PAGES = sorted(path.name for path in METHODS.glob("*.md"))
#: Words of a page before its appendix, of `wc -w`.
LIMIT = 800
#: Pages that still exceed the limit, with the reason; one that keeps it leaves this list.
EXCEPTIONS = {
    "designs.md": "in work",
    "verdicts.md": "in work",
}


def method_of(text):
    """Return the part of a page before its heading "## Appendix ..."."""
    return re.split(r"^## Appendix", text, maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("page", [name for name in PAGES if name not in EXCEPTIONS])
def test_a_method_has_at_most_800_words_before_its_appendix(page):
    text = (METHODS / page).read_text(encoding="utf-8")
    assert len(method_of(text).split()) <= LIMIT


@pytest.mark.parametrize("page", sorted(EXCEPTIONS))
def test_a_page_of_the_list_of_exceptions_exceeds_the_limit(page):
    text = (METHODS / page).read_text(encoding="utf-8")
    assert len(method_of(text).split()) > LIMIT, "remove it from the list"


@pytest.mark.parametrize("page", PAGES)
def test_the_appendix_is_the_last_section_of_its_level(page):
    """Evidence, derivations and variants are below it, as sections of level 3."""
    text = (METHODS / page).read_text(encoding="utf-8")
    headings = re.findall(r"^## .*", text, re.MULTILINE)
    appendices = [heading for heading in headings if heading.startswith("## Appendix")]
    assert appendices in ([], headings[-1:])


def test_words_of_the_appendix_do_not_count():
    assert method_of("# Title\n\nOne.\n\n## Appendix: evidence\n\nTwo.") == "# Title\n\nOne.\n\n"
    assert method_of("# Title\n\nAn ## Appendix in a line.") == (
        "# Title\n\nAn ## Appendix in a line."
    )
