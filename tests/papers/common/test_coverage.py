"""The lists of what is covered of each paper: what they name exists, and their pages show them."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from paper_coverage import (
    COVERAGE_FILE,
    CoverageItem,
    coverage_table,
    covered_papers,
    read_coverage,
)

import xnbflow
from xnbflow.core.errors import InputError
from xnbflow.core.plugins import shipped_analyses
from xnbflow.running.project import ROOT, default_configuration

SOURCES = Path(xnbflow.__file__).parent
#: The folders that stand for a paper and must keep their list.
PAPERS = ("cica", "directional", "generalized", "separation", "xnb_paper")
ITEMS = [(paper, item) for paper in covered_papers() for item in read_coverage(paper)]
STUDIES = default_configuration()["studies"]

TABLE = {"kind": "table", "name": "Table 1", "content": "sizes"}
DONE = TABLE | {"place": "naive_bayes/xnb.py", "test": "tests/unit/density/test_kernels.py"}


@cache
def defined_names(path):
    """The functions, classes and variables of a module, and the methods of its classes."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names


def fault_of_place(folder, place):
    """Return why a file, or ``file::name``, is not in a folder; empty if it is."""
    file, *names = place.split("::")
    if not (folder / file).is_file():
        return f"{file} is not a file in {folder.name}"
    if names:
        name = re.sub(r"\[.*\]$", "", names[-1])  # a test with its parameters
        if name not in defined_names(folder / file):
            return f"{file} does not define {name}"
    return ""


def write_list(folder, *items):
    """Write the list of the paper ``example``."""
    text = ""
    for item in items:
        text += "[[item]]\n" + "".join(f'{key} = "{value}"\n' for key, value in item.items())
    (folder / "example").mkdir()
    (folder / "example" / COVERAGE_FILE).write_text(text)


def test_the_folder_of_every_paper_has_a_list():
    assert set(PAPERS) <= set(covered_papers())


def test_places_tests_studies_and_sections_of_all_items_exist():
    sections = {path.stem for path in (SOURCES / "report/sections").glob("*.py")}
    sections |= set(shipped_analyses())
    assert len(ITEMS) > 150
    faults = []
    for paper, item in ITEMS:
        of_item = []
        if not item.left_out:
            of_item += [fault_of_place(SOURCES, item.place), fault_of_place(ROOT, item.test)]
            if not item.test.startswith("tests/"):
                of_item.append(f"{item.test} is not in tests")
        if item.study and item.study not in STUDIES:
            of_item.append(f"no study {item.study}")
        if item.section and item.section not in sections:
            of_item.append(f"no section {item.section}")
        faults += [f"{paper}, {item.name}: {fault}" for fault in of_item if fault]
    assert faults == []


def test_one_page_of_the_documentation_shows_the_list_of_each_paper():
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    faults = []
    for paper in covered_papers():
        marker = f"<!-- coverage: {paper} -->"
        n_pages = sum(marker in page for page in pages)
        if n_pages != 1:
            faults.append(f"{n_pages} pages have {marker}, where docs/conf.py puts the table")
    assert faults == []


def test_a_name_that_is_not_defined_is_found():
    assert fault_of_place(SOURCES, "naive_bayes/xnb.py::XNB") == ""
    assert fault_of_place(SOURCES, "naive_bayes/xnb.py::YNB").endswith("does not define YNB")
    assert "is not a file" in fault_of_place(SOURCES, "naive_bayes/ynb.py")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([TABLE], "Table 1 needs a place .* the reason"),
        ([TABLE | {"place": "naive_bayes/xnb.py"}], "needs a place and a test"),
        ([DONE | {"left_out": "no data"}], "is left out; remove one"),
        ([TABLE | {"test": "tests/x.py", "left_out": "no data"}], "is left out; remove one"),
        ([DONE | {"kind": "tables"}], "'tables' is not a kind; .* algorithm"),
        ([DONE | {"tests": "x"}], r"item 1: unknown keys \['tests'\]"),
        ([DONE, {"kind": "table", "left_out": "x"}], r"item 2: .* missing keys \['content', 'n"),
        ([DONE, DONE], "more than one item table Table 1"),
    ],
)
def test_a_wrong_list_is_refused(tmp_path, items, message):
    write_list(tmp_path, *items)
    with pytest.raises(InputError, match=message):
        read_coverage("example", tmp_path)


def test_a_list_is_read_in_its_order(tmp_path):
    write_list(tmp_path, DONE, TABLE | {"name": "Table 2", "left_out": "no data"})
    assert covered_papers(tmp_path) == ["example"]
    assert read_coverage("example", tmp_path) == [
        CoverageItem(**DONE),
        CoverageItem(**TABLE | {"name": "Table 2", "left_out": "no data"}),
    ]


def test_the_table_counts_the_items_and_names_their_places():
    items = [
        CoverageItem(**DONE, study="xnb-paper", section="accuracy"),
        CoverageItem(kind="table", name="Table 2", content="a | b", left_out="no data"),
        CoverageItem(**DONE | {"kind": "figure", "name": "Figure 1"}),
    ]
    lines = coverage_table(items).splitlines()
    assert lines[0] == "2 of 3 items are in the project: 1 of 2 tables, 1 of 1 figures."
    assert lines[4] == (
        "| Table 1 | sizes | `naive_bayes/xnb.py`; study `xnb-paper`, section `accuracy` "
        "| `tests/unit/density/test_kernels.py` |"
    )
    assert lines[5] == "| Table 2 | a \\| b | left out: no data | |"
