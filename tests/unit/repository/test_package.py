"""The names of the package itself, and the direction of imports between its packages."""

import ast
import re
from pathlib import Path

import pytest

import xnbflow
from xnbflow import naive_bayes as nb


def test_the_package_itself_has_its_estimators():
    assert xnbflow.XNB is nb.XNB
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = xnbflow.nothing


LIBRARY = Path(xnbflow.__file__).parent
GUIDE = LIBRARY.parents[1] / "README.md"
#: The packages from the top to the bottom, as the guide for authors lists them.
FLOORS = re.findall(
    r"^\| `(\w+)` \|",
    GUIDE.read_text().partition("## Packages")[2].partition("## Conventions")[0],
    re.MULTILINE,
)


def imported_packages(path):
    """Return the packages of the library that a module imports, also within its functions."""
    modules = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module == "xnbflow":
            modules += [f"xnbflow.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules.append(node.module or "")
        elif isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
    return {name.split(".")[1] for name in modules if name.startswith("xnbflow.")}


def test_the_guide_lists_every_package():
    packages = {path.parent.name for path in LIBRARY.glob("*/__init__.py")}
    assert set(FLOORS) == packages


@pytest.mark.parametrize("package", FLOORS)
def test_a_package_imports_only_those_below_it(package):
    above = set(FLOORS[: FLOORS.index(package)])
    for path in (LIBRARY / package).rglob("*.py"):
        assert not imported_packages(path) & above, path


#: Modules that open a connection; names of URLs (urllib.parse) and classes of errors are harmless.
NETWORK = re.compile(r"(requests|httpx|http\.client|socket|ftplib|urllib\.request|urllib3)(\..*)?")


def test_only_one_module_opens_connections_to_others():
    modules = {}
    for path in LIBRARY.rglob("*.py"):
        names = []
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names += [f"{node.module}.{alias.name}" for alias in node.names]
        if network := sorted(filter(NETWORK.fullmatch, names)):
            modules[path.relative_to(LIBRARY).as_posix()] = network
    assert list(modules) == ["sources/places/http.py"], modules
