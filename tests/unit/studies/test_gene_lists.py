"""The tables on gene sets of a study: which files are read, and which tables are empty."""

from types import SimpleNamespace

import numpy as np
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.genes import gene_table
from xnbflow.studies.gene_lists import enrich, gene_list_tables
from xnbflow.tables.contract import GENE_LIST_TABLES, GENE_TABLES
from xnbflow.tables.storage import read_parquet, write_parquet

#: Genes of blood in the sets of known artefacts, and genes in no set.
BLOOD = ["HBA1", "HBA2", "HBB", "HBD", "ALAS2"]
GENES = [*BLOOD, *(f"GENE{i}" for i in range(195))]


@pytest.fixture
def study(tmp_path):
    """Files of a data set of 200 genes of which those of blood are higher in the class a."""
    values = np.random.default_rng(0).normal(size=(200, 20))
    values[:5, :10] += 4.0
    samples = [f"s{i}" for i in range(20)]
    series = DataSet("toy", values, GENES, samples, labels=np.repeat(["a", "b"], 10))
    series.write(tmp_path / "series.parquet")
    genes = gene_table(series)
    write_parquet(genes, tmp_path / "genes.parquet", GENE_TABLES["genes"])
    files = {
        "genes": [str(tmp_path / "genes.parquet")],
        "signature": [],
        "series": [str(tmp_path / "series.parquet")],
        "gene_sets": [],
    }
    return SimpleNamespace(folder=tmp_path, files=files, owners={"datasets": ["toy"], "models": []})


def test_without_gene_sets_only_known_artefacts_are_found_and_no_values_are_read(study):
    tables = gene_list_tables(study.owners, study.files | {"series": []})
    assert set(tables) == set(GENE_LIST_TABLES)
    assert {name for name, table in tables.items() if len(table)} == {"artefacts"}
    for name, table in tables.items():
        assert list(table.columns) == GENE_LIST_TABLES[name].fixed, name
    marked = tables["artefacts"].query("marked")
    assert set(marked["genes"].iloc[0].split()) == set(BLOOD)


def test_gene_sets_are_tested_by_the_values(study):
    sets = study.folder / "sets.gmt"
    sets.write_text("\t".join(["blood", "a set", *BLOOD]) + "\n")
    tables = gene_list_tables(study.owners, study.files | {"gene_sets": [str(sets)]})
    test = tables["gene_set_tests"].iloc[0]
    assert (test["class"], test["gene_set"], test["direction"]) == ("a", "blood", "higher")
    assert test["p"] < 1e-6
    assert tables["enrichment"]["gene_set"].tolist() == ["blood"]


def test_the_job_leaves_the_tables_of_other_jobs_in_its_folder(study):
    for other in ("summary.parquet", "cohort_series.tsv", "an_old_table.parquet"):
        (study.folder / "out").mkdir(exist_ok=True)
        (study.folder / "out" / other).write_text("")
    outputs = [str(study.folder / "out" / f"{name}.parquet") for name in GENE_LIST_TABLES]
    checked = []
    enrich(
        study.files,
        SimpleNamespace(owners=study.owners, designs={}),
        outputs,
        threads=1,
        check=lambda: checked.append(
            sorted(path.name for path in (study.folder / "out").iterdir())
        ),
    )
    assert checked == [["an_old_table.parquet", "cohort_series.tsv", "summary.parquet"]]
    remaining = {path.name for path in (study.folder / "out").iterdir()}
    written = {f"{name}.{suffix}" for name in GENE_LIST_TABLES for suffix in ("parquet", "tsv")}
    assert remaining == {"summary.parquet", "cohort_series.tsv"} | written
    for name, schema in GENE_LIST_TABLES.items():
        read_parquet(study.folder / "out" / f"{name}.parquet", schema)
