"""What sources import is declared."""

import ast
import re
import sys
import tomllib
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: Modules that are not called like what is installed.
INSTALLED_AS = {
    "snakemake_interface_logger_plugins": "snakemake-interface-logger-plugins",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "python_calamine": "python-calamine",
}
#: What conda calls otherwise than PyPI.
CALLED = {"matplotlib-base": "matplotlib", "python-isal": "isal"}
OWN = {
    "xnbflow",
    "snakemake",
    "snakemake_logger_plugin_xnbflow",
    "benchmarks",
    "fuzz",
    "unit",
    "integration",
    "papers",
    "toyplugin",  # the package that integration/test_plugins.py installs
}
OWN |= {path.stem for folder in ("tests", "benchmarks") for path in (ROOT / folder).glob("*.py")}


@cache
def imported(folder):
    """Top-level modules that are imported in a folder, without the standard library and ours."""
    actual = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                actual |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                actual.add(node.module.partition(".")[0])
    actual -= sys.stdlib_module_names | OWN
    return frozenset(INSTALLED_AS.get(name, name) for name in actual)


def names(requirements):
    return {re.match(r"[A-Za-z0-9_.-]+", requirement)[0].lower() for requirement in requirements}


LIBRARY = names(PROJECT["dependencies"])
WORKFLOW = names(PROJECT["optional-dependencies"]["workflow"])
TEST = names(PROJECT["optional-dependencies"]["test"])
#: What a user may do without: AnnData files, workbooks.
EXTRA = names(PROJECT["optional-dependencies"]["h5ad"])
EXTRA |= names(PROJECT["optional-dependencies"]["excel"])
#: What benchmarks compare with, where it is installed.
PEERS = {"xnb", "KDEpy"}


def test_the_library_s_imports_are_declared_and_nothing_else():
    needed = imported(ROOT / "workflow")
    assert needed <= LIBRARY | WORKFLOW | EXTRA
    # Snakemake runs the workflow, its report needs pygments, and pages have Bokeh's JavaScript
    assert (LIBRARY | WORKFLOW) - needed == {"snakemake", "pygments", "bokeh"}


def test_the_imports_of_tests_and_benchmarks_are_declared():
    declared = LIBRARY | WORKFLOW | TEST | EXTRA | PEERS
    assert imported(ROOT / "tests") | imported(ROOT / "benchmarks") <= declared


def ranges(requirements):
    """Map the name of each requirement to its range."""
    return dict(
        re.fullmatch(r"([A-Za-z0-9_.-]+) ?(\S*)", requirement).groups()
        for requirement in requirements
    )


def test_the_conda_environment_has_the_ranges_of_the_project():
    conda = ranges(yaml.safe_load((ROOT / "envs/xnbflow.yaml").read_text())["dependencies"])
    minors = [
        int(minor) for minor in re.findall(r"Python :: 3\.(\d+)", str(PROJECT["classifiers"]))
    ]
    assert conda.pop("python") == f"{PROJECT['requires-python']},<3.{max(minors) + 1}"
    extras = PROJECT["optional-dependencies"]
    declared = ranges(
        [*PROJECT["dependencies"], *extras["workflow"], *extras["h5ad"], *extras["excel"]]
    )
    for name in ("snakemake", "snakemake-interface-logger-plugins"):  # those of the caller
        del declared[name]
    assert {CALLED.get(name, name): versions for name, versions in conda.items()} == declared


def test_the_lock_pins_extras_that_packages_require():
    """Pip refuses a package with hashes if an extra of it is required that the lock leaves out."""
    pinned = re.findall(
        r"^([a-z0-9-]+)(\[\S+\])?==", (ROOT / "requirements.lock").read_text(), re.MULTILINE
    )
    lacking = []
    for name in {name for name, _ in pinned}:
        with suppress(PackageNotFoundError):  # of another system or version of Python
            for requirement in distribution(name).requires or ():
                required = Requirement(requirement)
                applies = required.marker is None or required.marker.evaluate({"extra": ""})
                if applies and required.extras:
                    extras = f"[{','.join(sorted(required.extras))}]"
                    if (canonicalize_name(required.name), extras) not in pinned:
                        lacking.append(requirement)
    assert lacking == []


def test_the_lock_names_no_index():
    assert "://" not in (ROOT / "requirements.lock").read_text()
