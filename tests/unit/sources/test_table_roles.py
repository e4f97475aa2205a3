"""Roles of a table: what a proposal infers is what the reader of the written entry applies."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from toys import put, refused

from xnbflow.sources.dataset_entry import DatasetEntry, read_entry
from xnbflow.sources.formats.opening import read_text_table
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.infer.table_roles import infer
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.reading_keys import read_request
from xnbflow.sources.roles import Role
from xnbflow.sources.table_files import read_texts

VALUES = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
SAMPLES = [f"{kind}_{i}" for i in range(6) for kind in ("ill", "well")]
GENES = [f"ZNF{i}" for i in range(40)]


def in_rows(folder):
    """Write samples in rows, with a class, an age and a quality before the genes."""
    table = pd.DataFrame(VALUES, columns=GENES)
    table.insert(0, "RIN", np.linspace(6.1, 8.3, 12).round(1))
    table.insert(0, "age", range(40, 52))
    table.insert(0, "diagnosis", ["ill", "well"] * 6)
    table.insert(0, "sample", SAMPLES)
    return put(folder, table.to_csv(index=False))


def in_columns(folder):
    """Write samples in columns, whose names have the class, and a description of each gene."""
    table = pd.DataFrame(VALUES.T, columns=SAMPLES)
    table.insert(0, "description", [f"protein {name}" for name in GENES])
    table.insert(0, "gene", GENES)
    return put(folder, table.to_csv(index=False))


def with_decimal_commas(folder):
    table = pd.DataFrame(VALUES, columns=GENES)
    table.insert(0, "diagnosis", ["ill", "well"] * 6)
    return put(folder, table.to_csv(index=False, sep="\t", decimal=","), "mine.tsv")


@pytest.mark.parametrize("write", [in_rows, in_columns, with_decimal_commas])
def test_the_reader_gives_the_roles_that_were_inferred(tmp_path, write):
    path = write(tmp_path)
    texts = read_request(DatasetEntry("x", "table", str(path)), Downloads(tmp_path))
    inferred = infer(texts.table, texts.entry, complete=True)
    written = read_entry("x", inferred.entry.settings())
    texts = read_texts(path, written)
    applied = infer(texts.table, texts.entry)
    assert applied.roles == inferred.roles
    assert applied.table.names == inferred.table.names
    assert applied.table.samples == inferred.table.samples
    features = [i for i, role in enumerate(applied.roles) if role is Role.NUMBER]
    values = applied.table.values(features)
    np.testing.assert_array_equal(values, VALUES.T)


def test_a_phenotype_file_gives_the_label_and_the_same_roles(tmp_path):
    path = in_columns(tmp_path)
    rows = "".join(f"{name},{'AB'[i % 2]},p{i // 2}\n" for i, name in enumerate(SAMPLES))
    phenotype = put(tmp_path, f"sample,response,patient\n{rows}", "pheno.csv")
    request = DatasetEntry("x", "table", str(path), phenotype=str(phenotype))
    texts = read_request(request, Downloads(tmp_path))
    inferred = infer(texts.table, texts.entry, texts.phenotype, complete=True)
    assert (inferred.entry.label, inferred.entry.group) == ("response", "patient")
    texts = read_texts(path, inferred.entry, phenotype)
    applied = infer(texts.table, texts.entry, texts.phenotype)
    assert applied.roles == inferred.roles
    assert applied.phenotype.equals(inferred.phenotype)


def test_nothing_is_inferred_from_an_entry_as_it_is_written(tmp_path):
    table = read_text_table(in_rows(tmp_path), {})
    entry = DatasetEntry("x", "table", label="diagnosis", id_column="sample")
    inferred = infer(table, entry)
    assert inferred.entry == entry
    names = dict(zip(inferred.table.names, inferred.roles, strict=True))
    assert names["age"] is names["RIN"] is Role.NUMBER
    assert (names["sample"], names["diagnosis"]) == (Role.NAME, Role.TEXT)


def test_a_table_without_a_label_has_its_descriptions_and_no_roles(tmp_path):
    table = pd.DataFrame(VALUES, columns=GENES, index=pd.Index(range(12), name="sample"))
    path = put(tmp_path, table.to_csv())
    inferred = infer(read_text_table(path, {}), DatasetEntry("x", "table"), complete=True)
    assert (inferred.entry.label, inferred.roles) == (None, [])


def test_a_table_without_a_header_is_refused():
    with refused("x.csv has no header"):
        table = TextTable(path=Path("x.csv"), header=[], lines=[])
        infer(table, DatasetEntry("x", "table", label="y"))


@pytest.mark.parametrize(
    "header",
    ["0,0.64,0.64,0,0.32,1", "28.7967,16.0021,2.6449,-8.2,g", "-1,-2,-3,a", "7.5,7.5,8.1,8.1,t"],
)
def test_a_table_of_values_without_a_header_is_refused(tmp_path, header):
    # the files of UCI have no header: the first sample became names, equal ones of which merged
    table = read_text_table(put(tmp_path, f"{header}\n{header}\n"), {})
    with refused("the first sample would be lost; insert a row of names"):
        infer(table, DatasetEntry("x", "table", label="t"), complete=True)


@pytest.mark.parametrize(
    "header",
    ["type,7157,672,1956", "gene,1,1.1,1.2,2,2.1", "gene,0.5,1,2,4", "day,-7,0,7,14"],
)
def test_numbers_may_be_names(tmp_path, header):
    cells = ",".join(["a", *"12345"])[: 2 * header.count(",") + 1]
    path = put(tmp_path, f"{header}\n{cells}\n{cells.replace('a', 'b')}\n")
    entry = DatasetEntry("x", "table", label=header.partition(",")[0], features=("none",))
    with refused("features has 'none', but no name matches"):  # and the header is accepted
        infer(read_text_table(path, {}), entry)


def test_a_header_of_values_is_accepted_where_the_entry_names_its_line(tmp_path):
    path = put(tmp_path, "type,0.25,0.25\na,1,2\nb,3,4\n")
    entry = DatasetEntry("x", "table", label="type", header=1, features=("0.25",))
    assert infer(read_text_table(path, {"header": 1}), entry).roles[1:] == [Role.NUMBER] * 2


@pytest.mark.parametrize("names", [["ZNF1", "ENSG2"], ["YAL1W", "YAL1C"]])
def test_a_class_in_the_names_of_genes_is_no_label(tmp_path, names):
    """Of two readings with a class in the names, samples are fewer than features."""
    genes = [
        f"{name}{i}" if name[-1].isdigit() else f"YAL{i}{name[-1]}"
        for i in range(20)
        for name in names
    ]
    table = pd.DataFrame(np.random.default_rng(2).normal(8, 1, (40, 12)).round(3), columns=SAMPLES)
    path = put(tmp_path, table.set_axis(genes).to_csv(index_label="id"))
    inferred = infer(read_text_table(path, {}), DatasetEntry("x", "table", "x.csv"), complete=True)
    assert inferred.entry.samples == "columns"
    assert set(inferred.entry.label_classes) == {"ill", "well"}
    assert inferred.table.samples == SAMPLES
