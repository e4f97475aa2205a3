"""Sentences of a card: columns that may explain a result, and verdicts near their limit."""

from types import SimpleNamespace

import pandas as pd
import pytest

from xnbflow.report import sentences
from xnbflow.report.sentences import within_levels

COLUMN = {
    "column": "plate",
    "limits": True,
    "auc_column": 0.9,
    "auc_within": 0.52,
    "lower": 0.38,
    "upper": 0.66,
    "p": 0.4,
    "pairs": 72,
    "status": "cannot be separated",
    "inseparable": "",
}
OTHER = COLUMN | {"column": "age", "limits": False, "auc_column": 0.95}
DIFFERENCE = (
    "the difference between adenoma and tumor, and between adenoma and polyp cannot be separated"
)
WITHIN = "; within its levels NB has an AUC of 0.52 over all classes"
GOOD = {"status": "recognised", "auc_within": 0.83, "lower": 0.7, "upper": 0.93, "p": 0.001}


@pytest.mark.parametrize(
    ("rows", "sentence", "reason"),
    [
        (
            [COLUMN, OTHER],
            "; within its levels NB does not (AUC 0.52, 0.38 to 0.66; p = 0.4).",
            "the class cannot be separated from “plate”",
        ),
        (
            [COLUMN | GOOD],
            "; within its levels NB does, too (AUC 0.83, 0.70 to 0.93; p = 0.001).",
            "",
        ),
        (
            [COLUMN | {"pairs": 0}, OTHER | GOOD],
            ", and no samples of different classes share a value of it.",
            "the class cannot be separated from “plate”",
        ),
        (
            [COLUMN | {"inseparable": "adenoma and tumor; adenoma and polyp"}, OTHER | GOOD],
            f"{WITHIN}, but {DIFFERENCE} from it.",
            f"{DIFFERENCE} from “plate”",
        ),
    ],
)
def test_a_card_has_one_sentence_of_the_column_that_explains_most(rows, sentence, reason):
    table = pd.DataFrame(rows).assign(dataset="d", folds="f", classifier="nb")

    def rows_with(name, **where):
        assert name == "concordance"
        return table.loc[(table[list(where)] == pd.Series(where)).all(axis=1)]

    results = SimpleNamespace(rows=rows_with, labels={"nb": "NB"})
    place = {"dataset": "d", "folds": "f", "classifier": "nb"}
    alone = "“plate” alone predicts the class with an AUC of 0.90"
    assert within_levels(results, place) == f"{alone}{sentence}"
    assert sentences._inseparable(results, place) == reason


def test_columns_together_are_named_together():
    row = COLUMN | {"column": "plate × site", "status": "cannot be examined", "pairs": 12}
    table = pd.DataFrame([row]).assign(dataset="d", folds="f", classifier="nb")
    results = SimpleNamespace(rows=lambda *_, **__: table, labels={"nb": "NB"})
    place = {"dataset": "d", "folds": "f", "classifier": "nb"}
    assert within_levels(results, place) == (
        "“plate” and “site” together predict the class with an AUC of 0.90; the combinations of "
        "all of them leave too few pairs of samples of different classes for an examination."
    )
    assert sentences._inseparable(results, place) == (
        "the class cannot be examined within “plate” and “site” together"
    )


NEAR = (
    "The verdict is near its limit: other folds or permutations may decide otherwise. Repeated "
    "folds make it more certain."
)


@pytest.mark.parametrize(
    ("near", "is_written"),
    [("permutation test", True), ("chance interval", True), ("", False)],
)
def test_a_verdict_near_its_limit_is_marked_on_the_page(monkeypatch, near, is_written):
    monkeypatch.setattr(sentences, "contradictions", lambda *_: [])
    monkeypatch.setattr(sentences, "reasons", lambda *_: [])
    monkeypatch.setattr(sentences, "within_levels", lambda *_: "")
    metrics = {
        "metric": ["accuracy", "balanced_accuracy"],
        "estimate": [0.7, 0.68],
        "lower": [0.55, 0.51],
        "upper": [0.8, 0.79],
        "reference": [0.6, 0.5],
        "candidates": [1, 1],
    }
    row = {"level": "partly supported", "p_value": 0.02, "permuted": "nb", "near": near}
    tables = {"estimates": pd.DataFrame(metrics), "verdicts": pd.DataFrame([row])}
    results = SimpleNamespace(rows=lambda name, **_: tables[name], labels={"nb": "NB"})
    place = {"dataset": "d", "folds": "f", "classifier": "nb"}
    tests = sentences.verdict(results, place).tests
    assert tests.startswith("Label test (nb): p = 0.02.")
    assert (NEAR in tests) == is_written
