"""The class from all columns of the phenotype together: limits of a warning and of a severe row.

A column of two levels predicts the class by its level, so that the balanced accuracy is the mean of
the shares of each class in its own level.
"""

import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.studies.phenotype_checks import phenotype_checks


def check(labels, **columns):
    """Return severity and balanced accuracy; None where there is no row."""
    header = DataSet(
        "toy",
        None,
        features=[],
        samples=[f"s{i}" for i in range(len(labels))],
        labels=list(labels),
        sample_metadata=pd.DataFrame(columns),
    )
    rows = phenotype_checks(header)
    return None if rows.empty else (rows["severity"].iloc[0], rows["value"].iloc[0])


@pytest.mark.parametrize(
    ("n_as_a", "severity", "accuracy"),
    [(20, "severe", 1.0), (19, "severe", 0.975), (17, "warning", 0.925)],
)
def test_a_separation_is_complete_from_an_accuracy_of_95_percent_on(n_as_a, severity, accuracy):
    cells = ["x"] * n_as_a + ["y"] * (20 - n_as_a) + ["y"] * 20
    assert check("a" * 20 + "b" * 20, plate=cells) == (severity, pytest.approx(accuracy))


def test_a_column_without_the_class_is_no_warning():
    assert check("a" * 20 + "b" * 20, plate=["x", "y"] * 20)[0] == "none"


@pytest.mark.parametrize(("n", "severity"), [(10, "severe"), (9, "warning")])
def test_a_separation_of_fewer_than_ten_samples_is_not_severe(n, severity):
    labels = "a" * 5 + "b" * (n - 5)
    assert check(labels, plate=["x" if label == "a" else "y" for label in labels])[0] == severity


@pytest.mark.parametrize(("n_known", "is_used"), [(18, True), (17, False)])
def test_a_column_needs_nine_of_ten_cells_of_each_class(n_known, is_used):
    cells = ["x", "y"] * 9 + ["x"] * 2
    cells[n_known:] = ["NA"] * (20 - n_known)
    assert (check("a" * 20 + "b" * 20, plate=cells + ["x", "y"] * 10) is not None) == is_used


def test_classes_count_alike_whatever_their_sizes():
    """Half of 40 a, and all of 10 b, have x: a model of equal weights would predict a always."""
    labels = "a" * 40 + "b" * 10
    severity, accuracy = check(labels, plate=["x", "y"] * 20 + ["x"] * 10)
    assert accuracy == pytest.approx(0.75)
    assert severity == "warning"


def test_a_class_of_one_sample_has_no_row():
    assert check("a" * 12 + "b", plate=["x", "y"] * 6 + ["y"]) is None


def test_a_class_of_two_samples_is_checked_and_one_of_a_single_sample_is_not():
    cells = ["x"] * 18 + ["y"] * 2
    assert check("a" * 18 + "b" * 2, plate=cells) is not None
    assert check("a" * 19 + "b", plate=cells) is None
