"""Folds of grouped samples: no patient, batch or centre is ever on both sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneGroupOut

from xnbflow.data.dataset import DataSetHeader
from xnbflow.data.errors import InputError
from xnbflow.evaluation.folds import (
    draw_folds,
    leave_one_group_out,
    stratified_splits,
)
from xnbflow.evaluation.folds_file import read_folds


def header(labels, groups, name="toy"):
    samples = np.array([f"s{i}" for i in range(len(labels))])
    return DataSetHeader(name, samples, np.array(list(labels)), 3, np.array(list(groups)))


def sides(head, folds):
    """The groups that each fold tests and trains."""
    for _, fold in folds.groupby(["repeat", "fold"]):
        tested = np.isin(head.samples, fold["sample"])
        yield set(head.groups[tested]), set(head.groups[~tested])


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=12, max_size=30),
    n_splits=st.integers(2, 4),
    seed=st.integers(0, 99),
)
def test_no_group_is_on_both_sides_of_a_fold(sizes, n_splits, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes).astype(str)
    labels = np.where(np.arange(len(groups)) % 2, "a", "b")
    head = header(labels, groups, name=f"toy{seed}")
    folds = draw_folds(head, n_splits, 2)
    assert all(not tested & trained for tested, trained in sides(head, folds))
    assert (folds.groupby(["repeat", "sample"]).size() == 1).all()
    assert len(folds) == 2 * len(groups)


def test_pairs_of_tumour_and_normal_stay_together():
    head = header("tn" * 8, np.repeat(np.arange(8), 2).astype(str))
    folds = draw_folds(head, 4, 1)
    assert [len(tested) for tested, _ in sides(head, folds)] == [2, 2, 2, 2]
    plain = DataSetHeader(head.name, head.samples, head.labels, 3)
    torn = draw_folds(plain, 4, 1)
    assert any(tested & trained for tested, trained in sides(head, torn))


def test_folds_without_groups_are_those_of_before():
    labels = np.array(list("aaabbb" * 5))
    plain = DataSetHeader("toy", np.array([f"s{i}" for i in range(30)]), labels, 3)
    fold = draw_folds(plain, 5, 1)["fold"].to_numpy()
    assert np.bincount(fold).tolist() == [6] * 5


def test_fewer_groups_than_folds_are_refused_and_few_are_told():
    with pytest.raises(InputError, match=r"5 folds need a class with at least as many groups; .*3"):
        draw_folds(header("ab" * 6, "aabbccaabbcc"), 5, 1)
    groups = [*"abcdef", *"abcdef"]
    with pytest.warns(UserWarning, match=r"fewer groups than folds \(3\) in class 'y' \(2\)"):
        draw_folds(header("xxxxxxyyxxxx", groups), 3, 1)


def test_a_class_in_a_single_group_cannot_be_learned_without_it():
    with (
        pytest.warns(UserWarning, match=r"class 'y' \(1\)"),
        pytest.raises(InputError, match="trains without class 'y', for groups are kept whole"),
    ):
        draw_folds(header("xxxxxxyy", "abcdefgg"), 2, 1)


def test_leave_one_group_out_tests_each_group_once_as_scikit_learn_does():
    head = header("abab" * 3, np.repeat(["p3", "p1", "p2"], 4))
    folds = leave_one_group_out(head)
    expected = LeaveOneGroupOut().split(head.labels, head.labels, head.groups)
    for fold, (_, test) in enumerate(expected):
        assert set(folds[folds["fold"] == fold]["sample"]) == set(head.samples[test])
    assert set(folds["repeat"]) == {0}


@pytest.mark.parametrize(
    ("labels", "groups", "message"),
    [
        ("abab", None, "folds that leave one group out need groups; name the column"),
        ("abab", "pppp", "all samples are of the group 'p'"),
        ("aabb", "ppqq", "fold 0 trains without class 'a'"),
    ],
)
def test_groups_that_cannot_be_left_out_are_refused(labels, groups, message):
    head = header(labels, groups or labels)
    if groups is None:
        head = DataSetHeader(head.name, head.samples, head.labels, 3)
    with pytest.raises(InputError, match=message):
        leave_one_group_out(head)


def test_predefined_folds_that_tear_a_group_are_refused(tmp_path):
    path = tmp_path / "folds.tsv"
    path.write_text("sample\tfold\ns0\t0\ns1\t1\ns2\t1\ns3\ttrain\n")
    with pytest.raises(InputError, match=r"fold 0 trains with sample 's1' and tests another of"):
        read_folds(path, header("abab", "ppqr"), 2, 1)
    assert len(read_folds(path, header("abab", "pqqr"), 2, 1)) == 3
    with pytest.raises(InputError, match="trains with sample 's3'"):
        read_folds(path, header("abab", "pqqp"), 2, 1)


def test_splits_are_the_same_for_a_seed():
    labels, groups = np.array(list("ab" * 10)), np.repeat(np.arange(10), 2).astype(str)
    first, again = (stratified_splits(labels, groups, 3, 7) for _ in range(2))
    assert all((a[1] == b[1]).all() for a, b in zip(first, again, strict=True))
