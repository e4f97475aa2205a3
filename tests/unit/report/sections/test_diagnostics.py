"""Assumptions of naive Bayes in the audit: histograms with the ratios of the table."""

import numpy as np
from report_study import study_of_tables

from xnbflow.report.sections import audit


def test_histograms_have_the_ratio_of_normality_and_the_cut_of_dependence(tmp_path):
    ratios = {"dataset": "d", "non_normal_ratio": 0.25, "dependent_ratio": 0.75, "cut": 0.6}
    halves = [{"lower": 0.0, "upper": 0.5}, {"lower": 0.5, "upper": 1.0}]
    counts = {"p of normality": (4, 6), "|r|": (7, 2)}
    bins = [
        half | {"quantity": quantity, "count": count}
        for quantity, of_halves in counts.items()
        for half, count in zip(halves, of_halves, strict=True)
    ]
    tables = {"datasets": [ratios], "diagnostic.histograms": bins}
    study = study_of_tables(tmp_path, tables, {"diagnostics": {"normality_alpha": 0.01}})
    normality, dependence = audit._distribution_gallery(study, "d").figures
    assert normality.alt == "Histogram of Shapiro-Wilk p-values: 25% are below 0.01."
    assert normality.arguments["shares"].tolist() == [0.4, 0.6]
    np.testing.assert_array_equal(dependence.arguments["edges"], [0.0, 0.5, 1.0])
    assert dependence.arguments["cut"] == 0.6


SAMPLED = {"dataset": "d", "tested": 850_000, "compared": 10_000, "dependent_pairs": 1_445_000}
SAMPLED |= {"dependent_ratio": 0.4512, "dependent_error": 0.00494}
SAMPLED |= {"pair_share": 4.0e-6, "pair_share_error": 3.1e-8}


def test_a_sample_of_features_is_stated_with_its_size_and_errors(tmp_path):
    bins = [{"quantity": "|r|", "lower": 0.0, "upper": 1.0, "count": 7}]
    tables = {"datasets": [SAMPLED], "diagnostic.histograms": bins}
    (group,) = audit._assumptions(study_of_tables(tmp_path, tables))
    _, table, statement, _ = group.blocks
    shown = list(table.frame.columns)
    assert shown[-4:] == ["compared", "dependent_error", "pair_share", "pair_share_error"]
    assert "d: normality is tested for all 850,000 features." in statement.text
    assert "compares a random sample of 10,000 features with all others." in statement.text
    assert "0.4512 (standard error 0.0049), that of dependent pairs 4e-06 (3e-08)" in statement.text


def test_without_a_sample_none_is_stated(tmp_path):
    bins = [{"quantity": "|r|", "lower": 0.0, "upper": 1.0, "count": 7}]
    whole = SAMPLED | {"tested": 10_000}
    tables = {"datasets": [whole], "diagnostic.histograms": bins}
    (assumptions,) = audit._assumptions(study_of_tables(tmp_path, tables))
    _, table, group = assumptions.blocks
    assert "compared" not in table.frame.columns
    assert group.title == "d"


def test_the_heading_of_a_data_set_names_twelve_classes(tmp_path):
    bins = [{"quantity": "|r|", "lower": 0.0, "upper": 1.0, "count": 7}]
    for n_classes, rest in ((12, ""), (14, " and 2 more classes")):
        sizes = [{"dataset": "d", "class": f"c{i:02}", "samples": i} for i in range(n_classes)]
        tables = {"class_sizes": sizes, "diagnostic.histograms": bins}
        tables["datasets"] = [SAMPLED | {"tested": 10_000}]
        (assumptions,) = audit._assumptions(study_of_tables(tmp_path / str(n_classes), tables))
        assert assumptions.blocks[-1].note == ", ".join(f"c{i:02} {i}" for i in range(12)) + rest
