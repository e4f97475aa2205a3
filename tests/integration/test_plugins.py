"""A package of one's own adds a classifier, a source and an analysis by entry points."""

import importlib
import os
import re
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest
import snakemake_process
from integration.conftest import snakemake_command

from xnbflow.core.errors import InputError
from xnbflow.core.plugins import known_analyses
from xnbflow.evaluation.methods import known_methods
from xnbflow.running.cli.commands import methods_text
from xnbflow.sources.registry import known_sources

PLUGIN = Path(__file__).with_name("plugin")
PACKAGE = PLUGIN / "toyplugin"
ENTRIES = (PACKAGE / "entries.py").read_text()
POINTS = (PLUGIN / "entry_points.txt").read_text()


def install(folder, points=POINTS, entries=ENTRIES):
    """Lay the package and its metadata out as an installer does; return the folder of both."""
    package = folder / "toyplugin"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "entries.py").write_text(entries)
    metadata = folder / "toyplugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toyplugin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(points)
    return folder


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path of modules, as where packages are installed."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    registries = (known_methods, known_sources, known_analyses)
    for registry in registries:
        registry.cache_clear()
    importlib.invalidate_caches()
    yield tmp_path / "site"
    for registry in registries:
        registry.cache_clear()
    for name in [name for name in sys.modules if name.startswith("toyplugin")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("points", "entries", "message"),
    [
        ("[xnbflow.methods]\nx = toyplugin.absent:X\n", "", "cannot be loaded .ModuleNotFound"),
        ("[xnbflow.methods]\nx = toyplugin.entries:X\n", "X = 5", "not an xnbflow.core.entries.M"),
        ("[xnbflow.methods]\nother = toyplugin.entries:NEAREST\n", ENTRIES, "calls itself"),
        (
            "[xnbflow.methods]\nxnb = toyplugin.entries:XNB\n",
            ENTRIES.replace('NEAREST', 'XNB').replace('"nearest_mean"', '"xnb"'),
            "the name is taken",
        ),
    ],
)  # fmt: skip
def test_a_broken_entry_is_refused_with_its_package(site, points, entries, message):
    install(site, points, entries)
    with pytest.raises(InputError, match=message) as error:
        known_methods()
    assert "in toyplugin" in str(error.value)


def test_the_list_of_methods_has_those_of_a_package(site):
    install(site)
    assert "nearest_mean" in methods_text()


def run(folder, site, *arguments):
    command = [word.replace("tiny.yaml", "mine.yaml") for word in snakemake_command(folder)]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return snakemake_process.run([*command[3:], *arguments], folder, environment)


def test_a_plugin_s_study_runs_and_follows_the_plugin_s_sources(tmp_path):
    site = install(tmp_path / "site")
    folder = tmp_path / "work"
    # the study only: the package is the one that is installed
    shutil.copytree(PLUGIN, folder, ignore=shutil.ignore_patterns("toyplugin"))
    finished = run(folder, site)
    assert finished.returncode == 0, finished.stdout
    summary = pd.read_parquet(folder / "results/studies/mine/tables/summary.parquet")
    assert summary.set_index("metric")["mean"]["accuracy"] == 1.0
    page = (folder / "results/studies/mine/details.html").read_text()
    assert "Counted by a plugin" in page
    assert "nobody (2024)" in page

    def planned():
        plan = run(folder, site, "-n", "--quiet", "rules", "--rerun-triggers", "params").stdout
        return set(re.findall(r"^(\S+) +\d+$", plan, re.MULTILINE))

    assert planned() == set()
    source = Path(site, "toyplugin", "nearest.py")
    source.write_text(source.read_text() + "\n# edited\n")
    assert "classify" in planned()
