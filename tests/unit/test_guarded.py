"""Files that would fill the memory, or never end, are refused with a way out."""

import gzip
import zipfile

import pytest

from xnbflow.data.errors import InputError
from xnbflow.data.sources import guarded, text_lines
from xnbflow.data.sources.cumida import read_cumida_csv
from xnbflow.data.sources.sheet_row import SheetRow
from xnbflow.data.sources.table import read_table

MEGABYTE = 1 << 20
HEADER = b"samples,type,g1\n"


def read_as_table(path):
    return read_table(path, SheetRow("toy", "table", str(path), label="type", id_column="samples"))


def read_as_cumida(path):
    return read_cumida_csv(path, "toy")


READERS = [read_as_table, read_as_cumida]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("filling", [b"\n", b",", b"s,t,0\n", b"a"])
def test_a_gzip_bomb_is_refused(tmp_path, monkeypatch, read, filling):
    monkeypatch.setattr(guarded, "_HARMLESS", MEGABYTE)
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(HEADER)
        for _ in range(3):
            file.write(filling * (MEGABYTE // len(filling)))
    with pytest.raises(InputError, match=r"bomb\.csv\.gz unpacks to more than 250 times its size"):
        read(path)


def test_a_small_file_may_shrink_as_much_as_it_likes(tmp_path):
    path = tmp_path / "zeros.csv.gz"
    rows = b"".join(b"s%d,%s,0.0\n" % (i, b"ab"[i % 2 : i % 2 + 1]) for i in range(2000))
    path.write_bytes(gzip.compress(HEADER + rows + b"\n" * 200_000))
    assert read_as_table(path).values.shape == (1, 2000)


def test_a_workbook_that_unpacks_to_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(guarded, "_HARMLESS", MEGABYTE)
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"<row/>" * (MEGABYTE // 4))
    with pytest.raises(InputError, match=r"bomb\.xlsx unpacks to more than 250 times its size"):
        read_as_table(path)


@pytest.mark.parametrize("read", READERS)
def test_a_line_without_end_is_refused(tmp_path, monkeypatch, read):
    monkeypatch.setattr(guarded, "LONGEST_LINE", 1000)
    path = tmp_path / "long.csv"
    path.write_bytes(HEADER + b"s1,a,1.5\ns2,b," + b"1" * 2000 + b"\n")
    if read is read_as_cumida:  # it reads by blocks, and only ends them by lines
        monkeypatch.setattr("xnbflow.data.sources.cumida._BLOCK_BYTES", 20)
    with pytest.raises(InputError, match=r"long\.csv has a line of more than"):
        read(path)


@pytest.mark.parametrize("read", READERS)
def test_a_line_of_more_cells_than_any_series_is_refused(tmp_path, monkeypatch, read):
    monkeypatch.setattr(guarded, "_MOST_COLUMNS", 50)
    path = tmp_path / "wide.csv"
    path.write_bytes(b"samples,type" + b",g" * 60 + b"\n")
    with pytest.raises(InputError, match=r"wide\.csv has a line of 62 cells: no series is so wide"):
        read(path)


def test_a_quote_without_its_pair_is_told_before_the_rest_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text_lines, "_LONGEST_QUOTE", 1000)
    path = tmp_path / "quote.csv"
    path.write_bytes(HEADER + b's1,a,1\ns2,"b,2\n' + b"s3,a,3\n" * 100_000)
    with pytest.raises(InputError, match=r"quote\.csv, line 3: not valid CSV"):
        read_as_table(path)


def test_a_cell_may_hold_line_breaks(tmp_path):
    path = tmp_path / "breaks.csv"
    path.write_bytes(b'samples,type,note,g1\ns1,a,"x\n\ny",1\n\ns2,b,"",2\ns3,a,z,x\n')
    row = SheetRow(
        "t", "table", str(path), label="type", id_column="samples", options={"drop": "note"}
    )
    with pytest.raises(InputError, match=r"line 7: 'x' is not a number"):
        read_table(path, row)


@pytest.mark.parametrize("read", READERS)
def test_blank_lines_between_blocks_do_not_shift_the_lines_that_are_told(
    tmp_path, monkeypatch, read
):
    module = "cumida" if read is read_as_cumida else "delimited"
    monkeypatch.setattr(f"xnbflow.data.sources.{module}._BLOCK_BYTES", 4)
    path = tmp_path / "blank.csv"
    path.write_bytes(HEADER + b"s1,a,1\n" + b"\n" * 40 + b"s2,b,2\ns3,b,high\n")
    with pytest.raises(InputError, match=r"line 44\b.*'high'"):
        read(path)
