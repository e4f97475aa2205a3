"""Sheets of a workbook: which has the values, and which describes the samples."""

import pytest

from xnbflow.sources.workbook_sheets import Sheet, describing_sheet

NAMES = [f"S{i}" for i in range(10)]


def sheet(name, cells, header=("id", "group")):
    return Sheet(name, list(header), [[cell, "a"] for cell in cells])


@pytest.mark.parametrize(
    ("cells", "n_shared"),
    [
        (NAMES, 10),
        (NAMES[:3], 3),
        (NAMES[:2], None),  # too few
        ([*NAMES[:5], *"abcde"], 5),  # half of its names
        ([*NAMES[:5], *"abcdef"], None),
        ([*NAMES, "S1"], None),  # a name twice is of no sample
        ([*NAMES, ""], 10),  # an empty row
    ],
)
def test_a_sheet_describes_samples_whose_names_it_shares(cells, n_shared):
    found = describing_sheet([sheet("samples", cells)], ["gene", *NAMES, ""])
    assert (None if found is None else found[1:]) == (n_shared and ("id", n_shared))


def test_the_sheet_that_shares_most_is_taken_and_the_first_of_equal_ones():
    sheets = [sheet("few", NAMES[:4]), sheet("most", NAMES[:8]), sheet("later", NAMES[:8])]
    assert describing_sheet(sheets, NAMES)[0].name == "most"


def test_a_list_of_names_describes_nothing():
    one = Sheet("names", ["id"], [[name] for name in NAMES])
    unnamed = sheet("samples", NAMES, ("", "group"))
    assert describing_sheet([one, unnamed], NAMES) is None


def test_numbers_beside_the_first_column_are_counted():
    rows = [["1", "2.5", "x", ""], ["2", "NA", "3", "-1e5"]]
    assert Sheet("values", list("abcd"), rows).n_numbers == 3
