"""The proposed map= of rare classes."""

import pytest

from xnbflow.sources.class_labels import LabelRule, propose_map
from xnbflow.sources.sheet import SheetRow


@pytest.mark.parametrize(
    ("sizes", "proposed"),
    [
        ({"a": 3, "b": 3}, None),
        ({"a": 3, "b": 3, "c": 2}, "a:a,b:b"),
        ({"a": 3, "b": 3, "c": 3}, None),
        ({"a": 3, "b": 2}, None),  # one class would remain
        ({"a, x": 3, "b:y": 3, "c": 1}, r"a\, x:a\, x,b\:y:b\:y"),
        ({"a;x": 3, "b": 3, "c": 1}, None),  # a sheet cannot contain it
    ],
)
def test_classes_of_one_or_two_samples_are_left_out(sizes, proposed):
    labels = [label for label, n in sizes.items() for _ in range(n)]
    options, _ = propose_map(labels)
    assert options.get("map") == proposed
    if proposed:
        rule = LabelRule.parse(SheetRow("x", "table", options=options))
        kept, keep, _ = rule.apply("x", range(len(labels)), labels)
        assert set(kept) == {label for label, n in sizes.items() if n > 2}
        assert keep.sum() == len(kept)


def test_the_sentence_joins_rare_classes_where_they_are_three_samples():
    _, text = propose_map(["a"] * 4 + ["b"] * 4 + ["c"] * 2 + ["d"])
    assert "2 classes have one or two samples, too few" in text
    assert "to join them, write map=a:a,b:b,c:others,d:others." in text
    _, text = propose_map(["a"] * 4 + ["b"] * 4 + ["c"] * 2)
    assert "leaves it out." in text
    assert "join" not in text


def test_one_text_has_its_label():
    rule = LabelRule.parse(SheetRow("x", "table", options={"map": "gbm:tumour,ctrl:normal"}))
    assert [rule.label_of("x", text) for text in ("GBM", "ctrl ", "other")] == [
        "tumour",
        "normal",
        None,
    ]
