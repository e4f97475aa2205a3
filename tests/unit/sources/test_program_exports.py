"""Exports of MaxQuant, Olink and NanoString, written here as the programs write them."""

import gzip

import numpy as np
import pandas as pd
import pytest
from toys import entry_in, put, refused

from xnbflow.running.cli.app import propose
from xnbflow.running.cli.proposals import summarise_location
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.program_exports import read_export
from xnbflow.sources.table import read_table

MAXQUANT = [
    "\t".join(
        [
            *("Protein IDs", "Majority protein IDs", "Gene names", "Intensity A", "Intensity B"),
            *("LFQ intensity A", "LFQ intensity B", "Only identified by site", "Reverse"),
            "Potential contaminant",
        ]
    ),
    "P1;P2\tP1;P2\tTP53;TP53B\t10\t20\t11\t0\t\t\t",
    "P3\tP3\t\t30\t40\t31\t41\t\t\t",
    "REV__P4\tREV__P4\tMYC\t1\t2\t3\t4\t\t+\t",
    "CON__P5\tCON__P5\tKRT1\t1\t2\t3\t4\t\t\t+",
    "P6\tP6\tSITE\t1\t2\t3\t4\t+\t\t",
    "P7\tP7\tEMPTY\t5\t6\t0\t0\t\t\t",
]


def test_protein_groups_have_normalised_intensities_without_decoys(tmp_path):
    export = read_export(put(tmp_path, "\n".join(MAXQUANT), "proteinGroups.txt"))
    assert export.values.index.tolist() == ["TP53", "P3"]
    assert export.values.columns.tolist() == ["A", "B"]
    assert export.values["A"].tolist() == [11, 31]
    assert export.values["B"].isna().tolist() == [True, False]
    assert export.options == {"transform": "log2", "missing": {"drop_features": 0.3}}
    assert "'LFQ intensity'" in export.remarks[0]
    assert export.remarks[1].startswith("3 protein groups of decoys, contaminants or single sites")
    assert "and 1 without a value" in export.remarks[1]


def test_intensities_are_taken_where_none_are_normalised(tmp_path):
    text = "\n".join(MAXQUANT).replace("LFQ intensity", "Peptide count")
    export = read_export(put(tmp_path, text, "proteinGroups.txt"))
    assert export.values["B"].tolist() == [20, 40, 6]
    without = text.replace("Intensity", "Ratio")
    with refused("no columns of intensities", code="program_exports.no-intensities"):
        read_export(put(tmp_path, without, "proteinGroups.txt"))


OLINK = [
    "SampleID;OlinkID;UniProt;Assay;QC_Warning;NPX",
    "S1;OID1;P1;IL6;Pass;1,5",
    "S2;OID1;P1;IL6;Pass;2.5",
    "CONTROL_1;OID1;P1;IL6;Pass;9",
    "S1;OID2;P2;TNF;Pass;3",
    "S2;OID2;P2;TNF;Warn;4",
    "S1;OID3;P1;CXCL8;Pass;5",
    "S2;OID3;P1;CXCL8;Pass;6",
    "S1;OID4;P1;CXCL8;Pass;7",
    "S2;OID4;P1;CXCL8;Pass;NA",
]


def test_npx_in_long_format_become_a_table_without_controls(tmp_path):
    export = read_export(put(tmp_path, "\n".join(OLINK), "npx.csv"))
    # an assay of two panels is called by its OlinkID
    assert export.values.index.tolist() == ["IL6", "TNF", "OID3", "OID4"]
    assert export.values["S1"].tolist() == [1.5, 3, 5, 7]
    assert export.values["S2"].tolist()[:3] == [2.5, 4, 6]
    assert export.options == {"scale": "log2", "missing": "impute"}
    assert "1 control sample was left out." in export.remarks[1]
    complete = read_export(put(tmp_path, "\n".join(OLINK[:6]), "npx.csv"))
    assert complete.options == {"scale": "log2"}


def test_a_type_of_samples_decides_which_are_controls(tmp_path):
    lines = [f"{line};{'SAMPLE' if i else 'Sample_Type'}" for i, line in enumerate(OLINK[:3])]
    lines.append("S3;OID1;P1;IL6;Pass;9;PLATE_CONTROL")
    lines.append("Control 7;OID1;P1;IL6;Pass;9;SAMPLE")  # a patient of a control group
    export = read_export(put(tmp_path, "\n".join(lines), "npx.csv"))
    assert sorted(export.values.columns) == ["Control 7", "S1", "S2"]


NANOSTRING = [
    "File name,,,a.RCC,b.RCC,c.RCC,d.RCC",
    "Sample ID,,,t_1,t_2,n_1,n_2",
    "Owner,,,me,me,me,me",
    "Lane ID,,,1,2,1,2",
    "Cartridge ID,,,c1,c1,c2,c2",
    "Code Class,Name,Accession,,,,",
    "Endogenous,TP53,NM_1,10,20,30,40",
    "Housekeeping,GUSB,NM_2,5,6,7,8",
    "Positive,POS_A(128),ERCC,1000,1000,1000,1000",
    "Negative,NEG_A(0),ERCC,1,2,3,4",
]


def test_counts_of_nanostring_are_those_of_genes(tmp_path):
    export = read_export(put(tmp_path, "\n".join(NANOSTRING), "RCC.csv"))
    assert export.values.index.tolist() == ["TP53", "GUSB"]
    assert export.values.columns.tolist() == ["t_1", "t_2", "n_1", "n_2"]
    assert export.values.loc["TP53"].tolist() == [10, 20, 30, 40]
    assert export.attributes == {"Cartridge ID": ["c1", "c1", "c2", "c2"]}  # lanes are no batch
    assert export.options == {"transform": "tmm", "phenotype_columns": ("Cartridge ID",)}
    assert "1 Positive, 1 Negative" in export.remarks[0]


def test_samples_of_nanostring_are_called_as_their_files_without_distinct_ids(tmp_path):
    text = "\n".join(NANOSTRING).replace("t_2", "t_1")
    export = read_export(put(tmp_path, text, "RCC.csv"))
    assert export.values.columns.tolist() == ["a", "b", "c", "d"]
    assert export.attributes["Sample ID"] == ["t_1", "t_1", "n_1", "n_2"]


def nanostring_table(folder, columns, *, group=(), name="counts.csv"):
    """Write counts of 6 samples of 2 classes without lines above the header, as tables of RCC."""
    samples = [f"{'TN'[i % 2]}_{i // 2}.RCC" for i in range(6)]
    lines = [",".join([*columns, *samples])]
    if group:
        lines.append(",".join([*group, *(["tumour", "normal"] * 3)]))
    kinds = ["Endogenous"] * 8 + ["Housekeeping"] * 2 + ["Positive"] * 3 + ["Negative"] * 2
    for row, kind in enumerate(kinds):
        probe = {"Positive": f"POS_{row}(32)", "Negative": f"NEG_{row}(0)"}
        about = {"codeclass": kind, "accession": f"NM_{row}"}
        names = [name.lower().replace(" ", "").replace(".", "") for name in columns]
        cells = [about.get(column, probe.get(kind, f"GENE{row}")) for column in names]
        lines.append(",".join([*cells, *(str(10 * row + i) for i in range(6))]))
    return put(folder, "\n".join(lines), name)


@pytest.mark.filterwarnings("ignore:.*normalised by TMM")
@pytest.mark.parametrize(
    ("columns", "group"),
    [
        (["CodeClass", "Gene", "Accession"], ("", "Group", "")),
        (["CodeClass", "Name", "Accession"], ("", "Group", "")),
        (["Code.Class", "Name", "Accession"], ("", "Group", "")),  # R package NanoStringNorm
        (["Name", "CodeClass", "Accession"], ("Group", "", "")),
    ],
)
def test_tables_of_rcc_files_have_genes_as_features_and_no_class_of_probes(
    tmp_path, monkeypatch, columns, group
):
    """The label was CodeClass, and genes were samples."""
    path = nanostring_table(tmp_path, columns, group=group)
    monkeypatch.chdir(tmp_path)
    result = summarise_location(str(path), "mine")
    assert (result.entry.label, result.entry.samples) == ("Group", "columns")
    assert result.entry.transform == "tmm"
    assert "others left out (3 Positive, 2 Negative)" in result.reason
    series = acquire(result.entry, downloads=tmp_path)
    assert series.features.tolist() == [f"GENE{row}" for row in range(10)]
    assert series.samples.tolist() == ["T_0", "N_0", "T_1", "N_1", "T_2", "N_2"]
    assert series.labels.tolist() == ["tumour", "normal"] * 3
    assert series.values[1].tolist() == [10, 11, 12, 13, 14, 15]


@pytest.mark.filterwarnings("ignore:.*normalised by TMM")
def test_classes_of_nanostring_are_in_a_phenotype_file_or_in_names(tmp_path, monkeypatch):
    path = nanostring_table(tmp_path, ["CodeClass", "Gene", "Accession"])
    monkeypatch.chdir(tmp_path)
    result = summarise_location(str(path), "names")
    assert result.entry.label == "sample names"
    assert result.labels.tolist() == ["T", "N"] * 3
    lines = [f"{'TN'[i % 2]}_{i // 2},{'ab'[i % 2]}" for i in range(6)]
    sheet = put(tmp_path, "\n".join(["sample,response", *lines]), "sheet.csv")
    result = summarise_location(str(path), "sheet", settings={"phenotype": {"file": str(sheet)}})
    assert result.entry.label == "response"
    assert result.labels.tolist() == ["a", "b"] * 3


def test_a_workbook_of_nanostring_is_refused(tmp_path):
    """Its label was CodeClass, or its features were the four code classes."""
    path = nanostring_table(tmp_path, ["CodeClass", "Gene", "Accession"], group=("", "Group", ""))
    table = pd.read_csv(path)
    table.to_excel(tmp_path / "counts.xlsx", index=False)
    with refused(
        "columns of an export of NanoString.*save the table as .csv",
        code="program_exports.workbook",
    ):
        summarise_location(str(tmp_path / "counts.xlsx"))


def test_the_reader_leaves_out_controls_of_nanostring(tmp_path):
    text = "id,t,POS_A(128),NEG_H(0),POS_A,NEG1,POSTN\n1,a,1,2,3,4,5\n2,b,1,2,3,4,5\n"
    row = DatasetEntry("x", "table", label="t", id_column="id")
    series = read_table(put(tmp_path, text, "x.csv"), row)
    assert series.features.tolist() == ["NEG1", "POSTN"]
    assert any("3 control probes were left out" in note for note in series.notes)


@pytest.mark.parametrize("assay", ["Assay", "OlinkID", "UniProt"])
def test_npx_need_one_column_of_assays(tmp_path, monkeypatch, assay):
    """Each row was a sample, NPX the only feature. The class may be a column of the table."""
    lines = [f"SampleID,{assay},Panel,PlateID,Group,NPX,QC_Warning"]
    for protein in range(5):
        for i in range(12):
            about = f"p{i // 6},{'case' if i % 2 else 'healthy'}"
            warning = "Warn" if i < 3 else "Pass"  # not a description of samples
            lines.append(f"S{i},A{protein},Onc,{about},{protein + i / 100},{warning}")
    monkeypatch.chdir(tmp_path)
    result = summarise_location(str(put(tmp_path, "\n".join(lines), "npx.csv")), "mine")
    series = acquire(result.entry, downloads=tmp_path)
    assert result.entry.label == "Group"
    assert (result.entry.batch, *result.entry.phenotype_columns) == ("PlateID", "PlateID")
    assert series.features.tolist() == [f"A{protein}" for protein in range(5)]
    assert series.samples.tolist() == [f"S{i}" for i in range(12)]
    assert series.labels.tolist() == ["healthy", "case"] * 6
    assert series.values[2].tolist() == [2 + i / 100 for i in range(12)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "sample,type,g1\ns1,a,1\n"),
        ("x.tsv", "SampleID\tPlateID\tNPX\n"),  # no column that names Olink's assays
        ("x.csv", "Name,Code Class\n"),  # no column of a sample
        ("x.xlsx", "\n".join(OLINK)),
    ],
)
def test_other_files_are_no_exports(tmp_path, name, text):
    assert read_export(put(tmp_path, text, name)) is None
    assert read_export(tmp_path) is None


def test_an_export_is_proposed_and_read_by_the_command(tmp_path, monkeypatch):
    """Twelve samples of each class, the sheet beside them, the file gzipped and UTF-16."""
    samples = [f"S{i}" for i in range(24)]
    lines = ["SampleID\tOlinkID\tAssay\tNPX"]
    values = np.random.default_rng(0).normal(4, 1, (20, 24)).round(3)
    for assay, row_of_assay in enumerate(values):
        lines += [
            f"{sample}\tOID{assay}\tP{assay}\t{value}"
            for sample, value in zip(samples, row_of_assay, strict=True)
        ]
    content = gzip.compress("\n".join(lines).encode("utf-16"))
    (tmp_path / "npx run.txt").write_bytes(content)
    sheet = ["SampleID,Group", *(f"{s},{'ab'[i % 2]}" for i, s in enumerate(samples))]
    put(tmp_path, "\n".join(sheet), "sheet.csv")
    monkeypatch.chdir(tmp_path)
    propose(str(tmp_path / "npx run.txt"), phenotype="sheet.csv", output="mine")
    row = entry_in(tmp_path / "mine.yaml")
    series = acquire(row, downloads=tmp_path)
    assert (row.location, row.label, row.samples) == ("mine-values.tsv", "Group", "columns")
    assert series.values.shape == (20, 24)
    assert series.scale == "log2"
    np.testing.assert_array_equal(series.values, values)


def test_line_ends_of_old_macs_are_no_export_and_are_named(tmp_path):
    path = put(tmp_path, "type,g\ra,1\rb,2\r", "x.csv")
    assert read_export(path) is None
    with refused("x.csv has the line ends of old Macs", code="text.old-mac"):
        propose(str(path))


def test_a_row_of_sample_ids_that_ends_early_names_no_sample(tmp_path):
    lines = [line.removesuffix(",n_2") if "Sample ID" in line else line for line in NANOSTRING]
    export = read_export(put(tmp_path, "\n".join(lines), "counts.csv"))
    assert export.values.columns.tolist() == ["a", "b", "c", "d"]
