"""Agreement of predictions with the labels of a table."""

import pytest

from xnbflow.models.agreement import agreement
from xnbflow.sources.dataset_entry import DatasetEntry

CLASSES = ["normal", "tumour"]


def test_counts_are_by_true_class_in_rows():
    actual = agreement(CLASSES, ["tumour", "tumour", "normal"], ["normal", "tumour", "normal"])
    assert actual.confusion.loc["normal", "tumour"] == 1
    assert actual.confusion.loc["tumour", "normal"] == 0
    assert (actual.n_right, actual.n_samples) == (2, 3)
    assert actual.balanced_accuracy == pytest.approx((1 / 2 + 1) / 2)


def test_other_labels_and_missing_ones_do_not_count():
    texts = ["tumour", "metastasis", "", "NA"]
    actual = agreement(CLASSES, ["tumour"] * 4, texts)
    assert (actual.n_right, actual.n_samples, actual.others) == (1, 1, {"metastasis": 1})
    assert actual.balanced_accuracy == 1.0  # the class without samples has no recall
    assert "1 sample has a label that the model does not have" in actual.as_text()
    assert "accuracy 1.000 (1 of 1), balanced accuracy 1.000" in actual.as_text()


def test_labels_are_made_as_in_training_and_without_any_there_is_none():
    labels = {"gbm": "tumour", "ctrl": "normal"}
    entry = DatasetEntry("x", "table", map=labels, transform="log2", unlabelled="drop")
    actual = agreement(CLASSES, ["tumour", "normal"], ["GBM", "ctrl"], entry)
    assert actual.n_right == 2
    assert agreement(CLASSES, ["tumour"], ["x"]) is None


def test_balanced_accuracy_is_the_mean_of_recalls_of_true_classes():
    texts = ["normal"] * 4 + ["tumour"]
    compared = agreement(CLASSES, ["normal", "normal", "tumour", "tumour", "tumour"], texts)
    assert compared.balanced_accuracy == pytest.approx((2 / 4 + 1) / 2)


def test_labels_are_found_in_texts_by_pattern_and_literal_texts_are_no_missing_ones():
    by_regex = DatasetEntry("x", "table", label_pattern=r"status: (\w+)")
    assert agreement(CLASSES, ["tumour"], ["status: tumour"], by_regex).n_right == 1
    entry = DatasetEntry("x", "table", literal=("none",))
    literal = agreement(["none", "tumour"], ["none"], ["none"], entry)
    assert literal.n_right == 1
