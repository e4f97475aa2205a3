"""A table as input of a model: columns by name, and what is refused."""

import numpy as np
import pytest
from fitted_models import CSNB, HOLES, NB, NEW, SERIES, XNB

from xnbflow.core.errors import InputError
from xnbflow.models import fit_model, predict_table
from xnbflow.models.alignment import align, resolve_missing


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda new: new.drop(columns="g0"), "lacks 1 of the model's 8 features: g0"),
        (lambda new: new.add_suffix("x"), "has none of the model's 8 features"),
        (lambda new: new.iloc[:0], "no samples"),
        (lambda new: new.iloc[:, [0, 0, *range(1, 8)]], "has 1 repeated column, 'g0' for one"),
        (lambda new: new.assign(g0="high"), "is not a number"),
        (lambda new: new.where(new.index.to_series() != "s2"), "'s2' has no value of 'g0'"),
        (lambda new: new.assign(g0=np.inf), "sample 's0': 'g0' is inf"),
    ],
)
def test_what_cannot_be_predicted_is_named(change, words):
    with pytest.raises(InputError, match=words):
        predict_table(NB, change(NEW), "error")


def test_a_model_that_fills_values_in_is_not_asked_to_leave_them_out():
    filling = fit_model(HOLES, {"method": "csnb"})
    assert resolve_missing(filling, "auto") == "error"
    assert resolve_missing(CSNB, "auto") == "drop"
    assert resolve_missing(NB, "auto") == "drop"
    assert resolve_missing(XNB, "auto") == "error"


def test_a_missing_value_is_the_training_median():
    aligned = align(NB, NEW.assign(g0=np.nan), "impute")
    assert aligned.frame["g0"].tolist() == [pytest.approx(np.median(SERIES.values[0]))] * 20
    assert aligned.lacking.sum(axis=0).tolist() == [20, 0, 0, 0, 0, 0, 0, 0]
