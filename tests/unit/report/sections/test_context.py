"""The comparison of the selected features with random ones."""

from report_study import study_of_tables

from xnbflow.report.sections import explanation

KEY = {"dataset": "d", "classifier": "xnb"}


def test_random_genes_mean_nothing_where_the_score_is_at_chance(tmp_path):
    study = study_of_tables(tmp_path, {"random_genes": [KEY | {"as_good_random": 70}]})
    (group,) = explanation.section(study).blocks
    assert "If the score is at chance" in group.blocks[0].caption


def test_a_study_without_the_comparison_has_no_section(tmp_path):
    assert explanation.section(study_of_tables(tmp_path, {})) is None
