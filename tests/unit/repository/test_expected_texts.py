"""The tables of texts that tests expect."""

import ast

import pytest
from expected_texts import NAME, TESTS, read_texts

TABLES = sorted(TESTS.rglob(NAME))


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.parent.name)
def test_every_text_is_that_of_a_test(table):
    """A test that is renamed or removed leaves no text behind."""
    taking = {}
    for path in table.parent.rglob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                arguments = {argument.arg for argument in node.args.args}
                if arguments & {"expected_text", "expected_texts"}:
                    taking.setdefault(path.stem[5:], set()).add(node.name[5:])
    assert {file: {*texts} for file, texts in read_texts(table).items()} == taking
