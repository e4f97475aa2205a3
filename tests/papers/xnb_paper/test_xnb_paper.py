"""The rerun of the XNB paper: its sheet, its printed numbers, and its section."""

from pathlib import Path

import pandas as pd
import pytest
from report_study import analysis_section
from small_analyses import xnb_paper_study

from xnbflow.papers.xnb_paper import compute
from xnbflow.papers.xnb_paper.entries import ANALYSIS
from xnbflow.report.drawings.rows import draw_points
from xnbflow.report.page.blocks import figures_of
from xnbflow.running.project import default_configuration
from xnbflow.sources.sheet import read_sheet

FOLDER = Path(compute.__file__).parent


def test_the_sheet_and_the_study_have_table_1_of_the_paper():
    sheet = read_sheet(FOLDER / "datasets.tsv")
    sheet = {name: row for name, row in sheet.items() if row.source == "cumida"}
    assert default_configuration()["studies"]["xnb-paper"]["datasets"] == list(sheet)
    assert list(pd.read_csv(FOLDER / "table1.tsv", sep="\t")["accession"]) == list(sheet)
    assert len(sheet) == 18
    # "Mean - 94 42,109 3.3", the last row of the paper's Table 1
    assert round(sum(dataset.samples for dataset in sheet.values()) / 18) == 94
    assert round(sum(dataset.features for dataset in sheet.values()) / 18) == 42109
    assert round(sum(dataset.classes for dataset in sheet.values()) / 18, 1) == 3.3


def test_values_that_are_printed_alike_are_ties():
    repeats = pd.DataFrame({"value": [119 / 130, 0.9149, 0.9, 0.95, 0.96]})
    repeats = repeats.assign(dataset="GSE50161", folds="10x10", classifier="mine")
    study = {"repeats": repeats.assign(metric="accuracy"), "diagnostics": pd.DataFrame()}
    study["diagnostics"] = pd.DataFrame(columns=["dataset", "non_normal_ratio", "dependent_ratio"])
    numbers = compute.compare({"parts": {"xnb": "mine"}}, study)["numbers"]
    (row,) = numbers.to_dict("records")
    assert row["quantity"] == "xnb_accuracy"
    assert row["paper"] == 0.915  # Table 2, brain
    assert row["percentile"] == 40.0  # below: .9; printed alike: .91538, .9149; above: .95, .96
    assert row["n_repeats"] == 5


def test_the_section_has_the_printed_numbers_beside_ours(tmp_path):
    about, study = xnb_paper_study()
    tables = compute.compare(about, study)
    section, (table,) = analysis_section(ANALYSIS, tables, tmp_path)
    (figure,) = figures_of(section.blocks)
    groups = {group.label: group for group in figure.arguments["groups"]}
    assert groups["XNB"].values == pytest.approx([0.9])
    assert groups["XNB, paper"].values == [0.915]
    (legend,) = [axes.get_legend() for axes in draw_points(**figure.arguments).axes]
    assert "XNB, paper" in [text.get_text() for text in legend.get_texts()]
    assert list(table.frame["paper"]) == [0.61, 0.63, 0.915, 0.915]
    assert list(table.frame["ours"]) == pytest.approx([0.5, 0.25, 0.9, 0.9])
