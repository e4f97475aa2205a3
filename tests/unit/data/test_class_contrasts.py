"""Comparisons of classes that a page proposes are comparisons that a design accepts."""

import numpy as np
import pytest
from toys import dataset

from xnbflow.core.study import Design
from xnbflow.data.class_contrasts import proposed_contrasts
from xnbflow.diagnostics.contrasts import comparisons


@pytest.mark.parametrize(
    ("classes", "reference", "expected"),
    [
        (["a", "b"], "", []),
        (["a", "b", "c"], "", ["b vs a", "c vs a", "c vs b"]),
        (["a", "b", "c"], "b", ["c vs a"]),
        (["AML", "MDS", "normal"], "", ["AML vs normal", "MDS vs normal", "MDS vs AML"]),
        (["0 mg", "5 mg", "10 mg"], "", ["trend(class)", "5 mg vs 0 mg", "10 mg vs 0 mg",
                                         "10 mg vs 5 mg"]),
        (["T1", "N2", "T3"], "", ["N2 vs T1", "T3 vs T1", "T3 vs N2"]),
        (["a vs b", "c", "d"], "", []),
    ],
)  # fmt: skip
def test_proposals(classes, reference, expected):
    assert proposed_contrasts(classes, reference) == expected


def test_of_more_than_five_classes_only_pairs_with_the_control_are_proposed():
    names = list("abcde")
    assert len(proposed_contrasts(names)) == 10
    assert proposed_contrasts([*names, "f"]) == []
    assert proposed_contrasts([*names, "normal"]) == [f"{name} vs normal" for name in names]


@pytest.mark.parametrize(
    "classes", [["a", "b", "c"], ["0 mg", "10 mg", "5 mg"], ["x y", "control", "z: 1"]]
)
def test_a_design_accepts_what_is_proposed(classes):
    series = dataset(np.zeros((2, 6)), np.repeat(classes, 2))
    proposed = proposed_contrasts(series.classes)
    assert proposed
    parsed = comparisons(series, Design(contrasts=tuple(proposed)))
    assert len(parsed) == len(proposed)
