"""The separator and the header of text: the user's choice is never overruled."""

import pytest

from xnbflow.core.errors import InputError
from xnbflow.sources.table_formats import open_table


def contents(folder, text, name="x.csv", **options):
    path = folder / name
    path.write_text(text)
    with open_table(path, options) as table:
        return table.header, [list(cells) for _, cells, _ in table.divided_rows(len(table.header))]


def test_a_separator_of_the_sheet_is_used_where_another_would_divide_evenly(tmp_path):
    text = "a|b;x;y\n1|2;3;4\n"
    assert contents(tmp_path, text, separator="pipe")[0] == ["a", "b;x;y"]
    with pytest.raises(InputError, match="single cell"):
        contents(tmp_path, "a;b\n1;2\n", separator="tab")
    with pytest.raises(InputError, match="single cell"):
        contents(tmp_path, "a;b\n1;2\n", separator="comma")
    assert contents(tmp_path, "a;b\n1;2\n")[0] == ["a", "b"]


@pytest.mark.parametrize(
    ("separator", "name"), [(",", "comma"), ("\t", "tab"), (";", "semicolon"), ("|", "pipe")]
)
def test_every_separator_divides_as_it_is_named(tmp_path, separator, name):
    text = separator.join("abc") + "\n" + separator.join("123") + "\n"
    assert contents(tmp_path, text, separator=name) == (list("abc"), [list("123")])


def test_titles_are_left_out_with_any_separator(tmp_path):
    for separator in ",;\t":
        text = separator.join(["gene", "s1", "s2"]) + "\n" + separator.join("123") + "\n"
        header, rows = contents(tmp_path, f"Made on Monday\nby RMA\n\n{text}")
        assert (header, rows) == (["gene", "s1", "s2"], [["1", "2", "3"]])


def test_line_numbers_count_titles(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("Title, of commas\n\ngene,s1,s2,s3,s4\nTP53,1,2,3,4\n")
    with open_table(path, {}) as table:
        assert [number for number, _, _ in table.divided_rows(5)] == [4]


def test_a_header_that_is_cut_is_still_an_error(tmp_path):
    with pytest.raises(InputError, match="line 2: 5 cells, but the header has 2"):
        contents(tmp_path, "a,b\n1,2,3,4,5\n1,2,3,4,5\n")
