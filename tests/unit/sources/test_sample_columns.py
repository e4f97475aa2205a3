"""Columns of samples that options name."""

import pandas as pd
import pytest
from toys import refused

from xnbflow.sources.series.samples import column_named, require_columns


@pytest.mark.parametrize(
    ("wanted", "column"), [("age", "Age"), ("SEX", "SEX"), ("sex", "sex"), ("other", "other")]
)
def test_letters_of_a_name_are_alike_unless_one_is_equal(wanted, column):
    assert column_named(pd.DataFrame(columns=["Age", "sex", "SEX"]), wanted) == column


def test_a_column_that_is_not_there_is_refused_with_those_that_are():
    with refused(
        "no 'age', which group names; there are sex",
        key="group",
    ):
        require_columns("x", pd.DataFrame(columns=["sex"]), "group", ["sex", "age"])
    with refused("no further columns"):
        require_columns("x", pd.DataFrame(), "group", ["age"])
