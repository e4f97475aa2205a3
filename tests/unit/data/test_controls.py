"""Controls by their names, and the class that is shown of two."""

import pytest

from xnbflow.data.controls import control_class, shown_classes


@pytest.mark.parametrize(
    ("classes", "control"),
    [
        (["normal", "tumour"], "normal"),
        (["Normal tissue", "RCC"], "Normal tissue"),
        (["AML", "healthy_donor"], "healthy_donor"),
        (["treated", "untreated"], "untreated"),
        (["KO", "WT"], "WT"),
        (["knock-out", "wild-type"], "wild-type"),
        (["DMSO", "drug"], "DMSO"),
        (["non-tumor", "tumor"], "non-tumor"),
        (["nontumoral", "tumoral"], "nontumoral"),
        (["siCtrl_ctrl", "siRNA"], "siCtrl_ctrl"),
        (["Basal", "Her2", "Normal-like"], ""),
        (["abnormal", "B"], ""),
        (["not normal", "B"], ""),
        (["control A", "control B"], ""),
        (["paranormal", "uncontrolled"], ""),
        (["A", "B"], ""),
    ],
)
def test_a_control_is_recognised_by_a_whole_word(classes, control):
    assert control_class(classes) == control


def test_a_reference_is_the_control_whatever_its_name():
    assert control_class(["normal", "tumour"], "tumour") == "tumour"
    assert shown_classes(["normal", "tumour"], "tumour") == [0]


def test_of_two_classes_the_one_that_is_no_control_is_shown():
    assert shown_classes(["normal", "tumour"]) == [1]
    assert shown_classes(["cancer", "normal"]) == [0]
    assert shown_classes(["a", "b"]) == [1]
    assert shown_classes(["a", "b", "normal"]) == [0, 1, 2]
    assert shown_classes(["a"]) == [0]
