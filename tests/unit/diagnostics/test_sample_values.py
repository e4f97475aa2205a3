"""Quantiles, library sizes and correlations of samples, against NumPy and pandas."""

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from toys import dataset

from xnbflow.data.read_counts import expressed_features, with_log_counts
from xnbflow.diagnostics.sample_values import QUANTILES, sample_values


def correlations_of(table):
    """Return the table's correlations with rows in the order of the columns."""
    columns = table.filter(regex=r"^correlation[.]")
    names = columns.columns.str.removeprefix("correlation.")
    return names, columns.set_axis(table["sample"], axis=0).loc[names].to_numpy()


def test_quantiles_and_correlations_are_those_of_numpy(rng):
    values = rng.normal(8, 1, (200, 1)) + rng.normal(0, 0.5, (200, 12))
    series = dataset(values, np.repeat(["a", "b"], 6), scale="log2")
    table = sample_values(series)
    quantiles = table.filter(regex="^value_").to_numpy()
    np.testing.assert_allclose(quantiles, np.quantile(values, list(QUANTILES.values()), axis=0).T)
    assert table["library_size"].isna().all()
    assert table["before_50"].isna().all()
    names, correlations = correlations_of(table)
    positions = pd.Index(series.samples).get_indexer(names)
    np.testing.assert_allclose(correlations, np.corrcoef(values[:, positions].T), atol=1e-12)


def test_samples_are_compared_in_the_features_that_both_have(rng):
    values = rng.normal(8, 1, (60, 1)) + rng.normal(0, 0.5, (60, 6))
    values[rng.random(values.shape) < 0.2] = np.nan
    series = dataset(values, list("aaabbb"), scale="log2", missing=True)
    table = sample_values(series)
    names, correlations = correlations_of(table)
    expected = pd.DataFrame(values, columns=series.samples)[names].corr()
    np.testing.assert_allclose(correlations, expected, atol=1e-12)
    assert table["value_50"].tolist() == pytest.approx(np.nanmedian(values, axis=0))


def test_similar_samples_are_side_by_side(rng):
    """Samples of two profiles, in turn."""
    profiles = rng.normal(0, 1, (300, 2))
    which = np.tile([0, 1], 5)
    series = dataset(profiles[:, which] + rng.normal(0, 0.3, (300, 10)), list("ab") * 5)
    names, _ = correlations_of(sample_values(series))
    in_order = which[pd.Index(series.samples).get_indexer(names)]
    assert (np.diff(in_order) != 0).sum() == 1


def test_counts_have_library_sizes_and_values_before_and_after_normalisation():
    counts, codes, _, _ = simulated_counts(0)
    series = dataset(counts, np.array(["a", "b"])[codes], scale="counts")
    table = sample_values(series)
    np.testing.assert_array_equal(table["library_size"], series.values.sum(axis=0))
    expressed = expressed_features(series)
    before = np.median(np.log2(series.values[expressed] + 1), axis=0)
    after = np.median(with_log_counts(series).values[expressed], axis=0)
    np.testing.assert_allclose(table["before_50"], before)
    np.testing.assert_allclose(table["value_50"], after)


def test_intensities_are_replaced_by_their_logarithms(rng):
    logarithms = rng.normal(8, 2, (300, 10))
    table = sample_values(dataset(2**logarithms, list("ab") * 5))
    assert table["value_50"].tolist() == pytest.approx(np.median(logarithms, axis=0), abs=0.05)


def test_of_many_samples_a_share_of_each_class_is_compared(rng):
    labels = np.repeat(["a", "b"], [225, 75])
    series = dataset(rng.normal(size=(30, 300)), labels)
    table = sample_values(series)
    names, correlations = correlations_of(table)
    assert correlations.shape == (100, 100)
    compared = pd.Series(labels, index=series.samples)[names]
    assert compared.value_counts().to_dict() == {"a": 75, "b": 25}
    assert table.filter(regex="^correlation").notna().any(axis=1).sum() == 100


def test_a_constant_sample_is_like_no_other(rng):
    values = rng.normal(size=(50, 4))
    values[:, 2] = 1.0
    series = dataset(values, list("aabb"))
    names, correlations = correlations_of(sample_values(series))
    constant = list(names).index(str(series.samples[2]))
    assert correlations[constant].tolist() == np.eye(4)[constant].tolist()
