"""Jobs and compiled code follow the sources: too much rather than too little."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from paper_cases import needs
from toys import put, python, run_program

from xnbflow.core.errors import InputError
from xnbflow.running import provenance
from xnbflow.running.provenance import method_code, refuse_other_code, section_code

PACKAGE = Path(provenance.__file__).parents[1]


def copy_library(folder):
    """Copy the library into a folder."""
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(PACKAGE, folder / "workflow/src/xnbflow", ignore=ignored)


@pytest.fixture
def copy(tmp_path):
    """A copy of the library."""
    return copy_library(tmp_path)


def run(copy, text):
    """Run code with a copy of the library; returns what it prints."""
    code = f"import sys; sys.path.insert(0, {str(copy.parent)!r})\n{text}"
    written = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    return python(code, env=written).stdout


def digests(copy):
    """Return the digests of the code of a copy of the library, by what they are of."""
    environment = os.environ | {"PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": ""}
    return json.loads(run_program("code_digests.py", env=environment).stdout)


@pytest.fixture(scope="module")
def digests_before(tmp_path_factory):
    """The digests of a copy of the library that nobody edits."""
    folder = tmp_path_factory.mktemp("unedited")
    return digests(copy_library(folder))


@needs("cica")
@pytest.mark.parametrize(
    ("edited", "changed"),
    [
        ("naive_bayes/gaussian_nb.py", {"computing"}),
        ("diagnostics/normality.py", {"computing"}),
        ("sources/table.py", {"computing", "reading"}),
        ("tables/tables.toml", {"computing", "reading"}),
        ("report/page/templates/style.css", {"page"}),
        ("report/sentences.py", {"page"}),
        ("jobs/report.py", {"page"}),
        ("jobs/compare.py", {"computing"}),
        ("jobs/acquire.py", {"computing", "reading"}),
        ("running/config.py", set()),
        ("papers/cica/section.py", {"page of cica"}),
        ("papers/cica/compute.py", {"cica", "page of cica"}),
        ("papers/cica/tables.toml", {"cica", "page of cica"}),
        ("papers/common/bessel.py", {"cica", "page of cica"}),
        ("papers/directional/hybrid_nb.py", set()),
    ],
)
def test_an_edit_changes_the_digest_of_what_it_concerns(copy, digests_before, edited, changed):
    path = copy / edited
    path.write_text(path.read_text() + " ")
    after = digests(copy)
    assert {name for name in after if digests_before[name] != after[name]} == changed


def test_a_digest_says_in_words_what_it_is_of():
    assert re.fullmatch("reading code [0-9a-f]{8}", provenance.reading_code())
    assert re.fullmatch("computing code [0-9a-f]{8}", provenance.computing_code())
    assert re.fullmatch("page code [0-9a-f]{8}", provenance.page_code())


@pytest.mark.slow
def test_acquire_imports_no_package_beside_those_whose_code_counts_as_reading():
    script = (PACKAGE.parents[1] / "scripts/acquire.py").read_text().partition("start_job(snake")[2]
    imports = "\n".join(re.findall(r"^from xnbflow.*", script, re.MULTILINE))
    packages = run_program("packages_of_reading.py", imports).stdout.split()
    assert set(packages) == {"core", "data", "jobs", "jobs.acquire", "sources", "tables"}


def test_every_package_of_the_library_counts_as_computing_or_as_the_page():
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    without_results = {"report", "running", "papers"}
    assert without_results <= packages
    counted = provenance.source_files(PACKAGE)
    assert {path.relative_to(PACKAGE).parts[0] for path in counted} >= packages - without_results


def test_an_edit_of_equal_size_and_time_is_not_run_from_bytecode(copy):
    module = copy / "diagnostics/__init__.py"
    imported = "from xnbflow.diagnostics import NUMBER; print(NUMBER)"
    module.write_text("NUMBER = 1\n")
    state = module.stat()
    assert run(copy, imported) == "1\n"
    module.write_text("NUMBER = 2\n")
    os.utime(module, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert run(copy, imported) == "1\n"  # Python's own check does not see the edit
    run(copy, "from xnbflow.running import provenance; provenance.remove_stale_bytecode()")
    assert run(copy, imported) == "2\n"


def test_a_users_own_module_counts_with_its_source_and_a_package_by_its_version(
    tmp_path, monkeypatch
):
    import sklearn

    monkeypatch.syspath_prepend(tmp_path)
    module = put(tmp_path, "class Model: ...\n", "own_classifier.py")
    planned = method_code(["own_classifier.Model", "sklearn.svm.LinearSVC"])
    assert planned["sklearn"] == f"version {sklearn.__version__}"
    assert planned["own_classifier"].startswith("code ")
    refuse_other_code([], planned | {"sklearn": "version 0"})  # that of the job's own environment
    module.write_text("class Model: ...  # edited\n")
    with pytest.raises(InputError, match="sources of own_classifier were edited"):
        refuse_other_code([], planned)


def test_a_renamed_file_changes_the_digest_of_its_package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    put(tmp_path, "", "toy_package/__init__.py")
    module = put(tmp_path, "x = 1\n", "toy_package/first.py")
    before = method_code(["toy_package.first"])
    module.rename(module.with_name("second.py"))
    assert method_code(["toy_package.first"]) != before


def test_an_installed_plugin_counts_with_its_sources(monkeypatch):
    assert method_code(["pluggy.hooks"])["pluggy"].startswith("version ")
    monkeypatch.setattr(provenance, "plugin_modules", lambda: ["pluggy.hooks"])
    assert method_code(["pluggy.hooks"])["pluggy"].startswith("code ")


@needs("cica")
def test_an_unchanged_section_of_a_paper_is_accepted():
    modules = ["xnbflow.papers.cica.compute"]
    refuse_other_code([], section_code(modules))
    refuse_other_code([], method_code(modules))
