"""One public name has one meaning: it is defined in one module of the library."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import xnbflow

LIBRARY = Path(xnbflow.__file__).parent

#: Interfaces that modules share: a name, the modules that may define it, and why.
INTERFACES = {
    "section": (
        r"report/sections/\w+|papers/\w+/section\w*",
        "the function of a section of the page, which the outline or an analysis names",
    ),
    "load": (
        r"sources/\w+|papers/\w+/\w+",
        "the function of a source of data sets, which its entry names",
    ),
    "analyse": (r"papers/\w+/compute\w*", "the function of an analysis, which its entry names"),
    "compare": (
        r"papers/\w+/compute\w*",
        "the function of an analysis that reads the tables of its study, which its entry names",
    ),
    "ANALYSIS": (r"papers/\w+/entries", "the entry of a paper's analysis"),
    "DEFAULTS": (r"papers/\w+/compute\w*", "the parameters of an analysis without its entry's"),
    "TABLES": (r"papers/\w+/compute\w*", "the tables that an analysis declares beside its module"),
    "main": (r"running/(cli/__init__|\w+)", "the function of a program"),
    "print_figures": (
        r"report/figure_files|running/cli/finished_studies",
        "a command in front of the function",
    ),
    "write_workbook": (
        r"report/workbook|running/cli/finished_studies",
        "a command in front of the function",
    ),
}

#: Folders whose modules have the names of what they are for: a stage, a chapter of the page, what
#: is drawn, a format, a paper's part.
NAMED_AFTER = re.compile(
    r"jobs|running/planners|report/sections|report/drawings|sources/formats|papers/\w+"
)


def public_names(path):
    """Return the names without an underscore that a module defines."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


@pytest.fixture(scope="module")
def modules_of_name():
    """Return the modules that define each public name, without the ending ``.py``."""
    modules = defaultdict(list)
    for path in sorted(LIBRARY.rglob("*.py")):
        for name in public_names(path):
            modules[name].append(path.relative_to(LIBRARY).with_suffix("").as_posix())
    return modules


def test_a_public_name_is_defined_in_one_module(modules_of_name):
    several = {name: modules for name, modules in modules_of_name.items() if len(modules) > 1}
    assert {name: several[name] for name in several.keys() - INTERFACES.keys()} == {}


@pytest.mark.parametrize("name", INTERFACES)
def test_a_shared_name_is_an_interface_of_its_modules_alone(modules_of_name, name):
    """An interface that a single module defines is no longer one."""
    pattern, _ = INTERFACES[name]
    modules = modules_of_name[name]
    assert [module for module in modules if not re.fullmatch(pattern, module)] == []
    assert len(modules) > 1


def test_the_name_of_a_module_is_unique():
    folders = defaultdict(set)
    for path in LIBRARY.rglob("*.py"):
        folder = path.parent.relative_to(LIBRARY).as_posix()
        if path.stem != "__init__" and not NAMED_AFTER.fullmatch(folder):
            folders[path.stem].add(folder)
    several = {name: sorted(paths) for name, paths in folders.items() if len(paths) > 1}
    assert several == {}
