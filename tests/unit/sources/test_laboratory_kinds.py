"""Kinds of files of laboratories that were once read wrongly: what is proposed, and the values.

The tables are simulated. Where the form of a file is that of a program, its documentation is named.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from toys import put, refused

from xnbflow.data.controls import control_class
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.cell_texts import is_day, is_missing
from xnbflow.sources.infer.class_keys import propose_map
from xnbflow.sources.infer.label import plausible_labels
from xnbflow.sources.infer.measures import other_measures
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.sources.series.label_spellings import common_spellings
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.table import read_table

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

N = 20
GENES = [f"Gene{i}" for i in range(600)]


def logarithms(n_genes=600, n=N):
    return np.random.default_rng(0).normal(8, 1.5, (n, n_genes)).clip(2.1, 15).round(3)


def summary_of(path, **options):
    return summarise_table(DatasetEntry("x", "table", str(path), **options))


def rows_of(folder, **columns):
    """Write samples in rows: columns of the samples, then logarithms."""
    frame = pd.DataFrame({"sample": [f"s{i}" for i in range(N)], **columns})
    frame = pd.concat([frame, pd.DataFrame(logarithms(), columns=GENES)], axis=1)
    frame.to_csv(folder / "x.csv", index=False)
    return folder / "x.csv"


# A header that lost a separator


def test_two_names_of_the_sheet_that_are_one_in_the_header_are_refused(tmp_path):
    """The name of the first column is no word for identifiers."""
    expected = "'S2S3' in the header is two samples of the phenotype file, 'S2' and 'S3'"
    table = put(tmp_path, "locus\tS1\tS2S3\tS4\ng1\t1\t2\t3\t4\ng2\t5\t6\t7\t8\n", "x.tsv")
    sheet = put(tmp_path, "sample,type\nS1,a\nS2,a\nS3,b\nS4,b\n", "sheet.csv")
    options = {"phenotype": str(sheet)}
    row = DatasetEntry("x", "table", str(table), samples="columns", label="type", **options)
    with refused(expected):
        read_table(table, row)
    with refused(expected):
        summarise_table(row)


def test_a_header_of_r_is_read_with_its_names_one_column_to_the_right(tmp_path):
    table = put(tmp_path, "S1\tS2\ng1\t1\t2\ntype\ta\tb\n", "x.tsv")
    series = read_table(table, DatasetEntry("x", "table", samples="columns", label="type"))
    assert series.samples.tolist() == ["S1", "S2"]
    assert series.values.tolist() == [[1, 2]]


# Intensities of proteins


def intensities(n_proteins=300, seed=1):
    """Return intensities of proteins (n_proteins, n_samples), of which a third are not measured."""
    rng = np.random.default_rng(seed)
    values = 2 ** rng.normal(rng.uniform(18, 30, (n_proteins, 1)), 0.5, (n_proteins, N))
    values[rng.random(values.shape) < 0.33] = 0
    return values.round()


NAMES = [f"{'ctrl' if i % 2 else 'tumor'}_{i}" for i in range(N)]


def test_intensities_with_zeros_are_no_counts_and_zero_is_missing(tmp_path):
    values = intensities(600)
    frame = pd.DataFrame(values, [f"P{i}" for i in range(600)], NAMES)
    frame.to_csv(tmp_path / "x.tsv", sep="\t", index_label="protein")
    proposal = summary_of(tmp_path / "x.tsv")
    assert proposal.entry.transform == "log2"
    assert proposal.entry.missing == {"drop_features": 0.5}
    assert "0 means that nothing was measured" in proposal.reason
    series = acquire(proposal.entry)
    kept = (values == 0).mean(axis=1) <= 0.5
    with np.errstate(divide="ignore"):
        expected = np.where(values == 0, np.nan, np.log2(values))[kept]
    np.testing.assert_allclose(series.values, expected, rtol=1e-15)


def test_reads_begin_at_one_and_intensities_do_not():
    reads = np.random.default_rng(0).negative_binomial(1, 0.0001, (200, 8))
    assert recognise_scale(reads.astype(float)).kind == "counts"
    assert recognise_scale(intensities()).kind == "intensities"
    peaks = np.maximum(intensities(), 5000)  # none is 0
    assert recognise_scale(peaks).kind == "not logged"
    assert recognise_scale(-intensities()).kind != "intensities"


def test_of_several_measures_of_a_sample_one_is_read(tmp_path):
    """As BeadStudio of Illumina exports them."""
    values = logarithms(30).T
    columns = {}
    for i, cells in enumerate(values.T):
        columns[f"{NAMES[i]}.AVG_Signal"] = cells
        columns[f"{NAMES[i]}.Detection Pval"] = cells / 1000
    frame = pd.DataFrame(columns, GENES[:30])
    frame.to_csv(tmp_path / "x.tsv", sep="\t", index_label="TargetID")
    proposal = summary_of(tmp_path / "x.tsv")
    assert "Each sample has 2 columns; 'AVG_Signal' has the values" in proposal.reason
    series = acquire(proposal.entry)
    np.testing.assert_array_equal(series.values, values)
    assert series.labels[:2].tolist() == ["tumor", "ctrl"]


@pytest.mark.parametrize(
    ("values", "others"),
    [
        (".AVG_Signal", (".MIN_Signal", ".NARRAYS", ".ARRAY_STDEV", ".BEAD_STDEV", ".Avg_NBEADS")),
        ("_Signal", ("_Detection", "_Detection p-value", "_Stat Pairs", "_Stat Pairs Used")),
        (".NumReads", (".Length", ".EffectiveLength")),
        (".TPM", (".FPKM", ".expected_count")),
        ("_FPKM", ("_conf_lo", "_conf_hi", "_status")),
    ],
)
def test_the_further_columns_of_a_program_are_no_samples(values, others):
    """As GenomeStudio, MAS 5, salmon, RSEM and Cuffdiff name them."""
    names = [f"S{i}{measure}" for i in range(3) for measure in (values, *others)]
    left_out, _ = other_measures(names)
    assert [name for name in names if name not in left_out] == [f"S{i}{values}" for i in range(3)]


def test_symbols_are_kept_beside_many_columns_of_further_measures(tmp_path):
    """60 samples with a detection p-value each."""
    values = logarithms(30, n=60).T
    columns = {"SYMBOL": [f"TP{i}" for i in range(30)]}
    for i, cells in enumerate(values.T):
        columns[f"{'tumor' if i % 2 else 'ctrl'}{i}.AVG_Signal"] = cells
        columns[f"{'tumor' if i % 2 else 'ctrl'}{i}.Detection Pval"] = cells / 1000
    probes = [f"ILMN_{i}" for i in range(30)]
    pd.DataFrame(columns, probes).to_csv(tmp_path / "x.tsv", sep="\t", index_label="PROBE_ID")
    series = acquire(summary_of(tmp_path / "x.tsv").entry)
    assert list(series.feature_metadata["symbol"]) == columns["SYMBOL"]


def test_rows_of_numbers_that_are_left_out_by_their_names_are_named(tmp_path):
    """Of a phenotype file the samples have their texts; a transgene is no text of a sample."""
    genes = [*(f"ENSG{i:011d}" for i in range(100)), "EGFP"]
    table = pd.DataFrame(logarithms(101).T, genes, [f"S{i}" for i in range(N)])
    table.to_csv(tmp_path / "x.tsv", sep="\t", index_label="gene_id")
    sheet = pd.DataFrame({"sample": table.columns, "type": ["ctrl", "tumor"] * (N // 2)})
    sheet.to_csv(tmp_path / "sheet.csv", index=False)
    proposal = summary_of(tmp_path / "x.tsv", phenotype=str(tmp_path / "sheet.csv"), label="type")
    assert "EGFP" in proposal.entry.drop
    assert "EGFP is a row of numbers unlike the others" in proposal.reason


# Words for a missing value, dates, merged cells


@pytest.mark.parametrize(
    "word",
    ["[Not Available]", "unknown", "Not reported", "missing", "--", "ND", "pending", "n.d."],
)
def test_a_word_for_a_missing_value_is_no_class(tmp_path, word):
    assert is_missing(word)
    labels = [word] * 4 + ["responder"] * 8 + ["other"] * 8
    proposal = summary_of(rows_of(tmp_path, status=labels))
    assert (proposal.entry.label, proposal.entry.unlabelled) == ("status", "drop")
    assert sorted(set(proposal.labels)) == ["other", "responder"]
    kept = summary_of(tmp_path / "x.csv", literal=(word,), unlabelled="refuse")
    assert sorted(set(kept.labels)) == sorted({word, "other", "responder"})


@pytest.mark.parametrize(
    "days",
    [["2022-01-05", "2022-02-05"], ["5.1.2022", "12.1.2022"], ["1/5/22", "2/5/22"]],
)
def test_dates_are_no_classes(tmp_path, days):
    assert all(map(is_day, days))
    dates = [days[i % 2] for i in range(N)]
    assert plausible_labels(pd.DataFrame({"sampled": dates})) == []
    groups = ["a", "b"] * 4 + ["a"] * 6 + ["b"] * 6
    assert summary_of(rows_of(tmp_path, sampled=dates, note=groups)).entry.label == "note"


def test_cells_that_are_merged_down_a_column_have_one_text(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["patient", "group", *GENES[:30]])
    for i, values in enumerate(logarithms(30)):
        sheet.append([f"Pt {i}", ["a", "b"][i // 10] if i % 10 == 0 else None, *values])
    sheet.merge_cells("B2:B11")
    sheet.merge_cells("B12:B21")
    book.save(tmp_path / "x.xlsx")
    row = DatasetEntry("x", "table", label="group", id_column="patient")
    series = read_table(tmp_path / "x.xlsx", row)
    assert series.labels.tolist() == ["a"] * 10 + ["b"] * 10
    assert "18 cells below merged ones got their text" in series.notes
    sheet.unmerge_cells("B12:B21")  # the same cells, which are then empty
    book.save(tmp_path / "y.xlsx")
    with refused("9 of 20 samples have no label"):
        read_table(tmp_path / "y.xlsx", row)


def test_a_header_over_two_merged_rows_stays_a_header(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["gene", "a", None, "b", None])
    sheet.append([None, "s1", "s2", "s3", "s4"])
    sheet.append(["g1", 1.5, 2, 3, 4])
    sheet.merge_cells("A1:A2")
    book.save(tmp_path / "x.xlsx")
    row = DatasetEntry("x", "table", samples="columns", label="row 1")
    series = read_table(tmp_path / "x.xlsx", row)
    assert series.labels.tolist() == ["a", "a", "b", "b"]
    assert series.values.tolist() == [[1.5, 2, 3, 4]]


# Which column is the class


def test_a_response_is_proposed_before_a_stage_and_all_labels_are_shown(tmp_path):
    stages = [["3", "4"][i // 13] for i in range(N)]
    responses = ["resistant", "sensitive"] * (N // 2)
    proposal = summary_of(rows_of(tmp_path, stage=stages, response=responses))
    assert proposal.entry.label == "response"
    assert "Other columns that look like classes: stage (3 13, 4 7)" in proposal.reason


def test_a_batch_is_not_shown_among_the_labels(tmp_path):
    path = rows_of(tmp_path, diagnosis=["a", "b"] * 10, plate=["P1"] * 10 + ["P2"] * 10)
    assert "Other columns" not in summary_of(path).reason


@pytest.mark.parametrize("name", ["dose", "conc_nM", "hours"])
def test_a_number_of_few_values_is_a_class(tmp_path, name):
    doses = np.repeat([0, 0.5, 5, 50], 5)
    proposal = summary_of(rows_of(tmp_path, **{name: doses}))
    assert proposal.entry.label == name
    assert sorted(set(proposal.labels)) == ["0.0", "0.5", "5.0", "50.0"]


def test_a_number_of_which_a_value_has_three_samples_is_no_class(tmp_path):
    doses = np.repeat([0, 0.5, 5, 50], [5, 6, 6, 3])
    assert summary_of(rows_of(tmp_path, conc_nM=doses)).entry is None


def test_spellings_of_one_class_are_joined_by_the_proposed_map(tmp_path):
    labels = ["Control"] * 8 + ["control ", "CTRL"] + ["Tumor"] * 7 + ["tumour", "TUMOR", "tumor"]
    proposal = summary_of(rows_of(tmp_path, Group=labels))
    assert sorted(set(proposal.labels)) == ["Control", "Tumor"]
    assert "joins spellings: 'control' to 'Control'" in proposal.reason
    assert "left out" not in proposal.reason
    assert acquire(proposal.entry).labels.tolist() == ["Control"] * 10 + ["Tumor"] * 10


def test_what_is_between_words_is_no_other_class():
    texts = ["Non-Responder", "non responder", "Non_responder", "NonResponder", "Responder"]
    assert set(common_spellings(texts).values()) == {"Non-Responder", "NonResponder", "Responder"}


def test_controls_of_two_kinds_stay_two_classes():
    labels = ["normal"] * 5 + ["untreated"] * 5 + ["tumour"] * 5
    assert len(set(common_spellings(labels).values())) == 3
    assert propose_map(labels) == ({}, "")


@pytest.mark.parametrize(
    ("classes", "control"),
    [
        (["SLE", "HC"], "HC"),
        (["post", "pre"], "pre"),
        (["KO", "WT"], "WT"),
        (["ck", "salt"], "ck"),
        (["NT", "TP"], "NT"),
        (["T2D", "HCs"], "HCs"),
        (["post-treatment", "pre-treatment"], "pre-treatment"),
        (["HCC", "LGG"], ""),  # a carcinoma, and a glioma
        (["premalignant", "cancer"], ""),
    ],
)
def test_words_for_controls_in_several_fields(classes, control):
    assert control_class(classes) == control


# Samples


def test_a_sample_without_counts_is_named_when_the_study_is_proposed(tmp_path):
    counts = np.random.default_rng(0).negative_binomial(1, 0.01, (600, 12)) + 1
    counts[:, 5] = 0
    names = [f"X{100 + i}.{'CT'[i % 2]}.{i}" for i in range(12)]
    frame = pd.DataFrame(counts, GENES, names)
    frame.to_csv(tmp_path / "counts.tsv", sep="\t", index_label="gene")
    sheet = "".join(f"{100 + i}-{'CT'[i % 2]}-{i},{['a', 'b'][i % 2]}\n" for i in range(12))
    options = {"phenotype": str(put(tmp_path, "alias,type\n" + sheet, "sheet.csv"))}
    with refused("sample '105-T-5' has no counts at all; remove its column"):
        summary_of(tmp_path / "counts.tsv", **options)


def test_the_patient_in_tcga_s_barcodes_is_proposed_as_the_group(tmp_path):
    """Two vials of a patient are samples of one patient."""
    patients = [f"TCGA-AA-{i:04}" for i in range(8)]
    names = [f"{p}-{v}" for p, v in itertools.product(patients, ("01A", "01B", "11A"))]
    values = np.random.default_rng(0).normal(8, 1, (30, len(names))).round(3)
    frame = pd.DataFrame(values, [f"g{i}" for i in range(30)], names)
    frame.to_csv(tmp_path / "x.tsv", sep="\t", index_label="gene")
    proposal = summary_of(tmp_path / "x.tsv")
    assert proposal.entry.group == "barcode patient"
    assert "name 8 patients" in proposal.reason
    series = acquire(proposal.entry)
    assert series.groups.tolist() == [patient for patient in patients for _ in range(3)]
    single = frame.iloc[:, [0, 3, 6, 9, 14, 17, 20, 23]]  # one sample of each patient
    single.to_csv(tmp_path / "y.tsv", sep="\t", index_label="gene")
    assert not summary_of(tmp_path / "y.tsv").entry.group


def test_scaled_values_are_replaced_by_counts_or_raw_values(tmp_path):
    pytest.importorskip("anndata", reason="needs the extra h5ad")
    from anndata_files import annotated

    data = annotated()
    data.write_h5ad(tmp_path / "x.h5ad")
    assert not summary_of(tmp_path / "x.h5ad", transform="none").entry.matrix
    data.X = -data.X
    data.write_h5ad(tmp_path / "y.h5ad")
    proposal = summary_of(tmp_path / "y.h5ad", transform="none")
    assert proposal.entry.matrix == "layers:columns"
    assert "Its matrices are X" in proposal.reason
    data.layers["counts"] = -data.X
    data.write_h5ad(tmp_path / "z.h5ad")
    assert summary_of(tmp_path / "z.h5ad", transform="none").entry.matrix == "layers:counts"
