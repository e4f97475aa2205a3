"""Counts of reads: edgeR 3.40 as the oracle, its stored numbers, and new samples by themselves."""

import numpy as np
import pytest
from counts_cases import formula_counts, pasilla, simulated_counts
from r_oracles import r_answers
from sklearn.base import clone
from toys import dataset, refused

from xnbflow.data.read_counts import (
    enough_reads,
    expressed_features,
    fit_reference,
    log_cpm,
    with_log_counts,
)
from xnbflow.preprocessing import CountNormalizer, ReadFilter

#: Of edgeR 3.40.2 (R 4.2.2) for `formula_counts`: factors of all features, those of the features
#: with enough reads, and every 12th of these in ``cpm(log=TRUE)``, first and last sample.
FACTORS = [1.166566647802, 1.235029650929, 1.363821147004, 1.259969282221,
           0.769314715947, 0.883777285293, 0.766621249898, 0.774939777966]  # fmt: skip
FILTERED_FACTORS = [1.182886302211, 1.19722923188, 1.371024370803, 1.26269962597,
                    0.771747167385, 0.88659116622, 0.775534166317, 0.768661411724]  # fmt: skip
FIRST_SAMPLE = [10.276668967, 12.226640618, 12.685913783, 12.091446645, 13.441070569]
LAST_SAMPLE = [14.530038923, 11.288520741, 12.383268233, 11.869555, 13.286004936]
#: Factors of the first and last sample of 100 features, of which both trims leave some out.
FACTORS_OF_100 = [1.078783627428, 0.843509933012]
DROPPED = [0, 10, 15, 25, 30, 35, 45, 50]

EDGER = """
groups <- as.vector(groups)
put("factors", calcNormFactors(counts))
keep <- filterByExpr(counts, group = groups)
put("keep", keep)
y <- calcNormFactors(DGEList(counts[keep, ]))
put("filtered_factors", y$samples$norm.factors)
put("log_cpm", cpm(y, log = TRUE, prior.count = 2))
"""


def agrees_with_edger(counts, groups):
    """Compare filter, factors and log counts per million with edgeR's."""
    edger = r_answers("edgeR", EDGER, counts=counts, groups=groups)
    factors = fit_reference(counts).factors(counts, counts.sum(axis=0))
    np.testing.assert_allclose(factors, edger["factors"], rtol=1e-8)
    read_filter = ReadFilter().fit(counts.T, groups)
    assert read_filter.support_.tolist() == (edger["keep"] > 0).tolist()
    filtered = read_filter.transform(counts.T)
    normalized = CountNormalizer().fit_transform(filtered).T
    np.testing.assert_allclose(normalized.ravel(order="F"), edger["log_cpm"], atol=1e-8)


def test_stored_numbers_of_edger_are_found():
    counts, groups = formula_counts()
    factors = fit_reference(counts).factors(counts, counts.sum(axis=0))
    np.testing.assert_allclose(factors, FACTORS, rtol=1e-11)
    more = formula_counts(100)[0]
    factors = fit_reference(more).factors(more, more.sum(axis=0))
    np.testing.assert_allclose(factors[[0, -1]], FACTORS_OF_100, rtol=1e-11)
    read_filter = ReadFilter().fit(counts.T, groups)
    assert np.flatnonzero(~read_filter.support_).tolist() == DROPPED
    filtered = read_filter.transform(counts.T).T
    factors = fit_reference(filtered).factors(filtered, filtered.sum(axis=0))
    np.testing.assert_allclose(factors, FILTERED_FACTORS, rtol=1e-11)
    normalized = CountNormalizer().fit_transform(filtered.T)
    np.testing.assert_allclose(normalized[0, ::12], FIRST_SAMPLE, atol=1e-9)
    np.testing.assert_allclose(normalized[-1, ::12], LAST_SAMPLE, atol=1e-9)
    agrees_with_edger(counts, groups)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.slow
def test_simulated_series_are_as_in_edger(seed):
    counts, codes, _, _ = simulated_counts(seed, n_samples=18 if seed == 2 else 12)
    agrees_with_edger(counts, codes)
    unequal = np.arange(len(codes)) < 15  # above ten samples only a share of them needs reads
    agrees_with_edger(counts[:, np.argsort(codes)], np.where(unequal, 0, 1) if seed == 2 else codes)


def test_pasilla_is_as_in_edger(shared_data):
    counts, codes, _ = pasilla(shared_data)
    agrees_with_edger(counts, codes)


@pytest.mark.slow
def test_sparse_samples_and_counts_that_are_not_whole_are_as_in_edger(rng):
    sparse = rng.poisson(0.08, size=(400, 6)).astype(float)  # the upper quartiles are 0
    sparse[0] = [3, 5, 4, 9, 2, 4]
    edger = r_answers("edgeR", 'put("factors", calcNormFactors(counts))', counts=sparse)
    factors = fit_reference(sparse).factors(sparse, sparse.sum(axis=0))
    np.testing.assert_allclose(factors, edger["factors"], rtol=1e-8)
    estimated = rng.gamma(0.5, 90, size=(400, 6)) * rng.uniform(0.2, 2, 6)
    agrees_with_edger(estimated, np.repeat([0, 1], 3))
    equal = np.tile([[3.0], [5], [9]], (1, 2)) * [1, 4]
    assert fit_reference(equal).factors(equal, equal.sum(axis=0)).tolist() == [1, 1]


def test_the_smallest_group_and_both_thresholds_decide():
    counts = np.full((5, 30), 1e5)
    size = 4e5  # of a library, so that 10 reads are the threshold
    counts[1] = np.where(np.arange(30) < 5, 10.0, 0.0)
    counts[2] = np.where(np.arange(30) < 5, 9.9, 0.0)
    counts[3] = np.where(np.arange(30) < 4, 10.0, 0.0)
    counts[0] = size - counts[1:].sum(axis=0)
    assert enough_reads(counts, 5).tolist() == [True, True, False, False, True]
    counts[1] = np.where(np.arange(30) < 17, 10.0, 0.0)  # 10 and 70 % of the next 10
    counts[2] = np.where(np.arange(30) < 16, 10.0, 0.0)
    counts[0] = size - counts[1:].sum(axis=0)
    assert enough_reads(counts, 20).tolist() == [True, True, False, False, True]
    few = np.array([[14.0, 0], [15.0, 0], [1e6, 1e6]])
    assert enough_reads(few, 1).tolist() == [False, True, True]


def test_a_new_sample_is_normalised_by_itself():
    counts, codes, _, _ = simulated_counts(5)
    training, tested = counts[:, :9].T, counts[:, 9:].T
    fitted = CountNormalizer().fit(training)
    together = fitted.transform(tested)
    alone = np.vstack([fitted.transform(sample[None]) for sample in tested])
    np.testing.assert_array_equal(together, alone)
    strong = tested[:1].copy()
    strong[0, 70] = 9 * strong.sum()  # one feature takes nine tenths of the library
    others = (np.arange(len(counts)) != 70) & (tested[0] > 100)  # beyond the prior count
    change = fitted.transform(strong)[0, others] - alone[0, others]
    assert np.abs(np.median(change)) < 0.01
    plain = CountNormalizer(method="none").fit(training)
    change = plain.transform(strong)[0, others] - plain.transform(tested[:1])[0, others]
    assert np.median(change) == pytest.approx(-np.log2(10), abs=0.1)
    assert codes[:9].tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0]  # the filter needs both classes


def test_features_without_reads_are_equal_in_libraries_of_all_sizes():
    sizes = np.array([1e5, 1e6, 1e7])
    values = log_cpm(np.zeros((1, 3)), sizes, 2.0, float(sizes.mean()))
    np.testing.assert_allclose(values, values[0, 0])


def test_what_is_no_count_is_refused():
    X = np.array([[5.0, 900, 30], [8, 700, 20]])
    for step in (ReadFilter(), CountNormalizer()):
        with refused(r"Negative values in data \(-1\)"):
            clone(step).fit(X - [[6, 0, 0], [0, 0, 0]], ["a", "b"])
        with refused("sample 1 .* has no read"):
            clone(step).fit(X * [[1], [0]], ["a", "b"])
    with refused("no feature has 1e\\+06 reads", key="min_count"):
        ReadFilter(min_count=1e6).fit(X, ["a", "b"])
    with refused("method is 'rle'", key="method"):
        CountNormalizer(method="rle").fit(X)


def test_a_series_of_counts_is_drawn_as_logarithms_of_all_features():
    counts, codes, _, _ = simulated_counts(6)
    series = dataset(counts, np.array(["a", "b"])[codes], scale="counts")
    expressed = expressed_features(series)
    assert expressed.tolist() == ReadFilter().fit(counts.T, codes).support_.tolist()
    drawn = with_log_counts(series)
    assert drawn.scale == "log2"
    assert drawn.n_features == series.n_features
    expected = CountNormalizer().fit_transform(counts[expressed].T).T
    np.testing.assert_allclose(drawn.values[expressed], expected, rtol=1e-12)
    logarithms = dataset(counts, series.labels, scale="log2")
    assert with_log_counts(logarithms) is logarithms
