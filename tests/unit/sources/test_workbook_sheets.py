"""Sheets of a workbook: which has the values, and which describes the samples."""

import struct
import zipfile
from importlib.metadata import version

import pandas as pd
import pytest
from packaging.version import Version

from xnbflow.core.errors import InputError
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats import workbook
from xnbflow.sources.formats.opening import read_text_table
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import _workbook_rows, about_sheets
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.sources.proposal.workbook_sheets import (
    Sheet,
    _find_sample_sheet,
    phenotype_sheet,
    propose_sheets,
)
from xnbflow.sources.table import read_table

NAMES = [f"S{i}" for i in range(10)]


def sheet_of(name, header, rows):
    """Return a sheet of texts."""
    return Sheet(name, TextTable(path="x.xlsx", header=header, rows=rows, lines=range(len(rows))))


def sheet(name, cells, header=("id", "group")):
    return sheet_of(name, list(header), [[cell, "a"] for cell in cells])


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
    description = _find_sample_sheet([sheet("samples", cells)], ["gene", *NAMES, ""])
    assert (None if description is None else description[1:]) == (n_shared and ("id", n_shared))


def test_the_sheet_that_shares_most_is_taken_and_the_first_of_equal_ones():
    sheets = [sheet("few", NAMES[:4]), sheet("most", NAMES[:8]), sheet("later", NAMES[:8])]
    assert _find_sample_sheet(sheets, NAMES)[0].name == "most"


def test_a_list_of_names_describes_nothing():
    one = sheet_of("names", ["id"], [[name] for name in NAMES])
    unnamed = sheet("samples", NAMES, ("", "group"))
    assert _find_sample_sheet([one, unnamed], NAMES) is None


def test_numbers_beside_the_first_column_are_counted():
    rows = [["1", "2.5", "x", ""], ["2", "NA", "3", "-1e5"]]
    assert sheet_of("values", list("abcd"), rows).n_numbers == 3


def test_the_sheet_of_most_numbers_has_the_values_although_another_has_more_rows(tmp_path):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    values = pd.DataFrame([[f"g{i}", *range(10)] for i in range(4)], columns=["gene", *NAMES])
    samples = pd.DataFrame({"no": range(10), "array": NAMES, "group": [*"ab"] * 5})
    notes = pd.DataFrame({"remark": ["text"] * 50, "author": ["me"] * 50})
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        for name, frame in (("samples", samples), ("notes", notes), ("values", values)):
            frame.to_excel(book, sheet_name=name, index=False)
    options, sentence, table, described = propose_sheets(
        tmp_path / "x.xlsx", DatasetEntry("x", "table")
    )
    assert options == {
        "sheet": "values",
        "phenotype": str(tmp_path / "x.xlsx"),
        "phenotype_sheet": "samples",
        "phenotype_id": "array",
    }
    assert sentence.endswith(
        "'samples' describes 10 samples of it (phenotype.sheet); not used: notes."
    )
    assert (table.header, described.header) == (["gene", *NAMES], list(samples))
    chosen = DatasetEntry("x", "table", sheet="notes")
    assert propose_sheets(tmp_path / "x.xlsx", chosen) == ({}, "", None, None)
    named = DatasetEntry("x", "table", phenotype="p.csv")
    assert propose_sheets(tmp_path / "x.xlsx", named)[0] == {"sheet": "values"}


GENES = [f"g{i}" for i in range(40)]
SAMPLES = pd.DataFrame({"array": NAMES, "group": [*"ab"] * 5, "age": range(10)})
VALUES = pd.DataFrame([[gene, *range(10)] for gene in GENES], columns=["gene", *NAMES])


@pytest.mark.parametrize(
    "other",
    [
        VALUES.assign(gene=GENES[::-1]),  # other values of the same samples and genes
        pd.DataFrame({"gene": GENES, "logFC": range(40), "P.Value": [0.5] * 40}),
        pd.DataFrame({"gene": GENES, "chromosome": range(40), "start": range(40)}),
    ],
    ids=["normalised values", "results", "annotation"],
)
def test_sheets_of_the_genes_describe_no_samples(tmp_path, other):
    """Workbooks of a paper have the values, the samples, and results or annotation of the genes."""
    pytest.importorskip("openpyxl", reason="writes the workbook")
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        for name, frame in (("values", VALUES), ("genes", other), ("samples", SAMPLES)):
            frame.to_excel(book, sheet_name=name, index=False)
    keys = propose_sheets(tmp_path / "x.xlsx", DatasetEntry("x", "table")).keys
    assert (keys["sheet"], keys["phenotype_sheet"]) == ("values", "samples")

    # With the labels beside the values, no sheet describes the samples.
    labelled = VALUES.set_index("gene").T.reset_index(names="array")
    labelled.insert(1, "group", SAMPLES["group"])
    if list(other) == list(VALUES):
        other = labelled
    with pd.ExcelWriter(tmp_path / "y.xlsx") as book:
        labelled.to_excel(book, sheet_name="values", index=False)
        other.to_excel(book, sheet_name="genes", index=False)
    keys = propose_sheets(tmp_path / "y.xlsx", DatasetEntry("x", "table")).keys
    assert keys == {"sheet": "values"}


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_of_equal_sheets_one_that_is_visible_has_the_values(tmp_path, state):
    openpyxl = pytest.importorskip("openpyxl", reason="writes the workbook")
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        for name in ("old", "values"):
            VALUES.to_excel(book, sheet_name=name, index=False)
        SAMPLES.to_excel(book, sheet_name="samples", index=False)
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    book["old"].sheet_state = state
    book.active = 1
    book.save(tmp_path / "x.xlsx")
    assert propose_sheets(tmp_path / "x.xlsx", DatasetEntry("x", "table")).keys["sheet"] == "values"


def test_a_sheet_of_samples_may_repeat_the_label_of_the_values(tmp_path):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    labelled = VALUES.set_index("gene").T.reset_index(names="array")
    labelled.insert(1, "group", SAMPLES["group"])
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        labelled.to_excel(book, sheet_name="values", index=False)
        SAMPLES.to_excel(book, sheet_name="samples", index=False)
    keys = propose_sheets(tmp_path / "x.xlsx", DatasetEntry("x", "table")).keys
    assert keys["phenotype_sheet"] == "samples"


def test_the_first_column_of_a_sheet_needs_no_option(tmp_path):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    values = pd.DataFrame([[f"g{i}", *range(10)] for i in range(4)], columns=["gene", *NAMES])
    samples = pd.DataFrame({"array": NAMES, "group": [*"ab"] * 5})
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        samples.to_excel(book, sheet_name="samples", index=False)
        values.to_excel(book, sheet_name="values", index=False)
    options = propose_sheets(tmp_path / "x.xlsx", DatasetEntry("x", "table")).keys
    assert "phenotype_id" not in options
    assert phenotype_sheet(tmp_path / "x.xlsx", NAMES).keys == {
        "phenotype_sheet": "samples",
        "phenotype_id": "array",
    }


def test_the_first_sheet_is_read_with_a_note_that_names_the_others(tmp_path):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    frame = pd.DataFrame({"gene": ["g1"], "s1": [1.5]})
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        for name in ("values", "legend", "more"):
            frame.to_excel(book, sheet_name=name, index=False)
    (note,) = read_text_table(tmp_path / "x.xlsx", {}).notes
    assert "the first sheet, 'values', was read; the key sheet names another one" in note
    assert "'legend', 'more'" in note
    assert read_text_table(tmp_path / "x.xlsx", {"sheet": "legend"}).notes == []


def test_a_refusal_of_the_first_sheet_names_the_others(tmp_path):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        for name in ("legend", "values", "more"):
            pd.DataFrame({"gene": ["g1"]}).to_excel(book, sheet_name=name, index=False)
    table = read_text_table(tmp_path / "x.xlsx", {})
    cause = InputError("x.xlsx: no 'id'", file="x.xlsx", key="id")
    with (
        pytest.raises(InputError, match="This is the first sheet, 'legend'; ") as error,
        about_sheets(table),
    ):
        raise cause
    assert str(error.value).endswith("set sheet: 'values', 'more'")
    assert (error.value.file, error.value.key) == ("x.xlsx", "sheet")


def test_a_stray_last_cell_is_named_instead_of_filling_the_memory(tmp_path):
    """The library would allocate every cell of the used range, 500 GB in all."""
    openpyxl = pytest.importorskip("openpyxl", reason="writes the workbook")
    book = openpyxl.Workbook()
    book.active.append(["id", "g1"])
    book.active.append(["s1", 1.5])
    book.create_sheet("a & b").append(["id", "g1"])
    book["a & b"]["XFD1048576"] = " "
    book.save(tmp_path / "x.xlsx")
    with pytest.raises(InputError, match="the last used cell of the sheet 'a & b' is XFD1048576"):
        read_text_table(tmp_path / "x.xlsx", {"sheet": "a & b"})
    assert read_text_table(tmp_path / "x.xlsx", {"sheet": "Sheet"}).cells(0) == ["s1", "1.5"]


def test_a_remark_beside_the_table_is_named(tmp_path):
    """Its column has no name, which ``drop`` could have."""
    openpyxl = pytest.importorskip("openpyxl", reason="writes the workbook")
    book = openpyxl.Workbook()
    for row in (["id", "type", "g1"], ["s1", "a", 1.5], ["s2", "b", 2.5]):
        book.active.append(row)
    book.active["F3"] = "measured again"
    book.save(tmp_path / "x.xlsx")
    with pytest.raises(InputError, match="delete the cell if it is a remark") as error:
        read_table(tmp_path / "x.xlsx", DatasetEntry("x", "table", label="type", id_column="id"))
    assert error.value.key is None


def readings_of(monkeypatch):
    """Return a list to which the sheet of each reading is added."""
    readings = []

    def counted(path, sheet):
        readings.append(sheet)
        return _workbook_rows(path, sheet)

    monkeypatch.setattr(workbook, "_workbook_rows", counted)
    return readings


def test_values_and_samples_in_two_sheets_are_read_once(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    values = pd.DataFrame([[f"ZNF{i}", *range(10)] for i in range(30)], columns=["gene", *NAMES])
    samples = pd.DataFrame({"array": NAMES, "group": [*"ab"] * 5})
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        samples.to_excel(book, sheet_name="samples", index=False)
        values.to_excel(book, sheet_name="values", index=False)
    readings = readings_of(monkeypatch)
    proposed = summarise_table(DatasetEntry("x", "table", str(tmp_path / "x.xlsx"))).entry
    assert (proposed.label, sorted(readings)) == ("group", ["samples", "values"])


def test_a_workbook_with_decimal_commas_is_read_once(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    texts = [f"{value},25" for value in range(30, 42)]
    frame = pd.DataFrame({"type": ["ill", "well"] * 6, "g1": texts, "g2": range(12)})
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    readings = readings_of(monkeypatch)
    request = DatasetEntry("x", "table", str(tmp_path / "x.xlsx"))
    proposed = summarise_table(request).entry
    assert (proposed.decimal, len(readings)) == ("comma", 1)
    series = acquire(proposed)
    assert series.values[:, 3].tolist() == [33.25, 3.0]


def record(kind, content=b""):
    """Return a record of a binary workbook (MS-XLSB, 2.1.4): its kind, its size, its content."""
    head = b""
    for number in (kind, len(content)):
        while number >= 128:
            head += bytes([number % 128 + 128])
            number //= 128  # noqa: PLW2901 - 7 bits in each byte
        head += bytes([number])
    return head + content


def wide(text):
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def write_binary_workbook(path, last_row, last_column):
    """Write a sheet of two cells and a space in the last one, as records by MS-XLSB."""
    sheet = record(129) + record(148, struct.pack("<4I", 0, last_row, 0, last_column)) + record(145)
    for row, column, text in ((0, 0, "id"), (0, 1, "g"), (last_row, last_column, " ")):
        sheet += record(0, struct.pack("<2IH3xI", row, 0, 300, 0))
        sheet += record(6, struct.pack("<2I", column, 0) + wide(text))
    sheet += record(146) + record(130)
    named = struct.pack("<2I", 0, 1) + wide("rId1") + wide("s & t")
    book = record(131) + record(143) + record(156, named) + record(144) + record(132)
    schema = "http://schemas.openxmlformats.org"
    office = f"{schema}/officeDocument/2006/relationships"
    parts = {
        "_rels/.rels": ("officeDocument", "xl/workbook.bin"),
        "xl/_rels/workbook.bin.rels": ("worksheet", "worksheets/sheet1.bin"),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{schema}/package/2006/content-types">'
            '<Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.main"/>'
            "</Types>",
        )
        for name, (kind, target) in parts.items():
            archive.writestr(
                name,
                f'<Relationships xmlns="{schema}/package/2006/relationships">'
                f'<Relationship Id="rId1" Type="{office}/{kind}" Target="{target}"/>'
                "</Relationships>",
            )
        archive.writestr("xl/workbook.bin", book)
        archive.writestr("xl/worksheets/sheet1.bin", sheet)


def test_a_stray_last_cell_of_a_binary_workbook_is_named(tmp_path):
    write_binary_workbook(tmp_path / "x.xlsb", 1, 2)
    assert read_text_table(tmp_path / "x.xlsb", {}).header == ["id", "g", ""]
    write_binary_workbook(tmp_path / "y.xlsb", 1_048_575, 16_383)
    with pytest.raises(InputError, match="the last used cell of the sheet 's & t' is XFD1048576"):
        read_text_table(tmp_path / "y.xlsb", {})


@pytest.mark.skipif(
    Version(version("python-calamine")) < Version("0.9.1"),
    reason="python-calamine limits the cells of open documents from 0.9.1 on",
)
def test_a_stray_last_cell_of_an_open_document_is_refused_by_its_number_of_cells(tmp_path):
    """The format does not state the used range; the library has a limit of its own."""
    space = "urn:oasis:names:tc:opendocument:xmlns"
    text = '<table:table-cell office:value-type="string"><text:p>id</text:p></table:table-cell>'
    empty = '<table:table-cell table:number-columns-repeated="16383"/>'
    with zipfile.ZipFile(tmp_path / "x.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{space}:manifest:1.0"/>')
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{space}:office:1.0" '
            f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0"><office:body>'
            f'<office:spreadsheet><table:table table:name="s">'
            f"<table:table-row>{text}</table:table-row>"
            f'<table:table-row table:number-rows-repeated="1048574">{empty}</table:table-row>'
            f"<table:table-row>{empty}{text}</table:table-row>"
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    with pytest.raises(InputError, match=r"limit.*Delete the rows below and the columns beside"):
        read_text_table(tmp_path / "x.ods", {})


def test_rows_that_repeat_the_header_are_left_out(tmp_path):
    """As in text: sheets were pasted below each other, with their headers."""
    frame = pd.DataFrame(
        {"sample": list("pqrs"), "type": list("abab"), 2010: [7.5, 8.25, 6.5, 9.0]}
    )
    header = pd.DataFrame([list(frame)], columns=list(frame))
    path = tmp_path / "pasted.xlsx"
    pd.concat([frame[:2], header, frame[2:], header]).to_excel(path, index=False)
    table = read_text_table(path, {})
    assert table.columns([0, 2]) == [list("pqrs"), ["7.5", "8.25", "6.5", "9"]]
    assert list(table.lines) == [2, 3, 5, 6]
    assert table.notes == [
        "row 4 repeats the header and was left out",
        "row 7 repeats the header and was left out",
    ]
