"""A table as input of a model: columns by name, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from fitted_models import CSNB, HOLES, NB, NEW, SERIES, XNB
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.models import fit_model, predict_table
from xnbflow.models.alignment import align, resolve_missing


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda new: new.drop(columns="g0"), "lacks 1 of the model's 8 features: g0"),
        (lambda new: new.add_suffix("x"), "has none of the model's 8 features"),
        (
            lambda new: new.rename(columns=str.upper),
            r"differ in capital letters only \('G0' for 'g0'",
        ),
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


def test_a_count_model_takes_a_table_that_lacks_genes_without_reads():
    """Programs leave out genes of which no sample has a read; other genes are still needed."""
    rng = np.random.default_rng(0)
    means = np.append(rng.lognormal(6, 1, 60), [0.4] * 9 + [4.0])
    counts = rng.negative_binomial(5, 5 / (5 + means[:, None]), (70, 24)).astype(float)
    series = DataSet(
        name="counts",
        values=counts,
        features=np.array([f"g{i}" for i in range(70)]),
        samples=np.array([f"s{i}" for i in range(24)]),
        labels=np.repeat(["a", "b"], 12),
        scale=COUNTS,
    )
    model = fit_model(series, {"method": "gaussian_nb"})
    silent = [f"g{i}" for i in range(60, 70)]
    new = series.frame().assign(**dict.fromkeys(silent, 0.0))
    complete = predict_table(model, new, "error")
    without = predict_table(model, new.drop(columns=silent), "error")
    pd.testing.assert_frame_equal(without.table, complete.table)
    with pytest.raises(InputError, match="lacks 1 of the model's 70 features: g0"):
        predict_table(model, new.drop(columns=["g0", *silent]), "error")


def test_a_panel_of_sparse_counts_has_no_genes_without_reads(rng):
    """In data of single cells most genes have no read in a quarter of the samples."""
    counts = rng.poisson(rng.lognormal(-1, 1, (200, 1)), (200, 60)).astype(float)
    series = dataset(counts, ["a", "b"] * 30, scale=COUNTS)
    model = fit_model(series, {"method": "gaussian_nb"})
    assert (model.quartiles[0] == 0).mean() > 0.8
    with pytest.raises(InputError, match=r"the table lacks 1\d\d of the model"):
        predict_table(model, series.frame().iloc[:, :50], "error")
