"""The proposal of a table: its label, its scale, its descriptions, and their limits."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toys import put, refused, set_fields

from xnbflow.core.natural_order import natural_key
from xnbflow.sources.dataset_entry import DatasetEntry, NamePattern
from xnbflow.sources.formats import opening
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.infer.column_kinds import suggested_keys
from xnbflow.sources.infer.label import class_score
from xnbflow.sources.proposal.scale import sentence_of
from xnbflow.sources.proposal.summary import describe_fields
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.sources.series.column_meaning import is_follow_up
from xnbflow.sources.series.scale_recognition import recognise_scale

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize(
    ("name", "texts", "score"),
    [
        ("diagnosis", "aabb", 3),  # a name and values of a class
        ("note", "aabb", 2),
        ("note", ["1", "1", "2", "2"], 1),  # numbers without such a name
        ("grade", ["1", "1", "2", "2"], 3),
        ("description", "aabb", 1),
        ("title", "aabb", 0),
        ("sex", "aabb", 0),
        ("note", "abcd", 0),
        ("note", "aab", 0),  # one value alone repeats
        ("diagnosis", "aaaaab", 0),
        ("diagnosis", "aaaabb", 3),
        ("note", "aaaa", 0),
        ("note", [*"aabb"] + [""] * 4, 2),  # half of the samples have a value
        ("note", [*"aabb"] + [""] * 5, 0),
        ("note", [chr(97 + i) for i in range(10)] * 2, 2),
        ("note", [chr(97 + i) for i in range(11)] * 2, 0),
        ("note", [*"aaaabbbb", "c", "d"], 2),  # a fifth of the samples is alone in its class
        ("note", [*"aaaabbbb", "c", "d", "e"], 0),
        ("days_to_death", "aabb", 0),
    ],
)
def test_the_score_of_a_column_as_a_class(name, texts, score):
    assert class_score(name, texts) == score


def test_values_are_described_by_frequency_and_in_natural_order():
    table = describe_fields(
        pd.DataFrame({"time": ["24 h", "0 h", "6 h", "x", "x", "10 h", ""]})
    ).values
    assert table["value"].tolist() == ["x", "(none)", "0 h", "6 h", "10 h", "24 h"]
    assert table["samples"].tolist() == [2, 1, 1, 1, 1, 1]
    assert sorted(["s10", "s9", "S2.5"], key=natural_key) == ["S2.5", "s9", "s10"]


@pytest.mark.parametrize(("n_values", "are_numbers"), [(12, False), (13, True)])
def test_more_than_twelve_numbers_are_described_by_their_limits(n_values, are_numbers):
    cells = [f"{i},5" for i in range(n_values)]
    if are_numbers:
        cells.append("NA")
    table = describe_fields(pd.DataFrame({"x": cells})).numbers
    assert (len(table) == 1) == are_numbers
    if are_numbers:
        assert table.iloc[0].tolist() == ["x", 0.5, 6.5, 12.5, 14, 1]


def write(folder, values, **columns):
    """Write a table with samples in rows; the class of every second sample is b."""
    table = pd.DataFrame(values, columns=[f"g{i}" for i in range(values.shape[1])])
    table.insert(0, "type", ["a", "b"] * (len(values) // 2))
    table.insert(0, "sample", [f"s{i}" for i in range(len(values))])
    table["sample"] = columns.pop("sample", table["sample"])
    for name, cells in columns.items():
        table.insert(2, name, cells)
    table.to_csv(folder / "x.csv", index=False)
    return DatasetEntry("x", "table", str(folder / "x.csv"))


def logarithms(n_features, largest):
    """Return logarithms with a median of about 8, and with this largest value."""
    highest = min(largest - 0.1, 12.0)
    values = np.random.default_rng(0).uniform(4, highest, (12, n_features)).round(3)
    values[0, 0] = largest
    return values


@pytest.mark.parametrize(
    ("n_features", "largest", "scale"),
    [(500, 12.0, "log2"), (499, 12.0, None), (500, 11.1, None), (500, 11.3, "log2")],
)
def test_logarithms_to_base_2_are_proposed_for_arrays(tmp_path, n_features, largest, scale):
    summary = summarise_table(write(tmp_path, logarithms(n_features, largest)))
    assert summary.entry.scale == scale


@pytest.mark.parametrize(
    ("n_missing", "option"), [(48, "impute"), (49, {"drop_features": 0.3}), (0, None)]
)
def test_a_tenth_of_missing_values_is_imputed(tmp_path, n_missing, option):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    places = np.arange(480).reshape(12, 40).T.ravel()[::7][:n_missing]
    values.ravel()[places] = np.nan
    summary = summarise_table(write(tmp_path, values))
    assert summary.entry.missing == option
    assert ("of the values are missing" in summary.reason) == bool(n_missing)


def test_texts_are_the_label_before_numbers_that_are_nearer_to_the_samples(tmp_path):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    row = write(tmp_path, values, score=["1", "2", "3"] * 4)
    assert summarise_table(row).entry.label == "type"


def test_repeated_names_and_missing_values_are_settled_together(tmp_path):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    values[0, 5] = np.nan
    row = write(tmp_path, values)
    path = tmp_path / "x.csv"
    path.write_text(path.read_text().replace("g7,", "g6,", 1))
    summary = summarise_table(row)
    assert summary.entry.missing == "impute"
    assert summary.entry.duplicates == "max_mean"
    assert "The proposal is duplicates: max_mean" in summary.reason


@pytest.mark.parametrize(("lowest", "scale"), [(-5.9, "log2"), (-6.1, None)])
def test_centred_values_have_no_known_base(tmp_path, lowest, scale):
    values = logarithms(500, 12.0)
    values[1, 1] = lowest  # half of the largest value, below 0
    assert summarise_table(write(tmp_path, values)).entry.scale == scale


@pytest.mark.parametrize(("largest", "scale"), [(22.4, "log2"), (22.6, None)])
def test_logarithms_of_counts_to_base_2_reach_22(tmp_path, largest, scale):
    summary = summarise_table(write(tmp_path, logarithms(500, largest)))
    assert summary.entry.scale == scale


@pytest.mark.parametrize(
    ("lowest", "transform"),
    [(1.0, "log2"), (0.0, {"log2": {"floor": 100}}), (-1.0, {"log2": {"floor": 1}})],
)
def test_values_without_a_logarithm_get_a_floor(lowest, transform):
    values = np.array([[lowest, 300.0, 9000.5]])
    recognised = recognise_scale(values, is_array=True)
    assert recognised.settings() == {"transform": transform}
    assert ("0 or below, which have no logarithm" in sentence_of(recognised)) == (
        transform != "log2"
    )


@pytest.mark.parametrize(
    ("name", "has_hint"), [("tissue", True), ("plate", False), ("patient", False)]
)
def test_a_column_that_is_the_class_may_be_biology_unless_it_is_technical(tmp_path, name, has_hint):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    entry = write(tmp_path, values, **{name: ["colon", "blood"] * 6})
    reason = summarise_table(replace(entry, label="type")).reason
    assert (f"Each value of {name} has samples of one class alone" in reason) == has_hint
    assert (f"--set 'biology=[{name}]'" in reason) == has_hint


@pytest.mark.parametrize("unit", ["tpm", "cpm", "fpkm"])
def test_one_is_added_to_values_relative_to_the_library(unit):
    values = np.random.default_rng(0).gamma(0.3, 500, (200, 4))
    recognised = recognise_scale(values, file_name=f"genes_{unit}.tsv")
    assert recognised.settings() == {"transform": "log2p1"}
    assert f"look like {unit.upper()}" in sentence_of(recognised)


@pytest.mark.parametrize(
    ("patients", "has_remark"),
    [
        (list("PQR") * 4, True),  # three patients are too few for a group
        (list("PQ") * 6, False),  # two are probably no patients
        ([f"P{i}" for i in range(12)], False),  # each sample is of another patient
    ],
)
def test_few_patients_are_not_proposed_as_group_and_the_reason_is_stated(
    tmp_path, patients, has_remark
):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    summary = summarise_table(write(tmp_path, values, patient=patients))
    assert not summary.entry.group
    remark = f"'patient' has {len(set(patients))} values for 12 samples and is not proposed"
    assert (remark in summary.reason) == has_remark


def test_groups_and_batches_are_those_of_the_samples_with_a_label():
    """The third class is left out: without it there are two samples of each of two plates."""
    fields = pd.DataFrame({"plate": ["1", "2", "1", "2", "3", "4", "5"]})
    labels = np.array(["a", "a", "b", "b", "", "", ""])
    assert suggested_keys(fields, labels) == {"batch": "plate"}
    assert suggested_keys(fields, np.array([""] * 7)) == {}  # all samples, without a label


def test_names_may_have_any_character():
    fields = pd.DataFrame({"plate; a=b": ["1", "2", "1", "2"]})
    assert suggested_keys(fields, np.array(list("aabb"))) == {"batch": "plate; a=b"}


def test_a_column_of_repeated_names_does_not_name_the_samples(tmp_path):
    """The classes are in the names of samples: those of the column whose names differ."""
    names = [f"{kind}_{number}" for kind in ("RCC", "normal") for number in range(6)]
    frame = pd.DataFrame(np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)).add_prefix("g")
    frame.insert(0, "sample", names)
    frame.insert(0, "case", [f"c{number}x" for number in [0, *range(11)]])
    frame.to_csv(tmp_path / "x.csv", index=False)
    summary = summarise_table(DatasetEntry("x", "table", str(tmp_path / "x.csv")))
    assert summary.entry.label == "sample names"
    assert set(summary.labels) == {"RCC", "normal"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [(["s1"], "but s1 occurs more than once"), (["s1", "s2"], "but s1, s2 occur more than once")],
)
def test_names_of_samples_that_repeat_are_refused(tmp_path, names, expected):
    """A repeated name is often a patient: the samples would be on both sides of a fold."""
    sample = [f"s{i}" for i in range(12 - len(names))] + names
    with refused(expected, key="id"):
        summarise_table(write(tmp_path, normal_values(), sample=sample))


def test_a_column_names_samples_if_more_than_half_of_its_names_occur_once(tmp_path):
    values = normal_values()
    half = [f"s{i}" for i in range(6)] + ["x"] * 6
    summary = summarise_table(write(tmp_path, values, sample=half))
    assert summary.entry.phenotype_columns == ("sample",)
    most = [f"s{i}" for i in range(7)] + ["x"] * 5
    with refused("'sample' names the samples", key="id"):
        summarise_table(write(tmp_path, values, sample=most))


def test_a_repeated_name_is_no_matter_where_another_column_names_the_samples(tmp_path):
    sample = [f"s{i}" for i in range(11)] + ["s1"]
    barcodes = [f"b{i}" for i in range(12)]
    summary = summarise_table(write(tmp_path, normal_values(), sample=sample, barcode=barcodes))
    assert summary.entry.id_column == "barcode"


def normal_values():
    return np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)


def test_a_feature_of_another_scale_is_a_feature_where_duplicates_are_settled(tmp_path):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    values[:, 5] = np.arange(40, 52) + 0.5
    row = write(tmp_path, values)
    assert summarise_table(row).entry.phenotype_columns == ("g5",)
    settled = DatasetEntry("x", "table", row.location, duplicates="mean")
    assert not summarise_table(settled).entry.phenotype_columns


@pytest.mark.parametrize(("n_samples", "is_proposed"), [(1000, True), (1001, False)])
def test_a_thousand_columns_are_samples_by_their_names(tmp_path, n_samples, is_proposed):
    half = n_samples // 2
    names = [f"T_{i}" for i in range(half)] + [f"N_{i}" for i in range(n_samples - half)]
    values = np.random.default_rng(0).normal(8, 1, (3, n_samples)).round(2)
    pd.DataFrame(values, index=["g0", "g1", "g2"], columns=names).to_csv(tmp_path / "x.csv")
    summary = summarise_table(DatasetEntry("x", "table", str(tmp_path / "x.csv")))
    assert (summary.entry is not None) == is_proposed


def write_genes(folder, values, names=None, **columns):
    """Write genes in rows of ten samples, and further columns at the end."""
    table = pd.DataFrame(values, columns=names or [f"GENE{i}" for i in range(values.shape[1])])
    table.insert(0, "sample", [f"s{i}" for i in range(len(values))])
    for name, cells in columns.items():
        table[name] = cells
    table.to_csv(folder / "x.csv", index=False)
    return DatasetEntry("x", "table", str(folder / "x.csv"))


#: Five samples of each value, and the same as text.
HALVES = [0, 1] * 5
GENES = np.random.default_rng(0).normal(8, 1, (10, 30)).round(3)


@pytest.mark.parametrize("name", ["disease", "case", "y", "Outcome"])
@pytest.mark.parametrize("cells", [HALVES, [f"{value}.0" for value in HALVES]])
def test_a_column_of_0_and_1_is_proposed_as_label_and_named(tmp_path, name, cells):
    summary = summarise_table(write_genes(tmp_path, GENES, **{name: cells}))
    assert summary.entry.label == name
    assert f"{name!r} has the values 0 (5 samples) and 1 (5 samples)" in summary.reason
    assert summary.entry.id_column == "sample"


def test_a_row_of_0_and_1_is_proposed_as_label_where_samples_are_columns(tmp_path):
    summarise_table(write_genes(tmp_path, GENES, disease=HALVES))
    pd.read_csv(tmp_path / "x.csv", index_col=0).T.to_csv(tmp_path / "y.csv", index_label="gene")
    summary = summarise_table(DatasetEntry("y", "table", str(tmp_path / "y.csv")))
    assert (summary.entry.label, summary.entry.samples) == ("disease", "columns")
    assert summary.labels.tolist() == ["0.0", "1.0"] * 5


@pytest.mark.parametrize(
    ("n_ones", "n_samples", "is_proposed"),
    [(3, 10, True), (2, 10, False), (4, 40, True), (3, 40, False)],  # three, and a tenth
)
def test_both_values_of_a_label_of_0_and_1_are_frequent(tmp_path, n_ones, n_samples, is_proposed):
    values = np.random.default_rng(0).normal(8, 1, (n_samples, 30)).round(3)
    cells = [1] * n_ones + [0] * (n_samples - n_ones)
    summary = summarise_table(write_genes(tmp_path, values, disease=cells))
    assert (summary.entry is not None) == is_proposed


def test_genes_and_counts_of_0_and_1_are_no_label(tmp_path):
    names = [f"Gene{i}" for i in range(30)]
    between = GENES.copy()
    between[:, 4] = HALVES
    assert summarise_table(write_genes(tmp_path, between, names)).entry is None
    last = GENES.copy()
    last[:, -1] = HALVES
    assert summarise_table(write_genes(tmp_path, last)).entry is None  # GENE29, as the others
    assert summarise_table(write_genes(tmp_path, last, names)).entry.label == "Gene29"
    counts = np.floor(GENES)
    counts[:, -1] = HALVES
    assert summarise_table(write_genes(tmp_path, counts, names)).entry is None
    assert summarise_table(write_genes(tmp_path, counts, names, case=HALVES)).entry.label == "case"


def test_a_table_of_0_and_1_has_no_label_but_that_with_the_name_of_one(tmp_path):
    mutations = np.random.default_rng(0).integers(0, 2, (10, 30))
    assert summarise_table(write_genes(tmp_path, mutations)).entry is None
    tumours = [f"tumour{i}" for i in range(30)]
    assert summarise_table(write_genes(tmp_path, mutations, tumours)).entry is None
    assert summarise_table(write_genes(tmp_path, mutations, group=HALVES)).entry.label == "group"


def test_two_columns_of_0_and_1_without_the_name_of_a_class_are_no_label(tmp_path):
    summary = summarise_table(write_genes(tmp_path, GENES, x=HALVES, y=[0] * 5 + [1] * 5))
    assert summary.entry is None


def test_a_text_is_the_label_before_0_and_1(tmp_path):
    summary = summarise_table(write_genes(tmp_path, GENES, disease=HALVES, tissue=list("ab") * 5))
    assert summary.entry.label == "tissue"
    assert "which are proposed as classes" not in summary.reason


def test_an_empty_column_is_left_out_with_a_remark(tmp_path):
    values = GENES.copy()
    values[:, 7] = np.nan
    row = write_genes(tmp_path, values, tissue=list("ab") * 5)
    summary = summarise_table(row)
    assert set_fields(summary.entry) == {"drop": ("GENE7",)}
    assert "The column GENE7 has no value and is left out (drop)." in summary.reason
    assert "29 features" in summary.reason
    values[:, 9] = np.nan
    summary = summarise_table(write_genes(tmp_path, values, tissue=list("ab") * 5))
    assert "The columns GENE7, GENE9 have no values and are left out (drop)." in summary.reason
    kept = DatasetEntry("x", "table", row.location, phenotype_columns=("GENE7",))
    assert set_fields(summarise_table(kept).entry) == {
        "phenotype_columns": ("GENE7",),
        "drop": ("GENE9",),
    }


@pytest.mark.parametrize(("n_zeros", "label"), [(49, "y"), (50, None)])
def test_fifty_columns_of_0_and_1_are_examined(tmp_path, n_zeros, label):
    values = np.random.default_rng(0).normal(8, 1, (10, 150)).round(3)
    values[:, 10 : 10 + n_zeros] = 0
    names = [f"Gene{i}" for i in range(150)]
    summary = summarise_table(write_genes(tmp_path, values, names, y=HALVES))
    assert (summary.entry and summary.entry.label) == label
    summary = summarise_table(write_genes(tmp_path, values, names, case=HALVES))
    assert summary.entry.label == "case"


def test_a_label_of_0_and_1_comes_before_classes_in_names_of_columns(tmp_path):
    names = [f"{organ}_{i}" for organ in ("liver", "brain") for i in range(15)]
    assert summarise_table(write_genes(tmp_path, GENES, names)).entry.samples == "columns"
    row = summarise_table(write_genes(tmp_path, GENES, names, disease=HALVES)).entry
    assert (row.label, row.samples) == ("disease", "rows")


def test_empty_columns_stay_where_the_features_are_named(tmp_path):
    values = GENES.copy()
    values[:, 7] = np.nan
    row = write_genes(tmp_path, values, tissue=list("ab") * 5)
    options = {"features": (NamePattern("GENE1*"),)}
    summary = summarise_table(DatasetEntry("x", "table", row.location, **options))
    assert set_fields(summary.entry) == options
    assert "no value" not in summary.reason


def test_separators_at_both_ends_of_lines_are_no_column(tmp_path):
    row = write_genes(tmp_path, GENES, tissue=list("ab") * 5)
    path = tmp_path / "x.csv"
    path.write_text("".join(f",{line},\n" for line in path.read_text().splitlines()))
    summary = summarise_table(row)
    assert (summary.entry.label, summary.entry.id_column) == ("tissue", "sample")
    assert "30 features" in summary.reason


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("OS_months", ["12", "30"], True),  # a time, without a status
        ("vital_status", ["alive", "dead"], True),  # a status, without a time
        ("age", ["61", "45"], False),
    ],
)
def test_a_time_to_an_event_or_its_status_is_follow_up(name, cells, expected):
    assert is_follow_up(name, cells) == expected


def test_a_field_with_one_repeated_text_is_no_class():
    assert class_score("diagnosis", ["a", "a", "a", "a", "a", "b"]) == 0
    assert class_score("diagnosis", ["a", "a", "a", "a", "b", "b"]) > 0


def table_text(separator, sign):
    """Return logarithms of forty genes, of which one in the middle has numbers around 60."""
    rng = np.random.default_rng(1)
    values = rng.normal(8, 1, (20, 40)).round(3)
    values[:, 20] = rng.normal(60, 5, 20).round(3)
    lines = [separator.join(["sample", "type", *(f"GENE{i}" for i in range(40))])]
    for i, row in enumerate(values.tolist()):
        cells = [str(value).replace(".", sign) for value in row]
        lines.append(separator.join([f"S{i}", "ab"[i % 2], *cells]))
    return "\n".join([*lines, ""])


@pytest.mark.parametrize(("separator", "sign"), [(",", "."), ("\t", ",")])
def test_a_proposal_reads_each_file_once(tmp_path, monkeypatch, separator, sign):
    """Also with decimal commas, and with a feature of another scale, which becomes phenotype."""
    table = put(tmp_path, table_text(separator, sign), "t.tsv" if separator == "\t" else "t.csv")
    ages = "".join(f"S{i},{40 + i}\n" for i in range(20))
    phenotype = put(tmp_path, f"sample,age\n{ages}", "p.csv")
    files = []

    def reading(path, *arguments, **options):
        files.append(str(path))
        return read_text(path, *arguments, **options)

    monkeypatch.setattr(opening, "read_text", reading)
    entry = DatasetEntry("x", "table", str(table))
    proposed = summarise_table(entry).entry
    assert proposed.decimal == ("comma" if sign == "," else None)
    assert proposed.phenotype_columns == ("GENE20",)
    assert files == [str(table)]
    files.clear()
    summarise_table(replace(entry, label="type", id_column="sample", phenotype=str(phenotype)))
    assert files == [str(table), str(phenotype)]
