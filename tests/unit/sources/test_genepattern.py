"""GCT and CLS: which columns annotate, and which classes contradict the samples."""

import numpy as np
import pytest
from toys import dataset, put, refused, set_fields

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.gct import as_gct, gct_and_cls, read_classes

GCT = "#1.2\n1\t4\nNAME\tDescription\ts1\ts2\ts3\ts4\ng1\tx\t1\t2\t3\t4\n"
GCT_1_3 = "#1.3\n1\t2\t2\t1\nid\tsymbol\tlength\ts1\ts2\ntissue\tna\tna\ta\tb\ng1\tTP53\t9\t1\t2\n"


def test_samples_of_gct_are_columns_beside_the_annotation(tmp_path):
    row = as_gct(put(tmp_path, GCT, "x.gct"), DatasetEntry("x", "table"))
    assert (row.samples, set_fields(row)) == ("columns", {"drop": ("Description",)})
    row = as_gct(put(tmp_path, GCT_1_3, "y.gct"), DatasetEntry("x", "table", drop=("z",)))
    assert set_fields(row) == {"drop": ("z", "symbol", "length"), "phenotype_columns": ("tissue",)}
    labelled = as_gct(put(tmp_path, GCT_1_3, "y.gct"), DatasetEntry("x", "table", label="tissue"))
    assert set_fields(labelled) == {"drop": ("symbol", "length")}
    wrong = GCT_1_3.replace("1\t2\t2\t1\n", "1\t2\t2\n")
    with refused("the second line of GCT 1.3 has four whole numbers"):
        as_gct(put(tmp_path, wrong, "z.gct"), DatasetEntry("x", "table"))


def classes_of(folder, text):
    table = put(folder, GCT, "x.gct")
    return read_classes(put(folder, text, "x.cls"), table)["class"].tolist()


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("4 2 1\n# tumour normal\n0 0 1 1\n", ["tumour", "tumour", "normal", "normal"]),
        ("4 2 1\n# tumour normal\ntumour normal normal tumour\n", None),
        ("4 2 1\n# a b\nx x y x\n", ["a", "a", "b", "a"]),
    ],
)
def test_the_first_label_is_of_the_first_class(tmp_path, text, classes):
    expected = classes or ["tumour", "normal", "normal", "tumour"]
    assert classes_of(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4 2 1\n# tumour normal\n1 1 0 0\n", "first label that occurs, '1', would"),
        ("4 2 1\n# tumour normal\nnormal normal tumour tumour\n", "the first label that occurs"),
        ("5 2 1\n# tumour normal\n0 0 1 1\n", "has 4 samples, and here are 4 labels"),
        ("4 2 1\n# tumour normal\n0 0 1\n", "here are 3 labels"),
        ("4 3 1\n# a b c\n0 0 1 1\n", "3 names of classes .* and 2 distinct labels"),
        ("4 2\n# a b\n0 0 1 1\n", "is not CLS: three lines"),
    ],
)
def test_classes_that_contradict_the_format_are_refused(tmp_path, text, message):
    with refused(message):
        classes_of(tmp_path, text)


def test_classes_that_cls_cannot_distinguish_are_not_written():
    series = dataset(np.ones((2, 4)), ["a b", "a b", "a_b", "a_b"])
    with refused(
        "names of classes that differ only in spaces or _ are equal in CLS",
    ):
        gct_and_cls(series)
    angles = dataset(np.ones((1, 2)), ["a", "b"], kinds=["angular"])
    with refused("has features that are not measurements"):
        gct_and_cls(angles)


def test_a_quoted_name_is_refused_as_it_is_written():
    series = dataset(np.ones((2, 4)), list("aabb"), features=['"quoted"', "g"])
    with refused("""'"quoted"' begins with a quotation mark"""):
        gct_and_cls(series)
