"""What the page says of certainty: how sure predictions are, and what permuted labels reach."""

import pandas as pd
import pytest
from report_study import write_declared

from xnbflow.data.contract import STUDY_TABLES
from xnbflow.data.study import Study
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.accuracy import _confidence, _permutations
from xnbflow.report.sections.answer import _item, _size, _ties


@pytest.fixture
def results_with(tmp_path):
    def write(name, rows):
        study = Study("s", "", "", ("d",), ("nb", "xnb"), ("f",), diagnostics=False, analyses={})
        results = StudyResults(study, {"nb": "NB", "xnb": "XNB"}, {}, tmp_path)
        table = pd.DataFrame(rows).assign(dataset="d", folds="f")
        schema = STUDY_TABLES[name]
        table = table[[column for column in table if column in schema.columns]]
        write_declared(table, results.folder / f"{name}.parquet", schema)
        return results

    return write


def test_overconfidence_is_reported_in_words(results_with):
    columns = ["classifier", "above", "predictions", "count", "share", "accuracy"]
    columns += ["accuracy_lower", "accuracy_upper", "promised"]
    nan = float("nan")
    rows = [
        ("nb", 0.9, 100, 99, 0.99, 0.5, 0.4, 0.6, 0.99),
        ("nb", 0.99, 100, 92, 0.92, 0.49, 0.39, 0.59, 0.999),
        ("xnb", 0.99, 100, 0, 0.0, nan, nan, nan, nan),
    ]
    results = results_with("confidence", pd.DataFrame(rows, columns=columns))
    (prose,) = _confidence(results, "d", "f")
    assert (
        "NB: 92%, of which 49% [39%, 59%] are right, below their mean predicted probability of "
        "99.9%; XNB: 0%." in prose.text
    )


def test_interchangeable_features_are_named_once_per_selected_one(results_with):
    row = {"classifier": "xnb", "class": "a", "feature": "g1"}
    rows = [{**row, "alternative": "g2", "frequency": 0.5},
            {**row, "alternative": "g3", "frequency": 0.9}]  # fmt: skip
    (group,) = _ties(results_with("ties", rows), "xnb")
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


def test_permutation_tests_are_on_the_page_where_there_are_any(results_with):
    row = {"classifier": "nb", "metric": "balanced_accuracy", "observed": 0.8}
    row |= {"null_mean": 0.5, "null_95": 0.6, "permutations": 199, "at_least": 0, "p_value": 0.005}
    assert _permutations(results_with("permutation_tests", pd.DataFrame(columns=list(row)))) == []
    (table,) = _permutations(results_with("permutation_tests", [row]))
    shown = table.frame.loc[0, ["classifier", "metric", "p_value"]]
    assert shown.tolist() == ["NB", "balanced accuracy", 0.005]
