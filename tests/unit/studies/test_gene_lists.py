"""The tables on gene sets of a study: which files are read, and which tables are empty."""

import hashlib

import numpy as np
import pytest
from report_study import SMALL_STUDY

from xnbflow.core.study import Study
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.genes import gene_table
from xnbflow.jobs.enrich import find_gene_sets
from xnbflow.studies.gene_lists import gene_list_tables
from xnbflow.studies.gene_set_files import GeneSetFile
from xnbflow.studies.study_inputs import StudyInputs
from xnbflow.tables.contract import GENE_LIST_TABLES, GENE_TABLES, GENES, SERIES, STUDY
from xnbflow.tables.storage import read_parquet, table_files, write_parquet

#: Genes of blood in the sets of known artefacts, and genes in no set.
BLOOD = ["HBA1", "HBA2", "HBB", "HBD", "ALAS2"]
SYMBOLS = [*BLOOD, *(f"GENE{i}" for i in range(195))]


@pytest.fixture
def inputs(tmp_path):
    """A study of a data set of 200 genes of which those of blood are higher in the class a."""
    values = np.random.default_rng(0).normal(size=(200, 20))
    values[:5, :10] += 4.0
    samples = [f"s{i}" for i in range(20)]
    series = DataSet("toy", values, SYMBOLS, samples, labels=np.repeat(["a", "b"], 10))
    series.write(tmp_path / SERIES.of(dataset="toy"))
    genes = gene_table(series)
    path = tmp_path / GENES.of(study="s", dataset="toy", table="genes")
    write_parquet(genes, path, GENE_TABLES["genes"])
    return StudyInputs(study=Study(**SMALL_STUDY | {"datasets": ("toy",)}), root=tmp_path)


def test_without_gene_sets_only_known_artefacts_are_found_and_no_values_are_read(inputs):
    inputs.series_paths["toy"].unlink()
    tables = gene_list_tables(inputs)
    assert set(tables) == set(GENE_LIST_TABLES)
    assert {name for name, table in tables.items() if len(table)} == {"artefacts"}
    for name, table in tables.items():
        assert list(table.columns) == GENE_LIST_TABLES[name].fixed, name
    marked = tables["artefacts"].query("marked")
    assert set(marked["genes"].iloc[0].split()) == set(BLOOD)


def test_gene_sets_are_tested_by_the_values(inputs):
    sets = inputs.root / "sets.gmt"
    sets.write_text("\t".join(["blood", "a set", *BLOOD]) + "\n")
    tables = gene_list_tables(inputs, [GeneSetFile(sets, "https://host/sets.gmt")])
    file = tables["gene_set_files"].iloc[0]
    assert file.drop("sha256").to_dict() == {
        "file": "sets.gmt",
        "place": "https://host/sets.gmt",
        "gene_sets": 1,
    }
    assert file["sha256"] == hashlib.sha256(sets.read_bytes()).hexdigest()
    test = tables["gene_set_tests"].iloc[0]
    assert (test["class"], test["gene_set"], test["direction"]) == ("a", "blood", "higher")
    assert test["p"] < 1e-6
    assert tables["enrichment"]["gene_set"].tolist() == ["blood"]


def test_the_job_writes_its_tables_as_parquet_and_text(inputs):
    folder = inputs.root / STUDY.of(study="s")
    find_gene_sets(inputs, gene_set_files={}, gene_set_urls=[], downloads={}, threads=1)
    written = {path.name for path in (folder / "gene_sets").iterdir()}
    assert written == set(table_files(GENE_LIST_TABLES))
    for name, schema in GENE_LIST_TABLES.items():
        read_parquet(folder / "gene_sets" / f"{name}.parquet", schema)
