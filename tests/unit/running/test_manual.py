"""The pages of the results: questions first, every column described once, links that exist."""

import re

import pytest

from xnbflow.core.plugins import shipped_analyses
from xnbflow.running.project import ROOT
from xnbflow.running.results_pages import (
    PAPERS_REFERENCE,
    QUESTIONS,
    REFERENCE,
    results_manual,
    results_of_papers,
    results_reference,
)
from xnbflow.tables import contract
from xnbflow.tables.contract import analysis_tables

PAGES = {contract.MANUAL: results_manual}
PAGES |= {REFERENCE: results_reference, PAPERS_REFERENCE: results_of_papers}


@pytest.fixture(scope="module")
def reference():
    return results_reference()


@pytest.fixture(scope="module")
def papers():
    return results_of_papers()


def sections(page, level=2):
    """Return the text below each heading of a level, by its title."""
    parts = re.split(rf"^{'#' * level} (.*)\n", page, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def declared_columns():
    """Return the columns of all tables of the core and the shipped analyses, with their tables."""
    tables = [table for group in contract.GROUPS.values() for table in group.tables.values()]
    for analysis in shipped_analyses().values():
        tables += analysis_tables(analysis).values()
    return [(table, name, column) for table in tables for name, column in table.columns.items()]


def n_words(text):
    """Return the number of words: parts with a letter or a digit."""
    return sum(any(sign.isalnum() for sign in part) for part in text.split())


@pytest.mark.parametrize("path", PAGES)
def test_the_pages_are_those_of_the_contract(path):
    assert (ROOT / path).read_text() == PAGES[path](), "run `make manual`"


def test_the_first_page_has_at_most_600_words():
    assert n_words(results_manual()) <= 600


def test_the_first_page_answers_every_question_by_links_to_headings(reference):
    headings = re.findall(r"^#+ (.*)$", reference, re.MULTILINE)
    anchors = [re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings]
    linked = re.findall(rf"\.\./{REFERENCE}#([\w-]+)", results_manual())
    tables = [table for answers in QUESTIONS.values() for table in answers]
    assert len(linked) == len(tables) + len(contract.GROUPS) + 1  # one to types and units
    assert set(linked) <= set(anchors)


def test_every_table_has_a_heading_once_in_its_group(reference, papers):
    by_title = sections(reference)
    for group in contract.GROUPS.values():
        text = by_title[f"{group.title}: `{group.path}`"]
        headings = re.findall(r"^### `(\w+)`:", text, re.MULTILINE)
        assert sorted(headings) == sorted(group.tables)
    by_analysis = sections(papers)
    for analysis in shipped_analyses().values():
        text = by_analysis[f"`{analysis.name}`"]
        headings = re.findall(r"^### `(\w+)`:", text, re.MULTILINE)
        assert headings == list(analysis_tables(analysis))


def test_the_page_and_the_tables_of_a_study_come_first(reference):
    first = [contract.GROUPS[name].title for name in ("report", "figures", "study")]
    titles = [title.partition(":")[0] for title in sections(reference)]
    begin = titles.index(first[0])
    assert titles[begin : begin + 3] == first


def test_the_tables_of_a_study_are_in_the_order_of_the_questions(reference):
    group = contract.GROUPS["study"]
    text = sections(reference)[f"{group.title}: `{group.path}`"]
    in_order = [table for tables in QUESTIONS.values() for table in tables]
    assert re.findall(r"^### `(\w+)`:", text, re.MULTILINE) == in_order
    assert sorted(in_order) == sorted(group.tables), "name a new table in QUESTIONS"


def test_every_column_of_a_study_is_named_in_its_table(reference):
    group = contract.GROUPS["study"]
    tables = sections(sections(reference)[f"{group.title}: `{group.path}`"], level=3)
    for name, table in group.tables.items():
        shown = tables[f"`{name}`: {table.title}"]
        for column in table.columns:
            assert f"`{column}`" in shown


def test_a_meaning_has_at_most_twelve_words():
    long_meanings = [
        f"{table.name}.{name}: {column.meaning}"
        for table, name, column in declared_columns()
        if n_words(column.meaning) > 12
    ]
    assert long_meanings == [], "define it in docs/methods/quantities.md"


def test_no_meaning_is_lost(reference, papers):
    both = reference + papers
    for _, _, column in declared_columns():
        assert column.meaning in both


def test_both_pages_of_tables_have_at_most_10000_words(reference, papers):
    assert n_words(reference) + n_words(papers) <= 10_000


def test_every_link_within_a_page_of_tables_leads_to_a_heading(reference, papers):
    for page in (reference, papers):
        headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
        anchors = {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}
        linked = set(re.findall(r"\]\(#([\w-]+)\)", page))
        assert linked
        assert linked <= anchors


def test_a_column_of_many_tables_is_described_once(reference):
    common = sections(reference)["Columns that many tables have"]
    assert "* `train` (text): data set that it was fitted on\n" in common
    assert reference.count("data set that it was fitted on") == 1


def test_a_column_with_another_meaning_than_the_common_one_is_described(papers):
    """In the tables of CICA `samples` are training samples, but in `dependence` they are halves."""
    cica = sections(papers)["`cica`"]
    dependence = sections(cica, level=3)[
        "`dependence`: features that depend on another given the class, before and after CICA"
    ]
    assert "* `samples` (text): fitted ones, or an unseen half\n" in dependence
    recovery = cica.partition("### `recovery`:")[2].partition("###")[0]
    assert "* `samples`" not in recovery


def test_a_unit_is_in_place_of_the_type_number(papers):
    assert "`sector_start`, `sector_end` (radians)" in papers


def test_a_number_has_no_type_and_whether_means_a_boolean(reference):
    tables = sections(reference, level=3)
    samples = tables["`samples`: misclassifications of each sample"]
    assert "* `margin`: " in samples
    assert "* `recognised`: whether " in samples
    assert "* `tested`, `wrong` (integer): times" in samples


def test_no_column_but_a_boolean_begins_with_whether():
    """The page takes a type from this word."""
    for table, name, column in declared_columns():
        if column.meaning.startswith("whether "):
            assert column.type == "boolean", f"{table.name}.{name}"


def test_columns_of_all_tables_of_a_group_are_named_once(reference):
    group = contract.GROUPS["training"]
    text = sections(reference)[f"{group.title}: `{group.path}`"]
    assert text.count("Each table has `classifier`, `repeat`, `fold`.") == 1
    assert text.count("`fold`") == 1


def test_a_column_of_another_type_refers_to_the_description_with_its_type(reference):
    tables = sections(reference, level=3)
    source = "[`diagnostics`](#diagnostics-ratios-of-non-normal-and-of-conditionally-dependent"
    line = tables["`dependence_test`: the test of dependence"].strip().splitlines()[0]
    assert f"`dof` as in {source}-features) but integer" in line


def test_a_table_with_the_columns_of_another_refers_to_it(reference):
    group = contract.GROUPS["audit"]
    text = sections(reference)[f"{group.title}: `{group.path}`"]
    audit = text.partition("### `audit`:")[2].partition("### ")[0]
    assert "as in [`audit`](#audit-findings-of-the-audit-within-and-between-data-sets)" in audit
    assert "`severity`" in audit
    assert "severe, warning" not in audit


def test_definitions_are_sections_of_their_page():
    page = (ROOT / "docs/methods/quantities.md").read_text()
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}
    linked = {table.definitions for table, _, _ in declared_columns() if table.definitions}
    assert linked
    assert linked <= anchors


def test_a_word_of_code_in_the_definitions_is_a_column_or_table():
    page = (ROOT / "docs/methods/quantities.md").read_text()
    known = {name for table, name, _ in declared_columns()}
    known |= {table.name for table, _, _ in declared_columns()}
    first_words = re.findall(r"^\* `([\w.{}]+)`", page, re.MULTILINE)
    assert len(first_words) > 40
    assert [word for word in first_words if word not in known and word != "xnb-paper"] == []
