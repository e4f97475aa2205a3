"""A stage's digest follows its imports: no more and no less reruns than needed."""

import shutil
from pathlib import Path

import pytest

from xnbflow import provenance

PACKAGE = Path(provenance.__file__).parent


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package whose files can be edited."""
    copy = tmp_path / "xnbflow"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "_PACKAGE", copy)
    provenance._imports.cache_clear()
    return copy


def edit(path):
    path.write_text(path.read_text() + "\n# edited\n")
    provenance._imports.cache_clear()


def test_editing_an_imported_module_changes_the_digest(package):
    before = provenance.source_digest("xnbflow.evaluation.training")
    edit(package / "seeds.py")
    assert provenance.source_digest("xnbflow.evaluation.training") != before


def test_editing_another_module_does_not(package):
    before = provenance.source_digest("xnbflow.evaluation.training")
    edit(package / "sources" / "sheet.py")
    edit(package / "naive_bayes" / "class_specific.py")
    assert provenance.source_digest("xnbflow.evaluation.training") == before


def test_a_classifier_brings_its_own_module(package):
    before = provenance.source_digest("xnbflow.naive_bayes.class_specific")
    edit(package / "naive_bayes" / "class_specific.py")
    assert provenance.source_digest("xnbflow.naive_bayes.class_specific") != before


def test_library_files_import_from_modules_not_from_lazy_packages():
    """A name that a package imports lazily hides its module from the digest."""
    hidden = []
    for path in PACKAGE.rglob("*.py"):
        for name in provenance._imports(path):
            parent = name.rpartition(".")[0]
            folder = PACKAGE.joinpath(*parent.split(".")[1:])
            is_package = parent not in {"", PACKAGE.name} and folder.is_dir()
            if is_package and not provenance._files(name):
                hidden.append(f"{path.relative_to(PACKAGE)}: {name}")
    assert not hidden
