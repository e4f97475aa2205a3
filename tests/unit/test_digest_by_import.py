"""Every module of this package that a job loads is in its digest: found by loading it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from xnbflow.data.sources.registry import SOURCES
from xnbflow.density.families import FAMILIES
from xnbflow.evaluation.methods import METHODS, resolved
from xnbflow.studies.registry import analysis_modules, own_analyses
from xnbflow.workflow.provenance import source_files

pytestmark = pytest.mark.slow  # a process for each

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "workflow" / "scripts"
SECTIONS = sorted(
    f"xnbflow.report.sections.{path.stem}"
    for path in (ROOT / "workflow/src/xnbflow/report/sections").glob("[a-z]*")
)

#: Runs the imports of a script, then some work, and tells what of the package was loaded.
RUN = """
import ast, json, sys
sys.path.insert(0, sys.argv[1])
tree = ast.parse(open(sys.argv[2]).read())
imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
exec(compile(ast.Module(imports, []), "imports", "exec"))
exec(sys.argv[3])
print(json.dumps(sorted(name for name in sys.modules if name.partition(".")[0] == "xnbflow")))
"""


def loaded(script, work=""):
    source = str(ROOT / "workflow" / "src")
    done = subprocess.run(
        [sys.executable, "-c", RUN, source, str(SCRIPTS / script), work],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def digested(script, *modules):
    return set(source_files(SCRIPTS / script, *modules))


ENTRIES = {
    name: {"method": name} for name, method in METHODS.items() if method.kind == "classifier"
}
ENTRIES |= {
    name: {"steps": [{"method": name}, {"method": "gaussian_nb"}]}
    for name in ("cica", "stepwise_naive_effects")
}
ENTRIES["cica"]["steps"][0]["params"] = {"width": "paper", "max_iter": 5}
ENTRIES["selective_nb"]["params"] = {"estimator": {"method": "von_mises_nb"}}
ENTRIES["von_mises_fisher_nb"]["params"] = {"normalize": True}
ENTRIES["correlation_blocks"] = {
    "method": "block_nb",
    "params": {"blocks": {"method": "correlation_blocks"}},
}
TWO = {"multivariate_gaussian", "von_mises_fisher"}
COLUMNS = {family: [6, 7] if family == "von_mises" else [8] for family in FAMILIES}
COLUMNS |= {family: [0, 1] for family in TWO}
ENTRIES |= {
    f"family {family}": {"method": "hybrid_nb", "params": {"groups": [["a", family, columns]]}}
    for family, columns in COLUMNS.items()
}


def classes(entry):
    if isinstance(entry, list):
        return [name for each in entry for name in classes(each)]
    if not isinstance(entry, dict):
        return []
    own = [entry["method"]] if isinstance(entry.get("method"), str) else []
    return own + [name for value in entry.values() for name in classes(value)]


@pytest.mark.parametrize("name", ENTRIES)
def test_of_every_method_and_family(name):
    entry = resolved(ENTRIES[name])
    work = (
        "from xnbflow.data.sources.tiny import tiny_series\n"
        f"outcome = train_batch(tiny_series(), {entry!r}, splits=2, repeats=[0], folds=[0])\n"
        "failed = outcome.fits['error'].tolist()\n"
        f"assert failed == [''] or {name!r} == 'family von_mises_fisher', failed\n"
    )
    extra = {"xnbflow.data.sources.tiny", "xnbflow.sources", "xnbflow.data.sources.sheet"}
    digest = digested("train.py", *classes(entry))
    assert loaded("train.py", work) - extra <= digest
    assert "xnbflow.report" not in digest


@pytest.mark.parametrize("name", SOURCES)
def test_of_every_source(name):
    module = SOURCES[name].module
    work = f"import importlib; importlib.import_module({module!r})"
    assert loaded("acquire.py", work) <= digested("acquire.py", module)


def test_of_a_download():
    """The module that downloads is imported late."""
    assert "xnbflow.data.sources.http" in digested("acquire.py", "xnbflow.data.sources.cumida")


@pytest.mark.parametrize("name", own_analyses())
def test_of_every_analysis(name):
    analysis = own_analyses()[name]
    modules = (analysis.compute, analysis.contract)
    work = f"import importlib; [importlib.import_module(name) for name in {modules!r}]"
    assert loaded("analyse.py", work) <= digested("analyse.py", *modules)


@pytest.mark.parametrize("name", SECTIONS)
def test_of_every_section(name):
    work = (
        f"import importlib; importlib.import_module({name!r})\n"
        "from xnbflow.studies.registry import known_analyses; known_analyses()"
    )
    assert loaded("report.py", work) <= digested("report.py", name, *analysis_modules())


@pytest.mark.parametrize(
    ("script", "modules"),
    [
        ("simulate.py", ()),
        ("folds.py", ()),
        ("diagnose.py", ()),
        ("gather.py", ()),
        ("compare.py", ()),
        ("index.py", analysis_modules()),
        ("compile.py", ("xnbflow.diagnostics.warmup",)),
        ("compile.py", ("xnbflow.evaluation.warmup",)),
    ],
)
def test_of_every_other_script(script, modules):
    work = f"import importlib; [importlib.import_module(name) for name in {modules!r}]"
    assert loaded(script, work) <= digested(script, *modules)
