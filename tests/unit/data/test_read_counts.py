"""Boundaries of edgeR's filter and of TMM, in numbers that the formulas give by hand."""

import numpy as np
import pytest
from toys import dataset

from xnbflow.data.read_counts import (
    PRIOR_COUNT,
    enough_reads,
    expressed_features,
    fit_reference,
    log_cpm,
)


def counts_with(n_high, n_samples, high=100):
    """Return one feature with reads in some samples, in libraries of 10,000 reads."""
    counts = np.zeros((2, n_samples))
    counts[0, :n_high] = high
    counts[1] = 10_000 - counts[0]
    return counts


@pytest.mark.parametrize(
    ("smallest_group", "needed"),
    [(5, 5), (10, 10), (20, 17)],  # 10 + 70 % of 10
)
def test_reads_are_needed_in_as_many_samples_as_the_smallest_group(smallest_group, needed):
    assert enough_reads(counts_with(needed, 40), smallest_group)[0]
    assert not enough_reads(counts_with(needed - 1, 40), smallest_group)[0]


def test_ten_reads_per_library_and_fifteen_in_all_are_enough():
    assert enough_reads(counts_with(2, 4, high=10), 2)[0]
    assert not enough_reads(counts_with(2, 4, high=9), 2)[0]
    assert enough_reads(counts_with(1, 4, high=15), 1)[0]
    assert not enough_reads(counts_with(1, 4, high=14), 1)[0]


def test_the_smallest_class_decides_in_a_series():
    values = counts_with(2, 6)
    series = dataset(values, list("aabbbb"), scale="counts")
    assert expressed_features(series).tolist() == [True, True]
    assert expressed_features(dataset(values, list("aaabbb"), scale="counts")).tolist() == [
        False,
        True,
    ]


def trimmed_mean(y, r):
    """The factor of y against r by the definition of Robinson and Oshlack (2010), page 8."""
    size, reference_size = y.sum(), r.sum()
    ratio = np.log2(y / size) - np.log2(r / reference_size)
    level = (np.log2(y / size) + np.log2(r / reference_size)) / 2
    n = len(y)
    by_ratio = np.argsort(np.argsort(ratio)) + 1
    by_level = np.argsort(np.argsort(level)) + 1
    low_ratio, low_level = int(n * 0.3) + 1, int(n * 0.05) + 1
    central = (by_ratio >= low_ratio) & (by_ratio <= n + 1 - low_ratio)
    central &= (by_level >= low_level) & (by_level <= n + 1 - low_level)
    weights = 1 / ((size - y) / size / y + (reference_size - r) / reference_size / r)
    return 2 ** ((weights * ratio)[central].sum() / weights[central].sum())


@pytest.mark.parametrize("seed", range(6))
def test_factors_are_trimmed_means_of_log_ratios(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(1.0, 200.0, 100)[:, None] * [1.0, 1.0], (100, 2)) + 1.0
    counts[:20, 1] *= 5
    reference = fit_reference(counts)
    factors = reference.factors(counts, counts.sum(axis=0))
    (other,) = np.flatnonzero(~(counts == reference.counts[:, None]).all(axis=0))
    ratio = trimmed_mean(counts[:, other], counts[:, 1 - other])
    assert factors[other] / factors[1 - other] == pytest.approx(ratio)
    assert np.prod(factors) == pytest.approx(1.0)


def test_without_upper_quartiles_the_reference_has_the_most_roots_of_reads():
    """Each sample has reads in less than a quarter of the features: upper quartiles are 0."""
    counts = np.zeros((21, 6))
    counts[:4, 0] = 25  # the sum of roots is 20
    counts[4, 1] = 200  # more reads, but a root of 14.1
    for sample in range(2, 6):
        counts[4 * sample - 3 : 4 * sample + 1, sample] = 4
    np.testing.assert_array_equal(fit_reference(counts).counts, counts[:, 0])


def test_the_prior_count_is_two_reads_in_a_library_of_mean_size():
    assert PRIOR_COUNT == 2.0
    values = log_cpm(np.array([[0.0, 6.0]]), np.array([1e6, 4e6]), 2.0, 2e6)
    # prior 1 and 4: log2(1 / (1e6 + 2) 1e6) and log2(10 / (4e6 + 8) 1e6)
    np.testing.assert_allclose(values[0], [0.0, np.log2(2.5)], atol=1e-5)


def test_reads_are_compared_in_a_library_of_median_size():
    """Libraries of 1, 1 and 4 million: 7 per million are below 10, but above 10 / 2."""
    counts = np.array([[7.0, 7.0, 28.0], [999_993.0, 999_993.0, 3_999_972.0]])
    assert enough_reads(counts, 2).tolist() == [False, True]
    assert enough_reads(counts, 2, min_count=7.0).tolist() == [True, True]
