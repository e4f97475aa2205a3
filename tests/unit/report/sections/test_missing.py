"""The page names the data sets without which a study ran, and how to supply them."""

from report_study import study_of_tables

from xnbflow.report.page.blocks import Prose, Table
from xnbflow.report.sections.methods import _missing_data


def test_a_missing_data_set_has_the_places_that_were_tried(tmp_path):
    reason = "cannot get pigeons.csv: put the file by hand at resources/downloads/angular"
    results = study_of_tables(tmp_path, {}, missing={"pigeons": reason})
    (group,) = _missing_data(results)
    table, how = group.blocks
    assert isinstance(table, Table)
    assert table.frame.to_dict("records") == [{"dataset": "pigeons", "reason": reason}]
    assert isinstance(how, Prose)
    assert "docs/tutorials/data-files.md" in how.text


def test_a_complete_study_names_none(tmp_path):
    assert _missing_data(study_of_tables(tmp_path, {})) == []
