"""The proposed map of rare classes."""

from contextlib import nullcontext

import pytest
from toys import put, refused

from xnbflow.core.errors import InputError
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.infer.class_keys import label_keys, propose_map
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.sources.series.class_labels import LabelRule
from xnbflow.sources.series.label_spellings import common_spellings
from xnbflow.sources.table import read_table


@pytest.mark.parametrize(
    ("sizes", "proposed"),
    [
        ({"a": 3, "b": 3}, {}),
        ({"a": 3, "b": 3, "c": 2}, {"a": "a", "b": "b"}),
        ({"a": 3, "b": 3, "c": 3}, {}),
        ({"a": 3, "b": 2}, {}),  # one class would remain
        ({"a, x;": 3, "b:y": 3, "c": 1}, {"a, x;": "a, x;", "b:y": "b:y"}),
    ],
)
def test_classes_of_one_or_two_samples_are_left_out(sizes, proposed):
    labels = [label for label, n in sizes.items() for _ in range(n)]
    options, _ = propose_map(labels)
    assert options == proposed
    if proposed:
        rule = LabelRule.parse(DatasetEntry("x", "table", map=options))
        classes, keep, _ = rule.apply("x", range(len(labels)), labels)
        assert set(classes) == {label for label, n in sizes.items() if n > 2}
        assert keep.sum() == len(classes)


def test_the_sentence_joins_rare_classes_where_they_are_three_samples():
    _, text = propose_map(["a"] * 4 + ["b"] * 4 + ["c"] * 2 + ["d"])
    assert "2 classes have one or two samples, too few" in text
    assert "to join them, write map: {a: a, b: b, c: others, d: others}." in text
    _, text = propose_map(["a"] * 4 + ["b"] * 4 + ["c"] * 2)
    assert "leaves it out." in text
    assert "join" not in text


def test_one_text_has_its_label():
    rule = LabelRule.parse(DatasetEntry("x", "table", map={"gbm": "tumour", "ctrl": "normal"}))
    assert [rule.label_of(text) for text in ("GBM", "ctrl ", "other")] == [
        "tumour",
        "normal",
        None,
    ]


def test_a_class_none_is_literal_where_several_samples_have_it():
    assert label_keys(["drug", "none", "drug", "none"]) == {"literal": ("none",)}
    assert label_keys(["drug", "none", "drug"]) == {"unlabelled": "drop"}  # of one sample
    both = {"literal": ("none",), "unlabelled": "drop"}
    assert label_keys(["drug", "none", "none", "NA"]) == both


def apply(labels, **options):
    rule = LabelRule.parse(DatasetEntry("x", "table", **options))
    return rule.apply("x", range(len(labels)), labels)


def test_a_class_of_a_missing_word_is_kept_by_the_option_that_the_note_names():
    continents = ["NA", "EU", "AS"] * 5
    labels, keep, notes = apply(continents, unlabelled="drop")
    assert sorted(set(labels)) == ["AS", "EU"]
    assert keep.sum() == 10
    assert "'NA' (5 samples), which is read as missing" in notes[1]
    assert notes[1].endswith("literal: [NA]")
    labels, keep, notes = apply(continents, unlabelled="drop", literal=("NA",))
    assert sorted(set(labels)) == ["AS", "EU", "NA"]
    assert notes == []


def test_a_single_class_beside_a_missing_word_is_refused_with_the_option():
    with refused(
        r"have the label 'EU', .*'NA' \(5 samples\).*literal: \[NA\]$",
    ):
        apply(["NA", "EU"] * 5, unlabelled="drop")


def test_missing_words_are_named_where_samples_without_a_label_are_refused():
    with refused(
        r"the texts 'NA' \(1 sample\), '\?' \(1 sample\), .* keep them by .*literal: \[NA, '\?'\]$",
    ):
        apply(["a", "NA", "?", "b"])
    with pytest.raises(InputError, match=r"unlabelled: drop$"):  # empty cells are no word
        apply(["a", "", "b"])


@pytest.mark.parametrize(("n_missing", "is_noted"), [(1, False), (2, True)])
def test_two_samples_of_a_missing_word_may_be_a_class(n_missing, is_noted):
    notes = apply(["a"] * 5 + ["b"] * 5 + ["NA"] * n_missing, unlabelled="drop")[2]
    assert any("literal: [NA]" in note for note in notes) == is_noted
    notes = apply(["a"] * 5 + ["b"] * 5 + ["NA"] * n_missing, map={"a": "x", "b": "y"})[2]
    assert not any("literal" in note for note in notes)  # the mapping decides


@pytest.mark.parametrize("labels", [["a", "b", "NA"], ["a", "b", "", ""]])
def test_one_missing_word_and_empty_cells_are_no_class(labels):
    assert len(apply(labels, unlabelled="drop")[2]) == 1


@pytest.mark.parametrize(
    ("n_classes", "n_each", "is_refused"),
    [
        (11, 4, True),  # texts: most samples share their label with fewer than five
        (11, 5, False),
        (10, 1, False),  # ten are classes
    ],
)
def test_many_labels_of_few_samples_are_no_classes(n_classes, n_each, is_refused):
    labels = [f"t{i}" for i in range(n_classes)] * n_each
    with refused("are not classes") if is_refused else nullcontext():
        apply(labels)


@pytest.mark.parametrize(("n_each", "is_refused"), [(19, True), (20, False)])
def test_numbers_are_classes_from_twenty_samples_of_each_on(n_each, is_refused):
    labels = [str(i) for i in range(11)] * n_each
    with refused("cut points") if is_refused else nullcontext():
        apply(labels)


def test_small_classes_are_noted_unless_all_are_small():
    assert apply(["a"] * 5 + ["b"] * 5)[2] == []
    (note,) = apply(["a"] * 5 + ["b"] * 4)[2]
    assert "fewer than 5 samples in class 'b' (4)" in note
    assert apply(["a"] * 4 + ["b"] * 4)[2] == []


@pytest.mark.parametrize(
    ("cuts", "labels"),
    [
        ({"<=60": "young", ">60": "old"}, ["young", "young", "old"]),
        ({"<60": "young", ">=60": "old"}, ["young", "old", "old"]),
    ],
)
def test_a_cut_point_belongs_to_the_side_that_is_named(cuts, labels):
    rule = LabelRule.parse(DatasetEntry("x", "table", map=cuts))
    assert [rule.label_of(text) for text in ("59.9", "60", "60.1")] == labels


@pytest.mark.parametrize(("n_alike", "is_refused"), [(40, False), (39, True)])
def test_names_are_no_classes_where_they_are_more_than_half_of_the_samples(n_alike, is_refused):
    labels = [f"s{i}" for i in range(40)] + ["a"] * n_alike  # forty texts of one sample each
    with refused("are not classes") if is_refused else nullcontext():
        apply(labels)


def test_the_first_group_of_a_pattern_is_the_label_in_any_letters():
    rule = LabelRule.parse(DatasetEntry("x", "table", label_pattern="stage (i+|iv)|normal"))
    texts = ["Stage II b", "NORMAL colon", "other"]
    assert [rule.label_of(text) for text in texts] == ["II", "NORMAL", None]


def test_classes_that_differ_by_letters_or_the_form_of_numbers_look_alike():
    assert "'Tumour' and 'tumour'" in apply(["Tumour"] * 5 + ["tumour"] * 5)[2][0]
    assert "'1' and '1.0'" in apply(["1"] * 5 + ["1.0"] * 5)[2][0]
    assert apply(["1"] * 5 + ["2"] * 5)[2] == []


@pytest.mark.parametrize(
    ("one", "other"), [("1e3", "1000"), ("caf\u00e9", "cafe\u0301"), ("stage \u2161", "stage II")]
)
def test_forms_of_a_number_and_of_letters_look_alike(one, other):
    (note,) = apply([one] * 5 + [other] * 5)[2]
    assert "look alike" in note


@pytest.mark.parametrize("sign", ["*", " **", "†", "‡", "§", "#", "²"])
def test_a_label_with_the_sign_of_a_footnote_is_joined_to_the_label_without(tmp_path, sign):
    labels = [*["Responder"] * 6, *[f"responder{sign}"] * 7, *["non-responder"] * 9]
    lines = [
        "id,response,g1,g2",
        *(f"s{i},{text},{i},{i % 4 + 0.5}" for i, text in enumerate(labels)),
    ]
    lines.append("")
    path = put(tmp_path, "\n".join(lines), "x.csv")
    result = summarise_table(DatasetEntry("x", "table", str(path)))
    assert sorted(set(result.labels)) == ["Responder", "non-responder"]
    assert f"joins spellings: 'responder{sign}' to 'Responder'" in result.reason
    row = DatasetEntry("x", "table", label="response", id_column="id")
    series = read_table(path, row)
    assert any("look alike" in note and "footnote" in note for note in series.notes)


def test_a_sign_is_part_of_a_label_that_does_not_occur_without_it(tmp_path):
    assert common_spellings(["p53*", "wild type"])["p53*"] == "p53*"
    assert common_spellings(["CD4", "CD4+"])["CD4+"] == "CD4+"
    assert common_spellings(["*", "**", "a"]) == {"*": "*", "**": "**", "a": "a"}
