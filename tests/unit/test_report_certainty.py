"""What the page says of certainty: how sure predictions are, and what permuted labels reach."""

from types import SimpleNamespace

import pandas as pd

from xnbflow.report.sections.accuracy import _confidence, _permutations
from xnbflow.report.sections.answer import _item, _size, _ties


def results_with(name, frame):
    def rows(table, **where):
        assert table == name
        return frame

    return SimpleNamespace(
        rows=rows,
        tables={name: frame},
        labels={"nb": "NB", "xnb": "XNB"},
        study=SimpleNamespace(classifiers=("nb", "xnb")),
        place=lambda dataset, _: dataset,
    )


def test_overconfidence_is_told_in_words():
    columns = ["classifier", "above", "predictions", "count", "share", "accuracy"]
    columns += ["accuracy_lower", "accuracy_upper", "promised"]
    rows = [
        ("nb", 0.9, 100, 99, 0.99, 0.5, 0.4, 0.6, 0.99),
        ("nb", 0.99, 100, 92, 0.92, 0.49, 0.39, 0.59, 0.999),
        ("xnb", 0.99, 100, 0, 0.0, float("nan"), float("nan"), float("nan"), float("nan")),
    ]
    table = pd.DataFrame(rows, columns=columns)
    (prose,) = _confidence(results_with("confidence", table), "d", "f")
    assert (
        "NB: 92%, of which 49% [39%, 59%] are right, surely fewer than they promise; XNB: 0%."
        in (prose.text)
    )


def test_interchangeable_features_are_named_once_per_selected_one():
    rows = [("d", "f", "a", "g1", "g2", 0.5), ("d", "f", "a", "g1", "g3", 0.9)]
    columns = ["dataset", "folds", "class", "feature", "alternative", "frequency"]
    (group,) = _ties(results_with("ties", pd.DataFrame(rows, columns=columns)), "xnb")
    assert group.blocks[0].frame.to_numpy().tolist() == [["d", "a", "g1", "g3, g2", 0.9]]


def test_a_feature_is_named_by_the_symbol_of_its_gene():
    assert _item("201746_at", "high", "TP53", 1.0).text == "TP53 (201746_at)"
    assert _item("g1", "high", "", 1.0).text == "g1"


def test_the_size_of_a_data_set_counts_groups_beside_samples():
    row = pd.Series(
        {"samples": 62, "features": 2000, "classes": 2, "groups": 31.0, "missing": True}
    )
    assert _size(row).startswith("62 samples of 31 groups")
    assert _size(row).endswith("missing values filled in")


def test_permutation_tests_stand_on_the_page_where_there_are_any():
    empty = pd.DataFrame(columns=["dataset"])
    assert _permutations(results_with("permutation_tests", empty)) == []
    row = {"dataset": "d", "classifier": "nb", "metric": "balanced_accuracy", "observed": 0.8}
    row |= {"null_mean": 0.5, "null_95": 0.6, "permutations": 199, "at_least": 0, "p_value": 0.005}
    (table,) = _permutations(results_with("permutation_tests", pd.DataFrame([row])))
    assert table.frame.loc[0, ["classifier", "metric", "p"]].tolist() == [
        "NB",
        "balanced accuracy",
        0.005,
    ]
