"""The tables of texts that tests expect."""

import ast

import pytest
from expected_texts import NAME, TESTS, read_texts, table_of

TABLES = sorted(TESTS.rglob(NAME))


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.parent.name)
def test_every_text_is_that_of_a_test(table):
    """A test or a case that is renamed or removed leaves no text behind."""
    taking = {}
    strays = set()
    for path in table.parent.rglob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            arguments = {argument.arg for argument in node.args.args}
            if arguments & {"expected_text", "expected_texts"} and table_of(path) == table:
                file, name = path.stem[5:], node.name[5:]
                taking.setdefault(file, set()).add(name)
                texts = read_texts(table)[file][name]
                if isinstance(texts, dict):
                    strays |= texts.keys() - ids_of_cases(node)
    assert {file: {*texts} for file, texts in read_texts(table).items()} == taking
    assert strays == set()


def ids_of_cases(function):
    """Return the ids that a parametrised test gives its cases."""
    ids = set()
    for decorator in function.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.keyword) and node.arg == "id":
                ids.add(node.value.value)
    return ids
