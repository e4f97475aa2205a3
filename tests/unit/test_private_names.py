"""A rule of the source: private names of other packages are few, and each has its reason here."""

import ast
import re
from pathlib import Path

WORKFLOW = Path(__file__).parents[2] / "workflow"

#: By name: why it is used.
ALLOWED = {
    "_parameter_constraints": "estimators of scikit-learn list their parameters in it",
}
#: Documented in spite of their names: of named tuples and of `os`.
DOCUMENTED = {"_asdict", "_exit", "_make", "_replace"}


def test_few_private_names_of_other_packages_are_used():
    own, used = set(), set()
    sources = sorted(WORKFLOW.rglob("*.py"))
    for node in (node for path in sources for node in ast.walk(ast.parse(path.read_text()))):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                own.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                own.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                own.add(name)
            case ast.Attribute(attr=name):
                used.add(name)
            case ast.ImportFrom(module=str(module), names=names) if module[:7] != "xnbflow":
                used |= {*module.split("."), *(alias.name for alias in names)}
    for path in [WORKFLOW / "Snakefile", *(WORKFLOW / "rules").glob("*.smk")]:
        used |= set(re.findall(r"\.(_[a-z]\w*)", path.read_text()))
    private = {name for name in used if re.match(r"_[A-Za-z]", name)}
    assert private - (own - ALLOWED.keys()) - DOCUMENTED == set(ALLOWED)
    assert len(ALLOWED) <= 5
