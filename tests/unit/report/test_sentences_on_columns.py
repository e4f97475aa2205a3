"""Sentences of a card on columns that may explain a result."""

import pytest
from report_study import finding_row, study_of_tables

from xnbflow.core.joined_columns import join_columns
from xnbflow.report.findings import clauses_of
from xnbflow.report.sentences import _within_levels

COLUMN = {
    "column": "plate",
    "class": "",
    "limits": True,
    "auc_column": 0.9,
    "auc_within": 0.52,
    "p": 0.4,
    "pairs": 72,
    "status": "cannot be separated",
    "together": False,
}
OTHER = COLUMN | {"column": "age", "limits": False, "auc_column": 0.95}
PLACE = {"dataset": "d", "folds": "f", "classifier": "nb"}
GOOD = {"status": "recognised", "auc_within": 0.83, "p": 0.001}


@pytest.mark.parametrize(
    ("rows", "others", "expected"),
    [
        pytest.param(
            [COLUMN, OTHER],
            [],
            "an AUC of 0.90; within its levels NB does not (AUC 0.52; p = 0.4).",
            id="not recognised within",
        ),
        pytest.param(
            [COLUMN | GOOD],
            [],
            "within its levels NB does, too (AUC 0.83; p = 0.001).",
            id="recognised within",
        ),
        pytest.param(
            [COLUMN | {"pairs": 0}, OTHER | GOOD],
            [],
            "an AUC of 0.90, and no samples of different classes share a value of it.",
            id="without pairs",
        ),
        pytest.param(
            [COLUMN, OTHER | GOOD],
            ["tumor", "polyp"],
            "but the difference between adenoma and tumor, and between adenoma and polyp cannot",
            id="of three classes",
        ),
    ],
)
def test_a_card_has_one_sentence_of_the_column_that_explains_most(tmp_path, rows, others, expected):
    """``others`` are the classes that are not separated from adenoma, of several classes."""
    pair = COLUMN | {"class": "adenoma"}
    classes = ["adenoma", *others] if others else ["adenoma", "tumor"]
    tables = {
        "recognition": [
            *(PLACE | row for row in rows),
            *(PLACE | pair | {"other": other} for other in others),
        ],
        "class_sizes": [{"dataset": "d", "class": label} for label in classes],
    }
    study = study_of_tables(tmp_path, tables)
    sentence = _within_levels(study, PLACE)
    assert sentence.startswith("“plate” alone predicts the class")
    assert expected in sentence


def test_columns_together_are_named_together(tmp_path):
    row = COLUMN | {"column": "plate × site", "status": "cannot be examined", "pairs": 12}
    study = study_of_tables(tmp_path, {"recognition": [PLACE | row | {"together": True}]})
    sentence = _within_levels(study, PLACE)
    assert sentence.startswith("“plate” and “site” together predict the class with an AUC of 0.90")
    assert "the combinations of all of them leave too few pairs" in sentence


def test_a_column_whose_name_has_the_sign_is_one_column(tmp_path):
    row = COLUMN | {"column": "dose × time", "pairs": 0}
    study = study_of_tables(tmp_path, {"recognition": [PLACE | row]})
    assert _within_levels(study, PLACE).startswith("“dose × time” alone predicts the class")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            [finding_row("column: not separated", subject="plate")],
            "the class cannot be separated from “plate”",
            id="one column",
        ),
        pytest.param(
            [finding_row("column: not separated", subject=name) for name in ("plate", "site")],
            "the class cannot be separated from “plate”, “site”",
            id="two columns",
        ),
        pytest.param(
            [finding_row("column: not examined", subject="plate × site")],
            "the class cannot be examined within “plate” and “site” together",
            id="two columns together",
        ),
        pytest.param(
            [finding_row("column: not separated", subject=join_columns(["dose × time"]))],
            "the class cannot be separated from “dose × time”",
            id="a name with a cross",
        ),
        pytest.param(
            [
                finding_row("column: not separated", subject="plate", label="adenoma", other=other)
                for other in ("tumor", "polyp")
            ],
            "between adenoma and polyp cannot be separated from “plate”",
            id="some of the classes",
        ),
    ],
)
def test_columns_of_the_handling_are_reasons(rows, expected):
    (clause,) = clauses_of(rows)
    assert clause.endswith(expected)
