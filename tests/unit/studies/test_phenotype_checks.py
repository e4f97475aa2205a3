"""The class from all columns of the phenotype together: when it is a finding.

A column of two levels predicts the class by its level, so that the balanced accuracy is the mean of
the shares of each class in its own level.
"""

import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.studies.phenotype_checks import phenotype_checks


def check(labels, **columns):
    """Return the balanced accuracy; None where there is no finding."""
    header = DataSet(
        "toy",
        None,
        features=[],
        samples=[f"s{i}" for i in range(len(labels))],
        labels=list(labels),
        sample_metadata=pd.DataFrame(columns),
    )
    findings = phenotype_checks(header)
    return findings[0].estimate if findings else None


@pytest.mark.parametrize(("n_as_a", "accuracy"), [(20, 1.0), (19, 0.975), (17, 0.925)])
def test_a_column_that_goes_with_the_class_predicts_it(n_as_a, accuracy):
    cells = ["x"] * n_as_a + ["y"] * (20 - n_as_a) + ["y"] * 20
    assert check("a" * 20 + "b" * 20, plate=cells) == pytest.approx(accuracy)


def test_a_column_without_the_class_is_no_finding():
    assert check("a" * 20 + "b" * 20, plate=["x", "y"] * 20) is None


@pytest.mark.parametrize(("n_known", "is_used"), [(18, True), (17, False)])
def test_a_column_needs_nine_of_ten_cells_of_each_class(n_known, is_used):
    cells = ["x"] * 20
    cells[n_known:] = ["NA"] * (20 - n_known)
    assert (check("a" * 20 + "b" * 20, plate=cells + ["y"] * 20) is not None) == is_used


def test_classes_count_alike_whatever_their_sizes():
    """Half of 40 a, and all of 10 b, have x: a model of equal weights would predict a always."""
    labels = "a" * 40 + "b" * 10
    assert check(labels, plate=["x", "y"] * 20 + ["x"] * 10) == pytest.approx(0.75)


def test_a_class_of_one_sample_has_no_finding():
    assert check("a" * 12 + "b", plate=["x", "y"] * 6 + ["y"]) is None


def test_a_class_of_two_samples_is_checked_and_one_of_a_single_sample_is_not():
    cells = ["x"] * 18 + ["y"] * 2
    assert check("a" * 18 + "b" * 2, plate=cells) is not None
    assert check("a" * 19 + "b", plate=cells) is None
