"""The head of a series matrix: fields, keys, short records, quotes and what ends it."""

import pytest
from toys import put, refused

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.geo_head import read_head
from xnbflow.sources.geo import accession_path, read_geo

TABLE = (
    '!series_matrix_table_begin\n"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\n"p"\t1\t2\t3\n"q"\t4\t5\t6\n'
    "!series_matrix_table_end\n"
)


def record(name, *values):
    return "\t".join([f"!{name}", *(f'"{value}"' for value in values)]) + "\n"


def matrix(*records, table=TABLE):
    first = [
        record("Series_geo_accession", "GSE5"),
        record("Sample_title", "t1", "t2", "t3"),
        record("Sample_geo_accession", "GSM1", "GSM2", "GSM3"),
    ]
    return "".join([*first, *records, table])


def head_of(folder, *records, table=TABLE):
    path = put(folder, matrix(*records, table=table), "x.txt")
    with open_raw(path) as stream:
        return read_head(path, stream)


def read(folder, *records, table=TABLE, label="characteristics:type", **options):
    path = put(folder, matrix(TYPE, *records, table=table), "x.txt")
    return read_geo(path, DatasetEntry("x", "geo", str(path), label=label, **options))


TYPE = record("Sample_characteristics_ch1", "type: a", "type: b", "type: a")


@pytest.mark.parametrize(
    ("accession", "folder"),
    [
        ("GSE1", "series/GSEnnn/GSE1/matrix"),
        ("GSE781-GPL96", "series/GSEnnn/GSE781/matrix"),
        ("GSE1234", "series/GSE1nnn/GSE1234/matrix"),
        ("GSE123456", "series/GSE123nnn/GSE123456/matrix"),
        ("GDS507", "datasets/GDSnnn/GDS507/soft"),
        ("GDS5070", "datasets/GDS5nnn/GDS5070/soft"),
    ],
)
def test_thousands_of_accessions_share_a_folder(accession, folder):
    assert accession_path(accession).rpartition("/")[0] == folder


def test_a_text_that_a_sample_has_twice_is_there_once(tmp_path):
    head = head_of(
        tmp_path,
        record("Sample_characteristics_ch1", "site: colon", "site: colon", ""),
        record("Sample_characteristics_ch1", "site: colon", "site: left", "site: lung"),
    )
    assert head.fields["site"].tolist() == ["colon", "colon; left", "lung"]


def test_keys_that_differ_by_letters_are_one_and_the_second_channel_has_its_own(tmp_path):
    head = head_of(
        tmp_path,
        record("Sample_characteristics_ch1", "Sex: f", "sex : m", "SEX:f"),
        record("Sample_characteristics_ch2", "Sex: m", "healthy", "see http://x.org/y"),
    )
    assert head.characteristics == ["Sex", "Sex ch2", "characteristics ch2"]
    assert head.fields["Sex"].tolist() == ["f", "m", "f"]
    assert head.fields["Sex ch2"].tolist() == ["m", "", ""]
    # an address has no key
    assert head.fields["characteristics ch2"].tolist() == ["", "healthy", "see http://x.org/y"]


@pytest.mark.parametrize(
    ("dates", "is_field"),
    [(["May 1", "May 1", "May 1"], False), (["May 1", "May 1", "May 2"], True)],
)
def test_dates_of_submission_are_a_field_where_they_differ(tmp_path, dates, is_field):
    head = head_of(tmp_path, record("Sample_submission_date", *dates))
    assert ("submission date" in head.fields) == is_field


def test_texts_on_processing_are_distinct_apart_from_spaces_and_letters(tmp_path):
    head = head_of(tmp_path, record("Sample_data_processing", "RMA, log2", "rma,log2", "MAS 5"))
    assert head.processing == ["rma,log2", "MAS 5"]


def test_the_notes_have_three_texts_on_processing(tmp_path):
    head = ["Sample_data_processing"]
    text = record(*head, "one", "two", "three") + record(*head, "", "", "more")
    notes = [note for note in read(tmp_path, text).notes if note.startswith("processing")]
    assert [note.rpartition(": ")[2] for note in notes] == ["one", "two", "three more"]
    path = put(tmp_path, FOUR_SAMPLES, "y.txt")
    series = read_geo(path, DatasetEntry("x", "geo", str(path), label="type"))
    assert sum(note.startswith("processing") for note in series.notes) == 3


FOUR_SAMPLES = "".join(
    [
        record("Sample_geo_accession", "GSM1", "GSM2", "GSM3", "GSM4"),
        record("Sample_characteristics_ch1", "type: a", "type: b", "type: a", "type: b"),
        record("Sample_data_processing", "one", "two", "three", "four"),
        "!series_matrix_table_begin\n",
        '"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\t"GSM4"\n"p"\t1\t2\t3\t4\n',
        "!series_matrix_table_end\n",
    ]
)


def test_supplementary_files_are_those_that_exist(tmp_path):
    head = head_of(
        tmp_path,
        record("Series_supplementary_file", "ftp://x/GSE5_RAW.tar"),
        record("Sample_supplementary_file", "NONE", "none", "ftp://x/GSM3.CEL.gz"),
    )
    assert head.supplementary == ["ftp://x/GSE5_RAW.tar", "ftp://x/GSM3.CEL.gz"]


def test_a_series_without_values_names_the_files_of_the_series_before_those_of_samples(tmp_path):
    files = (
        record("Sample_supplementary_file", "ftp://x/samples/GSM1.gz", "NONE", "NONE"),
        record("Series_supplementary_file", "ftp://x/series/GSE5/counts.gz"),
    )
    with refused(r"supplementary files are ftp://x/series/GSE5/counts\.gz\. Get") as _:
        read(tmp_path, *files, table="")
    with refused(r"supplementary files are ftp://x/samples/GSM1\.gz\. Get"):
        read(tmp_path, files[0], table="")


@pytest.mark.parametrize("label", ["type", "TYPE", "characteristics:type", "characteristics: Type"])
def test_a_label_is_named_with_or_without_its_kind(tmp_path, label):
    series = read(tmp_path, label=label)
    assert series.labels.tolist() == ["a", "b", "a"]
    assert "type" not in series.sample_metadata


def test_titles_remain_where_they_are_the_label(tmp_path):
    series = read(
        tmp_path, label="title", label_pattern="(t[12])|t3", map={"t1": "a", "t2": "b", "t3": "b"}
    )
    assert series.labels.tolist() == ["a", "b", "b"]
    assert series.sample_metadata["title"].tolist() == ["t1", "t2", "t3"]


def test_a_record_with_another_number_of_values_is_no_label(tmp_path):
    short = record("Sample_characteristics_ch1", "grade: 1", "grade: 2")
    with (
        pytest.warns(UserWarning, match="has 2 values for 3 samples"),
        refused("'grade' has another number of values than there are samples", key="label"),
    ):
        read(tmp_path, short, label="grade")


def test_empty_values_at_the_end_of_a_record_are_none(tmp_path):
    head = head_of(tmp_path, record("Sample_characteristics_ch1", "x: 1", "x: 2", "x: 3", "", ""))
    assert (head.short, head.fields["x"].tolist()) == ([], ["1", "2", "3"])


def test_doubled_quotes_are_one_and_the_words_that_begin_a_table_may_be_in_a_text(tmp_path):
    text = 'a ""b"" c\n!series_matrix_table_begin\nand on'
    head = head_of(tmp_path, record("Sample_description", text, "x", "y"))
    assert head.fields["description"][0] == 'a "b" c !series_matrix_table_begin and on'
    assert head.has_table


def test_columns_of_values_are_in_the_order_of_the_samples(tmp_path):
    other_order = TABLE.replace('"GSM1"\t"GSM2"', '"GSM2"\t"GSM1"')
    assert read(tmp_path, table=other_order).values.tolist() == [[2, 1, 3], [5, 4, 6]]


def test_a_table_without_a_sample_of_the_head_is_refused(tmp_path):
    lines = TABLE.splitlines()
    two = [line.rpartition("\t")[0] if "\t" in line else line for line in lines]
    with refused("GSM3 without a column, none without a head"):
        read(tmp_path, table="\n".join(two) + "\n")


def test_a_table_with_a_sample_that_the_head_lacks_is_refused(tmp_path):
    lines = [f"{line}\t9" if "\t" in line else line for line in TABLE.splitlines()]
    lines = [f"{line[:-2]}\tGSM4" if line.startswith('"ID_REF"') else line for line in lines]
    with refused("none without a column, GSM4 without a head"):
        read(tmp_path, table="\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"GSM3"\n', '"GSM4"\n', "GSM3 without .*, GSM4 without a head"),
        ('"GSM3"\n', '"GSM3"\t"GSM4"\n', "cells, but the header has 5"),
        ("!series_matrix_table_end\n", "", "before !series_matrix_table_end: it is cut off"),
    ],
)
def test_a_table_of_other_samples_or_without_its_end_is_refused(tmp_path, old, new, message):
    with refused(message):
        read(tmp_path, table=TABLE.replace(old, new))
