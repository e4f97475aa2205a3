"""The tests themselves: they use public names, and tables have the sentences that they expect."""

import ast
import re

import pytest
from expected_texts import TESTS

PROGRAMS = {path: ast.parse(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}
#: A private name, such as that of an attribute or of a module in a dotted name.
PRIVATE = re.compile(r"(\w+\.)*_[a-zA-Z]\w*")
#: Functions that take the name of an attribute as a text.
BY_NAME = {"setattr", "delattr", "getattr", "hasattr"}
#: Private names that Python's own documentation describes.
DOCUMENTED = {"os._exit"}


def private_names(program):
    """Return the private names of other modules and objects that a program uses, with their lines.

    Names of its own are those that it imports from the tests, and attributes of ``self``.
    """
    names = []
    for node in ast.walk(program):
        if isinstance(node, ast.Attribute) and PRIVATE.fullmatch(node.attr):
            name = ast.unparse(node)
            if ast.unparse(node.value) not in ("self", "cls") and name not in DOCUMENTED:
                names.append((node.lineno, name))
        elif isinstance(node, ast.ImportFrom):
            imported = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [(node.lineno, name) for name in imported if PRIVATE.fullmatch(name)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in BY_NAME:
            texts = [item.value for item in node.args if isinstance(item, ast.Constant)]
            names += [
                (node.lineno, text)
                for text in texts
                if isinstance(text, str) and PRIVATE.fullmatch(text)
            ]
    return names


def test_no_test_uses_a_private_name():
    """What a test needs is public: a private function is tested through its callers."""
    found = {}
    for path, program in PROGRAMS.items():
        if names := private_names(program):
            found[path.relative_to(TESTS).as_posix()] = names
    assert found == {}


@pytest.mark.parametrize(
    "line",
    [
        "from xnbflow.core.jit import _cache",
        "model._tables.posterior(X)",
        "patch.setattr(files, '_LARGEST', 3)",
        "patch.setattr('xnbflow.core.jit._cache', 3)",
        "getattr(model, '_tables')",
    ],
)
def test_a_private_name_is_seen(line):
    assert len(private_names(ast.parse(line))) == 1
