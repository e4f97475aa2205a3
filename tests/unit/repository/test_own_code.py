"""The reasons for own code that CONTRIBUTING.md marks are those that a program measures."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_every_marked_reason_is_measured_by_the_program():
    """The program is read, not imported: the benchmarks need packages that tests do not."""
    source = ast.parse((ROOT / "benchmarks/own_code.py").read_text(encoding="utf-8"))
    assigned = {
        node.targets[0].id: node.value for node in source.body if isinstance(node, ast.Assign)
    }
    measured = {key.value for key in assigned["PARTS"].keys}
    document = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = document.partition("## Own code")[2].partition("\n## ")[0]
    marked = re.findall(r"^\| (.+?) \* \|", table, re.MULTILINE)
    assert len(marked) == len(measured)
    for row in marked:
        assert sum(words in row for words in measured) == 1, row
