"""The sheet of data sets: what it accepts, and what its errors tell."""

from pathlib import Path

import pytest
import yaml
from toys import HOSTILE, mistakes, put, refused

from xnbflow.core.entries import Source
from xnbflow.core.errors import InputError
from xnbflow.sources import sheet as sheet_module
from xnbflow.sources.registry import SOURCES
from xnbflow.sources.dataset_entry import SHEET_COLUMNS, DatasetEntry, read_sheet, sheet_text

ROOT = Path(__file__).parents[3]

GOOD = ["brain", "cumida", "Brain/GSE50161", "ab" * 32, "130", "54675", "5"]
GOOD = dict(zip(SHEET_COLUMNS, GOOD, strict=False))


def write_sheet(
    folder: Path, *rows: dict[str, str], header: tuple[str, ...] = SHEET_COLUMNS
) -> Path:
    lines = ["\t".join(header)]
    lines += ["\t".join(row.get(column, "") for column in header) for row in rows]
    return put(folder, "\n".join(lines) + "\n", "datasets.tsv")


def test_a_row_in_any_order_becomes_a_typed_data_set(tmp_path):
    row = {"id": "mine", "source": "table", "location": "a.csv", "label": "type", "samples": "12"}
    row["options"] = "angular=wind:degrees, hour:24; drop=note"
    dataset = read_sheet(write_sheet(tmp_path, row, header=tuple(reversed(row))))["mine"]
    options = {"angular": "wind:degrees, hour:24", "drop": "note"}
    assert dataset == DatasetEntry(
        "mine", "table", location="a.csv", sha256=None, samples=12, label="type", options=options
    )
    assert dataset.names("angular") == ["wind:degrees", "hour:24"]
    assert dataset.names("categorical") == []


@pytest.mark.parametrize(
    ("source", "location", "path"),
    [
        ("table", "data/my.csv", Path("data/my.csv")),
        ("table", "file:///data/my%20own.csv", Path("/data/my own.csv")),
        ("table", "https://example.org/my.csv", None),
        ("geo", "GSE4107_series_matrix.txt.gz", Path("GSE4107_series_matrix.txt.gz")),
        ("geo", "GSE4107", None),
        ("cumida", "Brain/GSE50161", None),
    ],
)
def test_only_what_a_source_reads_on_this_machine_is_a_local_file(source, location, path):
    assert DatasetEntry("x", source, location).local_files.get("location") == path


def test_a_source_of_another_package_declares_its_local_files(monkeypatch):
    toy = Source(
        name="toy",
        module="toy.source",
        options={"mask": {}},
        files={"location": "", "mask": "none|builtin"},
    )
    monkeypatch.setattr(sheet_module, "known_sources", lambda: {"toy": toy})
    row = DatasetEntry("x", "toy", "my.toy", options={"mask": "mask.txt"})
    assert row.local_files == {"location": Path("my.toy"), "mask": Path("mask.txt")}
    row = DatasetEntry("x", "toy", "my.toy", options={"mask": "builtin"})
    assert row.local_files == {"location": Path("my.toy")}


@pytest.mark.parametrize("cells", [{"location": "my{x}.csv"}, {"options": "phenotype=my{x}.csv"}])
def test_braces_in_a_file_s_name_are_refused(tmp_path, cells):
    row = {"id": "x", "source": "table", "location": "x.csv", "label": "y"} | cells
    path = write_sheet(tmp_path, row)
    with pytest.raises(InputError, match="braces") as error:
        read_sheet(path)
    key, code = "location", "sheet.wrong-location"
    if "options" in cells:
        key, code = "phenotype", "sheet.wrong-file-option"
    assert (error.value.file, error.value.key) == (str(path), key)
    assert error.value.code == code


def documented(header):
    """Return the sources of each row of the tables of config/README.md with such a first column."""
    page = (ROOT / "config/README.md").read_text().replace("`", "")
    rows = {}
    for part in page.split(f"| {header} |")[1:]:
        for line in part.partition("\n\n")[0].splitlines()[2:]:
            name, sources, _ = line.strip("| ").split(" | ")
            assert name not in rows
            rows[name] = sources.split(", ")
    return rows


def test_every_column_and_option_is_documented():
    columns, options = documented("column of the sheet"), documented("option of the sheet")
    assert list(columns) == list(SHEET_COLUMNS)
    for source in SOURCES.values():
        of_source = {name for name, sources in options.items() if source.name in sources}
        assert of_source == set(source.options)


@pytest.mark.parametrize(
    ("change", "key", "code"),
    [
        *mistakes("sheet"),
        *(
            ({"id": name}, "id", "sheet.wrong-cell")
            for name in ("..", ".x", "", *HOSTILE)
            if name != "--rf"
        ),
        ({"options": "features_tolerance"}, None, "sheet.no-key"),
    ],
)
def test_a_bad_cell_is_named_with_its_line(tmp_path, change, key, code):
    path = write_sheet(tmp_path, GOOD | change)
    with refused("line 2", file=path, key=key, code=code):
        read_sheet(path)


HEADER = "\t".join(SHEET_COLUMNS)
ROW = "\t".join(GOOD.get(column, "") for column in SHEET_COLUMNS)


@pytest.mark.parametrize(
    ("text", "named", "code"),
    [
        (None, "does not exist", "sheet.no-sheet"),
        *((text.format(HEADER=HEADER, ROW=ROW), *row) for text, *row in mistakes("no_sheet")),
        (HEADER.removeprefix("id\t"), "'id'", "sheet.wrong-columns"),
        ("id\udcff", "a sheet saved as UTF-8 text", "sheet.unreadable"),
    ],
)
def test_a_text_that_is_no_sheet_is_refused(tmp_path, text, named, code):
    if text is not None:
        (tmp_path / "datasets.tsv").write_text(text, errors="surrogateescape")
    with refused(named, file=tmp_path / "datasets.tsv", code=code):
        read_sheet(tmp_path / "datasets.tsv")


def test_data_sets_written_as_a_sheet_are_read_back(tmp_path):
    sheet = read_sheet(ROOT / "config" / "datasets.tsv")
    options = {"angular": "wind:degrees,hour:24", "drop": "note"}
    sheet["mine"] = DatasetEntry("mine", "table", "a b.csv", label="type", options=options)
    (tmp_path / "sheet.tsv").write_text(sheet_text(sheet.values()))
    assert read_sheet(tmp_path / "sheet.tsv") == sheet


def test_checksums_may_have_capital_letters(tmp_path):
    row = GOOD | {"sha256": "AB" * 32}
    assert read_sheet(write_sheet(tmp_path, row))["brain"].sha256 == "ab" * 32


@pytest.mark.parametrize(("n_bytes", "is_refused"), [(255, False), (256, True)])
def test_names_of_files_have_255_bytes(tmp_path, n_bytes, is_refused):
    row = {"id": "x", "source": "table", "label": "type", "location": "ü" * (n_bytes // 2)}
    row["location"] += "x" * (n_bytes % 2)
    if is_refused:
        with refused(
            "a name in it has more than 255 bytes; shorten it",
            key="location",
            code="sheet.wrong-location",
        ):
            read_sheet(write_sheet(tmp_path, row))
    else:
        assert read_sheet(write_sheet(tmp_path, row))["x"].location == row["location"]


ALL_OF_DESIGN = (
    "map=p:a,q:b;adjust=age, factor(plate);trend=yes;reference=normal;"
    "contrasts=a vs b,slope(age);repeated=correlation"
)


def test_options_of_a_design_are_refused_with_the_lines_to_write(tmp_path):
    row = {"id": "x", "source": "table", "location": "a.csv", "label": "type"}
    with pytest.raises(InputError) as caught:
        read_sheet(write_sheet(tmp_path, row | {"options": ALL_OF_DESIGN}))
    assert caught.value.code == "sheet.design"
    message = str(caught.value)
    assert "line 2 (x): option adjust, option trend, option reference" in message
    lines = message[message.index("      design:") : message.index("A table keeps")]
    assert yaml.safe_load(lines) == {
        "design": {
            "x": {
                "adjust": ["age", "factor(plate)"],
                "trend": True,
                "reference": "normal",
                "contrasts": ["a vs b", "slope(age)"],
                "repeated": "correlation",
            }
        }
    }
    assert message.endswith("phenotype_columns=age,plate.")


@pytest.mark.parametrize("key", ["adjust", "trend", "reference", "contrasts", "repeated"])
@pytest.mark.parametrize("source", ["table", "geo"])
def test_each_option_of_a_design_names_its_new_place(tmp_path, key, source):
    value = {"trend": "no", "repeated": "mean"}.get(key, "normal")
    row = {"id": "x", "source": source, "location": "a.csv", "label": "type"}
    with refused(
        f"option {key} is part of the design of a study. Remove it",
        key=key,
        code="sheet.design",
    ):
        read_sheet(write_sheet(tmp_path, row | {"options": f"{key}={value}"}))


def test_a_source_that_had_no_options_of_a_design_has_none_now(tmp_path):
    row = {"id": "x", "source": "simulate", "options": "reference=normal"}
    row |= {"samples": "9", "features": "9", "classes": "2"}
    with refused(
        "unknown option 'reference'; source 'simulate' has .*seed",
        key="reference",
        code="sheet.unknown-option",
    ):
        read_sheet(write_sheet(tmp_path, row))
