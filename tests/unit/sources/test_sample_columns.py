"""Columns of samples that options name, and samples without a value of a covariate."""

import numpy as np
import pandas as pd
import pytest
from toys import refused

from xnbflow.data.dataset import DataSet
from xnbflow.sources.sample_columns import (
    column_named,
    missing_covariates,
    require_columns,
    with_known_covariates,
)


def series(**cells):
    return DataSet(
        "x",
        np.arange(4.0)[None],
        features=["g"],
        samples=[*"wxyz"],
        labels=[*"aabb"],
        sample_metadata=pd.DataFrame(cells, dtype=object),
        adjust=list(cells),
    )


@pytest.mark.parametrize(
    ("wanted", "column"), [("age", "Age"), ("SEX", "SEX"), ("sex", "sex"), ("other", "other")]
)
def test_letters_of_a_name_are_alike_unless_one_is_equal(wanted, column):
    assert column_named(pd.DataFrame(columns=["Age", "sex", "SEX"]), wanted) == column


def test_a_column_that_is_not_there_is_refused_with_those_that_are():
    with refused("no 'age', which the sheet's option group names; there are sex", key="group"):
        require_columns("x", pd.DataFrame(columns=["sex"]), "group", ["sex", "age"])
    with refused("no further columns"):
        require_columns("x", pd.DataFrame(), "group", ["age"])


def test_samples_without_a_value_are_left_out_of_linear_models():
    complete_samples = with_known_covariates(
        series(age=["40", "NA", "51", "60"], sex=["f", "m", "f", "m"])
    )
    assert complete_samples.samples.tolist() == [*"wyz"]
    assert complete_samples.values.tolist() == [[0, 2, 3]]
    complete = series(age=["40", "50", "51", "60"])
    assert with_known_covariates(complete) is complete
    assert missing_covariates(complete) == {}
    with refused("no sample of the class a has a value of 'age'", key="adjust"):
        with_known_covariates(series(age=["NA", "", "51", "60"]))
