"""The manual of the results: every file once, in the order in which a person reads them."""

import re

import pytest

from xnbflow.core.plugins import shipped_analyses
from xnbflow.running.manual import QUESTIONS, results_manual
from xnbflow.tables import contract
from xnbflow.tables.contract import analysis_tables


@pytest.fixture(scope="module")
def manual():
    return results_manual()


def sections(manual):
    """Return the text below each heading of groups, by its title."""
    parts = re.split(r"^## (.*)\n", manual, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_table_has_a_heading_once_in_its_group(manual):
    by_title = sections(manual)
    for group in contract.GROUPS.values():
        text = by_title[f"{group.title}: `{group.path}`"]
        headings = re.findall(r"^### `(\w+)`:", text, re.MULTILINE)
        assert sorted(headings) == sorted(group.tables)
    for analysis in shipped_analyses().values():
        text = manual.partition(f"### `{analysis.name}`\n")[2]
        headings = re.findall(r"^#{3,4} `(\w+)`:", text, re.MULTILINE)
        assert headings[: len(analysis_tables(analysis))] == list(analysis_tables(analysis))


def test_the_page_and_the_tables_of_a_study_come_first(manual):
    titles = list(sections(manual))
    first = [contract.GROUPS[name].title for name in ("report", "figures", "study")]
    assert [title.partition(":")[0] for title in titles[:3]] == first


def test_the_tables_of_a_study_are_in_the_order_of_the_questions(manual):
    group = contract.GROUPS["study"]
    text = sections(manual)[f"{group.title}: `{group.path}`"]
    in_order = [table for tables in QUESTIONS.values() for table in tables]
    assert re.findall(r"^### `(\w+)`:", text, re.MULTILINE) == in_order
    assert sorted(in_order) == sorted(group.tables), "name a new table in QUESTIONS"


def test_every_column_is_in_a_line_or_named_as_a_common_one(manual):
    group = contract.GROUPS["study"]
    text = sections(manual)[f"{group.title}: `{group.path}`"]
    for name, table in group.tables.items():
        shown = re.split(r"^### ", text.partition(f"### `{name}`:")[2], flags=re.MULTILINE)[0]
        for column in table.columns:
            assert f"`{column}`" in shown


def test_a_cell_has_at_most_110_characters_and_no_meaning_is_lost(manual, expected_text):
    cells = re.findall(r"^\| `[^`]*` \| [^|]* \| (.*) \|$", manual, re.MULTILINE)
    assert max(len(cell.replace(r"\|", "|")) for cell in cells) <= 110
    check = contract.STUDY_TABLES["audit"].columns["check"].meaning
    assert f"* `check`: {check}.\n" in manual
    assert expected_text in manual


def test_a_table_with_the_columns_of_another_refers_to_it(manual):
    group = contract.GROUPS["audit"]
    text = sections(manual)[f"{group.title}: `{group.path}`"]
    audit = re.split(r"^### ", text.partition("### `audit`:")[2], flags=re.MULTILINE)[0]
    assert "Columns as in `audit` (A study)." in audit
    assert "|" not in audit
