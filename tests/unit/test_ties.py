"""Features that could be exchanged: told by an estimator, and taken as one over folds."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from xnbflow.evaluation.stability import stability_index
from xnbflow.evaluation.ties import ties_as_one, ties_of


def test_groups_are_numbered_and_say_who_is_in_and_whether_anybody_is_out():
    tied = {"b": [["g1", "g2"], np.array(["g3", "g4"])], "a": []}
    table = ties_of(tied, {"b": ["g1", "g3", "g4"], "a": ["g9"]})
    assert table.to_numpy().tolist() == [
        ["b", 0, "g1", True, True],
        ["b", 0, "g2", False, True],
        ["b", 1, "g3", True, False],
        ["b", 1, "g4", True, False],
    ]


def test_a_plain_list_of_names_is_one_group():
    assert set(ties_of({"a": ["g1", "g2"]}, {"a": ["g1"]})["group"]) == {0}
    assert set(ties_of({"a": np.array(["g1", "g2"])}, {"a": ["g1"]})["group"]) == {0}


def test_alternatives_of_each_feature_are_groups():
    table = ties_of({"a": {"g1": ["g2", "g3"], "g4": ["g5"]}}, {"a": ["g1", "g4"]})
    assert table[["group", "feature"]].to_numpy().tolist() == [
        *([0, "g1"], [0, "g2"], [0, "g3"], [1, "g4"], [1, "g5"]),
    ]


def test_a_table_of_ties_has_a_group_per_class_and_other_class():
    told = pd.DataFrame(
        {
            "class": ["a", "a", "a", "a", "b", "b"],
            "other_class": ["b", "b", "c", "c", None, None],
            "feature": ["g1", "g2", "g1", "g3", "g1", "g2"],
            "taken": [True, False, False, True, True, False],
        }
    )
    table = ties_of(told, {"a": ["g1", "g3"], "b": ["g1"]})
    assert table[["class", "group", "feature", "selected"]].to_numpy().tolist() == [
        ["a", 0, "g1", True],
        ["a", 0, "g2", False],
        ["a", 1, "g1", False],
        ["a", 1, "g3", True],
        ["b", 0, "g1", True],
        ["b", 0, "g2", False],
    ]
    joint = ties_of(told.drop(columns="other_class").iloc[4:], {"b": ["g1"]})
    assert joint[["class", "group", "feature"]].to_numpy().tolist() == [
        *(["b", 0, "g1"], ["b", 0, "g2"]),
    ]


def test_features_behind_a_pipeline_are_renamed():
    table = ties_of({0: [[0, 1]]}, {0: ["g5"]}, {0: "g5", 1: "g7"})
    assert table[["class", "feature", "selected"]].to_numpy().tolist() == [
        ["0", "g5", True],
        ["0", "g7", False],
    ]


def test_no_tie_is_an_empty_table_with_columns():
    table = ties_of({"a": [], "b": []}, {"a": ["g1"]})
    assert table.empty
    assert table["selected"].dtype == bool


def test_as_many_of_a_group_are_kept_as_were_selected():
    sets = [{"g1", "g2", "x"}, {"g3", "x"}]
    groups = [[({"g1", "g2", "g3"}, {"g1", "g2"})], [({"g2", "g3"}, {"g3"})]]
    assert ties_as_one(sets, groups) == [{"g2", "g3", "x"}, {"g2", "x"}]


def test_what_is_selected_for_another_reason_stays():
    """g2 ties with g1, which is taken; but it is selected all the same, say for another pair."""
    sets = [{"g1", "g2"}, {"g1"}, {"g1"}]
    assert ties_as_one(sets, [[({"g1", "g2"}, {"g1"})], [], []]) == sets


names = st.sampled_from([f"g{i}" for i in range(8)])
fold = st.tuples(st.sets(names, min_size=2), st.integers(0, 7))


@given(st.lists(fold, min_size=2, max_size=6), st.permutations(range(8)))
def test_how_a_fold_broke_its_ties_changes_nothing(folds, renamed):
    """One tied group per fold, of which a rule takes the first by name under two namings."""

    def told(rule):
        taken = [{rule(group)} for group, _ in folds]
        groups = [[(group, one)] for (group, _), one in zip(folds, taken, strict=True)]
        return ties_as_one(taken, groups)

    assert told(min) == told(lambda group: min(group, key=lambda name: renamed[int(name[1])]))


@given(st.lists(st.sets(names, min_size=1), min_size=2, max_size=6))
def test_without_ties_nothing_changes(sets):
    as_one = ties_as_one(sets, [[] for _ in sets])
    assert as_one == sets
    assert stability_index(as_one, 20) == stability_index(sets, 20)
