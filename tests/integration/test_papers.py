"""The core without papers: each folder of `xnbflow.papers` can be removed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "workflow/src/xnbflow/papers"
NAMES = sorted(path.parent.name for path in PAPERS.glob("*/entries.py"))

#: Imports every module that is left.
IMPORT_ALL = """
import importlib, pkgutil, xnbflow
for module in pkgutil.walk_packages(xnbflow.__path__, "xnbflow."):
    importlib.import_module(module.name)
"""


def without(folder, removed):
    """Copy the project without some papers and what is only theirs."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "results", "site", "dist", "downloads")
    shutil.copytree(ROOT, folder, ignore=ignored)
    for name in (".test", ".ci"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    (folder / "results").mkdir()
    for name in removed:
        shutil.rmtree(folder / "workflow/src/xnbflow/papers" / name)
        shutil.rmtree(folder / "tests/papers" / name, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "xnbflow.running.manual"], cwd=folder, env=of(folder), check=True
    )
    return folder


def of(folder):
    return os.environ | {"PYTHONPATH": str(folder / "workflow/src")}


def run(folder, *command):
    command = [sys.executable, *command]
    done = subprocess.run(
        command, cwd=folder, env=of(folder), check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-3000:]
    return done.stdout


def passes(folder, *tests):
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow", "-W", "ignore"]
    return run(folder, "-m", "pytest", *options, *tests)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_core_imports_plans_and_keeps_its_registry_without_a_paper(tmp_path, name):
    folder = without(tmp_path / "project", [name])
    run(folder, "-c", IMPORT_ALL)
    plan = run(folder, "-m", "snakemake", "--dry-run", "--quiet", "all", "--", "demo")
    assert "demo" in plan
    tests = [f"tests/unit/test_{each}.py" for each in ("methods", "contract", "config", "jobs")]
    assert re.search(r"\d+ passed", passes(folder, *tests))


@pytest.mark.slow
def test_the_core_passes_its_tests_without_any_paper(tmp_path):
    folder = without(tmp_path / "project", NAMES)
    run(folder, "-c", IMPORT_ALL)
    documents = "--ignore=tests/unit/test_documentation.py"  # they describe the whole project
    assert int(re.search(r"(\d+) passed", passes(folder, documents, "tests/unit"))[1]) > 2000


def test_the_core_names_no_paper():
    """Neither a module of a paper, nor the name under which one of its entries is configured."""
    entries = set()
    for path in PAPERS.glob("*/entry_points.txt"):
        entries |= set(re.findall(r"^(\w+) = ", path.read_text(), re.MULTILINE))
    entries -= {"separation", "effects", "cells", "signatures", "angular"}  # words of their own
    named = re.compile(rf"xnbflow\.papers\.\w|[\"'`]({'|'.join(sorted(entries))})[\"'`]")
    places = [ROOT / "Snakefile", *(ROOT / "workflow").glob("rules/*"), ROOT / "config/config.yaml"]
    places += [path for path in (ROOT / "workflow/src").rglob("*.py") if PAPERS not in path.parents]
    assert [
        (path.name, found[0]) for path in places for found in named.finditer(path.read_text())
    ] == []
