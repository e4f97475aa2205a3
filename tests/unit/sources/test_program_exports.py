"""Exports of laboratory programs and long tables are refused with the table to make."""

import numpy as np
import pandas as pd
import pytest
from toys import put, refused

from xnbflow.running.cli.app import propose
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.opening import read_text_table
from xnbflow.sources.formats.program_exports import refuse_long
from xnbflow.sources.table import read_table

#: The first lines of exports, by the program, with a part of what to keep.
EXPORTS = {
    "MaxQuant": (
        "Protein IDs\tMajority protein IDs\tGene names\tLFQ intensity A\nP1\tP1\tTP53\t1",
        "'LFQ intensity ...'",
    ),
    "FragPipe": (
        "Protein\tProtein ID\tGene\tA Spectral Count\tA MaxLFQ Intensity\nP1\tP1\tTP53\t1\t2",
        "'... MaxLFQ Intensity'",
    ),
    "DIA-NN": (
        "Protein.Group\tProtein.Names\tGenes\tD:\\a.raw.dia\nP1\tP1\tTP53\t2.5",
        "'Genes' and the column of each run",
    ),
    "Olink": (
        "SampleID;OlinkID;UniProt;Assay;NPX\nS1;OID1;P1;IL6;1,5",
        "a row for each 'SampleID'",
    ),
    "NanoString": (
        "File Name,,,A.RCC\nSample Date,,,1\nCode Class,Name,Accession,A\nEndogenous,TP53,N,1",
        "not Endogenous or Housekeeping",
    ),
}


@pytest.mark.parametrize("program", EXPORTS)
@pytest.mark.parametrize("encode", [str.encode, lambda text: text.encode("utf-16")])
def test_an_export_is_refused_with_what_to_keep(tmp_path, program, encode):
    text, keep = EXPORTS[program]
    path = put(tmp_path, encode(text), "export.txt.gz")
    with refused(f"is an export of {program} .*{keep}"):
        propose(str(path))


def test_an_export_in_a_workbook_is_refused(tmp_path):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    frame = pd.DataFrame({"Code Class": ["Endogenous"], "Name": ["TP53"], "A": [5.0]})
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    with refused("is an export of NanoString"):
        propose(str(tmp_path / "x.xlsx"))


@pytest.mark.parametrize(
    "text",
    [
        "sample,type,g1\ns1,a,1\n",
        "SampleID\tPlateID\tg1\nS1\tp\t1\n",
        "Protein\tProtein ID\tGene\tA MaxLFQ Intensity\nP1\tP1\tTP53\t2\n",
    ],
)
def test_a_table_with_one_value_for_each_sample_and_feature_is_read(tmp_path, text):
    raw = read_text_table(
        put(tmp_path, text, "x.txt"), {"separator": "comma"} if "," in text else {}
    )
    refuse_long(raw)
    assert len(raw) == 1


def long_frame(sample="Sample", feature="Gene", value="Value"):
    """Return a row per sample and gene, with the type of the sample."""
    samples = [f"S{i}" for i in range(6)]
    rows = [
        {sample: name, "type": "ab"[i % 2], feature: f"G{j}", value: 10.0 * i + j}
        for i, name in enumerate(samples)
        for j in range(12)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    "names",
    [
        ("Sample Name", "Target Name", "Ct"),
        ("SampleID", "Assay", "Intensity"),
        ("patient_id", "gene_symbol", "TPM"),
    ],
)
def test_a_long_table_is_refused_with_the_line_that_pivots_it(tmp_path, names):
    frame = long_frame(*names)
    frame.to_csv(tmp_path / "x.csv", index=False)
    with refused("has a row for each sample and feature") as error:
        read_table(tmp_path / "x.csv", DatasetEntry("x", "table", "x.csv", label="type"))
    line = str(error.value).partition("in Python: ")[2].replace("wide.csv", f"{tmp_path}/wide.csv")
    eval(line, {"table": frame})
    wide = pd.read_csv(tmp_path / "wide.csv", index_col=0)
    np.testing.assert_array_equal(wide["G3"], 10.0 * np.arange(6) + 3)


def test_a_table_in_which_samples_or_features_do_not_repeat_is_not_long(tmp_path):
    row = DatasetEntry("x", "table", "x.csv", label="type", id_column="Sample", drop=("Symbol",))
    once = long_frame()[lambda frame: frame["Gene"] == "G1"].drop(columns="Gene")
    once.insert(0, "Symbol", "TP53")  # a constant column, and each sample once
    once.to_csv(tmp_path / "x.csv", index=False)
    series = read_table(tmp_path / "x.csv", row)
    assert series.features.tolist() == ["Value"]
    long_frame(feature="type of gene").to_csv(tmp_path / "y.csv", index=False)
    refuse_long(read_text_table(tmp_path / "y.csv", {}))


def test_the_label_is_neither_samples_nor_features(tmp_path):
    long_frame(feature="target").to_csv(tmp_path / "x.csv", index=False)
    raw = read_text_table(tmp_path / "x.csv", {})
    refuse_long(raw, "target")
    with refused():
        refuse_long(raw)
