"""Text in cells: every number is the one of `float`, at any width, on every path of the reader."""

import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xnbflow.data.errors import InputError
from xnbflow.data.sources import delimited, row_reader
from xnbflow.data.sources.annotation import read_annotation
from xnbflow.data.sources.blocks import Columns
from xnbflow.data.sources.delimited import DelimitedText
from xnbflow.data.sources.dialects import Dialect

NUMBERS = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{1,20})?", fullmatch=True)
    | st.from_regex(r"-?(\.[0-9]{1,20}|[0-9]{1,20}\.)([eE][+-]?[0-9]{1,2})?", fullmatch=True)
)
MISSING = st.sampled_from(["", "NA", "na", "NaN", "?", "null", "None", "n/a", " NA "])


def read(text, separator="\t", decimal=".", **settings):
    stream = io.BytesIO(text.encode())
    table = DelimitedText("x.tsv", stream, Dialect(separator, decimal), **settings)
    width = len(table.header)
    blocks = list(table.blocks(Columns(table.header, (0,), tuple(range(1, width)))))
    names = [name for block in blocks for name in block.texts[0]]
    lines = [line for block in blocks for line in block.lines]
    return names, np.vstack([block.numbers for block in blocks]), lines


def expected(cell):
    word = cell.strip().lower()
    return np.nan if word in {"", "na", "nan", "?", "null", "none", "n/a"} else float(cell)


@settings(max_examples=150, deadline=None)
@given(
    cells=st.lists(NUMBERS | MISSING, min_size=1, max_size=12),
    wide=st.booleans(),
    quoted=st.booleans(),
)
def test_every_number_is_that_of_float_and_words_for_nothing_are_missing(cells, wide, quoted):
    name = '"a b"' if quoted else "a b"
    header = "\t".join(["id", *(f"g{i}" for i in range(len(cells)))])
    text = f"{header}\n" + "".join(f"{name}\t" + "\t".join(cells) + "\n" for _ in range(7))
    with pytest.MonkeyPatch.context() as patch:
        if wide:
            patch.setattr(row_reader, "_WIDE", 0)
        names, numbers, lines = read(text)
    wanted = np.array([[expected(cell) for cell in cells]] * 7)
    np.testing.assert_array_equal(numbers, wanted)
    assert names == ["a b"] * 7
    assert lines == list(range(2, 9))


@pytest.mark.parametrize("wide", [True, False])
def test_blocks_meet_at_whole_rows(monkeypatch, wide):
    monkeypatch.setattr(delimited, "_BLOCK_BYTES", 100)
    if wide:
        monkeypatch.setattr(row_reader, "_WIDE", 0)
    rows = [
        f'"r{i}\n{i}"\t{i}.5\t-{i}\n\n' if i % 7 == 3 else f"r{i}\t{i}.5\t-{i}\n" for i in range(90)
    ]
    names, numbers, lines = read("id\ta\tb\n" + "".join(rows))
    assert numbers.tolist() == [[i + 0.5, -i] for i in range(90)]
    assert names[3] == "r3\n3"
    assert lines[:6] == [2, 3, 4, 5, 8, 9]


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("r\t1\thigh", r"x.tsv, column 3 \('b'\), line 4: 'high' is not a number; correct it"),
        ("r\t1\tinf", r"column 3 \('b'\), line 4: the value is infinite \('inf'\)"),
        ("r\t1e999\t2", r"column 2 \('a'\), line 4: the value is infinite"),
        ("r\t1_0\t2", r"column 2 \('a'\), line 4: '1_0' is not a number"),
        ("r\t1", "line 4: 2 cells, but the header has 3"),
        ("r\t1\t2\t3", "line 4: 4 cells, but the header has 3"),
        ('r\t"1\t2', "line 4: not valid CSV"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(monkeypatch, row, message, wide):
    if wide:
        monkeypatch.setattr(row_reader, "_WIDE", 0)
    with pytest.raises(InputError, match=message):
        read(f"id\ta\tb\np\t1\t2\nq\t1\t2\n{row}\n")


def test_a_table_ends_where_its_last_line_says_wherever_blocks_end(monkeypatch):
    for size in range(1, 40):
        monkeypatch.setattr(delimited, "_BLOCK_BYTES", size)
        text = "id\ta\n" + "".join(f"r{i}\t{i}\n" for i in range(9)) + "!end\nr\tx\n"
        _, numbers, _ = read(text, end=b"!end")
        assert numbers.ravel().tolist() == list(range(9))


def test_a_platform_s_annotation_is_read_without_holding_it(tmp_path):
    path = tmp_path / "GPL1.annot"
    with path.open("w") as file:
        file.write("!platform_table_begin\nID\tGene symbol\tGO\n")
        for i in range(20_000):
            file.write(f"p{i}\tS{i}\t{'x' * 1000}\n")
        file.write("!platform_table_end\n")
    assert path.stat().st_size > 20_000_000
    tracemalloc.start()
    table, _ = read_annotation(path, ["p7", "p19999", "q"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert list(table["symbol"]) == ["S7", "S19999", ""]
    assert peak < 3_000_000
