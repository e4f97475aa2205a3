"""The separator and the header of text: the user's choice is never overruled."""

import csv
import io
import sys

import numpy as np
import pytest
from toys import refused

from xnbflow.sources.formats.opening import read_text_table
from xnbflow.sources.formats.text import read_text


def contents(folder, text, name="x.csv", **options):
    path = folder / name
    path.write_text(text)
    table = read_text_table(path, options)
    return table.header, [table.cells(row) for row in range(len(table))]


def test_a_separator_of_the_sheet_is_used_where_another_would_divide_evenly(tmp_path):
    text = "a|b;x;y\n1|2;3;4\n"
    assert contents(tmp_path, text, separator="pipe")[0] == ["a", "b;x;y"]
    with refused("single cell"):
        contents(tmp_path, "a;b\n1;2\n", separator="tab")
    with refused("single cell"):
        contents(tmp_path, "a;b\n1;2\n", separator="comma")
    assert contents(tmp_path, "a;b\n1;2\n")[0] == ["a", "b"]


@pytest.mark.parametrize(
    ("separator", "name"), [(",", "comma"), ("\t", "tab"), (";", "semicolon"), ("|", "pipe")]
)
def test_every_separator_divides_as_it_is_named(tmp_path, separator, name):
    text = separator.join("abc") + "\n" + separator.join("123") + "\n"
    assert contents(tmp_path, text, separator=name) == (list("abc"), [list("123")])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_blank_rows_of_a_spreadsheet_are_no_samples(tmp_path, separator):
    """They are written as separators, within the first rows and after them."""
    blank = ["", "", ""]
    samples = [[f"s{i}", "1", "2"] for i in range(80)]
    rows = [["id", "g1", "g2"], *samples[:3], blank, *samples[3:70], blank, *samples[70:], blank]
    text = "".join(separator.join(row) + "\n" for row in rows)
    assert contents(tmp_path, text) == (rows[0], samples)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_blank_row_of_a_spreadsheet_is_no_header(tmp_path, separator):
    rows = [["id", "g1", "g2"], ["s1", "1", "2"], ["s2", "3", "4"]]
    above = [separator * 2, "", separator * 2]
    text = "\n".join([*above, *map(separator.join, rows), ""])
    assert contents(tmp_path, text) == (rows[0], rows[1:])
    assert contents(tmp_path, f"A title\n{text}") == (rows[0], rows[1:])
    with refused("header: 1 names a line that is empty"):
        contents(tmp_path, text, header=1)


@pytest.mark.parametrize("position", [0, 2, 7])
def test_a_repeated_header_is_left_out_wherever_it_is(tmp_path, position):
    rows = [[f"s{i}", "1", "2"] for i in range(9)]
    header = ["id", "g1", "g2"]
    lines = map(",".join, [header, *rows[:position], header, *rows[position:]])
    assert contents(tmp_path, "\n".join([*lines, ""])) == (header, rows)


def test_titles_are_left_out_with_any_separator(tmp_path):
    for separator in ",;\t":
        text = separator.join(["gene", "s1", "s2"]) + "\n" + separator.join("123") + "\n"
        header, rows = contents(tmp_path, f"Made on Monday\nby RMA\n\n{text}")
        assert (header, rows) == (["gene", "s1", "s2"], [["1", "2", "3"]])


def test_line_numbers_count_titles(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("Title, of commas\n\ngene,s1,s2,s3,s4\nTP53,1,2,3,4\n")
    assert read_text_table(path, {}).lines == [4]


SHEET = "sample\tgroup\tage\ns1\ta\t5\ns2\tb\t6\n"


def test_several_lines_with_a_number_sign_are_comments_above_the_header(tmp_path):
    comments = "#Sample\tGroup\tAge\n#STRING\tSTRING\tNUMBER\n"  # as cBioPortal writes them
    header, rows = contents(tmp_path, comments + SHEET, "x.txt")
    assert header == ["sample", "group", "age"]
    assert rows == [["s1", "a", "5"], ["s2", "b", "6"]]
    header, rows = contents(tmp_path, f"#{SHEET}", "x.txt")
    assert header == ["#sample", "group", "age"]  # one such line is the header


def test_the_header_of_illumina_s_sheet_is_below_its_data_line(tmp_path):
    begin = "[Header],,\nInvestigator,me,\n" + "Key,value,\n" * 20 + "[Data],,\n"
    header, rows = contents(tmp_path, begin + SHEET.replace("\t", ","))
    assert header == ["sample", "group", "age"]
    assert rows == [["s1", "a", "5"], ["s2", "b", "6"]]


def test_names_with_spaces_do_not_hide_the_separator(tmp_path):
    text = "sample ;group ;age\ns1 ;a ;5\ns2 ;b ;6\n"  # spaces divide all lines, too
    header, rows = contents(tmp_path, text)
    assert header == ["sample", "group", "age"]
    assert [cell.strip() for cell in rows[0]] == ["s1", "a", "5"]


def test_the_decimal_sign_is_that_of_the_values_not_of_the_names():
    stream = io.BytesIO(b"gene;0.5 mg;1.5\nTP53;1,5;2,5\n")  # doses are the names of samples
    assert read_text("x", stream, separator=";").decimal == ","


def test_separators_at_the_ends_of_lines_do_not_shift_the_columns(tmp_path):
    with refused("line 2: 3 cells, but the header has 2"):
        contents(tmp_path, "a,b\n1,2,\n3,4,\n")
    assert contents(tmp_path, "a,b\ns1,1,2\ns2,3,\n")[0] == ["", "a", "b"]  # R's row names


def test_a_title_may_be_above_a_header_without_the_name_of_the_first_column(tmp_path):
    header, rows = contents(tmp_path, "A remark\ng1,g2\ns1,1,2\ns2,3,4\n")
    assert header == ["", "g1", "g2"]
    assert rows == [["s1", "1", "2"], ["s2", "3", "4"]]


def test_conditions_just_above_the_chosen_header_remain(tmp_path):
    text = "units,log2,log2,log2,log2\n,t,t,n,n\ngene,S1,S2,S3,S4\nTP53,1,2,3,4\n"
    header, rows = contents(tmp_path, text, header=3)
    assert header == ["gene", "S1", "S2", "S3", "S4"]
    assert rows == [["line 2", "t", "t", "n", "n"], ["TP53", "1", "2", "3", "4"]]


@pytest.mark.parametrize(
    ("title", "n_notes"), [("# Program:featureCounts v2.0.3", 0), ("A remark", 1)]
)
def test_titles_are_noted_but_not_the_comment_of_feature_counts(tmp_path, title, n_notes):
    path = tmp_path / "x.csv"
    path.write_text(f"{title}\ngene,s1\nTP53,1\nMYC,2\n")
    table = read_text_table(path, {})
    assert table.header == ["gene", "s1"]
    assert len(table.notes) == n_notes


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("x.tsv", ["gene, id", "s1"]),
        ("x.txt", ["gene, id", "s1"]),
        ("x.tab", ["gene, id", "s1"]),
        ("x.csv", ["gene", "id\ts1"]),
    ],
)
def test_of_two_separators_that_divide_evenly_the_suffix_decides(tmp_path, name, header):
    assert contents(tmp_path, "gene, id\ts1\nTP53, x\t1\n", name)[0] == header


@pytest.mark.parametrize("separator", ["\t", ",", " "])
def test_names_in_quotes_are_those_of_the_csv_module(tmp_path, separator):
    """GEO and R quote the names of rows: these lines are divided without the csv module."""
    names = ["a", "b c", "d\te", "f,g", 'h"i', "j\nk", "", '"', "l'", "m\\", "#n"]
    names += [f"p{i}" for i in range(10)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["id", "x", "y"])
    writer.writerows([f"first{i}", 0, 0] for i in range(6))  # the first lines are always divided
    writer.writerows([name, i + 0.5, -i] for i, name in enumerate(names))
    stream = io.BytesIO(text.getvalue().encode())
    table = read_text("x.csv", stream, separator=separator, decimal=".")
    assert table.columns([0])[0][6:] == [name.strip() for name in names]
    numbers = table.values([1, 2]).T[6:]
    np.testing.assert_array_equal(numbers, [[i + 0.5, -i] for i in range(len(names))])


def test_a_table_in_quotes_takes_no_more_memory_than_one_without(tmp_path):
    """Its rows are kept as lines as well: cells, as a list, take several times as much."""
    rows = [["id", "x", "y"], *([f"s{i}", f"{i}.5", str(-i)] for i in range(20))]
    tables = []
    for quoting in (csv.QUOTE_ALL, csv.QUOTE_MINIMAL):
        with (tmp_path / "x.csv").open("w", newline="") as file:
            csv.writer(file, quoting=quoting).writerows(rows)
        tables.append(read_text_table(tmp_path / "x.csv", {}))
    in_quotes, plain = tables
    assert (in_quotes.header, in_quotes.rows) == (plain.header, plain.rows)
    assert sum(map(sys.getsizeof, in_quotes.rows)) < 100 * len(plain.rows)
