"""The section on diagnostics: histograms with the ratios of the table."""

import numpy as np
from report_study import study_of_tables

from xnbflow.report.sections import diagnostics


def test_histograms_have_the_ratio_of_normality_and_the_cut_of_dependence(tmp_path):
    ratios = {"dataset": "d", "non_normal_ratio": 0.25, "dependent_ratio": 0.75, "cut": 0.6}
    bins = [{"lower": 0.0, "upper": 0.5, "pairs": 7}, {"lower": 0.5, "upper": 1.0, "pairs": 2}]
    shares = [{"dataset": "d", "share": 0.4}, {"dataset": "d", "share": 0.6}]
    tables = {"diagnostics": [ratios], "p_values": shares, "diagnostic.correlations": bins}
    study = study_of_tables(tmp_path, tables, {"diagnostics": {"normality_alpha": 0.01}})
    normality, dependence = diagnostics._distributions(study, "d").figures
    assert normality.alt == "Histogram of Shapiro-Wilk p-values: 25% are below 0.01."
    assert normality.arguments["shares"].tolist() == [0.4, 0.6]
    np.testing.assert_array_equal(dependence.arguments["edges"], [0.0, 0.5, 1.0])
    assert dependence.arguments["cut"] == 0.6
