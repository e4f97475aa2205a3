"""Predefined folds: an indicator, mistakes, and groups on both sides."""

import pytest
from fold_headers import grouped, header
from toys import mistakes, put

from xnbflow.core.errors import InputError
from xnbflow.evaluation.folds_file import _read_folds


def test_an_indicator_of_test_samples_is_a_predefined_fold(tmp_path):
    path = put(tmp_path, "0\n1\n1\n", "indicator.txt")
    assert _read_folds(path, header(2, 1), 1, 1)["sample"].tolist() == ["s1", "s2"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        *mistakes("folds"),
        (["sample\tfold", "s0\t" + "9" * 5000], r"line 2: fold is '9+\.\.\.9+'"),
        (["sample\tfold\udcff"], r"not UTF-8 text \(byte 11\); save it"),
    ],
)
def test_a_mistake_in_predefined_folds_is_named(tmp_path, lines, message):
    text = "\n".join([*lines, ""]).encode(errors="surrogateescape")
    with pytest.raises(InputError, match=message):
        _read_folds(put(tmp_path, text, "folds.tsv"), header(2, 1), 1, 1)


def test_predefined_folds_that_tear_a_group_are_refused(tmp_path):
    path = put(tmp_path, "sample\tfold\ns0\t0\ns1\t1\ns2\t1\ns3\ttrain\n", "folds.tsv")
    with pytest.raises(InputError, match="fold 0 trains with sample 's1' and tests another of"):
        _read_folds(path, grouped("abab", "ppqr"), 2, 1)
    assert len(_read_folds(path, grouped("abab", "pqqr"), 2, 1)) == 3
    with pytest.raises(InputError, match="trains with sample 's3'"):
        _read_folds(path, grouped("abab", "pqqp"), 2, 1)
