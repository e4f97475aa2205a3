"""Columns to adjust for: their terms, missing values, and groups of one or several classes."""

import numpy as np
import pandas as pd
from toys import refused
from xnbflow.sources.adjustment import adjusted_terms, comparison_notes, refuse_inseparable

from xnbflow.data.dataset import DataSet
from xnbflow.sources.sheet import SheetRow

SAMPLES = np.array([f"s{i}" for i in range(8)])
LABELS = [*"aaaabbbb"]


def row(**options):
    return SheetRow("x", "table", "x.csv", label="type", options=options)


def columns(**cells):
    return pd.DataFrame(cells, dtype=object)


def series(adjust=(), groups=None, **cells):
    return DataSet(
        "x",
        np.zeros((1, 8)),
        features=["g"],
        samples=SAMPLES,
        labels=LABELS,
        groups=groups,
        sample_metadata=columns(**cells) if cells else None,
        adjust=adjust,
    )


def test_terms_have_the_names_of_columns_and_factors_stay_factors():
    metadata = columns(Age=["1"] * 8, grade=["1"] * 8)
    terms = adjusted_terms(row(adjust="age,factor(Grade)"), "x", metadata, SAMPLES)
    assert terms == ["Age", "factor(grade)"]
    with refused("no 'sex', which the sheet's option adjust names", key="adjust"):
        adjusted_terms(row(adjust="sex"), "x", metadata, SAMPLES)


def test_a_column_may_lack_some_values_but_not_all():
    some = columns(age=["1", "NA", *"234567"])
    assert adjusted_terms(row(adjust="age"), "x", some, SAMPLES) == ["age"]
    with refused("8 samples have no 'age'", key="adjust"):
        adjusted_terms(row(adjust="age"), "x", columns(age=["NA"] * 8), SAMPLES)


def test_comparisons_state_what_they_are_adjusted_for_and_whom_they_leave_out():
    compared = series(["age", "sex"], age=["1", "NA", *"934562"], sex=[*"fmfmfmfm"])
    notes = comparison_notes(compared, "x")
    assert notes[0] == (
        "comparisons of single genes are adjusted for 'age' (numbers), 'sex' (2 categories)"
    )
    assert notes[1].startswith("1 sample has no value of 'age' and is left out of comparisons")
    assert "s1; classifiers use all samples" in notes[1]
    assert comparison_notes(series(), "x") == []


def test_groups_of_one_class_beside_groups_of_both_are_stated():
    groups = [*"ppqr", *"pqqt"]  # p and q have both classes; r and t one
    (note,) = comparison_notes(series(groups=groups), "x")
    assert note.startswith("single genes are compared within 2 groups of several classes; 2 groups")
    assert comparison_notes(series(groups=[*"pqrt", *"pqrt"]), "x") == []
    assert comparison_notes(series(groups=[*"pprr", *"ttuu"]), "x") == []


def phenotype(**cells):
    table = columns(type=LABELS, **cells)
    table.index = SAMPLES
    return table


def test_a_column_that_the_classes_determine_is_refused_before_the_table_is_read():
    with refused("no degrees of freedom|is determined|adjust", key="adjust"):
        refuse_inseparable(row(adjust="centre"), phenotype(centre=[*"xxxxyyyy"]))
    refuse_inseparable(row(adjust="centre"), phenotype(centre=[*"xyxyxyxy"]))
    refuse_inseparable(row(), phenotype(centre=[*"xxxxyyyy"]))  # nothing to adjust for
    refuse_inseparable(row(adjust="other"), phenotype(centre=[*"xxxxyyyy"]))  # in the table perhaps


def test_samples_with_a_missing_value_do_not_decide():
    """Without the third sample the column separates the classes."""
    cells = ["x", "x", "NA", "x", "y", "y", "y", "y"]
    with refused(key="adjust"):
        refuse_inseparable(row(adjust="centre"), phenotype(centre=cells))


def test_labels_that_cannot_be_read_from_the_phenotype_are_left_to_the_reader():
    table = phenotype(centre=[*"xxxxyyyy"])
    refuse_inseparable(row(adjust="centre", map="nobody:a"), table)
