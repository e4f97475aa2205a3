"""Which field of a GEO series is proposed as the label."""

import pytest
from toys import put, refused

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.geo_summary import _is_better_than_titles, summarise_series

TWO_CLASSES = ["biopsy"] * 5 + ["resection"] * 5
WITH_A_RARE_CLASS = ["biopsy"] * 5 + ["resection"] * 5 + ["resection, late"]


@pytest.mark.parametrize(
    ("score", "texts", "better"),
    [
        (3, TWO_CLASSES, True),  # a field such as "diagnosis"
        (3, WITH_A_RARE_CLASS, True),
        (2, TWO_CLASSES, True),  # a field such as "source"
        (2, WITH_A_RARE_CLASS, False),  # titles name the class of the last sample, too
        (1, TWO_CLASSES, False),  # a description
        (0, TWO_CLASSES, False),
    ],
)
def test_titles_are_the_label_where_no_field_names_the_class_of_all_samples(score, texts, better):
    assert _is_better_than_titles(score, texts) is better


def series(titles, *records):
    """Return a series matrix of intensities with samples of some titles."""
    accessions = [f"GSM{i}" for i in range(len(titles))]
    lines = [
        ["!Series_geo_accession", "GSE5"],
        ["!Sample_title", *titles],
        ["!Sample_geo_accession", *accessions],
        *records,
        ["!series_matrix_table_begin"],
        ["ID_REF", *accessions],
        ["p1", *(f"{5 + i}.5" for i in range(len(titles)))],
        ["!series_matrix_table_end"],
    ]
    return "".join("\t".join(line) + "\n" for line in lines)


def summary_of(path, **keys):
    return summarise_series(DatasetEntry("x", "geo", str(path), **keys), Downloads(path.parent))


def proposal(folder, titles, *records, **options):
    path = put(folder, series(titles, *records), "GSE5_series_matrix.txt")
    return summary_of(path, **options)


@pytest.mark.parametrize(
    ("titles", "classes"),
    [
        (["colon 1", "colon 2", "colon tumour 1", "colon tumour 2"], ("colon tumour", "colon")),
        (["a x1", "a x2", "b x1", "b x2"], ("a", "b")),
        (["a 1", "a 2", "a 3", "b 1"], None),  # one sample of a class
        (["a 1", "a 2", "a 3", "a 4"], None),
        (["a 1", "a 2", "1", "2"], None),  # titles of numbers alone
        (["a;b 1", "a;b 2", "c 1", "c 2"], ("a;b", "c")),
    ],
)
def test_classes_are_what_titles_share_apart_from_words_with_digits(tmp_path, titles, classes):
    summary = proposal(tmp_path, titles)
    if classes is None:
        assert summary.entry is None
        assert "No field looks like a class" in summary.reason
    else:
        assert (summary.entry.label, summary.entry.label_classes) == ("title", classes)


TITLES = ["a 1", "a 2", "a 3", "b 1", "b 2", "b 3"]
TISSUES = ["!Sample_characteristics_ch1", *(f"tissue type: {t}" for t in "xyxyxy")]


def test_a_field_with_the_name_of_a_class_comes_before_titles(tmp_path):
    summary = proposal(tmp_path, TITLES, TISSUES)
    assert summary.entry.label == "characteristics:tissue type"
    assert summary.reason.startswith("Proposed label: tissue type: x (3), y (3).")
    asked = put(tmp_path, series(TITLES, TISSUES), "x.txt")
    summary = summary_of(asked, label="title", label_pattern="(a|b)")
    assert summary.entry.label == "title"
    assert summary.reason.startswith("Label: title: a (3), b (3).")


def test_logarithms_are_proposed_by_the_values_unless_the_user_has_chosen(tmp_path):
    text = series(TITLES, TISSUES).replace(".5", "00.5")
    path = put(tmp_path, text, "x.txt")
    assert summary_of(path).entry.transform == "log2"
    chosen = summary_of(path, transform="none")
    assert chosen.entry.transform == "none"


def test_patients_and_plates_of_the_labelled_samples_are_proposed(tmp_path):
    titles = [f"s{i}" for i in range(12)]
    kinds = ["!Sample_characteristics_ch1", *(f"tissue type: {t}" for t in "xxyyxxyyxxyy")]
    patients = ["!Sample_characteristics_ch1", *(f"patient: {i // 2}" for i in range(12))]
    summary = proposal(tmp_path, titles, kinds, patients)
    assert summary.entry.group == "patient"
    assert summary.groups.tolist() == [str(i // 2) for i in range(12)]


def test_values_of_a_sequencing_series_are_not_its_counts(tmp_path):
    kind = ["!Series_type", "Expression profiling by high throughput sequencing"]
    counts = ["!Series_supplementary_file", "ftp://example.org/GSE5_counts.tsv.gz"]
    row = proposal(tmp_path, TITLES, TISSUES, kind, counts).entry
    assert (row.source, row.samples, row.transform) == ("table", "columns", "tmm")
    assert row.location == "https://example.org/GSE5_counts.tsv.gz"
    assert proposal(tmp_path, TITLES, TISSUES).entry.source == "geo"


def test_a_series_without_counts_and_files_of_counts_is_refused(tmp_path):
    kind = ["!Series_type", "Expression profiling by high throughput sequencing"]
    with refused("names no supplementary table", key="accession"):
        proposal(tmp_path, TITLES, TISSUES, kind)


def test_a_series_without_values_is_refused(tmp_path):
    text = series(TITLES, TISSUES)
    lines = [line for line in text.splitlines() if not line.startswith("p1")]
    path = put(tmp_path, "\n".join([*lines, ""]), "GSE5_series_matrix.txt")
    with refused("the table of values is empty", key="accession"):
        summary_of(path)


def test_samples_without_values_are_named(tmp_path):
    text = series(TITLES, TISSUES).replace("\t6.5\t", "\tnull\t").replace("\t10.5", "\t")
    path = put(tmp_path, text, "GSE5_series_matrix.txt")
    with refused(
        r"2 samples of 6 have no values .* GSM1, GSM5.* 'drop=\[GSM1, GSM5\]'", key="drop"
    ):
        summary_of(path)
    assert summary_of(path, drop=("GSM1", "GSM5")).entry.label == "characteristics:tissue type"


def test_a_field_that_separates_the_classes_is_named_with_the_key_for_other_words(tmp_path):
    sources = ["!Sample_source_name_ch1", *(f"tissue of {t}" for t in "xyxyxy")]
    reason = proposal(tmp_path, TITLES, TISSUES, sources).reason
    assert "Each value of source has samples of one class alone" in reason
    assert "--set 'biology=[source]'" in reason
    crossed = ["!Sample_source_name_ch1", *(f"tissue of {t}" for t in "xyyyxx")]
    assert "one class alone" not in proposal(tmp_path, TITLES, TISSUES, crossed).reason
