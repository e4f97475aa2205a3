"""Every shipped study, run as it is to its page, on tiny files in the original layouts."""

import os
import re
from dataclasses import replace

import pandas as pd
import pytest
import yaml
from demo_page import GOLDEN, sentences_of_demo
from integration.conftest import ROOT, snakemake
from original_files import FILES, PATIENT
from serving import serving
from toys import HOSTILE

from xnbflow.running.project import default_configuration
from xnbflow.sources.dataset_entry import Shape, read_entry

pytestmark = pytest.mark.slow

CONFIGURATION = default_configuration(ROOT)
STUDIES = CONFIGURATION["studies"]
SMALL = yaml.safe_load((ROOT / "tests/small_studies.yaml").read_text())
ENTRIES = {name: read_entry(name, entry) for name, entry in CONFIGURATION["datasets"].items()}

#: The sections of a study with an entry of this name.
SECTIONS = {
    "title": {"methods"},
    "datasets": {"audit", "genes"},
    "classifiers": {"answer", "explanation", "samples", "accuracy"},
    "final": {"signature"},
    "validate": {"cohorts"},
    "cohorts": {"cohorts"},
}


def tiny(row, server):
    """Return the entry of a tiny file: not of the original's shape, checksum and address."""
    if row.source == "bundled":
        return row
    if row.source == "simulate":
        return replace(row, shape=replace(row.shape, features=300))
    options = row.options | ({"rows": 77} if "rows" in row.options else {})
    location = row.location
    if "://" in location:
        location = f"{server.url}/{row.source}/{location.rpartition('/')[2]}"
    shape = Shape(classes=row.shape.classes)
    return replace(row, location=location, options=options, shape=shape, sha256=None)


def rows_of(study):
    """Return the data sets of a study and of its analyses."""
    names = [*study.get("datasets", [])]
    for analysis in study.get("analyses", {}).values():
        names += analysis.get("datasets", [])
    return [ENTRIES[name] for name in dict.fromkeys(names)]


def run(study, folder):
    """Run a study of the project's configuration; return what Snakemake wrote."""
    analyses, rows = STUDIES[study].get("analyses", {}), rows_of(STUDIES[study])
    files = {
        f"{row.source}/{path}": [body]
        for row in rows
        if row.source in FILES
        for path, body in FILES[row.source](row).items()
    }
    if "spambase-split" in STUDIES[study].get("folds", []):
        files["split"] = [b"0\n" * 20 + b"1\n" * 2]
    with serving("mirror", files) as server:
        places = {source: [f"{server.url}/{source}"] for source in FILES}
        few = {name: {"params": SMALL[name]} for name in analyses if name in SMALL}
        changed = {
            "datasets": {row.id: tiny(row, server).settings() for row in rows},
            "download": {"base_urls": places, "retries": 0, "timeout": 20},
            "folds": {"10x10-fold": {"repeats": 1}},
            "studies": {study: {"analyses": few}},
        }
        changed["folds"]["spambase-split"] = {"file": f"{server.url}/split"}
        (folder / "tiny.yaml").write_text(yaml.safe_dump(changed))
        written = snakemake(folder, study)
        assert {*server.requests} == {*server.answers}
    for row in rows:
        lock = folder / f"results/{row.id}/checksums.sha256"
        assert (lock.stat().st_size > 0) == (row.source in FILES)
    return written


def text_of(path):
    """Return the text of a table, a page or a model, whose parts are not compressed."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path).to_csv()
    return path.read_bytes().decode(errors="replace") if path.is_file() else ""


#: Those that `make test` runs; `make studies` runs all.
CHOSEN = [*STUDIES] if "XNBFLOW_STUDIES" in os.environ else ["demo", "renal"]


@pytest.mark.parametrize("study", CHOSEN)
def test_a_shipped_study_runs_to_its_page(tmp_path, study):
    """Names of classes, samples, features and symbols are hostile: nothing obeys them.

    Names of patients are in no file of results, neither in a model nor in a table.
    """
    configuration = STUDIES[study]
    assert "Failed" not in run(study, tmp_path)
    folder = tmp_path / "results/studies" / study
    pages = "".join((folder / name).read_text() for name in ("report.html", "details.html"))
    actual = re.findall(r'<section[^>]*id="([\w-]+)"', pages)
    expected = set(configuration.get("analyses", {}))
    for key, sections in SECTIONS.items():
        if key in configuration:
            expected.update(sections)
    optional = set()
    if len(configuration.get("classifiers", [])) < 2:
        optional.add("explanation")
    assert {*actual} - optional == expected - optional
    assert len(actual) == len({*actual})
    assert HOSTILE[0] not in pages
    assert not re.findall(r"\d %", pages)
    assert not [path for path in (tmp_path / "results").rglob("*.*") if PATIENT in text_of(path)]
    assert not [path for path in tmp_path.rglob("*") if path.stem in ("pwned", "x")]
    if study == "demo":  # after reading the difference: python tests/demo_page.py
        assert sentences_of_demo(tmp_path).splitlines() == GOLDEN.read_text("utf-8").splitlines()


def without_files(folder):
    """Write a configuration of a machine without a network and without private files."""
    closed = "http://127.0.0.1:9"
    sources = {row.source for row in ENTRIES.values()} - {"bundled", "simulate", "table"}
    sources -= {"microarray", "angular"}  # files of the user
    download = {"base_urls": {name: [closed] for name in sources}, "retries": 0}
    studies = {}
    for study, settings in STUDIES.items():
        few = {
            name: {"params": SMALL[name]} for name in settings.get("analyses", {}) if name in SMALL
        }
        studies[study] = {"analyses": few} if few else {}
    changed = {"download": download | {"timeout": 1}, "studies": studies}
    (folder / "tiny.yaml").write_text(yaml.safe_dump(changed))


#: Studies of files that a user supplies.
PRIVATE = ["baselines", "signatures", "second-cohorts"]


def test_every_shipped_study_is_planned_without_private_files(tmp_path):
    """The plan has the data sets of public addresses, and none of a file that is not there."""
    without_files(tmp_path)
    written = snakemake(tmp_path, "--dry-run", *(STUDIES.keys() - set(PRIVATE)))
    read = set(re.findall(r"log: results/logs/acquire/(\S+)\.log", written))
    assert {"GSE15824", "colorectal", "spambase", "magic", "weather"} <= read
    private = {name for name, row in ENTRIES.items() if row.source == "microarray"}
    assert not read & {*private, "pigeons", "protein-helix"}


@pytest.mark.parametrize("study", PRIVATE)
def test_a_study_of_private_files_alone_names_the_files(tmp_path, study):
    without_files(tmp_path)
    written = snakemake(tmp_path, study, fails=True)
    assert f"the study {study} has no data set" in written
    for row in rows_of(STUDIES[study]):
        assert f"resources/downloads/microarray/{row.location}.csv" in written


def test_a_study_that_simulates_ends_with_a_page_without_its_files(tmp_path):
    """Simulated parts are computed; page and run name what is missing and how to supply it."""
    without_files(tmp_path)
    written = snakemake(tmp_path, "separation")
    folder = tmp_path / "results/studies/separation"
    pages = "".join((folder / name).read_text() for name in ("report.html", "details.html"))
    sections = {"separation", "methods"}
    assert set(re.findall(r'<section[^>]*id="([\w-]+)"', pages)) == sections
    for row in rows_of(STUDIES["separation"]):
        assert f"Left out of separation: {row.id}; there is no file" in written
        assert row.id in pages
    assert "Not in this run" in pages
    assert "docs/tutorials/data-files.md" in pages
