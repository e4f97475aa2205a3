"""What is imported is declared: in pyproject.toml, and in the conda environment of the jobs."""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: Modules that are not called like what is installed.
INSTALLED_AS = {"sklearn": "scikit-learn", "yaml": "pyyaml", "python_calamine": "python-calamine"}
#: What conda calls otherwise than PyPI.
CALLED = {"matplotlib-base": "matplotlib", "python-isal": "isal"}
OWN = {"xnbflow", "snakemake", "benchmarks", "unit", "integration"}
OWN |= {path.stem for folder in ("tests", "benchmarks") for path in (ROOT / folder).glob("*.py")}


@cache
def imported(folder):
    """Top-level modules that are imported in a folder, without the standard library and ours."""
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
    found -= sys.stdlib_module_names | OWN
    return frozenset(INSTALLED_AS.get(name, name) for name in found)


def names(requirements):
    return {re.match(r"[A-Za-z0-9_.-]+", each)[0].lower() for each in requirements}


LIBRARY = names(PROJECT["dependencies"])
WORKFLOW = names(PROJECT["optional-dependencies"]["workflow"])
DEV = names(PROJECT["optional-dependencies"]["dev"])
#: What a user may do without: AnnData files, what finds markers besides this package, crates.
EXTRA = names(PROJECT["optional-dependencies"]["h5ad"])
EXTRA |= names(PROJECT["optional-dependencies"]["cells"])
EXTRA |= names(PROJECT["optional-dependencies"]["crate"])
#: What benchmarks compare with, where it is installed.
PEERS = {"xnb", "KDEpy"}


def test_the_library_s_imports_are_declared():
    assert imported(ROOT / "workflow") <= LIBRARY | WORKFLOW | EXTRA


def test_nothing_is_declared_that_is_not_imported():
    # Snakemake runs the workflow, and its report needs pygments
    told = {"snakemake", "pygments"}
    assert (LIBRARY | WORKFLOW) - imported(ROOT / "workflow") == told


def test_the_imports_of_tests_and_benchmarks_are_declared():
    declared = LIBRARY | WORKFLOW | DEV | EXTRA | PEERS
    assert imported(ROOT / "tests") | imported(ROOT / "benchmarks") <= declared


def test_the_conda_environment_has_what_jobs_import():
    text = yaml.safe_load((ROOT / "envs/xnbflow.yaml").read_text())["dependencies"]
    conda = {re.match(r"[A-Za-z0-9_.-]+", each)[0] for each in text if isinstance(each, str)}
    conda = {CALLED.get(name, name) for name in conda}
    assert imported(ROOT / "workflow") - EXTRA <= conda


def locked(python):
    """What requirements.lock resolved for a Python, by name."""
    found = {}
    lock = (ROOT / "requirements.lock").read_text()
    for name, version, marker in re.findall(
        r"^([a-z0-9.-]+)==(\S+)(?: ; (.*?))? \\$", lock, re.MULTILINE
    ):
        bound = re.search(r"python_full_version (<|>=) '3\.(\d+)'", marker)
        minor = int(python.partition(".")[2])
        if bound is None or (minor < int(bound[2])) == (bound[1] == "<"):
            assert name not in found, f"{name} is locked twice for Python {python}"
            found[name] = version
    return found


def test_the_conda_environment_has_the_versions_of_the_lock():
    text = yaml.safe_load((ROOT / "envs/xnbflow.yaml").read_text())["dependencies"]
    python, *others = [re.fullmatch(r"([a-z0-9-]+) ==?([\w.]+)", each).groups() for each in text]
    assert python[0] == "python"
    versions = locked(python[1])
    for name, version in others:
        assert version == versions[CALLED.get(name, name)], name


def test_the_lock_names_no_index():
    assert "://" not in (ROOT / "requirements.lock").read_text()
