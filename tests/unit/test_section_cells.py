"""The section of single cells: what it says about small tables that are written by hand."""

import numpy as np
import pandas as pd
from report_study import walk, write_declared

from xnbflow.data.study import Study
from xnbflow.report.page.blocks import Prose, figures_of
from xnbflow.report.page.style import render
from xnbflow.report.results import StudyResults
from xnbflow.studies.cells.contract import TABLES
from xnbflow.studies.cells.section import section

METHODS = ["ClassSpecificNB", "Wilcoxon, top 5", "NS-Forest", "all genes"]


def tables(donors=0):
    rows = []
    for i, method in enumerate(METHODS):
        ok = method != "NS-Forest"
        figures = [0.8 - 0.01 * i, 0.7, 0.75 if i == 0 else np.nan, 10.0**i, 3.0, 0.0, 0.5]
        told = ("ok", "") if ok else ("skipped", "nsforest is not installed")
        figures = figures if ok else [np.nan] * 7
        rows.append(("toy", method, *told, "", *figures, 700, 2, donors, 5, 1))
    recalls = [
        ("toy", method, kind, cells, 0.5 + 0.1 * i, 3.0)
        for i, method in enumerate(METHODS)
        if method != "NS-Forest"
        for kind, cells in (("B", 300), ("T", 400))
    ]
    markers = [("toy", "ClassSpecificNB", "B", "CD19", 5, 1.0)]
    found = {"methods": rows, "recalls": recalls, "markers": markers}
    return {name: pd.DataFrame(rows, columns=TABLES[name].fixed) for name, rows in found.items()}


def shown(tmp_path, frames):
    study = Study("cells", "Cells", "", (), (), (), diagnostics=False, analyses={})
    results = StudyResults(study, {}, {}, tmp_path)
    for name, table in frames.items():
        write_declared(table, results.folder / "cells" / f"{name}.parquet", TABLES[name])
    return section(results)


def words(found):
    return [(block.role, block.text) for block in walk(found.blocks) if isinstance(block, Prose)]


def test_what_is_skipped_and_that_no_donor_is_named_is_said(tmp_path):
    said = words(shown(tmp_path, tables()))
    warned = [text for role, text in said if role == "warning"]
    assert any("names no donor of its 700 cells" in text for text in warned)
    assert "toy: NS-Forest was skipped: nsforest is not installed." in warned
    (headline,) = [text for role, text in said if role == "headline"]
    assert "ClassSpecificNB 0.800 with 1 gene, Wilcoxon, top 5 0.790 with 10 genes" in headline
    assert "all 1,000 genes give 0.770" in headline


def test_donors_that_folds_keep_together_are_said(tmp_path):
    said = words(shown(tmp_path, tables(donors=8)))
    assert any("come from 8 donors" in text for _, text in said)
    assert not any("names no donor" in text for _, text in said)


def test_figures_are_drawn(tmp_path):
    found = shown(tmp_path, tables())
    figures = list(figures_of(found.blocks))
    assert [each.name for each in figures] == ["cells-trade-toy", "cells-recall-toy"]
    for each in figures:
        assert "<svg" in render(each.name, each.draw, each.arguments)


def test_nothing_computed_is_no_section(tmp_path):
    empty = {name: table.iloc[:0] for name, table in tables().items()}
    assert shown(tmp_path, empty) is None
