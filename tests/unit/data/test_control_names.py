"""Each word of the list makes a class the control; a name with two controls does not decide."""

import pytest

from xnbflow.data.controls import control_class, shown_classes


@pytest.mark.parametrize(
    "label",
    [
        "normal", "controls", "ctrl", "ctl", "healthy", "untreated", "wild type", "wild-type",
        "WT", "vehicle", "DMSO", "mock", "placebo", "baseline", "sham", "unaffected", "non-tumor",
        "non tumour", "nontumoral", "non-cancerous", "non-diseased", "non-malignant",
        "normal_tissue", "Healthy donor 1",
    ],
)  # fmt: skip
def test_a_word_of_the_list_makes_a_control(label):
    assert control_class([label, "disease"]) == label


@pytest.mark.parametrize(
    "label",
    ["Kontrolle", "Kontrollen", "gesund", "Gesunde", "témoin", "temoins", "contrôle", "sain",
     "controles", "sanos", "controllo", "sani", "saudável"],
)  # fmt: skip
def test_a_word_of_another_language_makes_a_control(label):
    assert control_class([label, "disease"]) == label
    assert control_class([label, "Krebs A", "Krebs B"]) == label


@pytest.mark.parametrize(
    "label", ["pre", "T-cells pre", "pre, day 0", "pre-treatment", "pre_surgery", "pre vaccination"]
)
def test_before_a_treatment_is_a_control(label):
    assert control_class([label, "later"]) == label


@pytest.mark.parametrize(
    "label",
    ["abnormal", "not normal", "no control", "normal-like", "unhealthy", "wtx",
     "pre-B", "pre B-ALL", "pre_B", "pre-eclampsia", "pre-diabetes", "preterm"],
)  # fmt: skip
def test_other_words_do_not(label):
    assert control_class([label, "disease"]) == ""


def test_two_controls_do_not_decide():
    assert control_class(["normal", "healthy"]) == ""


def test_the_class_that_is_not_the_control_is_shown():
    assert shown_classes(["normal", "tumour"]) == [1]
    assert shown_classes(["cancer", "normal"]) == [0]
    assert shown_classes(["a", "b"]) == [1]
    assert shown_classes(["a", "b"], reference="b") == [0]
