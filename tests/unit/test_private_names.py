"""Rules of the source: private names of other packages are few; numbers go with their nouns."""

import ast
import re
from pathlib import Path

WORKFLOW = Path(__file__).parents[2] / "workflow"

#: By name: why it is used.
ALLOWED = {
    "_parameter_constraints": "estimators of scikit-learn list their parameters in it",
}
#: Documented in spite of their names: of named tuples and of `os`.
DOCUMENTED = {"_asdict", "_exit", "_make"}


def is_private(name):
    return re.match(r"_[A-Za-z]", name) is not None


def private_names(tree):
    """Yield private names that are taken from another object than self, or imported."""
    classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if is_private(node.attr) and owner not in {"self", "cls", *classes}:
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("xnbflow"):
            parts = (node.module or "").split(".") + [alias.name for alias in node.names]
            yield from (part for part in parts if is_private(part))


def own_attributes(trees):
    """Names that our classes give themselves, which our other objects of the class may read."""
    return {
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    } | {
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    }


def test_few_private_names_of_other_packages_are_used():
    trees = [ast.parse(path.read_text()) for path in sorted(WORKFLOW.rglob("*.py"))]
    found = {name for tree in trees for name in private_names(tree)}
    found -= own_attributes(trees) - ALLOWED.keys()
    rules = [WORKFLOW / "Snakefile", *(WORKFLOW / "rules").glob("*.smk")]
    found |= {name for path in rules for name in re.findall(r"\.(_[a-z]\w*)", path.read_text())}
    assert found - DOCUMENTED == set(ALLOWED)
    assert len(ALLOWED) <= 5
