"""Folds are drawn once, stratified, with groups on one side only."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold
from toys import mistakes, put

from xnbflow.core.errors import InputError
from xnbflow.data.series_file import DataSetHeader
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.folds import draw_folds, folds_of_repeat, leave_one_group_out
from xnbflow.evaluation.folds_file import read_folds


def header(*counts, name="toy"):
    labels = np.repeat([f"c{i}" for i in range(len(counts))], counts)
    samples = np.array([f"s{i}" for i in range(len(labels))])
    return DataSetHeader(name=name, samples=samples, labels=labels, n_features=3)


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
    said = (
        r"^toy: fewer samples than folds \(5\) in class 'c1' \(2\), 'c2' \(4\); "
        r"some folds test none of them$"
    )
    with pytest.warns(UserWarning, match=said) as caught:
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


def test_an_indicator_of_test_samples_is_a_predefined_fold(tmp_path):
    path = put(tmp_path, "0\n1\n1\n", "indicator.txt")
    assert read_folds(path, header(2, 1), 1, 1)["sample"].tolist() == ["s1", "s2"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        *mistakes("folds"),
        (["sample\tfold", "s0\t" + "9" * 5000], r"line 2: fold is '9+\.\.\.9+'"),
        (["sample\tfold\udcff"], r"is not UTF-8 text \(byte 11\); save it as UTF-8"),
    ],
)
def test_a_mistake_in_predefined_folds_is_named(tmp_path, lines, message):
    text = "\n".join([*lines, ""]).encode(errors="surrogateescape")
    with pytest.raises(InputError, match=message):
        read_folds(put(tmp_path, text, "folds.tsv"), header(2, 1), 1, 1)


def grouped(labels, groups, name="toy"):
    samples = np.array([f"s{i}" for i in range(len(labels))])
    return DataSetHeader(
        name=name,
        samples=samples,
        labels=np.array(list(labels)),
        n_features=3,
        groups=np.array(list(groups)),
    )


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
    with pytest.warns(UserWarning, match=r"fewer groups than folds \(3\) in class 'y' \(2\)"):
        draw_folds(grouped("xxxxxxyyxxxx", groups), 3, 1)


def test_leave_one_group_out_tests_each_group_once_as_scikit_learn_does():
    head = grouped("abab" * 3, np.repeat(["p3", "p1", "p2"], 4))
    folds = leave_one_group_out(head)
    expected = LeaveOneGroupOut().split(head.labels, head.labels, head.groups)
    for fold, (_, test) in enumerate(expected):
        assert set(folds[folds["fold"] == fold]["sample"]) == set(head.samples[test])
    assert set(folds["repeat"]) == {0}


def test_predefined_folds_that_tear_a_group_are_refused(tmp_path):
    path = put(tmp_path, "sample\tfold\ns0\t0\ns1\t1\ns2\t1\ns3\ttrain\n", "folds.tsv")
    with pytest.raises(InputError, match=r"fold 0 trains with sample 's1' and tests another of"):
        read_folds(path, grouped("abab", "ppqr"), 2, 1)
    assert len(read_folds(path, grouped("abab", "pqqr"), 2, 1)) == 3
    with pytest.raises(InputError, match="trains with sample 's3'"):
        read_folds(path, grouped("abab", "pqqp"), 2, 1)
