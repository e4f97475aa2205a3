"""Folds are drawn once, stratified, with groups on one side only."""

from dataclasses import replace

import numpy as np
import pytest
from fold_headers import grouped, header
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import (
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)

from xnbflow.core.errors import InputError
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.folds import (
    draw_folds,
    folds_of_repeat,
    leave_one_group_out,
    repeated_folds,
    scikit_learn_folds,
    stratified_splits,
)


def test_folds_keep_the_proportions_of_classes_and_depend_on_the_repeat_alone():
    head = header(20, 10)
    folds, many = draw_folds(head, 5, 1), draw_folds(head, 5, 4)
    assert folds.equals(many[many["repeat"] == 0])
    last = many[many["repeat"] == 3].reset_index(drop=True)
    assert folds_of_repeat(head, 5, 3).equals(last)
    assert not last["sample"].equals(folds["sample"])
    label = dict(zip(head.samples, head.labels, strict=True))
    counts = folds.assign(label=folds["sample"].map(label)).groupby(["fold", "label"]).size()
    assert set(counts.xs("c0", level="label")) == {4}
    assert set(counts.xs("c1", level="label")) == {2}


def test_small_classes_are_listed_with_what_follows():
    message = r"^toy: fewer samples than folds \(5\) in class 'c1' \(2\), 'c2' \(4\); some folds"
    with pytest.warns(UserWarning, match=message) as caught:
        draw_folds(header(20, 2, 4), 5, 1)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_the_folds_of_a_data_set_stay_as_they_are_from_version_to_version():
    """Results of versions can be compared: a seed of classes, groups, repeat and purpose."""
    drawn = draw_folds(header(6, 6), 3, 2).query("repeat == 1 and fold == 0")["sample"]
    head = header(6, 6)
    splitter = StratifiedKFold(3, shuffle=True, random_state=series_seed(head, 1, "folds"))
    test = next(splitter.split(head.labels, head.labels))[1]
    assert drawn.tolist() == head.samples[test].tolist()


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=12, max_size=30),
    n_splits=st.integers(2, 4),
    seed=st.integers(0, 99),
)
def test_no_group_is_on_both_sides_of_a_fold(sizes, n_splits, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes).astype(str)
    labels = np.where(np.arange(len(groups)) % 2, "a", "b")
    head = grouped(labels, groups, name=f"toy{seed}")
    folds = draw_folds(head, n_splits, 2)
    for _, fold in folds.groupby(["repeat", "fold"]):
        tested = np.isin(head.samples, fold["sample"])
        assert not set(head.groups[tested]) & set(head.groups[~tested])
    assert (folds.groupby(["repeat", "sample"]).size() == 1).all()
    assert len(folds) == 2 * len(groups)


def test_fewer_samples_or_groups_than_folds_are_refused_and_few_are_told():
    for draw in (draw_folds, folds_of_repeat):  # the second as a training job draws them
        with pytest.raises(InputError, match="'c0', has 3"):
            draw(header(3, 2), 5, 1)
    with pytest.raises(InputError, match=r"5 folds need .* as many groups; .*3.* fewer folds$"):
        draw_folds(grouped("ab" * 6, "aabbccaabbcc"), 5, 1)
    groups = [*"abcdef", *"abcdef"]
    with pytest.warns(UserWarning, match=r"fewer groups .* \(3\) in class 'y' \(2\)"):
        draw_folds(grouped("xxxxxxyyxxxx", groups), 3, 1)


def test_leave_one_group_out_tests_each_group_once_as_scikit_learn_does():
    head = grouped("abab" * 3, np.repeat(["p3", "p1", "p2"], 4))
    folds = leave_one_group_out(head)
    expected = LeaveOneGroupOut().split(head.labels, head.labels, head.groups)
    for fold, (_, test) in enumerate(expected):
        assert set(folds[folds["fold"] == fold]["sample"]) == set(head.samples[test])
    assert set(folds["repeat"]) == {0}


@pytest.mark.parametrize(("seed", "shuffle"), [(0, True), (7, True), (None, False)])
def test_a_seed_has_the_meaning_of_scikit_learn_on_the_samples_in_their_order(seed, shuffle):
    head = header(23, 11, 14)
    shuffled = np.random.default_rng(5).permutation(len(head.labels))
    for order in (np.arange(len(head.labels)), shuffled):
        labels = head.labels[order]
        samples = head.samples
        series = replace(head, labels=labels)
        folds = scikit_learn_folds(series, 5, 1, seed=seed)
        splitter = StratifiedKFold(5, shuffle=shuffle, random_state=seed)
        for fold, (_, test) in enumerate(splitter.split(labels, labels)):
            drawn = folds.loc[folds["fold"] == fold, "sample"].tolist()
            assert drawn == samples[test].tolist()


def test_repeats_with_a_seed_are_those_of_scikit_learn():
    head = header(20, 10)
    folds = scikit_learn_folds(head, 5, 3, seed=4)
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=4)
    for i, (_, test) in enumerate(splitter.split(head.labels, head.labels)):
        is_fold = (folds["repeat"] == i // 5) & (folds["fold"] == i % 5)
        drawn = folds.loc[is_fold, "sample"]
        assert drawn.tolist() == head.samples[test].tolist()


def test_groups_with_a_seed_are_those_of_scikit_learn():
    head = grouped("abab" * 6, np.repeat(np.arange(8), 3).astype(str))
    folds = scikit_learn_folds(head, 3, 1, seed=2)
    splitter = StratifiedGroupKFold(3, shuffle=True, random_state=2)
    for fold, (_, test) in enumerate(splitter.split(head.labels, head.labels, head.groups)):
        drawn = folds.loc[folds["fold"] == fold, "sample"]
        assert drawn.tolist() == head.samples[test].tolist()


def test_a_seed_with_too_few_samples_is_refused_and_small_classes_are_listed():
    with pytest.raises(InputError, match="Use fewer folds"):
        scikit_learn_folds(header(3, 2), 5, 1, seed=0)
    with pytest.warns(UserWarning, match=r"fewer samples than folds \(5\)") as caught:
        scikit_learn_folds(header(20, 2), 5, 1, seed=0)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(20), 2)])
def test_repeated_draws_of_folds_are_those_of_their_seeds(groups):
    labels = np.repeat([4, 7], 20)
    folds = repeated_folds(labels, groups, 4, range(60))
    assert folds.shape == (60, 40)
    assert len(np.unique(folds, axis=0)) > 50
    for seed in (0, 7, 59):
        assert (folds[seed] == repeated_folds(labels, groups, 4, [seed])[0]).all()


def test_without_groups_the_folds_are_those_of_a_cross_validation():
    labels = np.repeat([4, 7], 20)
    for k, (_, test) in enumerate(stratified_splits(labels, None, 4, 3)):
        assert (
            np.flatnonzero(repeated_folds(labels, None, 4, [3])[0] == k).tolist() == test.tolist()
        )


def test_groups_are_whole_and_each_fold_has_groups_of_each_class():
    """Eight patients of each class and four with both, in four folds: 2, 2 and 1 in each."""
    labels = np.concatenate([np.repeat([0, 1], 24), np.tile([0, 1], 4)])
    groups = np.concatenate([np.repeat(np.arange(16), 3), np.repeat(np.arange(16, 20), 2)])
    kinds = np.repeat([0, 1, 2], [8, 8, 4])
    for folds in repeated_folds(labels, groups, 4, [0, 1, 2]):
        of_group = np.array([np.unique(folds[groups == group]).item() for group in range(20)])
        counts = [np.bincount(of_group[kinds == kind], minlength=4).tolist() for kind in range(3)]
        assert counts == [[2] * 4, [2] * 4, [1] * 4]
