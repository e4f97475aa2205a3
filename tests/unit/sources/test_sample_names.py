"""Classes in the names of samples: parts of names, and the types of samples of TCGA."""

import re

import pytest

from xnbflow.sources.infer.classes_in_names import find_classes_in_names

BARCODES = ["TCGA-A1-A0SB-01A", "TCGA-A1-A0SC-01B", "TCGA-B2-A0SB-11A", "TCGA-B2-A0SD-11A"]


def classes(names):
    in_names = find_classes_in_names(names)
    return [] if in_names is None else [re.search(in_names.pattern, name)[1] for name in names]


def types(names):
    return find_classes_in_names(names).types


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (BARCODES, ["01", "01", "11", "11"]),
        ([name.replace("-", ".") for name in BARCODES], ["01", "01", "11", "11"]),
        ([name[:15] for name in BARCODES], ["01", "01", "11", "11"]),
        ([f"{name}-11R-A115-07" for name in BARCODES], ["01", "01", "11", "11"]),
        ([*BARCODES, "TCGA-B2-A0SD-06A"], []),  # one sample of a type
        (["RCC_1", "RCC_2", "normal_1"], []),  # one sample of a class
        (["RCC_1", "RCC_2", "normal_1", "normal_2"], ["RCC", "RCC", "normal", "normal"]),
        (["run.T1", "run.T2", "run.N1", "run.N2"], ["T", "T", "N", "N"]),
        ([f"sample{i}" for i in range(6)], []),
        ([f"rep{i}_{c}" for i in range(2) for c in "ab"], ["a", "b", "a", "b"]),
        ([f"{chr(97 + i)}_{j}" for i in range(11) for j in range(2)], []),  # eleven classes
        ([f"{chr(97 + i)}_{j}" for i in range(10) for j in range(2)], [*"aabbccddeeffgghhiijj"]),
        ([], []),
    ],
)
def test_the_class_in_each_name(names, expected):
    assert classes(names) == expected


def test_types_of_samples_have_their_names():
    assert types(BARCODES) == {"01": "primary tumour", "11": "normal tissue"}
    recurrent = [name.replace("-11A", "-02A") for name in BARCODES]
    assert types(recurrent) == {
        "01": "primary tumour",
        "02": "recurrent tumour",
    }
    cells = [name.replace("-11A", "-50A") for name in BARCODES]
    assert types(cells) == {"01": "primary tumour", "50": "type 50"}


def test_a_class_that_begins_with_another_is_found_whole():
    names = [f"{kind}{number}" for kind in ("T.a", "T.ab") for number in (1, 2)]
    assert classes(names) == ["a", "a", "ab", "ab"]


def test_of_classes_that_begin_alike_the_longer_one_is_searched_first():
    names = ["T1x_1", "T1x_2", "T_1", "T_2"]
    assert classes(names) == ["T1x", "T1x", "T", "T"]
