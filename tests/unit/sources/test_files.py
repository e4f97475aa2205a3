"""Files of text: numbers as `float` reads them, errors with their place, and bombs."""

import gzip
import io
import tomllib
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import mistakes, refused

from xnbflow.sources.annotation import read_annotation
from xnbflow.sources.cumida import read_cumida_csv
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats import files
from xnbflow.sources.formats.files import refuse_bomb
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.geo import read_geo
from xnbflow.sources.table import read_table
from xnbflow.studies.enrichment import read_gene_sets

NUMBERS = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{1,20})?", fullmatch=True)
    | st.from_regex(r"-?(\.[0-9]{1,20}|[0-9]{1,20}\.)([eE][+-]?[0-9]{1,2})?", fullmatch=True)
)
MISSING = st.sampled_from(["", "NA", "na", "NaN", "-nan", "?", "null", "None", "n/a", " NA "])


def read(text, separator="\t", decimal=".", **settings):
    table = read_text("x.tsv", io.BytesIO(text.encode()), (separator, decimal), **settings)
    (names,) = table.columns([0])
    return names, table.numbers(range(1, len(table.header))), table.lines


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
    ("row", "key", "code"),
    [
        *mistakes("row"),
        pytest.param(
            'r\t"1\t2' + "\n" * 200_000,
            "line 4",
            "text.wrong-quotes",
            marks=pytest.mark.slow,
            id="lines",
        ),
    ],
)
def test_an_error_names_its_line_or_column(row, key, code):
    with refused(r"\bline 4\b", key=key, code=code):
        read(f"id\ta\tb\np\t1\t2\nq\t1\t2\n{row}\n")


MEGABYTE = 1 << 20
HEADER = b"samples,type,g1\n"


def read_as_table(path):
    return read_table(
        path, DatasetEntry("toy", "table", str(path), label="type", id_column="samples")
    )


READERS = [read_as_table, partial(read_cumida_csv, dataset=DatasetEntry("toy", "cumida"))]


def read_as_geo(path):
    read_geo(path, DatasetEntry("x", "geo", str(path), label="title"))


#: Readers of gzipped text, what precedes the filling of a bomb, and the fillings.
PACKED = {
    "table": (read_as_table, HEADER, [b"\n", b",", b"s,t,0\n", b"a"]),
    "cumida": (READERS[1], HEADER, [b"\n", b",", b"s,t,0\n", b"a"]),
    "series matrix": (read_as_geo, b'!Series_title\t"x"\n', [b"\n", b"!Sample_a\t1\n"]),
    "SOFT": (read_as_geo, b"^DATABASE = Geo\n", [b"\n", b"!a = b\n"]),
    "annotation": (lambda path: read_annotation(path, ["p"]), b"ID\tSymbol\n", [b"\n", b"p\tG\n"]),
    "gene sets": (read_gene_sets, b"set\t-\tg1\n", [b"\n", b"\tg"]),
}


@pytest.mark.parametrize(
    ("name", "filling"), [(name, text) for name, (*_, texts) in PACKED.items() for text in texts]
)
def test_a_gzip_bomb_is_refused(tmp_path, monkeypatch, name, filling):
    harmless = MEGABYTE // 8
    monkeypatch.setattr(files, "HARMLESS_BYTES", harmless)
    read, header, _ = PACKED[name]
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(header)
        for _ in range(3):
            file.write(filling * (harmless // len(filling)))
    with refused("unpacks to more than 250 times its size", file=path, code="files.bomb"):
        read(path)


def test_a_parquet_file_of_few_bytes_and_many_rows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "HARMLESS_BYTES", MEGABYTE)
    path, zeros = tmp_path / "bomb.parquet", np.zeros(MEGABYTE)
    pq.write_table(pa.table({"type": ["a"] * MEGABYTE, "g1": zeros}), path)
    with refused("unpacks to more than 250 times its size", file=path, code="files.bomb"):
        read_as_table(path)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("limit", "content", "code"),
    [
        ("LONGEST_LINE", HEADER + b"s1,a,1.5\ns2,b," + b"1" * 2000 + b"\n", "files.endless-line"),
        ("MOST_COLUMNS", b"samples,type" + b",g" * 1100 + b"\n", "files.too-wide"),
    ],
)
def test_a_line_longer_than_any_row_is_refused(tmp_path, monkeypatch, read, limit, content, code):
    monkeypatch.setattr(files, limit, 1000)
    path = tmp_path / "long.csv"
    path.write_bytes(content)
    with refused("has a line of", file=path, code=code):
        read(path)


CELLS = "<row r='1'><c r='A1'><v>1</v></c><c r='XFD1048576'><v>2</v></c></row>"


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
        ("far cell", None, "more than 1024 MiB of memory"),
        ("bomb", None, "more than 250 times its size"),
        ("no sheets", None, r"\(it has no sheets\)"),
        ("cut", None, "invalid Zip archive"),
        ("no archive", None, "invalid Zip archive"),
        ("encrypted", None, "Password required to decrypt file"),
        ("another sheet", "sheet", "no sheet 'none'; it has s"),
    ],
)
def test_a_workbook_that_cannot_be_read_is_refused(tmp_path, monkeypatch, damage, key, message):
    path = tmp_path / "x.xlsx"
    options = {"sheet": "none"} if damage == "another sheet" else {}
    if damage == "bomb":
        monkeypatch.setattr(files, "HARMLESS_BYTES", MEGABYTE)
        workbook(path, "<row/>" * (MEGABYTE // 3))
    elif damage == "no sheets":
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


@pytest.mark.parametrize(
    ("packed", "unpacked", "is_refused"),
    [
        (1000, 1 << 26, False),  # 64 MiB are harmless
        (1000, (1 << 26) + 1, True),
        (1_000_000, 250_000_000, False),
        (1_000_000, 250_000_001, True),
    ],
)
def test_data_unpack_to_250_times_their_size_or_64_mebibytes(packed, unpacked, is_refused):
    if is_refused:
        with refused("unpacks to more than 250 times its size", code="files.bomb"):
            refuse_bomb(Path("x.gz"), packed, unpacked)
    else:
        refuse_bomb(Path("x.gz"), packed, unpacked)
