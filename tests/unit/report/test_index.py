"""The index of studies: verdicts by level, sizes and dates from records."""

import json

from toys import python

from xnbflow.report import index


def test_a_row_has_the_levels_that_occur_and_the_sizes_of_the_record(tmp_path):
    record = {
        "study": {"title": "T", "summary": "S", "datasets": ["a", "b", "c"]},
        "verdicts": {"a": "not supported", "b": "well supported", "c": "not supported"},
        "sizes": [{"samples": 10, "features": 500}, {"samples": 20, "features": 300}],
        "chosen": "xnb",
        "headline": "H.",
    }
    (tmp_path / "run.json").write_text(json.dumps(record))
    row = index._index_row(tmp_path)
    assert row["levels"] == [("good", "Well supported", 1), ("poor", "Not supported", 2)]
    assert (row["samples"], row["features"], row["datasets"]) == (30, 500, 3)
    assert (row["judged"], row["headline"], row["title"]) == (True, "H.", "T")


def test_a_report_without_a_record_is_listed_by_its_folder(tmp_path):
    row = index._index_row(tmp_path)
    assert (row["title"], row["levels"], row["judged"], row["date"]) == (
        tmp_path.name,
        [],
        False,
        "",
    )


def test_the_index_needs_neither_pandas_nor_matplotlib():
    """It is written at the end of every run, and their imports would take half a second."""
    code = "import sys, xnbflow.report.index; print(*sys.modules)"
    modules = python(code).stdout.split()
    assert "xnbflow.report.index" in modules
    assert {"pandas", "numpy", "matplotlib", "pyarrow"}.isdisjoint(modules)
