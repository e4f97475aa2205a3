"""Samples of a table and of a sample sheet: matched by name, counted where one lacks them."""

import pandas as pd
import pytest
from toys import put, refused

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.opening import read_text_table
from xnbflow.sources.infer.table_roles import infer
from xnbflow.sources.series.name_matching import matched_names
from xnbflow.sources.series.phenotype import (
    names_in_phenotype,
    naming_column,
    phenotype_columns,
    read_phenotype_file,
)

PHENOTYPE = pd.DataFrame({"condition": ["t", "n", "t"]}, index=["S1", "S2", "S3"])


@pytest.mark.parametrize(
    ("samples", "recorded", "expected"),
    [
        (["S1", "S2"], ["S1", "S2"], None),  # as they are
        (["a/S1.bam", "S2"], ["S1", "S2"], None),  # one is known as it is
        (["a/S1.bam", "b/S2.bam"], ["S1", "S2", "S3"], ["S1", "S2"]),
        (["a/S1.bam", "b/S9.bam"], ["S1"], ["S1", "b/S9.bam"]),
        (["a/S1.bam", "b/S9.bam"], ["S1", "S2"], None),  # neither all of these nor of those
        (["a/S1.bam", "b/S1.bam"], ["S1"], None),  # two of one name
        (["S1", "S2"], ["S1.bam", "S2.bam"], ["S1.bam", "S2.bam"]),
        (["X1.a.b", "X2.c"], ["1-a b", "2+c"], ["1-a b", "2+c"]),
        (["Xa", "Xb"], ["a", "b"], None),  # R adds X before digits alone
        (["Sample 1", "Sample 2"], ["SAMPLE  1", "sample 2"], ["SAMPLE  1", "sample 2"]),
        (["s1", "S1"], ["S1", "S2"], None),  # letters distinguish them
        (["S1", "s2"], ["S1", "S2"], ["S1", "S2"]),  # in one name only
        (["S1", "s3"], ["S1", "S2"], None),
        (["S1", "s2"], ["S1", "S2", "s2 "], None),  # which of both is meant?
        (["001", "002", "010"], ["1", "2", "10"], ["1", "2", "10"]),  # a spreadsheet lost zeros
        (["S09", "S10"], ["S9", "S10"], ["S9", "S10"]),
        (["ctrl_1", "a.b c"], ["ctrl-1", "a_b-c"], ["ctrl-1", "a_b-c"]),
        (["a_1", "a-1"], ["a.1", "b"], None),  # the sign distinguishes them
        (["S9", "S09", "S10"], ["S9", "S10"], None),  # zeros distinguish them
        (["d0.5", "d1"], ["d0.05", "d1"], None),
        ([], ["S1"], None),
    ],
)
def test_names_are_matched_by_spelling_where_all_agree(samples, recorded, expected):
    assert matched_names(samples, recorded) == expected


def test_empty_columns_beside_a_sample_sheet_are_left_out(tmp_path):
    """Excel writes commas for columns that were once used."""
    put(tmp_path, "sample,type,,\ns1,a,,\ns2,b,,\n", "p.csv")
    entry = DatasetEntry("x", "table", "x.csv")
    columns = phenotype_columns(
        read_phenotype_file(tmp_path / "p.csv", entry, tmp_path / "x.csv"), entry
    )
    assert columns.to_dict("list") == {"type": ["a", "b"]}


def test_names_are_in_the_order_of_the_table_and_lacking_ones_are_named():
    notes = []
    names = names_in_phenotype("x", ["S3.bam", "S1.bam", "S2.bam", "S7.bam"], PHENOTYPE, notes)
    assert names.tolist() == ["S3", "S1", "S2", "S7.bam"]
    shortened, left_out = notes
    assert "'S3.bam' to 'S3'" in shortened
    assert left_out == "1 sample is left out, without phenotype: S7.bam"
    notes = []
    names_in_phenotype("x", ["S2"], PHENOTYPE, notes)
    assert notes == ["2 samples are in the phenotype file only: S1, S3"]


def test_no_common_sample_is_an_error_that_names_both():
    with refused("the table has A, B, the phenotype file S1, S2, S3"):
        names_in_phenotype("x", ["A", "B"], PHENOTYPE, [])
    with refused("the table has A, B, C and 1 more, the phenotype file S1"):
        names_in_phenotype("x", list("ABCD"), PHENOTYPE, [])


@pytest.mark.parametrize(
    ("samples", "row_names", "matched"),
    [
        (["t1", "u2"], ["t1fb", "u2fb", "u3fb"], ["t1fb", "u2fb"]),  # the sheet has more letters
        (["t1_rep", "u2_rep"], ["t1", "u2"], ["t1", "u2"]),  # the table has more letters
        (["t1", "u2", "v3"], ["t1fb", "u2fb"], None),  # a sample is not in the sheet
        (["t1"], ["t1fb"], None),  # one name has no common ending
        (["t1a", "u2b"], ["t1", "u2"], None),  # the endings differ
    ],
)
def test_names_match_without_an_ending_that_all_of_one_table_have(samples, row_names, matched):
    assert matched_names(samples, row_names) == matched


def read_phenotype(path, dataset):
    return phenotype_columns(read_phenotype_file(path, dataset, path), dataset)


def naming(folder, text, names):
    path = folder / "p.csv"
    path.write_text(text)
    return naming_column(read_phenotype_file(path, DatasetEntry("x", "table"), path).text, names)


def test_the_first_column_names_the_samples_also_in_another_spelling(tmp_path):
    text = "id,array\nS1,x/S1.bam\nS2,x/S2.bam\n"
    assert naming(tmp_path, text, ["x/S1.bam", "x/S2.bam"]) == ""


def test_a_column_whose_values_repeat_names_no_samples(tmp_path):
    text = "no,batch,array\n1,S1,S1\n2,S1,S2\n"
    assert naming(tmp_path, text, ["S1", "S2"]) == "array"


def test_rows_whose_names_become_equal_are_not_matched():
    assert matched_names(["run/S1.bam"], ["S1.bam", "S1.sam"]) is None


def test_a_sample_without_a_name_or_named_twice_is_refused(tmp_path):
    for text, fault in (("S1\n,", "a cell is empty"), ("S1\nS1", "sample 'S1' occurs twice")):
        cells = "".join(f"{line.rstrip(',')},a\n" for line in text.split("\n"))
        (tmp_path / "p.csv").write_text(f"id,type\n{cells}")
        with refused(fault, key="phenotype.id"):
            read_phenotype(tmp_path / "p.csv", DatasetEntry("x", "table"))


def test_fields_of_geo_have_the_names_of_the_sheet(tmp_path):
    samples = ["!Sample_geo_accession", "GSM1", "GSM2"]
    sexes = ["!Sample_characteristics_ch1", "Sex: f", "Sex: m"]
    donors = ["!Sample_characteristics_ch1", "donor: p", "donor: q"]
    text = "".join("\t".join(line) + "\n" for line in (samples, sexes, donors))
    (tmp_path / "x_series_matrix.txt").write_text(text)
    row = DatasetEntry("x", "table", label="characteristics:sex", group="characteristics:donor")
    table = read_phenotype(tmp_path / "x_series_matrix.txt", row)
    assert list(table) == ["characteristics:sex", "characteristics:donor"]
    assert table.index.tolist() == ["GSM1", "GSM2"]
    by_donor = DatasetEntry("x", "table", label="Sex", phenotype_id="donor")
    table = read_phenotype(tmp_path / "x_series_matrix.txt", by_donor)
    assert table.index.tolist() == ["p", "q"]
    assert list(table) == ["geo_accession", "Sex"]


@pytest.mark.parametrize("table", ["gene,S1,S2,S3\nTP53,1,2,3\n", "id,TP53\nS1,1\nS2,2\nS3,3\n"])
def test_a_phenotype_file_without_a_header_is_refused(tmp_path, table):
    path = put(tmp_path, "S1,ill\nS2,well\nS3,ill\n", "p.csv")
    text = read_text_table(put(tmp_path, table), {})
    phenotype = read_phenotype_file(path, DatasetEntry("x", "table"), path)
    with refused("p.csv: the first row has the sample 'S1' where names of columns are expected"):
        infer(text, DatasetEntry("x", "table", label="ill"), phenotype, complete=True)
