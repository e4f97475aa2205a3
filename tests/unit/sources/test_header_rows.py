"""Which of the first rows is the header: titles, rows of conditions, and what is neither."""

import pytest
from toys import refused

from xnbflow.sources.formats.header_rows import HeaderRows, chosen_header, fill_forward, find_header
from xnbflow.sources.formats.opening import read_text_table

HEADER = ["gene", "S1", "S2", "S3", "S4"]
VALUES = ["TP53", "7.1", "8.2", "6", "9"]
CONDITIONS = ["", "t", "t", "n", "n"]


@pytest.mark.parametrize(
    ("rows", "header", "conditions"),
    [
        ([HEADER, VALUES], 0, None),
        ([["A title"], HEADER, VALUES], 1, None),
        ([["A title", "", "", "", ""], HEADER, VALUES], 1, None),  # as a spreadsheet pads it
        ([["A title"], ["of two lines"], HEADER, VALUES], 2, None),
        ([["Cells", " by commas"], HEADER, VALUES], 1, None),
        ([["a", "b", "c"], HEADER, VALUES], 0, None),  # more than half as wide: a cut header
        ([["", "condition"], ["S1", "tumour"], ["S2", "normal"]], 0, None),  # R, without a name
        ([["id"], ["s1", "1.5", "2"], ["s2", "1", "2"]], 0, None),  # values are no header
        ([["sample", "condition"], ["S1", "tumour"]], 0, None),
        ([CONDITIONS, HEADER, VALUES], 1, 0),
        ([["", "t", "", "n", ""], HEADER, VALUES], 1, 0),  # merged cells
        ([["A title"], CONDITIONS, HEADER, VALUES], 2, 1),
        ([HEADER, CONDITIONS, VALUES], 0, 1),
        ([HEADER, ["type", "t", "t", "n", "n"], VALUES], 0, None),  # it has a name
        ([HEADER, ["", "t", "t", "n", "x"], VALUES], 0, None),  # x does not repeat
        ([HEADER, ["", "t", "t", "t", "t"], VALUES], 0, None),  # one condition
        ([HEADER, ["", "1", "1", "2", "2"], VALUES], 0, None),  # numbers
        ([HEADER, CONDITIONS, ["TP53", "a", "b", "c", "d"]], 0, None),  # no values below
        ([["gene", "t", "t", "n", "n"], ["", *HEADER[1:]], VALUES], 1, 0),  # merged corner
        ([["type", "t", "t", "n", "n"], HEADER, VALUES], 0, None),  # both rows have a name
        ([["a title"], ["a", "b", "c", "d", "1"], VALUES], 1, None),  # four of five are texts
        ([["a title"], ["a", "b", "1", "2", "3"], VALUES], 0, None),
        ([["", "t", "t", "n", "n"], HEADER, ["TP53", "1", "2", "3", "x"]], 0, None),
        ([["", "t", "n", "n"], HEADER[:4], VALUES[:4]], 0, None),  # three samples
        ([], 0, None),
        ([HEADER], 0, None),
    ],
)
def test_the_header_is_found(rows, header, conditions):
    assert find_header(rows) == HeaderRows(header, conditions)


def test_names_of_samples_below_conditions_are_distinct():
    rows = [CONDITIONS, ["gene", "S1", "S1", "S3", "S4"], VALUES]
    assert find_header(rows) == HeaderRows(0)


def test_first_and_below_leave_out_titles_alone():
    assert (HeaderRows(2, 1).first, HeaderRows(2, 1).first_below) == (1, 3)
    assert (HeaderRows(1, 2).first, HeaderRows(1, 2).first_below) == (1, 3)
    assert (HeaderRows(1).first, HeaderRows(1).first_below) == (1, 2)


def test_merged_cells_are_filled_from_the_left_but_not_by_the_name():
    assert fill_forward(["", "t", "", "n", ""], "row 1") == ["row 1", "t", "t", "n", "n"]
    assert fill_forward(["type", "", "t"], "row 1") == ["type", "", "t"]


def test_a_chosen_header_is_a_line_among_the_first_ones():
    rows = [(1, ["units", "a"]), (3, HEADER), (4, CONDITIONS), (5, VALUES)]
    assert chosen_header("x.csv", rows, 3) == HeaderRows(1, 2)
    with refused("header: 2 names a line that is empty.* 1, 3, 4, 5"):
        chosen_header("x.csv", rows, 2)


def test_a_row_of_half_as_many_cells_as_the_widest_is_no_title():
    assert (
        find_header([["a", "b"], ["gene", "s1", "s2", "s3"], ["TP53", "1", "2", "3"]]).header == 0
    )
    five = [["a", "b"], ["gene", "s1", "s2", "s3", "s4"], ["TP53", "1", "2", "3", "4"]]
    assert find_header(five).header == 1


def test_a_header_of_two_cells_may_be_below_a_title():
    assert find_header([["A title"], ["sample", "group"], ["s1", "tumour"]]).header == 1


@pytest.mark.parametrize(("n_titles", "is_found"), [(10, True), (11, False)])
def test_the_header_is_among_the_first_twelve_rows(tmp_path, n_titles, is_found):
    titles = [f"Remark {i}\n" for i in range(n_titles)]
    (tmp_path / "x.csv").write_text("".join([*titles, "gene,s1\nTP53,1\nMYC,2\n"]))
    if is_found:
        assert read_text_table(tmp_path / "x.csv", {}).header == ["gene", "s1"]
    else:
        with refused("line 12: 1 cell, but the header has 2"):
            read_text_table(tmp_path / "x.csv", {})
