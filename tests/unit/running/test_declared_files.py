"""A declared file is never an output of a job, by whatever path or link."""

from types import SimpleNamespace

import pytest
from toys import put, refused

from xnbflow.core.study import Study
from xnbflow.running.config import Folds
from xnbflow.running.declared_files import refuse_outputs
from xnbflow.sources.dataset_entry import DatasetEntry

STUDY = {"title": "", "summary": "", "datasets": (), "classifiers": (), "folds": ()}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working directory with results of the data set mine."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "x", "results/mine/series.parquet")
    put(tmp_path, "x", "results/studies/s/genes.tsv")
    put(tmp_path, "x", "results/other.csv")
    put(tmp_path, "x", "data/table.csv")
    return tmp_path


def check(location="data/table.csv", phenotype=None, gene_sets=(), folds=None):
    entry = DatasetEntry("mine", "table", location, label="type", phenotype=phenotype)
    study = Study(id="s", diagnostics=False, analyses={}, **STUDY, gene_sets=gene_sets)
    config = SimpleNamespace(studies={"s": study}, folds=folds or {}, datasets={"mine": entry})
    refuse_outputs(config)


@pytest.mark.parametrize(
    "path",
    [
        "results/mine/series.parquet",
        "./results/mine/series.parquet",
        "data/../results/mine/series.parquet",
        "results/mine/new.csv",  # a job may remove it, or write it later
        "results/studies/s/genes.tsv",
        "results/logs/acquire/mine.log",
        "results/benchmarks/acquire/mine.tsv",
        "results/index.html",
        "results/README.md",
    ],
)
def test_a_file_where_jobs_write_is_refused_with_its_key_and_what_to_do(folder, path):
    for location in (path, str(folder / path)):
        with refused("configuration, datasets.mine, file: .* Move or copy the file"):
            check(location)
    with refused("datasets.mine, phenotype:"):
        check(phenotype=path)


def test_a_link_to_an_output_and_a_link_in_its_place_are_refused(folder):
    (folder / "link.csv").symlink_to("results/studies/s/genes.tsv")
    with refused("is in results/studies"):
        check("link.csv")
    (folder / "results/mine/link.csv").symlink_to(folder / "data/table.csv")
    with refused("is in results/mine"):
        check("results/mine/link.csv")
    (folder / "earlier").symlink_to("results")
    with refused("is in results/mine"):
        check("earlier/mine/series.parquet")


def test_results_elsewhere_are_those_of_the_link(tmp_path, monkeypatch):
    """The folder of results may be a link to a large disk."""
    put(tmp_path, "x", "disk/mine/series.parquet")
    place = tmp_path / "work"
    place.mkdir()
    (place / "results").symlink_to(tmp_path / "disk")
    monkeypatch.chdir(place)
    with refused("is in results/mine"):
        check(str(tmp_path / "disk/mine/series.parquet"))


@pytest.mark.parametrize(
    "path",
    [
        "data/table.csv",
        "results/other.csv",  # no job writes it
        "results/yours/series.parquet",  # of no data set of the configuration
        "results.csv",
        "results/README.md/README.md",
        "https://host/results/mine/series.parquet",
    ],
)
def test_other_files_are_inputs(path):
    check(path)
    check(gene_sets=() if "://" in path else (path,))


def test_files_of_the_configuration_are_checked_too():
    with refused("configuration, studies.s.gene_sets: .* name it there"):
        check(gene_sets=("results/mine/sets.gmt",))
    with refused("configuration, folds.mine.file"):
        check(folds={"mine": Folds(splits=2, repeats=1, file="results/mine/folds.tsv")})
    check(gene_sets=("https://host/results/mine/h.gmt#sha256=" + 64 * "0",))
