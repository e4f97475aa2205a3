"""Agreement of predictions with the labels of a table."""

import pytest

from xnbflow.models.agreement import agreement, labels_of_texts
from xnbflow.sources.dataset_entry import DatasetEntry

CLASSES = ["normal", "tumour"]


def test_counts_are_by_true_class_in_rows():
    actual = agreement(CLASSES, ["tumour", "tumour", "normal"], ["normal", "tumour", "normal"])
    assert actual.confusion.loc["normal", "tumour"] == 1
    assert actual.confusion.loc["tumour", "normal"] == 0
    assert (actual.n_right, actual.n_samples) == (2, 3)
    assert actual.balanced_accuracy == pytest.approx((1 / 2 + 1) / 2)


def test_other_labels_and_missing_ones_do_not_count():
    labels = ["tumour", "metastasis", None, None]
    actual = agreement(CLASSES, ["tumour"] * 4, labels)
    assert (actual.n_right, actual.n_samples, actual.others) == (1, 1, {"metastasis": 1})
    assert actual.balanced_accuracy == 1.0  # the class without samples has no recall
    assert "1 sample has a label that the model does not have" in actual.as_text()
    assert "accuracy 1.000 (1 of 1), balanced accuracy 1.000" in actual.as_text()


def test_balanced_accuracy_is_the_mean_of_recalls_of_true_classes():
    texts = ["normal"] * 4 + ["tumour"]
    compared = agreement(CLASSES, ["normal", "normal", "tumour", "tumour", "tumour"], texts)
    assert compared.balanced_accuracy == pytest.approx((2 / 4 + 1) / 2)


def test_labels_are_made_as_in_training():
    entry = trained(map={"gbm": "tumour", "ctrl": "normal"}, transform="log2", unlabelled="drop")
    assert labels_of_texts(["GBM", "ctrl", "NA"], CLASSES, entry)[0] == ["tumour", "normal", None]
    by_pattern = trained(label_pattern=r"status: (\w+)")
    assert labels_of_texts(["status: tumour", "?"], CLASSES, by_pattern)[0] == ["tumour", None]
    literal = trained(literal=("none",))
    assert labels_of_texts(["none", "NA"], ["none", "tumour"], literal)[0] == ["none", None]


@pytest.mark.parametrize("text", ["NORMAL", "Normal", "normal*", " normal\u200b"])
def test_other_spellings_of_a_class_are_the_class(text):
    labels, notes = labels_of_texts([text, "Tumor"], CLASSES, trained())
    assert labels == CLASSES
    assert "'Tumor' is read as the class 'tumour'" in notes[0]


@pytest.mark.parametrize("classes", [["Normal", "normal"], ["normals", "tumour"]])
def test_a_spelling_of_several_classes_or_of_none_is_no_class(classes):
    labels, notes = labels_of_texts(["NORMAL"], classes, trained())
    assert labels == ["NORMAL"]
    assert "--set 'map={NORMAL: CLASS}'" in notes[0]


def test_labels_that_the_map_of_the_training_lacks_are_named():
    entry = trained(map={"gbm": "tumour", "ctrl": "normal"})
    labels, notes = labels_of_texts(["healthy", "healthy", ""], CLASSES, entry)
    assert labels == ["healthy", "healthy", None]
    assert "no label is a class of the model (normal, tumour), there are 'healthy' (2)" in notes[0]
    assert agreement(CLASSES, ["tumour"] * 3, labels) is None


def trained(**fields):
    """Return the entry of the training data."""
    return DatasetEntry("training", "table", **fields)
