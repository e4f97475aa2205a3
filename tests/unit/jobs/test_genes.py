"""The job *genes*: what it writes."""

import hashlib

import numpy as np
import pytest
from toys import dataset, refused

from xnbflow.core.study import Design
from xnbflow.jobs.genes import compare_features
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import read_parquet


@pytest.fixture
def series(rng, tmp_path):
    path = tmp_path / "series.parquet"
    labels = np.repeat(["a", "b", "c"], 6)
    dataset(rng.normal(8, 1, (30, 18)), labels, scale="log2").write(path)
    return path


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_genes_writes_its_tables_two_of_them_as_text_and_the_script_for_r(series, tmp_path):
    folder = tmp_path / "genes"
    compare_features(series, Design(reference="a"), downloads={}, folder=folder)
    tables = {f"{name}.parquet" for name in GROUPS["genes"].tables}
    assert names(folder) == tables | {"genes.tsv", "contrasts.tsv", "limma.R"}
    contrasts = read_parquet(folder / "contrasts.parquet", GROUPS["genes"].tables["contrasts"])
    assert contrasts["contrast"].drop_duplicates().tolist() == ["b vs a", "c vs a"]
    design = read_parquet(folder / "design.parquet", GROUPS["genes"].tables["design"])
    assert design.iloc[0].to_dict() == {
        "control": "a",
        "adjusted": "",
        "groups": "",
        "variance": "constant",
        "samples": 18,
        "left_out": 0,
        "notes": "",
    }


def test_gene_sets_are_tested_in_each_class_and_pair_of_classes(series, tmp_path):
    sets = tmp_path / "sets.gmt"
    sets.write_text("\t".join(["ten", "a set", *(f"g{i}" for i in range(10))]) + "\n")
    folder = tmp_path / "genes"
    compare_features(
        series,
        Design(reference="a", contrasts=("c vs b",)),
        gene_set_files={str(sets): sets},
        downloads={},
        folder=folder,
    )

    def table(name):
        return read_parquet(folder / f"{name}.parquet", GROUPS["genes"].tables[name])

    tests = table("gene_set_tests")
    (file,) = tests[["file", "place", "sha256"]].drop_duplicates().to_dict("records")
    sha256 = hashlib.sha256(sets.read_bytes()).hexdigest()
    assert file == {"file": "sets.gmt", "place": str(sets), "sha256": sha256}
    assert tests["class"].tolist() == ["a", "b", "c", "", "", ""]
    assert tests["contrast"].tolist() == ["", "", "", "b vs a", "c vs a", "c vs b"]
    assert table("design")["notes"].tolist() == [""]


def test_without_gene_sets_nothing_is_tested(series, tmp_path):
    folder = tmp_path / "genes"
    compare_features(series, Design(), downloads={}, folder=folder)
    schema = GROUPS["genes"].tables["gene_set_tests"]
    assert read_parquet(folder / "gene_set_tests.parquet", schema).empty


def test_a_design_that_cannot_be_leaves_no_file(series, tmp_path):
    folder = tmp_path / "genes"
    with refused("reference of the study's design is 'd'", key="reference"):
        compare_features(series, Design(reference="d"), downloads={}, folder=folder)
    assert not folder.exists()
