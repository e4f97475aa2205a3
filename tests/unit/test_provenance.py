"""Jobs and compiled code follow the sources: too much rather than too little."""

import importlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from paper_cases import needs
from toys import PROGRAMS, put, python

from xnbflow.core.errors import InputError
from xnbflow.running import provenance
from xnbflow.running.provenance import refuse_other_sources, source_digests

PACKAGE = Path(provenance.__file__).parents[1]
SCRIPTS = PACKAGE.parents[1] / "scripts"
NAMES = sorted(path.name for path in SCRIPTS.glob("*.py"))
#: The scripts that train classifiers.
TRAINING = {f"{name}.py" for name in ("permute", "classify", "validate", "combine")}
#: What starts a job or checks a configuration makes no result.
STARTING = {"xnbflow", "xnbflow.running"}


@pytest.fixture(scope="module")
def imported():
    """The modules of ours that a job of each script imports before its work."""
    codes = {}
    for script in SCRIPTS.glob("*.py"):
        lines = script.read_text().partition("start_job(snakemake)")[2].splitlines()
        codes[script.stem] = "\n".join(x for x in lines if x.startswith(("import ", "from ")))
    done = python(PROGRAMS["imports_of_scripts"], json.dumps(codes))
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("script", NAMES)
def test_a_script_counts_with_every_package_that_it_imports(imported, script):
    packages = provenance.packages_of(script)
    counted = {path for each in packages for path in provenance.source_files(each).values()}
    modules = imported[Path(script).stem]
    assert len(modules) > 5
    assert source_digests(script)[script].startswith("sha256:")
    for name in modules:
        file = Path(importlib.import_module(name).__file__)
        assert ".".join(name.split(".")[:2]) in STARTING or file in counted, name


@pytest.fixture
def copy(tmp_path):
    """A copy of the library, beside one of the scripts."""
    shutil.copytree(SCRIPTS, tmp_path / "workflow/scripts")
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(PACKAGE, tmp_path / "workflow/src/xnbflow", ignore=ignored)


def run(copy, text):
    """Run code with a copy of the library; returns what it prints."""
    code = f"import sys; sys.path.insert(0, {str(copy.parent)!r})\n{text}"
    written = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    return python(code, env=written).stdout


def digests(copy, jobs):
    """Return the digests of a copy's sources for the arguments of each job."""
    code = "import json\nfrom xnbflow.running.provenance import source_digests\n"
    code += f"print(json.dumps({{name: source_digests(*given) for name, given in {jobs}.items()}}))"
    return json.loads(run(copy, code))


@pytest.mark.parametrize(
    ("edited", "scripts"),
    [
        ("naive_bayes/gaussian_nb.py", {*TRAINING, "compare.py", "report.py"}),
        ("report/page/templates/style.css", {"report.py"}),
        ("diagnostics/normality.py", set(NAMES) - {"acquire.py", "analyse.py"}),
        ("data/matrices.py", set(NAMES)),  # the reader of AnnData imports it
        ("tables/tables.toml", set(NAMES)),
        ("running/config.py", set()),
    ],
)
def test_an_edit_runs_the_jobs_that_import_its_package_again(copy, edited, scripts):
    before = digests(copy, {name: [name] for name in NAMES})
    assert before == {script: source_digests(script) for script in NAMES}
    (copy / edited).write_text((copy / edited).read_text() + " ")
    after = digests(copy, {name: [name] for name in NAMES})
    assert {script for script in NAMES if after[script] != before[script]} == scripts


@needs("cica")
@needs("cells")
def test_an_edit_of_a_paper_runs_its_analysis_again_and_no_other(copy):
    jobs = {name: ["analyse.py", f"xnbflow.papers.{name}.compute"] for name in ("cica", "cells")}
    before = digests(copy, jobs)
    (copy / "papers/cica/tables.toml").write_text("")
    after = digests(copy, jobs)
    assert [name for name in jobs if after[name] != before[name]] == ["cica"]


def test_an_edit_of_equal_size_and_time_is_not_run_from_bytecode(copy):
    module = copy / "diagnostics/__init__.py"
    imported = "from xnbflow.diagnostics import NUMBER; print(NUMBER)"
    module.write_text("NUMBER = 1\n")
    state = module.stat()
    assert run(copy, imported) == "1\n"
    module.write_text("NUMBER = 2\n")
    os.utime(module, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert run(copy, imported) == "1\n"  # Python's own check does not see the edit
    run(copy, "from xnbflow.running import provenance; provenance.source_digests('diagnose.py')")
    assert run(copy, imported) == "2\n"


def test_a_users_own_module_counts_with_its_source_and_a_package_by_its_version(
    tmp_path, monkeypatch
):
    import sklearn

    monkeypatch.syspath_prepend(tmp_path)
    module = put(tmp_path, "class Model: ...\n", "own_classifier.py")
    source_digests.cache_clear()
    planned = source_digests("permute.py", "own_classifier.Model", "sklearn.svm.LinearSVC")
    assert planned["sklearn"] == sklearn.__version__
    refuse_other_sources(planned | {"sklearn": "another"})  # that of the job's own environment
    module.write_text("class Model: ...  # edited\n")
    with pytest.raises(InputError, match="sources of own_classifier were edited"):
        refuse_other_sources(planned)
    source_digests.cache_clear()


def compute(copy, **variables):
    variables["PYTHONPATH"] = str(copy.parent)
    return python(PROGRAMS["log_densities"], env=os.environ | variables)


def test_an_edit_discards_the_kernels_that_depend_on_it_and_no_others(tmp_path):
    kernel = "from xnbflow.core.jit import njit\n{0}\n@njit()\ndef {1}(x):\n    return {2}\n"
    modules = {
        "own": ("LIMIT = 1.0", "own", "x + LIMIT"),
        "caller": ("from own import own", "caller", "own(x)"),
        "user": ("from own import LIMIT", "user", "x * LIMIT"),
        "callers": ("from caller import caller", "callers", "caller(x)"),
        "other": ("", "other", "-x"),
    }
    names = "import caller, callers, other, own, user\nfor module in (caller, callers, other, own, "
    names += "user):\n    print(getattr(module, module.__name__).py_func.__qualname__)"

    def digests(limit):
        for name, (head, *rest) in modules.items():
            (tmp_path / f"{name}.py").write_text(kernel.format(head.replace("1.0", limit), *rest))
        return python(names, cwd=tmp_path).stdout.split()

    before, after = digests("1.0"), digests("2.00")
    changed = [a.partition("-")[0] for b, a in zip(before, after, strict=True) if a != b]
    assert changed == ["caller", "callers", "own", "user"]


@pytest.mark.slow
def test_a_library_that_cannot_be_written_is_compiled_elsewhere_or_anew(copy, tmp_path):
    """Into the cache of the user or, where that cannot be written, into none, with a warning."""
    for folder in {path.parent for path in copy.rglob("*.py")}:
        (folder / "__pycache__").write_text("no folder")
    (tmp_path / "file").write_text("no folder")
    for home, warnings in (("home", 0), ("file", 1)):
        place = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / home)}
        done = compute(copy, **place)
        assert np.isfinite(float(done.stdout))
        assert done.stderr.count("Set NUMBA_CACHE_DIR") == warnings
    assert any((tmp_path / "home").rglob("*.nbc"))
