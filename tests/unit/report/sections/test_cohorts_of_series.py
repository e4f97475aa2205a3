"""The section of several series, from the tables of their combination."""

import pytest
from report_study import walk
from several_series import SERIES, combined
from study_files import StudyFiles

from xnbflow.core.study import Cohorts, Study
from xnbflow.diagnostics.genes import gene_table
from xnbflow.report.page.blocks import Figure
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import cohorts as cohorts_section
from xnbflow.tables.contract import ALL_COHORTS


@pytest.mark.slow
def test_the_page_shows_the_tables(tmp_path):
    settings = Cohorts(("a", "b", "c"), "csnb")
    study = Study(
        id="s",
        title="S",
        summary="",
        datasets=("a", "b", "c"),
        classifiers=("csnb",),
        folds=("5-fold",),
        diagnostics=True,
        analyses={},
        cohorts=settings,
    )
    tables, model, merged = combined()
    files = StudyFiles(tmp_path)
    files.put("cohorts", tables, study="s")
    files.put_model(model, merged, "s", **ALL_COHORTS)
    for series in SERIES:
        files.put("genes", {"genes": gene_table(series)}, study="s", dataset=series.name)
    of_geo = {"datasets": {name: {"source": "geo"} for name in study.datasets}}
    results = StudyResults(study, {"csnb": "CSNB"}, of_geo, tmp_path)
    blocks = list(walk(cohorts_section.section(results).blocks))
    figures = {block.name: block.arguments for block in blocks if isinstance(block, Figure)}
    values = figures["cohorts-matrix"]["values"]
    matrix = tables["cohort_tests"].set_index(["strategy", "train", "test"])["value"]
    assert values[0, 1] == matrix["one series", "a", "b"]
    assert values[3, 2] == matrix["merged", "a + b", "c"]
    forest = figures["cohorts-forest-00"]
    assert [group.label for group in forest["groups"]] == ["a", "b", "c", "random-effects mean"]
