"""Folds are drawn once, stratified, and do not depend on the order of work."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from xnbflow.data.dataset import DataSetHeader
from xnbflow.data.errors import InputError
from xnbflow.data.seeds import derive_seed
from xnbflow.evaluation.folds import draw_folds, folds_of_repeat
from xnbflow.evaluation.folds_file import read_folds


def header(*counts, name="toy"):
    labels = np.repeat([f"c{i}" for i in range(len(counts))], counts)
    samples = np.array([f"s{i}" for i in range(len(labels))])
    return DataSetHeader(name, samples, labels, 3)


def test_every_sample_is_tested_once_per_repeat():
    folds = draw_folds(header(20, 10), 5, 3)
    assert (folds.groupby(["repeat", "sample"]).size() == 1).all()
    assert len(folds) == 3 * 30


def test_folds_keep_the_proportions_of_classes():
    head = header(20, 10)
    folds = draw_folds(head, 5, 1)
    label = dict(zip(head.samples, head.labels, strict=True))
    counts = folds.assign(label=folds["sample"].map(label)).groupby(["fold", "label"]).size()
    assert set(counts.xs("c0", level="label")) == {4}
    assert set(counts.xs("c1", level="label")) == {2}


def test_a_repeat_does_not_depend_on_the_number_of_repeats():
    few, many = draw_folds(header(20, 10), 5, 1), draw_folds(header(20, 10), 5, 4)
    assert few.equals(many[many["repeat"] == 0])


def test_every_repeat_draws_other_folds():
    folds = draw_folds(header(20, 10), 5, 4).set_index(["repeat", "sample"])["fold"]
    drawn = {tuple(folds[repeat].sort_index()) for repeat in range(4)}
    assert len(drawn) == 4


def test_folds_depend_on_the_data_set():
    assert not draw_folds(header(20, 10), 5, 1).equals(draw_folds(header(20, 10, name="b"), 5, 1))


def test_a_small_class_is_named_in_a_warning_and_the_folds_are_drawn():
    with pytest.warns(UserWarning, match=r"'c1' \(2\)"):
        folds = draw_folds(header(20, 2), 5, 1)
    assert len(folds) == 22


def test_a_class_as_large_as_the_number_of_folds_is_neither_small_nor_too_small():
    folds = draw_folds(header(5, 5), 5, 1)  # a warning would be an error
    assert (folds.groupby("fold").size() == 2).all()


def test_small_classes_are_listed_with_what_follows():
    said = (
        r"^toy: fewer samples than folds \(5\) in class 'c1' \(2\), 'c2' \(4\); "
        r"some folds test none of them$"
    )
    with pytest.warns(UserWarning, match=said) as caught:
        draw_folds(header(20, 2, 4), 5, 1)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_as_many_folds_are_drawn_as_asked():
    assert set(draw_folds(header(20, 10), 3, 1)["fold"]) == {0, 1, 2}


def test_the_folds_of_a_data_set_stay_as_they_are_from_version_to_version():
    """Results of other versions can be compared: the seed is made of name, repeat and purpose."""
    drawn = draw_folds(header(6, 6), 3, 2).query("repeat == 1 and fold == 0")["sample"]
    head = header(6, 6)
    splitter = StratifiedKFold(3, shuffle=True, random_state=derive_seed("toy", 1, "folds"))
    test = next(splitter.split(head.labels, head.labels))[1]
    assert drawn.tolist() == head.samples[test].tolist()


def test_no_class_is_large_enough():
    with pytest.raises(InputError, match="'c0', has 3"):
        draw_folds(header(3, 2), 5, 1)
    with pytest.raises(InputError, match="'c0', has 3"):  # as a training job draws them
        folds_of_repeat(header(3, 2), 5, 0)


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def test_predefined_folds_with_samples_that_only_train(tmp_path):
    path = write(tmp_path / "folds.tsv", "sample\tfold", "s0\t0", "s1\ttrain", "s2\t0")
    folds = read_folds(path, header(2, 1), 1, 1)
    assert folds["sample"].tolist() == ["s0", "s2"]
    assert set(folds["fold"]) == {0}


def test_an_indicator_of_test_samples_is_a_predefined_fold(tmp_path):
    path = write(tmp_path / "indicator.txt", "0", "1", "1")
    assert read_folds(path, header(2, 1), 1, 1)["sample"].tolist() == ["s1", "s2"]


def test_several_repeats_are_read_in_order_of_repeat_fold_and_file(tmp_path):
    rows = [*("0\ts2\t1", "0\ts1\t0", "0\ts0\t1"), *("1\ts0\t0", "1\ts1\t1", "1\ts2\ttrain")]
    path = write(tmp_path / "folds.tsv", "repeat\tsample\tfold", *reversed(rows))
    folds = read_folds(path, header(2, 1), 2, 2)
    assert folds.to_numpy().tolist() == [
        *([0, 0, "s1"], [0, 1, "s0"], [0, 1, "s2"]),
        *([1, 0, "s0"], [1, 1, "s1"]),
    ]
    assert folds.index.tolist() == [0, 1, 2, 3, 4]


def test_folds_of_many_samples_keep_their_order(tmp_path):
    """A sort that is not stable mixes up more than sixteen."""
    head = header(30, 30)
    lines = [f"{sample}\t{i % 2}" for i, sample in enumerate(head.samples)]
    folds = read_folds(write(tmp_path / "folds.tsv", "sample\tfold", *lines), head, 2, 1)
    assert folds["sample"].tolist() == [*head.samples[::2], *head.samples[1::2]]


def test_a_sample_may_be_called_na(tmp_path):
    head = DataSetHeader("toy", np.array(["NA", "s1"]), np.array(["a", "b"]), 1)
    path = write(tmp_path / "folds.tsv", "sample\tfold", "NA\t0", "s1\t0")
    assert read_folds(path, head, 1, 1)["sample"].tolist() == ["NA", "s1"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["sample\tset", "s0\t0"], "folds.tsv: column 'fold' is missing; found sample, set$"),
        (["sample\tfold", "s9\t0"], "folds.tsv, line 2: toy has no sample 's9'"),
        (["repeat\tsample\tfold", "3\ts0\t0", "3\ts0\t0"], "'s0' stands twice in repeat 3"),
        (["sample\tfold", "s0\t0", "s1\t0", "s9\t0"], "line 4: toy has no sample 's9'"),
        (["sample\tfold", "s0\t0", "s1\t0"], "sample 's2' of toy is missing"),
        (["sample\tfold", "s0\t0", "s1\t0", "s1\t0"], "line 4: sample 's1' stands twice"),
        (["sample\tfold", "s0\t0", "s1\tx", "s2\t0"], "line 3: fold is 'x'"),
        (["sample\tfold", "s0\t0", "s1\t1", "s2\t0"], "announces 1 repeat of 1 split"),
        (["0", "1"], "2 numbers for the 3 samples"),
        (["sample\tfold", "s0\t0", "s1\t0\t", "s2\t0"], "line 3: 3 cells, the header has 2"),
        (["sample\tfold", "s0\t0", "s1", "s2\t0"], "line 3: 1 cell, the header has 2"),
        (["sample\tfold\tfold", "s0\t0\t1"], "column 'fold' stands 2 times"),
        (["sample\tfold", "s0\t" + "9" * 5000], r"line 2: fold is '9+\.\.\.9+'"),
        (["sample\tfold", "s0\t0", "s1\t\u00b2", "s2\t0"], "line 3: fold is '\u00b2'"),
        (["repeat\tsample\tfold", "x\ts0\ttrain"], "line 2: repeat is 'x'"),
        (["sample\tfold", 's0\t"0', "s1\t0", "s2\t0"], "no tab-separated text"),
    ],
)
def test_a_mistake_in_predefined_folds_is_named(tmp_path, lines, message):
    with pytest.raises(InputError, match=message):
        read_folds(write(tmp_path / "folds.tsv", *lines), header(2, 1), 1, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"sample\tfold\ns0\t\xff\n", "is not UTF-8 text"),
        (b"\xff\xfes\x00a\x00", "is not UTF-8 text"),
        (b"<html>", "is a web page"),
    ],
)
def test_folds_that_are_no_text_are_refused(tmp_path, content, message):
    path = tmp_path / "folds.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_folds(path, header(2, 1), 1, 1)


def test_a_damaged_file_of_folds_is_read_rightly_or_refused(tmp_path):
    """Bytes of a good file are changed, dropped or doubled."""
    head = header(6, 6)
    lines = ["repeat\tsample\tfold"]
    lines += [f"{r}\t{s}\t{i % 3}" for r in range(2) for i, s in enumerate(head.samples)]
    good = ("\n".join(lines) + "\n").encode()
    rng, path = np.random.default_rng(0), tmp_path / "folds.tsv"
    messages = []
    for _ in range(400):
        content = bytearray(good)
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(len(content)))
            how = rng.integers(3)
            content[at : at + 1] = [
                bytes([rng.integers(256)]),
                b"",
                bytes(content[at : at + 1]) * 2,
            ][how]
        path.write_bytes(content)
        try:
            folds = read_folds(path, head, 3, 2)
        except InputError as error:
            messages.append(str(error))
        else:
            assert sorted(folds["sample"]) == sorted([*head.samples] * 2) or b"train" in content
    assert len(messages) > 200
    assert max(map(len, messages)) < 400 + len(str(path))
