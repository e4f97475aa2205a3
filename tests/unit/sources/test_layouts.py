"""Files as laboratories have them: what `xnbflow study` proposes, and what is read by it."""

import numpy as np
import pandas as pd
import pytest
from lab_files import (
    CLINICAL_GENES,
    CONDITIONS,
    ENSEMBL,
    LAYOUTS,
    SAMPLES,
    SYMBOLS,
    counts,
    feature_counts,
    logarithms,
    write_samples,
)
from toys import entry_in, set_fields

from xnbflow.core.yaml_text import flow_yaml
from xnbflow.running.cli.app import propose
from xnbflow.sources.acquire import acquire
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM

#: The summary rows of HTSeq.
TALLIES = (
    "__no_feature",
    "__ambiguous",
    "__too_low_aQual",
    "__not_aligned",
    "__alignment_not_unique",
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def proposed(layout, folder, **settings):
    """Return the proposed entry of a layout and its series, read by it."""
    path = LAYOUTS[layout](folder)
    sheet = folder / "samples.csv"
    if sheet.exists():
        settings["phenotype"] = str(sheet)
    propose(str(path), output=str(folder / "mine"), **settings)
    row = entry_in(folder / "mine.yaml")
    return row, acquire(row, downloads=folder)


@pytest.mark.slow
@pytest.mark.parametrize("layout", [name for name in LAYOUTS if "folder" not in name])
def test_every_layout_is_proposed_and_read_unasked(tmp_path, layout):
    _, series = proposed(layout, tmp_path)
    n_samples = {"classes_of_four": 8, "rare_classes": 21, "lacking_samples": 22}.get(layout, 24)
    n_features = {"clinical_genes": 500, "clinical_genes_in_rows": 500, "repeated_symbols": 570}
    n_features["unnamed_probes"] = 598
    assert series.n_samples == n_samples
    assert series.n_features == n_features.get(layout, 600)
    assert series.scale == {"counts": "ln"}.get(layout, series.scale)
    classes = {"rare_classes": 4, "time_points": 3}.get(layout, 2)
    assert len(series.classes) == classes


@pytest.mark.parametrize(
    ("layout", "options"),
    [
        ("nf_core", {"drop": ("gene_name",), "transform": PROPOSED_COUNT_TRANSFORM}),
        (
            "feature_counts",
            {
                "drop": ("Chr", "Start", "End", "Strand", "Length"),
                "transform": PROPOSED_COUNT_TRANSFORM,
            },
        ),
        ("htseq", {"drop": TALLIES, "transform": PROPOSED_COUNT_TRANSFORM}),
        ("htseq_in_rows", {"drop": TALLIES, "transform": PROPOSED_COUNT_TRANSFORM}),
        ("ensembl_versions", {"transform": PROPOSED_COUNT_TRANSFORM}),
        ("tximport", {"transform": PROPOSED_COUNT_TRANSFORM}),
        ("tpm", {"drop": ("gene_name",), "transform": "log2p1"}),
        ("fpkm", {"transform": "log2p1"}),
        ("wide_counts", {"phenotype_columns": ("age",), "transform": PROPOSED_COUNT_TRANSFORM}),
        ("clinical_genes", {"phenotype_columns": ("age",), "scale": "log2"}),
        ("clinical_genes_in_rows", {"scale": "log2"}),
        ("repeated_symbols", {"duplicates": "max_mean", "scale": "log2"}),
        ("title_line", {"scale": "log2"}),
        ("unknown_ages", {"phenotype_columns": ("age",), "scale": "log2"}),
        ("sites", {"batch": "cohort", "phenotype_columns": ("site",), "scale": "log2"}),
    ],
)
def test_options_are_those_that_the_layout_needs(tmp_path, layout, options):
    row, _ = proposed(layout, tmp_path)
    expected = dict.fromkeys(["phenotype", "phenotype_sheet", "phenotype_id"]) | options
    fields = {key: value for key, value in set_fields(row).items() if key not in expected}
    assert not fields.keys() - {"label_classes"}
    assert {key: getattr(row, key) for key in options} == options


@pytest.mark.parametrize(
    ("layout", "first"), [("alignments_of_classes", "KO"), ("fpkm_of_geo", "Tumor"), ("pairs", "T")]
)
def test_classes_in_names_of_samples_need_no_sheet(tmp_path, layout, first):
    row, series = proposed(layout, tmp_path)
    assert row.label == "sample names"
    assert set(series.labels[:12]) == {first}
    assert len(set(series.labels[12:])) == 1


def test_the_column_that_names_the_samples_is_proposed(tmp_path):
    row, series = proposed("third_column", tmp_path)
    assert (row.label, row.phenotype_id) == ("status", "array_name")
    assert series.labels.tolist() == CONDITIONS.tolist()


def test_features_without_a_name_are_left_out(tmp_path):
    with pytest.warns(UserWarning, match="2 features without a name were left out"):
        _, series = proposed("unnamed_probes", tmp_path)
    np.testing.assert_array_equal(series.values.T, logarithms()[:, :598])


def test_genes_of_nf_core_have_their_names_as_symbols(tmp_path):
    _, series = proposed("nf_core", tmp_path)
    assert series.features.tolist() == ENSEMBL
    assert series.feature_metadata["symbol"].tolist() == SYMBOLS


@pytest.mark.parametrize(
    "ending", [".bam", ".sorted.bam", "Aligned.sortedByCoord.out.bam", ".markdup.sorted.bam"]
)
def test_samples_of_feature_counts_are_those_of_the_sheet(tmp_path, monkeypatch, ending):
    monkeypatch.setitem(LAYOUTS, "feature_counts", lambda folder: feature_counts(folder, ending))
    with pytest.warns(UserWarning, match="names of samples were changed"):
        _, series = proposed("feature_counts", tmp_path)
    assert series.samples.tolist() == SAMPLES
    assert series.labels.tolist() == CONDITIONS.tolist()
    assert series.features.tolist() == ENSEMBL


def test_ensembl_versions_are_left_out(tmp_path):
    with pytest.warns(UserWarning, match=r"versions of Ensembl .*00141510\.1 became"):
        _, series = proposed("ensembl_versions", tmp_path)
    assert series.features.tolist() == ENSEMBL


def test_folders_of_one_sample_files_are_merged(tmp_path, capsys):
    _, series = proposed("htseq_folder", tmp_path)
    assert series.scale == "counts"  # transform: tmm is proposed, and normalises within folds
    np.testing.assert_array_equal(series.values.T, counts())
    assert series.samples.tolist() == SAMPLES
    text = capsys.readouterr().out
    assert "24 files of one sample each were merged. 5 summary rows were left out" in text
    merged = pd.read_csv(tmp_path / "mine-counts.tsv", sep="\t", index_col="gene")
    np.testing.assert_array_equal(merged.T, counts())


def test_the_strand_of_stars_counts_is_that_of_most_reads(tmp_path, capsys):
    proposed("star_folder", tmp_path)
    assert (
        "STAR's column 4 was taken, because it has 97% of the reads that have a strand"
        in capsys.readouterr().out
    )
    merged = pd.read_csv(tmp_path / "mine-counts.tsv", sep="\t", index_col="gene")
    total = counts()
    sense = np.random.default_rng(6).binomial(total, 0.03)
    np.testing.assert_array_equal(merged.T, total - sense)


def test_genes_with_clinical_names_are_genes(tmp_path):
    row, series = proposed("clinical_genes", tmp_path)
    assert {*CLINICAL_GENES} <= {*series.features}
    assert not row.group
    assert "age" not in series.features


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_an_age_beside_counts_is_clinical_by_its_place_or_letters(tmp_path, orientation):
    ages = np.random.default_rng(8).integers(30, 80, 24)
    frame = pd.DataFrame(counts(), SAMPLES, SYMBOLS)
    frame.insert(300, "AGE", ages)  # among genes, in capitals: a gene
    frame.insert(0, "age", ages)
    frame.insert(0, "condition", CONDITIONS)
    frame = frame if orientation == "rows" else frame.T
    frame.to_csv(tmp_path / "x.csv", index_label="name")
    propose(
        str(tmp_path / "x.csv"),
        label="condition",
        layout=orientation,
        output=str(tmp_path / "mine"),
    )
    row = entry_in(tmp_path / "mine.yaml")
    series = acquire(row)
    assert row.phenotype_columns == ("age",)
    assert "AGE" in series.features
    assert series.n_features == 601


def test_numbers_of_animals_are_a_group_and_no_feature(tmp_path):
    frame = pd.DataFrame(logarithms(), columns=SYMBOLS)
    frame.insert(0, "mouse", np.tile(range(12), 2))
    frame.insert(0, "condition", CONDITIONS)
    frame.to_csv(tmp_path / "x.csv", index=False)
    propose(str(tmp_path / "x.csv"), output=str(tmp_path / "mine"))
    row = entry_in(tmp_path / "mine.yaml")
    assert row.group == "mouse"
    assert acquire(row).n_features == 600


def test_workbooks_name_the_sheets_that_are_used(tmp_path, capsys):
    row, series = proposed("workbook_with_readme", tmp_path)
    assert row.sheet == "Expression"
    assert row.phenotype_sheet == "Samples"
    text = capsys.readouterr().out
    assert "Of the sheets 'Expression' has the values (sheet), and 'Samples' describes 24" in text
    np.testing.assert_array_equal(series.values.T, logarithms())
    assert series.labels.tolist() == CONDITIONS.tolist()
    assert "Age" in series.sample_metadata


@pytest.mark.parametrize(
    ("layout", "label", "tumour"),
    [
        ("second_header", "line 2", "tumour"),
        ("merged_header", "row 1", "tumour"),
        ("classes_in_names", "sample names", "RCC"),
    ],
)
def test_classes_beside_the_header_or_in_names_are_proposed(tmp_path, layout, label, tumour):
    row, series = proposed(layout, tmp_path)
    assert row.label == label
    assert series.n_features == 600
    assert series.labels.tolist() == [tumour] * 12 + ["normal"] * 12
    np.testing.assert_array_equal(series.values.T, logarithms())


def test_a_title_is_noted_and_another_line_may_be_the_header(tmp_path):
    with pytest.warns(UserWarning, match="1 title line was left out above the header"):
        _, series = proposed("title_line", tmp_path)
    np.testing.assert_array_equal(series.values.T, logarithms())
    path = tmp_path / "titled.csv"
    lines = path.read_text().splitlines()
    lines[0] = ",".join(["unit", *["log2"] * 24])
    path.write_text("\n".join(lines) + "\n")
    propose(
        str(path),
        output=str(tmp_path / "other"),
        phenotype=str(tmp_path / "samples.csv"),
        settings=["header=2"],
    )
    series = acquire(entry_in(tmp_path / "other.yaml"))
    np.testing.assert_array_equal(series.values.T, logarithms())


def test_dates_are_reported_with_the_symbols_that_they_were(tmp_path):
    with pytest.warns(UserWarning, match="has made") as caught:
        _, series = proposed("excel_dates", tmp_path)
    text = next(str(warning.message) for warning in caught if "has made" in str(warning.message))
    assert "1-Mar (MARCH1 or MARC1), 2-Sep (SEPT2), 9-Sep (SEPT9), 1-Dec (DEC1)" in text
    assert {"NAN", "T", "MAX"} <= {*series.features}


def test_follow_up_is_neither_a_class_nor_tested(tmp_path, capsys):
    row, _ = proposed("survival", tmp_path)
    assert row.label == "condition"
    text = capsys.readouterr().out
    assert "days_to_death, vital_status are follow-up" in text
    assert "needs a survival model" in text


def test_follow_up_alone_is_not_proposed_as_a_class(tmp_path, capsys):
    path = LAYOUTS["survival"](tmp_path)
    sheet = pd.read_csv(tmp_path / "samples.csv").drop(columns="condition")
    sheet.to_csv(tmp_path / "samples.csv", index=False)
    propose(str(path), phenotype=str(tmp_path / "samples.csv"))
    text = capsys.readouterr().out
    assert "No column of text looks like a class" in text
    assert "needs a survival model" in text
    propose(str(path), phenotype=str(tmp_path / "samples.csv"), label="vital_status")
    assert "The label 'vital_status' ignores the time" in capsys.readouterr().out


def test_rare_classes_are_left_out_by_a_map_that_can_be_copied(tmp_path, capsys):
    row, series = proposed("rare_classes", tmp_path)
    assert sorted(series.classes) == ["clear cell", "endometrioid", "mucinous", "serous"]
    text = " ".join(capsys.readouterr().out.split())
    assert "2 classes have one or two samples" in text
    joined = row.map | {"mixed": "others", "other": "others"}
    assert f"to join them, write map: {flow_yaml(joined)}" in text


def test_time_points_are_in_their_order(tmp_path, capsys):
    proposed("time_points", tmp_path)
    text = capsys.readouterr().out
    assert text.index("0 h") < text.index("6 h") < text.index("24 h")


def test_folds_of_a_small_class_are_stated(tmp_path, capsys):
    proposed("classes_of_four", tmp_path)
    assert "class 'normal' has 4 samples, so that 4 folds are proposed" in capsys.readouterr().err


def test_samples_that_one_file_lacks_are_counted_and_named(tmp_path, capsys):
    _, series = proposed("lacking_samples", tmp_path)
    text = " ".join(capsys.readouterr().out.split())
    assert "2 samples are left out, without phenotype: S22, S23." in text
    assert "2 samples are in the phenotype file only: S90, S91." in text
    assert any("S90, S91" in note for note in series.notes)


def test_numeric_columns_are_described_by_limits_and_missing_values(tmp_path, capsys):
    proposed("unknown_ages", tmp_path)
    text = capsys.readouterr().out
    ages = np.random.default_rng(8).integers(30, 80, 24).astype(float)
    ages[[3, 7, 11]] = np.nan
    low, middle, high = np.nanmin(ages), np.nanmedian(ages), np.nanmax(ages)
    assert f"minimum {low:g}, median {middle:g}, maximum {high:g}, missing 3 of 24" in text


def test_drop_leaves_out_columns_of_the_phenotype(tmp_path):
    path = LAYOUTS["sites"](tmp_path)
    write_samples(tmp_path, site=["a"] * 24, __no_feature=range(24), kept=range(24))
    frame = pd.read_csv(path).drop(columns=["condition", "site", "cohort"])
    frame.to_csv(path, index=False)
    propose(
        str(path),
        label="condition",
        phenotype=str(tmp_path / "samples.csv"),
        settings=["drop=[{pattern: '__*'}, site]"],
        output=str(tmp_path / "mine"),
    )
    series = acquire(entry_in(tmp_path / "mine.yaml"))
    assert list(series.sample_metadata) == ["kept"]
