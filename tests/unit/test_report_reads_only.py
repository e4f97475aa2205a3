"""What a page shows stands in tables: no section computes a number of its own.

The modules of sections may select, order, count, reshape and join rows, take the least and the
greatest, and write a share as per cent. They import nothing that makes numbers of others.
"""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "workflow" / "src" / "xnbflow"
#: What reads tables for a page. Drawings are given arrays, `page` blocks: neither reads a table.
MODULES = sorted(
    [
        *SOURCE.glob("report/*.py"),
        *SOURCE.glob("report/sections/*.py"),
        *SOURCE.glob("studies/*/section*.py"),
    ]
)
#: Packages and modules that compute.
COMPUTING = (
    *("scipy", "sklearn", "statistics", "numba"),
    *(f"xnbflow.{name}" for name in ("density", "diagnostics", "evaluation")),
    *(f"xnbflow.{name}" for name in ("models", "naive_bayes", "preprocessing")),
)
#: What of these only names or reads.
NAMES = {
    "xnbflow.evaluation.headlines.distinct_labels",
    "xnbflow.evaluation.gathering.read_benchmark",
    "xnbflow.evaluation.methods.entries_in",
    "xnbflow.evaluation.methods.known_methods",
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_section_imports_what_computes(path):
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            found |= {f"{package}{alias.name}" for alias in node.names} - NAMES
    assert [name for name in found if name.startswith(COMPUTING) or ".compute" in name] == []


def test_drawings_read_no_tables():
    drawings = [*SOURCE.glob("report/drawings/*.py"), *SOURCE.glob("studies/*/drawings.py")]
    assert len(drawings) > 10
    readers = r"import (pandas|scipy)|from (pandas|pyarrow|scipy|sklearn|xnbflow.report.results"
    readers += r"|xnbflow.data.tables)\b"
    for path in drawings:
        assert not re.search(readers, path.read_text(encoding="utf-8")), path
