"""Layouts and scales of tables that people have, from public reports of faults."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toys import put, refused

from xnbflow.core.errors import InputError
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.sources.series.name_matching import matched_names
from xnbflow.sources.series.sample_names import name_patients
from xnbflow.sources.series.scale_recognition import proposed_floor, recognise_scale

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

N_GENES = 600
GENES = [f"ZNF{i}" for i in range(N_GENES)]
CLASSES = ["case"] * 6 + ["control"] * 6


def logarithms(n_samples=12, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(rng.uniform(4, 12, N_GENES)[:, None], 0.7, (N_GENES, n_samples))


def standardised(values):
    return (values - values.mean(axis=1)[:, None]) / values.std(axis=1)[:, None]


def genes_in_rows(values, samples, names=GENES):
    return pd.DataFrame(values, index=pd.Index(names, name="gene"), columns=samples)


def summary_of(path, phenotype=None, **settings):
    entry = DatasetEntry(
        "x", "table", str(path), phenotype=phenotype and str(phenotype), **settings
    )
    return summarise_table(entry)


def write_sheet(folder, samples, classes=CLASSES):
    frame = pd.DataFrame({"sample": samples, "condition": classes})
    frame.to_csv(folder / "sheet.csv", index=False)
    return folder / "sheet.csv"


def test_p_values_after_each_sample_of_an_illumina_table_are_left_out(tmp_path):
    """GEO's plain table: the name of a sample, then "Detection Pval" without a name of its own."""
    samples = [f"SAMPLE {i}" for i in range(1, 13)]
    intensities = (2 ** logarithms()).round(1)
    p_values = np.random.default_rng(1).uniform(0, 1, intensities.shape).round(4)
    header = ["ID_REF"]
    columns = [[f"ILMN_{i}" for i in range(N_GENES)]]
    for i, sample in enumerate(samples):
        header += [sample, "Detection Pval"]
        columns += [intensities[:, i].astype(str), p_values[:, i].astype(str)]
    rows = ["\t".join(header), *map("\t".join, zip(*columns, strict=True))]
    path = put(tmp_path, "\n".join([*rows, ""]), "GSE1_non_normalized.txt")
    summary = summary_of(path, write_sheet(tmp_path, samples))
    assert summary.entry.drop == ("Detection Pval",)
    series = acquire(summary.entry)
    assert series.samples.tolist() == samples
    assert series.n_features == N_GENES


@pytest.mark.parametrize(
    ("samples", "rows"),
    [
        (["GSM1", "GSM2", "GSM3"], ["GSM1_EB_0_A.CEL", "GSM2_EB_0_B.CEL", "GSM3_EB_1_C.CEL"]),
        (["a.R1_x", "b.R1_x", "c.R2_x"], ["a.R1_x.pooled", "b.R1_x.pooled", "c.R2_x.pooled"]),
        (
            ["TCGA-A1-A0SB-01A-11R-A144", "TCGA-A1-A0SD-01A-12R-A115", "TCGA-A1-A0SE-01A-11R-A084"],
            ["TCGA-A1-A0SB-01A", "TCGA-A1-A0SD-01A", "TCGA-A1-A0SE-01A"],
        ),
        (["S1", "S2", "S3"], ["run7_S1", "run7_S2", "run8_S3"]),
    ],
)  # fmt: skip
def test_names_match_up_to_a_part_at_one_end(samples, rows):
    assert matched_names(samples, rows) == rows
    assert matched_names([*samples[:2], "other"], rows) is None


def test_a_part_of_two_names_matches_none():
    assert matched_names(["S1", "S2", "S3"], ["S1_a", "S1_b", "S2_a", "S3_a"]) is None


def test_patients_and_classes_are_in_names_of_samples(tmp_path):
    patients = [f"C3L-{i:05}" for i in range(10000, 10010)]
    samples = [f"{patient}_{kind}" for kind in ("Normal", "Tumor") for patient in patients]
    path = tmp_path / "expression.tsv"
    genes_in_rows(logarithms(20).round(3), samples).to_csv(path, sep="\t")
    summary = summary_of(path, samples="columns")
    series = acquire(summary.entry)
    assert set(series.labels) == {"Normal", "Tumor"}
    assert series.groups.tolist() == patients * 2


@pytest.mark.parametrize(
    "names",
    [
        ["case_1", "control_1", "case_2", "control_2"],  # numbers count replicates
        ["case_rep1", "control_rep1", "case_rep2", "control_rep2"],
        ["P1_case", "P1_case", "P2_control", "P3_control"],  # twice in a class
        ["P1_case", "P2_case", "P3_control", "P4_control"],  # none has both
        ["liver_1_case", "liver_1_control", "skin_2_case", "skin_2_control"],
    ],
)
def test_replicates_in_names_are_no_patients(names):

    assert name_patients(names, re.compile("case|control")) is None


def test_means_of_the_classes_beside_the_samples_are_left_out(tmp_path):
    """As rare classes of a column are: ``mean`` is the class of two samples by its name."""
    samples = [f"{word}_{i}" for i in range(6) for word in ("tumour", "normal")]
    frame = genes_in_rows(logarithms(12).round(3), samples)
    for word in ("tumour", "normal"):
        frame[f"mean_{word}"] = frame.filter(like=f"{word}_").mean(axis=1).round(3)
    frame.to_csv(tmp_path / "x.csv")
    summary = summary_of(tmp_path / "x.csv", samples="columns")
    assert "too few to train and to test: 'mean' (2)" in summary.reason
    assert acquire(summary.entry).samples.tolist() == samples


@pytest.mark.parametrize("form", ["P{}_{}", "P{}{}", "pat{}.{}", "Patient {}, {}"])
def test_patients_are_in_the_names_beside_a_label_in_the_table(tmp_path, form):
    """The same groups as where the names alone have the class."""
    samples = [form.format(i + 1, word) for word in "TN" for i in range(6)]
    frame = genes_in_rows(logarithms(12).round(3), samples)
    frame.to_csv(tmp_path / "names.csv")
    labelled = frame.T
    labelled.insert(0, "tissue", np.repeat(["tumour", "normal"], 6))
    labelled.to_csv(tmp_path / "labelled.csv")
    groups = [
        acquire(summary_of(tmp_path / name, samples=layout).entry).groups.tolist()
        for name, layout in (("names.csv", "columns"), ("labelled.csv", "rows"))
    ]
    assert groups[0] == groups[1] == [form.format(i + 1, "").rstrip("_., ") for i in range(6)] * 2


def test_a_repeated_header_and_a_row_of_totals_are_left_out(tmp_path):
    counts = np.random.default_rng(2).negative_binomial(2, 0.01, (N_GENES, 12))
    samples = [f"{name}_{i}" for i, name in enumerate(CLASSES)]
    frame = genes_in_rows(counts, samples)
    lines = frame.to_csv().splitlines()
    lines.insert(300, lines[0])
    lines.append("Total," + ",".join(map(str, counts.sum(axis=0))))
    path = put(tmp_path, "\n".join([*lines, ""]), "merged.csv")
    entry = summary_of(path).entry
    series = acquire(entry)
    assert series.features.tolist() == GENES
    assert "line 301 repeats the header and was left out" in series.notes
    assert "'Total' is the sum of all others and was left out" in series.notes


def test_a_gene_that_is_called_sum_is_kept_if_it_is_none(tmp_path):
    frame = genes_in_rows(logarithms().round(3), [f"{c}_{i}" for i, c in enumerate(CLASSES)])
    frame.rename(index={GENES[-1]: "SUM"}).to_csv(tmp_path / "x.csv")
    series = acquire(summary_of(tmp_path / "x.csv", samples="columns").entry)
    assert series.features[-1] == "SUM"


def test_a_comment_with_tabs_is_above_the_header_of_featurecounts(tmp_path):
    counts = np.random.default_rng(3).negative_binomial(2, 0.01, (N_GENES, 8))
    samples = [f"{letter}{i}dedup" for letter in "CE" for i in range(1, 5)]
    lines = ['# Program:featureCounts v2.0.6; Command:"featureCounts" "-a" "x.gff"' + "\t" * 13]
    lines.append("\t".join(["Geneid", "Chr", "Start", "End", "Strand", "Length", *samples]))
    for gene, row in zip(GENES, counts, strict=True):
        lines.append("\t".join([gene, "1", "1", "900", "+", "900", *map(str, row)]))
    path = put(tmp_path, "\n".join([*lines, ""]), "counts.txt")
    series = acquire(summary_of(path).entry)
    assert series.samples.tolist() == samples
    assert series.labels.tolist() == ["C"] * 4 + ["E"] * 4


@pytest.mark.parametrize(
    ("values", "floor"),
    [
        ([-300.0, -150.0, -101.0, 20.0, 5000.0], 100),  # the median size below 0 is 150
        ([-300.0, -30.0, -2.0, 20.0, 5000.0], 20),
        ([-19.0, -17.0, 20.0, 5000.0], 16),
        ([-0.5, 20.0, 5000.0], 1),
        ([0.0, 25.0, 5000.0], 20),  # no value below 0: the smallest above it
        ([0.0, 0.2, 5000.0], 1),
    ],
)
def test_the_floor_is_a_threshold_of_the_field_that_is_below_the_noise(values, floor):
    assert proposed_floor(np.array([values])) == floor


def test_intensities_with_negatives_get_logarithms_with_a_floor(tmp_path):
    rng = np.random.default_rng(4)
    intensities = 2 ** logarithms() + rng.normal(0, 60, (N_GENES, 12))
    samples = [f"GSM{i}" for i in range(12)]
    genes_in_rows(intensities.round(2), samples).to_csv(tmp_path / "matrix.csv")
    summary = summary_of(tmp_path / "matrix.csv", write_sheet(tmp_path, samples))
    assert summary.entry.transform == {"log2": {"floor": 20}}
    series = acquire(summary.entry)
    assert series.scale == "log2"
    np.testing.assert_allclose(
        series.values, np.log2(np.maximum(intensities.round(2), 20)), rtol=1e-12
    )


def test_probes_of_an_array_are_never_fpkm():
    """Intensities with zeros and fractions span magnitudes as FPKM do."""
    rng = np.random.default_rng(5)
    values = 2 ** rng.normal(3, 3, (300, 8))
    values[rng.random(values.shape) < 0.1] = 0
    assert recognise_scale(values).settings() == {"transform": "log2p1"}
    probes = [f"{200000 + number}_s_at" for number in range(300)]
    assert recognise_scale(values, features=probes).settings() == {
        "transform": {"log2": {"floor": 1}}
    }


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (np.log2(1 + np.random.default_rng(6).negative_binomial(1, 1e-3, (600, 12))), "log2"),
        (np.log1p(np.random.default_rng(6).negative_binomial(1, 1e-2, (600, 12))), "ln"),
        (np.log10(1 + np.random.default_rng(6).negative_binomial(1, 1e-2, (600, 12))), "log10"),
        (logarithms() - 8, "log2"),
        (standardised(logarithms()), None),
        (logarithms() / np.log2(np.e), None),  # to base e
    ],
    ids=["counts", "counts to e", "counts to 10", "ratios", "standardised", "natural"],
)
def test_the_base_of_logarithms_is_recognised_or_unknown(tmp_path, values, scale):
    samples = [f"GSM{i}" for i in range(12)]
    genes_in_rows(values.round(4), samples).to_csv(tmp_path / "matrix.csv")
    summary = summary_of(tmp_path / "matrix.csv", write_sheet(tmp_path, samples))
    assert summary.entry.scale == scale
    assert not summary.entry.transform


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_a_repeated_name_of_a_sample_is_refused_in_rows_and_columns(tmp_path, orientation):
    samples = [f"s{i}" for i in range(11)] + ["s3"]
    frame = genes_in_rows(logarithms().round(3), samples).T
    frame.index.name = "sample"
    frame.insert(0, "condition", CLASSES)
    frame = frame if orientation == "rows" else frame.T
    frame.to_csv(tmp_path / "x.csv")
    with refused("s3"):
        summary_of(tmp_path / "x.csv", label="condition", samples=orientation)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("n_genes", [3, N_GENES])
def test_row_numbers_of_pandas_and_r_beside_names_are_left_out(tmp_path, first, n_genes):
    samples = [f"s{i}" for i in range(12)]
    table = genes_in_rows(logarithms(), samples).T.iloc[:, :n_genes].rename_axis("sample")
    table = table.assign(type=CLASSES).reset_index()
    table.index += first
    path = tmp_path / "mine.csv"
    table.to_csv(path)
    entry = summary_of(path).entry
    assert (entry.id_column, entry.label) == ("sample", "type")
    series = acquire(entry)
    assert series.samples.tolist() == samples
    assert series.features.tolist() == GENES[:n_genes]


@pytest.mark.parametrize("form", ["MSTRG.{number}|{symbol}", "{symbol}|{number}"])
def test_symbols_are_beside_a_bar(tmp_path, form):
    names = [form.format(number=i + 1, symbol=gene) for i, gene in enumerate(GENES)]
    frame = genes_in_rows(logarithms().round(3), [f"{c}_{i}" for i, c in enumerate(CLASSES)], names)
    frame.to_csv(tmp_path / "x.csv")
    series = acquire(summary_of(tmp_path / "x.csv", samples="columns").entry)
    assert series.features.tolist() == names
    assert series.feature_metadata["symbol"].tolist() == GENES


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_numbers_beside_the_genes_are_no_features_where_a_sheet_describes_the_samples(
    tmp_path, orientation
):
    samples = [f"s{i}" for i in range(12)]
    frame = genes_in_rows(logarithms().round(3), samples).T
    frame.index.name = "sample"
    frame.insert(0, "RIN", np.random.default_rng(7).normal(8, 0.5, 12).round(1))
    frame = frame if orientation == "rows" else frame.T
    frame.to_csv(tmp_path / "x.csv")
    summary = summary_of(tmp_path / "x.csv", write_sheet(tmp_path, samples))
    series = acquire(summary.entry)
    assert series.features.tolist() == GENES
    assert series.labels.tolist() == CLASSES


def test_numbered_names_of_samples_that_all_repeat_are_refused_with_the_key_for_patients(tmp_path):
    table = pd.DataFrame(logarithms().T, columns=[f"GENE{i}" for i in range(N_GENES)])
    table.insert(0, "type", ["ill", "well"] * 6)
    table.insert(0, "sample", [f"P{i // 2}" for i in range(12)])
    table.to_csv(tmp_path / "x.csv", index=False)
    entry = DatasetEntry("x", "table", f"{tmp_path}/x.csv", label="type")
    with pytest.raises(InputError, match="--set group=sample"):
        summarise_table(entry)
    assert summarise_table(replace(entry, group="sample")).entry.group == "sample"


def test_barcodes_of_a_sheet_may_end_at_the_type_of_the_sample(tmp_path):
    samples = [f"TCGA-A1-A{i:03d}-{('01', '11')[i % 2]}A-11R-A00{i}-07" for i in range(12)]
    genes_in_rows(logarithms(), samples).to_csv(tmp_path / "x.csv")
    sheet = pd.DataFrame({"barcode": [name[:15] for name in samples], "site": ["a", "b"] * 6})
    sheet.to_csv(tmp_path / "sheet.csv", index=False)
    entry = DatasetEntry("x", "table", f"{tmp_path}/x.csv", phenotype=f"{tmp_path}/sheet.csv")
    summary = summarise_table(entry)
    assert (summary.n_samples, summary.entry.label) == (12, "site")
