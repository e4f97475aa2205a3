"""The core without papers: each folder of `xnbflow.papers` can be removed."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
import snakemake_process

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "workflow/src/xnbflow/papers"
NAMES = sorted(path.parent.name for path in PAPERS.glob("*/entries.py"))
#: What several papers use; it goes with the last of them.
COMMON = "common"
#: The documents name the papers.
DOCUMENTS = "--ignore=tests/unit/repository/test_documentation.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project; compiled kernels are those of the original, if it keeps them."""
    folder = tmp_path_factory.mktemp("project") / "xnbflow"
    ignored = shutil.ignore_patterns(".git", ".venv*", ".snakemake", "results", "site", "downloads")
    shutil.copytree(ROOT, folder, ignore=ignored)
    (folder / "results").mkdir()
    return folder


@contextmanager
def without(project, names):
    """Remove some papers with their tests from the copy, for a while."""
    places = [
        f"{where}/{name}" for where in (PAPERS.relative_to(ROOT), "tests/papers") for name in names
    ]
    places = [place for place in places if (project / place).exists()]
    for place in places:
        (project / place).rename(project.parent / place.replace("/", "."))
    try:
        yield
    finally:
        for place in places:
            (project.parent / place.replace("/", ".")).rename(project / place)


def environment_of(project):
    return os.environ | {"PYTHONPATH": str(project / "workflow/src")}


def run(project, *command):
    done = subprocess.run(
        [sys.executable, *command], cwd=project, env=environment_of(project), check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:]
    return done.stdout


@pytest.fixture(scope="module")
def import_library(project):
    """A function that imports the library of the copy as it is, and returns the error, if any."""
    with subprocess.Popen(
        [sys.executable, "tests/programs/import_all.py", "--again"], cwd=project,
        env=environment_of(project), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "imported\n"

        def import_library():
            process.stdin.write("\n")
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, "the process ended without an answer"
            return line.rstrip("\n")

        yield import_library


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != COMMON])
def test_the_core_imports_and_plans_without_a_paper(project, import_library, name):
    with without(project, [name]):
        assert import_library() == ""
        words = ["--dry-run", "--quiet", "all", "--", "demo"]
        plan = snakemake_process.run(words, project, environment_of(project))
        assert plan.returncode == 0, plan.stdout
        assert "demo" in plan.stdout


@pytest.mark.slow
def test_without_any_paper_the_core_is_imported_by_all_its_tests(project):
    with without(project, NAMES):
        run(project, "tests/programs/import_all.py")
        run(project, "-m", "pytest", "-q", "-n", "0", "--collect-only", DOCUMENTS, "tests/unit")


@pytest.mark.slow
@pytest.mark.core
def test_without_any_paper_the_core_passes_all_its_tests(project):
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow", "-W", "ignore"]
    with without(project, NAMES):
        output = run(project, "-m", "pytest", *options, DOCUMENTS, "tests/unit")
        assert int(re.search(r"(\d+) passed", output)[1]) > 2000
