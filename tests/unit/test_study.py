"""The tables of a study: every one of the contract, of what its files hold."""

import pytest
from report_study import CLASSES, CLASSIFIERS, FEATURES, SAMPLES, write_study

from xnbflow.data.contract import STUDY_TABLES


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study")).tables


def test_every_table_of_the_contract_is_written_with_its_columns(tables):
    for name, table in STUDY_TABLES.items():
        assert list(tables[name].columns) == table.fixed, name


def test_data_sets_and_classes_are_counted_in_the_order_of_the_study(tables):
    assert tables["datasets"].iloc[:, :4].to_numpy().tolist() == [
        [name, SAMPLES, FEATURES, len(classes)] for name, classes in CLASSES.items()
    ]
    assert tables["class_sizes"].to_numpy().tolist() == [
        [name, label, SAMPLES // len(classes)]
        for name, classes in CLASSES.items()
        for label in sorted(classes)
    ]


def test_diagnostics_are_those_of_each_data_set(tables):
    table = tables["diagnostics"].set_index("dataset")
    assert list(table.index) == list(CLASSES)
    assert set(table["max_abs_r"]) == {0.5}
    assert set(table["non_normal_within_ratio"]) == {0}
    assert table[["dependent_pairs", "cut", "dof"]].to_numpy().tolist() == [[1, 0.7, 34]] * 2


def test_truth_selection_and_predictions_meet_by_data_set_and_classifier(tables):
    assert tables["recovery"][["dataset", "classifier"]].to_numpy().tolist() == [["alpha", "xnb"]]
    assert set(tables["selection"]["classifier"]) == {"xnb"}
    tested = tables["recall"].groupby(["dataset", "classifier"])["samples"].sum()
    assert tested.to_dict() == dict.fromkeys(
        [(d, c) for d in CLASSES for c in CLASSIFIERS], SAMPLES
    )
    assert set(tables["confidence"]["predictions"]) == {2 * SAMPLES}
