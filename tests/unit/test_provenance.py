"""A stage's digests follow the sources that its jobs import: too much rather than too little."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from xnbflow.data.errors import InputError
from xnbflow.workflow import provenance
from xnbflow.workflow.provenance import STAGES, refuse_other_sources, source_digests, source_files

PACKAGE = Path(provenance.__file__).parents[1]
SCRIPTS = PACKAGE.parents[1] / "scripts"
#: The scripts of a stage that is not called as they are.
STAGE_OF = {"permute": "train", "validate": "classify", "combine": "classify"}
#: What starts a job or checks a configuration makes no result.
STARTING = {"xnbflow", "xnbflow.workflow"}


#: Imports what each script imports in a fork of one process, which has other packages already.
IMPORTS = """
import json, os, sys
import h5py, jinja2, matplotlib.pyplot, numba, pandas, pyarrow.parquet, scipy.stats, skops.io
import sklearn.ensemble, sklearn.linear_model, sklearn.model_selection, sklearn.svm
for script, code in json.loads(sys.argv[1]).items():
    if os.fork() == 0:
        exec(code)
        print(json.dumps([script, [name for name in sys.modules if name[:7] == "xnbflow"]]))
        sys.stdout.flush()
        os._exit(0)
    assert os.wait()[1] == 0, script
"""


@pytest.fixture(scope="module")
def imported():
    """The modules of ours that a job of each script imports before its work."""
    codes = {}
    for script in SCRIPTS.glob("*.py"):
        lines = script.read_text().partition("start_job(snakemake)")[2].splitlines()
        codes[script.stem] = "\n".join(x for x in lines if x.startswith(("import ", "from ")))
    command = [sys.executable, "-c", IMPORTS, json.dumps(codes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(map(json.loads, done.stdout.splitlines()))


def test_every_script_has_a_stage_and_counts_in_it():
    scripts = {path.name: STAGE_OF.get(path.stem, path.stem) for path in SCRIPTS.glob("*.py")}
    assert set(scripts.values()) == STAGES.keys()
    for script, stage in scripts.items():
        assert source_digests(stage)[script].startswith("sha256:")


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.py")), ids=lambda path: path.stem)
def test_a_stage_counts_every_package_that_its_script_imports(imported, script):
    stage = STAGE_OF.get(script.stem, script.stem)
    counted = {path for each in STAGES[stage] for path in source_files(f"xnbflow.{each}").values()}
    assert len(imported[script.stem]) > 5
    for name in imported[script.stem]:
        file = Path(importlib.import_module(name).__file__)
        package = ".".join(name.split(".")[:2])
        assert package in STARTING or package == "xnbflow.studies" or file in counted, name


@pytest.fixture
def copy(tmp_path):
    """A copy of the library, beside one of the scripts."""
    shutil.copytree(SCRIPTS, tmp_path / "scripts")
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(PACKAGE, tmp_path / "src/xnbflow", ignore=ignored)


def run(copy, text):
    """Run code with a copy of the library; returns what it prints."""
    code = f"import sys; sys.path.insert(0, {str(copy.parent)!r})\n{text}"
    written = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=written).stdout


@pytest.mark.parametrize(
    ("edited", "stages"),
    [
        ("naive_bayes/gaussian.py", {"train", "classify", "compare", "analyse"}),
        ("report/page/templates/style.css", {"report"}),
        ("diagnostics/normality.py", set(STAGES) - {"acquire", "report"}),
        ("data/sources/geo.py", set(STAGES)),
        ("data/tables.toml", set(STAGES)),
        ("studies/cica/tables.toml", {"analyse", "report"}),
        ("workflow/config.py", set()),
    ],
)
def test_an_edit_runs_the_stages_of_its_package_again(copy, edited, stages):
    code = "import json; print(json.dumps({stage: source_digests(stage) for stage in STAGES}))"

    def digests():
        return json.loads(run(copy, f"from xnbflow.workflow.provenance import *\n{code}"))

    before = digests()
    assert before == {stage: source_digests(stage) for stage in STAGES}
    (copy / edited).write_text((copy / edited).read_text() + " ")
    assert {stage for stage, each in digests().items() if each != before[stage]} == stages


def test_an_edit_of_equal_size_and_time_is_not_run_from_bytecode(copy):
    module = copy / "diagnostics/__init__.py"
    imported = "from xnbflow.diagnostics import NUMBER; print(NUMBER)"
    module.write_text("NUMBER = 1\n")
    state = module.stat()
    assert run(copy, imported) == "1\n"
    module.write_text("NUMBER = 2\n")
    os.utime(module, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert run(copy, imported) == "1\n"  # Python's own check does not see the edit
    run(copy, "from xnbflow.workflow.provenance import source_digests; source_digests('diagnose')")
    assert run(copy, imported) == "2\n"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of a user's own on the path."""
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "own_classifier.py"
    path.write_text("class Model: ...\n")
    source_digests.cache_clear()
    yield path
    source_digests.cache_clear()


def test_a_users_own_module_counts_with_its_source_and_a_package_by_its_version(module):
    import sklearn

    planned = source_digests("train", "own_classifier.Model", "sklearn.svm.LinearSVC")
    assert planned["sklearn"] == sklearn.__version__
    refuse_other_sources(planned | {"sklearn": "another"})  # that of the job's own environment
    module.write_text("class Model: ...  # edited\n")
    with pytest.raises(InputError, match="sources of own_classifier were edited"):
        refuse_other_sources(planned)
