"""Files of text: numbers as `float` reads them, and errors with their place; damaged workbooks."""

import bz2
import io
import lzma
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import mistakes, refused

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.table import read_table

NUMBERS = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{1,20})?", fullmatch=True)
    | st.from_regex(r"-?(\.[0-9]{1,20}|[0-9]{1,20}\.)([eE][+-]?[0-9]{1,2})?", fullmatch=True)
)
MISSING = st.sampled_from(["", "NA", "na", "NaN", "-nan", "?", "null", "None", "n/a", " NA "])


def read(text, separator="\t", decimal=".", **settings):
    table = read_text(
        "x.tsv",
        io.BytesIO(text.encode()),
        separator=separator,
        decimal=decimal,
        **settings,
    )
    (names,) = table.columns([0])
    return names, table.values(range(1, len(table.header))).T, table.lines


def expected(cell):
    word = cell.strip().lower()
    return np.nan if word in {"", "na", "nan", "-nan", "?", "null", "none", "n/a"} else float(cell)


@settings(max_examples=150, deadline=None)
@given(cells=st.lists(NUMBERS | MISSING, min_size=1, max_size=12), quoted=st.booleans())
@pytest.mark.slow
def test_every_number_is_that_of_float_and_words_for_nothing_are_missing(cells, quoted):
    name = '"a b"' if quoted else "a b"
    header = "\t".join(["id", *(f"g{i}" for i in range(len(cells)))])
    text = f"{header}\n" + "".join(f"{name}\t" + "\t".join(cells) + "\n" for _ in range(7))
    names, numbers, lines = read(text)
    np.testing.assert_array_equal(numbers, [[expected(cell) for cell in cells]] * 7)
    assert names == ["a b"] * 7
    assert lines == list(range(2, 9))


@pytest.mark.parametrize(("name", "compress"), [("bzip2", bz2.compress), ("xz", lzma.compress)])
def test_a_table_that_is_compressed_otherwise_than_by_gzip_is_refused(tmp_path, name, compress):
    path = tmp_path / "x.csv"
    path.write_bytes(compress(b"type,g\na,1\nb,2\n"))
    with refused(f"x.csv is compressed by {name}: unpack it"):
        read_table(path, DatasetEntry("toy", "table", label="type"))


def test_rows_are_numbered_by_their_first_line_and_blank_lines_count():
    rows = [
        f'"r{i}\n{i}"\t{i}.5\t-{i}\n\n' if i % 7 == 3 else f"r{i}\t{i}.5\t-{i}\n"
        for i in range(80_000)  # more than are converted at once
    ]
    names, numbers, lines = read("id\ta\tb\n" + "".join(rows))
    np.testing.assert_array_equal(numbers, [[i + 0.5, -i] for i in range(len(rows))])
    assert names[3] == "r3\n3"
    assert lines[:6] == [2, 3, 4, 5, 8, 9]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        *mistakes("row"),
        pytest.param(
            'r\t"1\t2' + "\n" * 200_000,
            "line 4",
            marks=pytest.mark.slow,
            id="lines",
        ),
    ],
)
def test_an_error_names_its_line_or_column(row, named):
    with refused(rf"{named}(.*\bline 4)?\b"):
        read(f"id\ta\tb\np\t1\t2\nq\t1\t2\n{row}\n")


CELLS = "<row r='1'><c r='A1'><v>1</v></c><c r='B1'><v>2</v></c></row>"


def workbook(path, cells=CELLS, **parts):
    """Write the parts of a workbook by hand, some changed."""
    content = tomllib.loads(Path(__file__).with_name("workbook.toml").read_text())
    content["xl/worksheets/sheet1.xml"] = content["xl/worksheets/sheet1.xml"].format(cells)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (content | parts).items():
            archive.writestr(name, text)


@pytest.mark.parametrize(
    ("damage", "key", "message"),
    [
        ("no sheets", None, r"\(it has no sheets\)"),
        ("cut", None, "invalid Zip archive"),
        ("no archive", None, "invalid Zip archive"),
        ("encrypted", None, "Password required to decrypt file"),
        ("another sheet", "sheet", "no sheet 'none'; it has s"),
    ],
)
def test_a_workbook_that_cannot_be_read_is_refused(tmp_path, damage, key, message):
    path = tmp_path / "x.xlsx"
    options = {"sheet": "none"} if damage == "another sheet" else {}
    if damage == "no sheets":
        workbook(path, **{"xl/workbook.xml": "<workbook><sheets/></workbook>"})
    elif damage == "no archive":
        path.write_bytes(b"PK\x03\x04" + b"x" * 500)
    else:
        workbook(path)
    content = path.read_bytes()
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    if damage == "encrypted":
        path.write_bytes(
            content.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\xff")
        )
    with refused(message, file=path, key=key):
        read_table(path, DatasetEntry("x", "table", str(path), label="y", **options))
