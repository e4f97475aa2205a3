"""Normalisation and filters: against independent formulas, within folds, with missing values."""

import numpy as np
import pytest
from scipy.stats import zscore
from sklearn.base import clone

from xnbflow.preprocessing import (
    Imputer,
    QuantileNormalizer,
    SampleRanks,
    SampleStandardizer,
)
from xnbflow.sources.series.scale_recognition import recognise_scale

RNG = np.random.default_rng(0)
X = RNG.lognormal(5, 1, (12, 30))


@pytest.mark.parametrize(
    "step", [Imputer(), QuantileNormalizer(), SampleRanks(), SampleStandardizer()], ids=repr
)
def test_a_step_keeps_names_and_its_input_and_takes_each_tested_sample_alone(step):
    before = X.copy()
    transformed = clone(step).fit(X).transform(X)
    np.testing.assert_array_equal(X, before)
    assert transformed.shape == X.shape
    names = [f"g{i}" for i in range(30)]
    assert list(clone(step).fit(X).get_feature_names_out(names)) == names
    fitted = clone(step).fit(X[:8])
    np.testing.assert_array_equal(fitted.transform(X[8:])[:1], fitted.transform(X[8:9]))


def test_quantile_normalisation_is_bolstads_where_values_are_distinct():
    order = np.argsort(np.argsort(X, axis=1), axis=1)
    expected = np.sort(X, axis=1).mean(axis=0)[order]
    np.testing.assert_allclose(QuantileNormalizer().fit_transform(X), expected, rtol=1e-14)


def test_tied_values_become_the_mean_of_their_quantiles():
    fitted = QuantileNormalizer().fit([[1.0, 2.0, 4.0, 9.0]])
    assert fitted.transform([[5.0, 5.0, 5.0, 1.0]]).tolist() == [[5.0, 5.0, 5.0, 1.0]]
    assert fitted.transform([[0.0, 0.0, 7.0, 7.0]]).tolist() == [[1.5, 1.5, 6.5, 6.5]]


def test_z_scores_of_samples_are_scipys_and_missing_values_stay():
    np.testing.assert_allclose(SampleStandardizer().fit_transform(X), zscore(X, axis=1))
    holed = X.copy()
    holed[0, 3] = np.nan
    actual = SampleStandardizer().fit_transform(holed)
    np.testing.assert_allclose(actual[0], zscore(holed[0], nan_policy="omit"))
    assert SampleStandardizer().fit_transform([[0.1, 0.1, 0.1]]).tolist() == [[0, 0, 0]]


def test_counts_are_recognised():
    counts = RNG.negative_binomial(1, 0.01, (50, 6)).astype(float)
    with_holes = np.where(np.eye(6) > 0, np.nan, RNG.poisson(300, (6, 6)))
    for values in (counts, with_holes):
        assert recognise_scale(values, are_genes=True).kind == "counts"
    logged, binary = RNG.normal(8, 2, (50, 6)), RNG.integers(0, 2, (50, 6)).astype(float)
    for values in (logged, binary, counts - 500, counts + 0.5):
        assert recognise_scale(values, are_genes=True).kind != "counts"


def holed(share=0.1, seed=1):
    rng = np.random.default_rng(seed)
    values = rng.normal(7, 1, (20, 40)) + rng.normal(0, 2, (20, 1))
    holes = rng.random(values.shape) < share
    return np.where(holes, np.nan, values), values, holes


def test_medians_are_those_of_the_training_samples():
    values, _, holes = holed()
    imputer = Imputer().fit(values[:12])
    np.testing.assert_array_equal(imputer.medians_, np.nanmedian(values[:12], axis=0))
    assert imputer.n_missing_ == holes[:12].sum()
    actual = imputer.transform(values[12:])
    np.testing.assert_array_equal(actual[~holes[12:]], values[12:][~holes[12:]])
    expected = np.broadcast_to(imputer.medians_, actual.shape)[holes[12:]]
    np.testing.assert_array_equal(actual[holes[12:]], expected)


def test_features_without_a_value_in_training_are_reported_and_filled():
    values, _, _ = holed()
    values[:12, 5] = np.nan
    with pytest.warns(UserWarning, match="1 feature has no value among 12 training samples"):
        imputer = Imputer().fit(values[:12])
    assert imputer.n_empty_ == 1
    assert np.isfinite(imputer.transform(values)).all()
    assert imputer.transform(np.full((1, 40), np.nan))[0, 5] == np.nanmedian(values[:12])


@pytest.mark.parametrize("n_features", range(3, 30))
def test_a_constant_sample_becomes_zero_whatever_the_rounding_of_its_mean(n_features):
    X = np.full((1, n_features), 0.1)
    assert SampleStandardizer().fit_transform(X).tolist() == [[0.0] * n_features]
