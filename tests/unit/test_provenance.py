"""A stage's digest follows its imports: no more and no less reruns than needed."""

import shutil
import sys
from pathlib import Path

import pytest

from xnbflow.evaluation.methods import METHODS
from xnbflow.workflow import provenance, static

PACKAGE = Path(provenance.__file__).parent
SCRIPTS = PACKAGE.parents[1] / "scripts"
TRAIN = SCRIPTS / "train.py"
XNB, GNB = METHODS["xnb"].estimator, METHODS["hybrid_nb"].estimator


def forget():
    for cached in (
        static.module_file,
        static._definitions,
        provenance.source_digest,
        provenance._imports,
        provenance._tree,
        provenance._content,
    ):
        cached.cache_clear()


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package, times of change included."""
    copy = tmp_path_factory.mktemp("copied") / "xnbflow"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def package(copied, monkeypatch):
    """A copy of the package whose files can be edited; what was edited is put back."""
    monkeypatch.syspath_prepend(copied.parent)
    forget()
    yield copied
    forget()
    for path in filter(Path.is_file, copied.rglob("*")):
        original = PACKAGE / path.relative_to(copied)
        if path.stat().st_mtime_ns != original.stat().st_mtime_ns:
            shutil.copy2(original, path)


def edited(path, text="\n# edited\n"):
    path.write_text(path.read_text() + text)
    forget()


def reruns(package, module, *roots):
    before = provenance.source_digest(*roots)
    edited(package / module)
    return provenance.source_digest(*roots) != before


@pytest.mark.parametrize(
    "module",
    ["seeds.py", "series.py", "jobs.py", "errors.py", "tables.py", "contract.py", "__init__.py"],
)
def test_editing_an_imported_module_changes_the_digest(package, module):
    assert reruns(package, module, TRAIN, XNB)


@pytest.mark.parametrize(
    "module",
    [
        "sources/sheet.py",
        "config.py",
        "methods.py",
        "naive_bayes/gaussian.py",
        "distributions/multivariate_gaussian.py",
        "distributions/categorical.py",
        "report/results.py",
    ],
)
def test_editing_what_xnb_does_not_import_does_not_train_it_again(package, module):
    assert not reruns(package, module, TRAIN, XNB)


def test_a_classifier_brings_its_own_module(package):
    assert reruns(package, "naive_bayes/class_specific.py", TRAIN, XNB)


@pytest.mark.parametrize(
    "family", ["categorical", "gaussian", "kernel", "multivariate_gaussian", "von_mises"]
)
def test_families_that_are_reached_through_the_lazy_package_count(package, family):
    assert reruns(package, f"distributions/{family}.py", TRAIN, GNB)


def test_a_new_name_in_a_lazy_package_changes_nothing_but_who_takes_it(package):
    lazy = package / "naive_bayes" / "__init__.py"
    before = provenance.source_digest(TRAIN, XNB)
    text = lazy.read_text()
    lazy.write_text(text.replace("_HOME = {\n", '_HOME = {\n    "Toy": "toy",\n'))
    assert lazy.read_text() != text
    forget()
    assert provenance.source_digest(TRAIN, XNB) == before
    edited(lazy, "\nimport os\n")
    assert provenance.source_digest(TRAIN, XNB) != before


def test_a_name_taken_from_a_lazy_package_brings_its_home():
    files = provenance.source_files("xnbflow.naive_bayes.XNB")
    assert "xnbflow.naive_bayes.class_specific" in files
    assert "xnbflow.naive_bayes.hybrid" not in files


def test_templates_count(package):
    assert reruns(package, "report/page/templates/style.css", "xnbflow.report.study")


def test_an_import_path_counts_by_the_version_of_its_package(monkeypatch):
    before = provenance.source_digest(TRAIN, "sklearn.svm.LinearSVC")
    assert not any(name.startswith("sklearn") for name in provenance.source_files("sklearn.svm"))
    monkeypatch.setattr(provenance, "version", lambda name: f"another {name}")
    forget()
    assert provenance.source_digest(TRAIN, "sklearn.svm.LinearSVC") != before
    forget()


def test_another_package_counts_by_its_files(tmp_path, monkeypatch):
    toy = tmp_path / "toypackage"
    toy.mkdir()
    (toy / "__init__.py").write_text("")
    (toy / "nearest.py").write_text(
        "from . import helper\nfrom xnbflow.data.seeds import derive_seed\n"
    )
    (toy / "helper.py").write_text("")
    (toy / "other.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    files = provenance.source_files("toypackage.nearest.Nearest")
    assert {"toypackage", "toypackage.nearest", "toypackage.helper", "xnbflow.data.seeds"} <= set(
        files
    )
    assert "toypackage.other" not in files
    before = provenance.source_digest("toypackage.nearest.Nearest")
    edited(toy / "helper.py")
    assert provenance.source_digest("toypackage.nearest.Nearest") != before
    forget()


def test_nothing_numerical_is_imported_for_a_digest():
    import subprocess

    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from xnbflow.workflow.provenance import source_digest;"
        "source_digest('xnbflow.report.study', 'sklearn.svm.LinearSVC');"
        "print(sorted({'numpy', 'pandas', 'scipy', 'numba', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(PACKAGE.parent)], capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == "[]"


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Make a package of files; returns what follows from one of its modules."""

    def make(**files):
        for name, text in {"__init__": "", **files}.items():
            path = tmp_path / "toypackage" / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for folder in (tmp_path / "toypackage").iterdir():
            if folder.is_dir() and not (folder / "__init__.py").exists():
                (folder / "__init__.py").write_text("")
        forget()
        return tmp_path / "toypackage"

    monkeypatch.syspath_prepend(tmp_path)
    yield make
    forget()


@pytest.mark.parametrize(
    "statement",
    [
        "import toypackage.far.wanted",
        "import os, toypackage.far.wanted as w",
        "from toypackage.far import wanted",
        "from toypackage.far.wanted import thing",
        "from ..far import wanted",
        "from ..far.wanted import thing",
        "def f():\n    try:\n        1\n    except ValueError:\n        from ..far import wanted",
        "match 1:\n    case 1:\n        from ..far import wanted",
    ],
)
def test_every_way_of_importing_counts(toy, statement):
    toy(**{"near.start": statement, "far.wanted": "", "far.other": ""})
    files = set(provenance.source_files("toypackage.near.start"))
    assert "toypackage.far.wanted" in files
    assert "toypackage.far.other" not in files


@pytest.mark.parametrize("statement", ["from . import wanted", "from .wanted import thing"])
def test_a_package_s_own_imports_are_relative_to_itself(toy, statement):
    toy(**{"near.__init__": statement, "near.wanted": "", "wanted": "", "near.start": ""})
    files = set(provenance.source_files("toypackage.near.start"))
    assert "toypackage.near.wanted" in files
    assert "toypackage.wanted" not in files


@pytest.mark.parametrize(
    ("name", "text", "counts"),
    [
        ("near.__init__", '_HOME = {"a": "start"}\n__all__ = ["a"]\n', False),
        ("near.__init__", '__all__ = ["a"]\n', True),
        ("near.start", '_HOME = {"a": "start"}\n__all__ = ["a"]\n', True),
        ("near.__init__", '_HOME = {"a": "start"}\nnames = ["a"]\n', True),
    ],
)
def test_lists_of_names_count_but_for_those_of_a_lazy_package(toy, name, text, counts):
    folder = toy(**{"near.start": "", name: text})
    before = provenance.source_digest("toypackage.near.start")
    path = folder / f"{name.replace('.', '/')}.py"
    path.write_text(text.replace('["a"]', '["a", "b"]'))
    forget()
    assert (provenance.source_digest("toypackage.near.start") != before) == counts


def test_names_of_a_lazy_package_over_several_lines_do_not_count(toy):
    text = 'import os\n_HOME = {\n    "a": "start",\n}\nlast = 1\n'
    folder = toy(**{"near.start": "", "near.__init__": text})
    path = folder / "near" / "__init__.py"

    def digest(old, new):
        path.write_text(text.replace(old, new))
        forget()
        return provenance.source_digest("toypackage.near.start")

    before = digest("", "")
    assert digest('    "a": "start",\n', '    "a": "start",\n    "b": "start",\n') == before
    assert digest("import os", "import io") != before
    assert digest("last = 1", "last = 2") != before
