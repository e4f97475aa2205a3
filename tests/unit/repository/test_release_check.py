"""`make release-check` finds whatever disagrees about the version, in a copy of the tree."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from xnbflow import __version__

ROOT = Path(__file__).parents[3]
#: What the check reads, and what a wheel is built of.
READ = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", ".zenodo.json")
READ += (".ci/release_check.py", "config/README.md", "docs/tutorials/module.md", "hatch_build.py")
#: What a wheel has of the workflow, empty here.
PARTS = ("Snakefile", "envs", "profiles", "workflow/Snakefile")
PARTS += tuple(f"workflow/{name}" for name in ("report", "rules", "schemas", "scripts"))


@pytest.fixture
def tree(tmp_path):
    """A copy of the sources, whose library is its one module with the version."""
    package = "workflow/src/xnbflow/__init__.py"
    for name in (*READ, package):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in PARTS:
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def check_of(tree):
    spec = importlib.util.spec_from_file_location("release_check", tree / ".ci/release_check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("file", "old", "new", "lines"),
    [
        ("CHANGELOG.md", " (20", " (unreleased 20", ["CHANGELOG.md: {v} has 'unreleased 20"]),
        ("CHANGELOG.md", "## {v} (20", "## {v} (19", ["CITATION.cff: date-", ".zenodo.json: pub"]),
        ("CHANGELOG.md", "## {v}", "## 9.9.9", ["CHANGELOG.md: the newest version is 9.9.9"]),
        ("CITATION.cff", "version: {v}", "version: 9.9.9", ["CITATION.cff: version is '9.9.9'"]),
        ("CITATION.cff", "name: xnbflow dev", "name: other dev", [".zenodo.json: creators is"]),
        ("CITATION.cff", "j.softx", "j.other", [".zenodo.json: related is"]),
        (".zenodo.json", '"MIT"', '"GPL-3.0"', [".zenodo.json: license is 'GPL-3.0'"]),
        (".zenodo.json", '"{v}"', '"9.9.9"', [".zenodo.json: version is '9.9.9'"]),
        ("docs/tutorials/module.md", "--tag v{v}", "--tag v9.9.9", ["docs/tutorials/module.md:"]),
        ("pyproject.toml", 'dynamic = ["version"]', 'version = "3"', ["the wheel: Version is '3'"]),
    ],
)
def test_each_disagreement_is_one_line(tree, file, old, new, lines, monkeypatch):
    old = old.replace("{v}", __version__)
    new = new.replace("{v}", __version__)
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new, 1))
    check = check_of(tree)
    if file != "pyproject.toml":  # the wheel is built of nothing else here
        monkeypatch.setattr(check, "wheel_faults", lambda *_: [])
    actual = check.disagreements(tree)
    assert len(actual) == len(lines)
    starts = [start.replace("{v}", __version__) for start in lines]
    assert all(line.startswith(start) for line, start in zip(actual, starts, strict=True))


def test_a_release_agrees_and_another_tag_or_version_of_the_library_is_found(tree):
    check = check_of(tree)
    assert check.disagreements(tree, f"v{__version__}") == []
    assert check.disagreements(tree, "v9.9.9") == [f"the tag is v9.9.9, not v{__version__}"]
    source = tree / "workflow/src/xnbflow/__init__.py"
    source.write_text(source.read_text().replace(f'"{__version__}"', '"9.9.9"'))
    actual = {line.partition(":")[0] for line in check.disagreements(tree)}
    assert actual == {"CHANGELOG.md", "CITATION.cff", ".zenodo.json", "docs/tutorials/module.md"}
