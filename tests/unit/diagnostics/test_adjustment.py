"""A design in a data set: columns to adjust for, missing values, groups, and what is refused."""

import numpy as np
import pandas as pd
from toys import refused

from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import (
    adjusted_columns,
    check_design,
    covariates,
    design_notes,
    missing_covariates,
    with_known_covariates,
)

SAMPLES = np.array([f"s{i}" for i in range(8)])
LABELS = [*"aaaabbbb"]


def adjusted(*terms):
    return Design(adjust=terms)


def series(groups=None, **cells):
    return DataSet(
        "x",
        np.arange(8.0)[None],
        features=["g"],
        samples=SAMPLES,
        labels=LABELS,
        groups=groups,
        sample_metadata=pd.DataFrame(cells, dtype=object) if cells else None,
    )


def test_terms_have_the_names_of_columns_and_factors_stay_factors():
    measured = series(Age=["1"] * 8, grade=["1"] * 8)
    assert adjusted_columns(measured, adjusted("age", "factor(Grade)")) == {
        "Age": False,
        "grade": True,
    }


def test_a_batch_of_the_sheet_is_named_by_its_column():
    measured = series(**{"batch (who)": [*"ppqqppqq"]})
    assert adjusted_columns(measured, adjusted("factor(who)")) == {"batch (who)": True}


def test_names_that_are_not_in_the_data_set_are_refused_with_similar_ones():
    measured = series(age=["1"] * 8)
    with refused(
        r"'agee', which is not a column .*phenotype: \{columns: \[agee\]\}\); did you mean 'age'\?",
        key="adjust",
    ):
        check_design(measured, adjusted("agee"))
    with refused("biology of the study's design names 'sex'", key="biology"):
        check_design(measured, Design(biology=("sex",)))
    with refused("the data set has none", key="adjust"):
        check_design(series(), adjusted("age"))
    with refused(
        "reference of the study's design is 'c', which is not a class; known: a, b",
        key="reference",
    ):
        check_design(measured, Design(reference="c"))
    check_design(measured, Design(adjust=("age",), biology=("age",), reference="b"))


def test_numbers_are_linear_and_texts_and_factors_are_categories():
    measured = series(age=["40", *"1234567"], plate=["1", *"2121212"], sex=[*"fmfmfmfm"])
    columns = covariates(measured, adjusted("age", "factor(plate)", "sex"))
    assert columns["age"].tolist() == [40.0, 1, 2, 3, 4, 5, 6, 7]
    assert columns["plate"].tolist() == [*"12121212"]
    assert columns["sex"].tolist() == [*"fmfmfmfm"]


def test_samples_without_a_value_are_left_out_of_linear_models():
    ages = series(age=["40", "NA", "51", "60", *"1234"])
    design = adjusted("age")
    assert with_known_covariates(ages, design).samples.tolist() == [
        "s0", "s2", "s3", "s4", "s5", "s6", "s7",
    ]  # fmt: skip
    assert with_known_covariates(ages, design).values.tolist() == [[0, 2, 3, 4, 5, 6, 7]]
    assert with_known_covariates(ages, Design()) is ages
    complete = series(age=["40", *"1234567"])
    assert with_known_covariates(complete, design) is complete
    assert missing_covariates(complete, design) == {}
    with refused("no sample of the class a has a value of 'age'", key="adjust"):
        with_known_covariates(series(age=["NA", "", "?", "n/a", *"1234"]), design)


def test_comparisons_state_what_they_are_adjusted_for_and_whom_they_leave_out():
    compared = series(age=["1", "NA", *"934562"], sex=[*"fmfmfmfm"])
    notes = design_notes(compared, adjusted("age", "sex"))
    assert "adjusted for 'age' (numbers), 'sex' (2 categories)" in notes[0]
    assert notes[1].startswith("1 sample has no value of 'age' and is left out of comparisons")
    assert "s1; classifiers use all samples" in notes[1]
    assert design_notes(compared, Design()) == []


def test_groups_of_one_class_beside_groups_of_both_are_stated():
    groups = [*"ppqr", *"pqqt"]  # p and q have both classes; r and t one
    (note,) = design_notes(series(groups=groups), Design())
    assert note.startswith("single genes are compared within 2 groups of several classes; 2 groups")
    assert design_notes(series(groups=groups), Design(repeated="correlation")) == []
    assert design_notes(series(groups=[*"pqrt", *"pqrt"]), Design()) == []
    assert design_notes(series(groups=[*"pprr", *"ttuu"]), Design()) == []


def test_a_column_that_the_classes_determine_is_refused():
    with refused("data set x: .* cannot be separated from the class", key="adjust"):
        design_notes(series(centre=[*"xxxxyyyy"]), adjusted("centre"))
    assert design_notes(series(centre=[*"xyxyxyxy"]), adjusted("centre"))
    assert design_notes(series(centre=[*"xxxxyyyy"]), Design()) == []


def test_samples_with_a_missing_value_do_not_decide():
    """Without the third sample the column separates the classes."""
    cells = ["x", "x", "NA", "x", "y", "y", "y", "y"]
    with refused("cannot be separated from the class", key="adjust"):
        design_notes(series(centre=cells), adjusted("centre"))


def test_with_a_common_correlation_a_column_may_be_constant_within_groups():
    """Without it groups are blocks, which determine the age of a patient."""
    ages = series(groups=[*"pqrt", *"pqrt"], age=[*"1537", *"1537"])
    with refused("cannot be separated from the groups", key="adjust"):
        design_notes(ages, adjusted("age"))
    assert design_notes(ages, Design(adjust=("age",), repeated="correlation"))
