"""The comparison of classifiers: the diagram of ranks and the tests."""

import pytest
from report_study import study_of_tables

from xnbflow.report.page.blocks import Figure, Prose
from xnbflow.report.sections import accuracy

RANKS = [
    {"folds": "f", "classifier": "nb", "average_rank": 2.5, "bars": "a"},
    {"folds": "f", "classifier": "xnb", "average_rank": 1.0, "bars": "b"},
    {"folds": "f", "classifier": "svm", "average_rank": 2.0, "bars": "ab"},
]


def study_of_ranks(tmp_path, n_classifiers, p_value=0.01):
    same = {"datasets": 9, "critical_difference": 1.1, "iman_davenport_p": p_value}
    ranks = [row | same for row in RANKS[:n_classifiers]]
    pairs = [{"folds": "f", "first": "nb", "second": "xnb"}]
    study = study_of_tables(tmp_path, {"ranks": ranks, "comparison": pairs})
    study.labels["svm"] = "SVM"
    return study


def test_the_best_classifier_comes_first_and_bars_join_equal_ones(tmp_path):
    study = study_of_ranks(tmp_path, 3)
    figure = accuracy._rank_diagram(study, "f", study.tables["ranks"])
    assert figure.arguments["classifiers"] == ["XNB", "SVM", "NB"]
    assert figure.arguments["ranks"] == [1.0, 2.0, 2.5]
    assert figure.arguments["bars"] == [(1, 2), (0, 1)]
    assert figure.alt.endswith("average ranks: XNB 1.00, SVM 2.00, NB 2.50.")
    assert "over 9 data sets" in figure.caption


@pytest.mark.parametrize(
    ("p_value", "expected"),
    [
        pytest.param(
            0.0499, "differ (Iman and Davenport’s test, p = 0.0499)", id="below the level"
        ),
        pytest.param(
            0.05,
            "do not differ significantly (Iman and Davenport’s test, p = 0.05)",
            id="at the level",
        ),
    ],
)
def test_classifiers_differ_below_a_p_of_five_per_cent(tmp_path, p_value, expected):
    study = study_of_ranks(tmp_path, 2, p_value)
    shown = list(accuracy._blocks_over_data_sets(study, "f", study.tables["ranks"]))
    assert not any(isinstance(block, Figure) for block in shown)  # two have no diagram
    (prose,) = (block for block in shown if isinstance(block, Prose))
    assert prose.text == f"Over 9 data sets the classifiers {expected}."


def test_three_classifiers_have_a_diagram(tmp_path):
    study = study_of_ranks(tmp_path, 3)
    shown = accuracy._blocks_over_data_sets(study, "f", study.tables["ranks"])
    assert isinstance(next(shown), Figure)
