"""Tables of classifiers by their key, and predictions as arrays."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset

from xnbflow.evaluation.keyed_tables import arrays, key_fields, stack


def test_rows_of_all_classifiers_have_their_key():
    tables = {
        ("wine", "5-fold", "nb"): pd.DataFrame({"fold": [0, 1], "unused": [7, 7]}),
        ("wine", "5-fold", "xnb"): pd.DataFrame({"fold": [2], "unused": [7]}),
    }
    table = stack(tables, ["fold"])
    assert table.columns.tolist() == ["dataset", "folds", "classifier", "fold"]
    assert table["classifier"].tolist() == ["nb", "nb", "xnb"]
    assert table["fold"].tolist() == [0, 1, 2]
    assert stack({}, ["fold"]).columns.tolist() == table.columns.tolist()
    assert key_fields(("d", "f", "c")) == {"dataset": "d", "folds": "f", "classifier": "c"}


@pytest.mark.parametrize("first", [np.nan, -0.1])
def test_probabilities_are_in_the_order_of_classes_and_none_if_all_are_missing(first):
    series = dataset(np.ones((1, 4)), np.array(list("baba")))
    table = pd.DataFrame({"true": list("baba"), "predicted": list("aaba")})
    table["log_posterior.b"] = first
    table["log_posterior.a"] = np.nan if np.isnan(first) else -2.0
    predictions = arrays(table, series)
    assert predictions.true.tolist() == list("baba")
    assert predictions.predicted.tolist() == list("aaba")
    assert predictions.classes.tolist() == ["a", "b"]
    if np.isnan(first):
        assert predictions.log_posterior is None
    else:
        assert predictions.log_posterior.tolist() == [[-2.0, -0.1]] * 4
