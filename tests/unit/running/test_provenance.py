"""An edit repeats the jobs whose code it changes: too many rather than too few."""

import ast
import json
import os
import shutil
from pathlib import Path

import pytest
from toys import put, python

from xnbflow.running import provenance
from xnbflow.running.project import ROOT
from xnbflow.running.provenance import STAGES, _stage_files, own_code

LIBRARY = Path(provenance.__file__).parents[1]
#: The scripts of each stage.
SCRIPTS = {"reading": {"acquire"}, "judging": {"compare"}, "page": {"report", "draw"}}
SCRIPTS["computing"] = {
    path.stem
    for path in (ROOT / "workflow/scripts").glob("*.py")
    if not any(path.stem in names for names in SCRIPTS.values())
}
#: The modules of the library by their names.
MODULES = {
    ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in LIBRARY.rglob("*.py")
}


def imported(path):
    """Return the modules of the library that a module imports, also in its functions.

    A string with the path of a module counts, too: registries name what they import later.
    """
    tree = ast.parse(path.read_bytes())
    only_types = [
        node
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.unparse(branch.test)
        for node in ast.walk(branch)
    ]
    names = set()
    for node in ast.walk(tree):
        if node in only_types:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
    return names & set(MODULES) - {"xnbflow"}


def files_behind(scripts):
    """Return the files of the library that scripts import, directly or not, but for `running`."""
    waiting = []
    for script in scripts:
        names = imported(ROOT / f"workflow/scripts/{script}.py")
        waiting += [name for name in names if not name.startswith("xnbflow.running")]
    reached = set()
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            package = name.rpartition(".")[0]
            waiting += imported(MODULES[name]) | ({package} - {"xnbflow"})
    return {MODULES[name] for name in reached}


@pytest.mark.parametrize("stage", STAGES)
def test_all_that_the_jobs_of_a_stage_import_counts_for_it(stage):
    assert files_behind(SCRIPTS[stage]) - set(_stage_files(stage)) == set()


def test_all_that_papers_compute_with_counts_as_computing():
    computing = set(_stage_files("computing"))
    of_papers = [path for path in computing if "papers" in path.relative_to(LIBRARY).parts]
    assert of_papers
    needed = {
        MODULES[name] for path in of_papers if path.suffix == ".py" for name in imported(path)
    }
    drawing = {path for path in needed if not path.is_relative_to(LIBRARY / "report")}
    pages = {path for path in drawing if path.name.startswith(provenance._PAGE_FILES)}
    assert drawing - pages - computing == set()


def test_what_a_table_of_stages_names_is_there():
    for part in {*provenance.NOT_COMPUTING, *(part for parts in STAGES.values() for part in parts)}:
        assert (LIBRARY / part).exists(), part


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the project, whose digests an edit changes."""
    folder = tmp_path_factory.mktemp("clone")
    ignored = shutil.ignore_patterns("__pycache__")
    for part in ("config", "workflow"):
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    return folder


def digests(clone):
    """Return the digest of each stage of a copy of the project."""
    code = (
        "import json; from xnbflow.running.provenance import STAGES, stage_code\n"
        "print(json.dumps({stage: stage_code(stage) for stage in STAGES}))"
    )
    environment = os.environ | {"PYTHONPATH": str(clone / "workflow/src")}
    return json.loads(python(code, env=environment).stdout)


@pytest.fixture(scope="module")
def digests_before(clone):
    return digests(clone)


@pytest.mark.parametrize(
    ("edited", "changed"),
    [
        ("src/xnbflow/sources/table.py", set(STAGES)),
        ("src/xnbflow/tables/tables.toml", set(STAGES)),
        ("src/xnbflow/naive_bayes/gaussian_nb.py", {"computing", "judging", "page"}),
        ("src/xnbflow/inference/verdicts.py", {"judging", "page"}),
        ("scripts/compare.py", {"judging"}),
        ("src/xnbflow/report/page/templates/style.css", {"page"}),
        ("src/xnbflow/running/config.py", set()),
    ],
)
def test_an_edit_changes_the_digest_of_what_it_concerns(clone, digests_before, edited, changed):
    path = clone / "workflow" / edited
    content = path.read_bytes()
    path.write_bytes(content + b" ")
    after = digests(clone)
    path.write_bytes(content)
    assert {stage for stage in after if digests_before[stage] != after[stage]} == changed


def test_a_users_own_module_counts_with_its_source_and_a_package_by_its_version(
    tmp_path, monkeypatch
):
    import sklearn

    monkeypatch.syspath_prepend(tmp_path)
    module = put(tmp_path, "class Model: ...\n", "own_classifier.py")
    planned = own_code(["own_classifier.Model", "sklearn.svm.LinearSVC"])
    assert planned["sklearn"] == f"version {sklearn.__version__}"
    module.write_text("class Model: ...  # edited\n")
    assert own_code(["own_classifier.Model"])["own_classifier"] != planned["own_classifier"]


def test_a_renamed_file_changes_the_digest_of_its_package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    put(tmp_path, "", "toy_package/__init__.py")
    module = put(tmp_path, "x = 1\n", "toy_package/first.py")
    before = own_code(["toy_package.first"])
    module.rename(module.with_name("second.py"))
    assert own_code(["toy_package.first"]) != before


def test_an_installed_plugin_counts_with_its_sources(monkeypatch):
    assert own_code(["pluggy.hooks"])["pluggy"].startswith("version ")
    monkeypatch.setattr(provenance, "plugin_modules", lambda: ["pluggy.hooks"])
    assert own_code(["pluggy.hooks"])["pluggy"].startswith("code ")


def test_the_record_of_a_run_names_its_code_packages_and_host():
    record = provenance.provenance()
    assert set(record["code"]) == set(STAGES)
    assert "numpy" in record["packages"]
    assert record["host"]
