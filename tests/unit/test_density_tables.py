"""Tabulated kernel densities agree with sums over all samples, everywhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.density.density_tables import log_tabulated, tabulate
from xnbflow.density.families import Kernel
from xnbflow.density.families.kernel import TABULATED_FROM
from xnbflow.naive_bayes import XNB, FlexibleNB, HybridNB, SelectiveNB

#: What the documentation promises of log densities, within the data and beyond.
WITHIN, BEYOND = 1e-6, 1e-3


def exact(samples, h, points):
    """Log density by its definition; the largest term keeps the others in range."""
    sums = np.empty(len(points))
    for i, x in enumerate(points):
        exponents = -0.5 * ((x - samples) / h) ** 2
        largest = exponents.max()
        sums[i] = largest + np.log(np.exp(exponents - largest).sum())
    return sums - np.log(len(samples) * h * np.sqrt(2 * np.pi))


def tabulated(density, points):
    out = np.empty(len(points))
    log_tabulated(density, points, out)
    return out


def check(samples, h, points):
    """Compare at points; below -1000 a log density has six digits."""
    samples = np.sort(samples)
    found, expected = tabulated(tabulate(samples, h), points), exact(samples, h, points)
    error = np.abs(found - expected)
    digits = 1e-12 * np.abs(expected)
    within = (points >= samples[0]) & (points <= samples[-1])
    assert (error[within] <= WITHIN + digits[within]).all(), error[within].max()
    assert (error[~within] <= BEYOND * np.maximum(1.0, 1e-3 * np.abs(expected[~within]))).all()


def points_around(samples, h, rng):
    """Near samples, spread over the range, in the gaps, and beyond it on both sides."""
    low, high = samples.min(), samples.max()
    return np.concatenate(
        [
            rng.choice(samples, 300) + h * rng.normal(size=300),
            rng.choice(samples, 300) + 4 * h * rng.normal(size=300),
            rng.uniform(low, high, 300),
            low - h * np.array([0, 0.01, 1, 3, 10, 30, 1e3, 1e8]),
            high + h * np.array([0, 0.01, 1, 3, 10, 30, 1e3, 1e8]),
        ]
    )


SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "far from zero": lambda rng, n: 1e6 + rng.normal(size=n),
    "uniform": lambda rng, n: rng.random(n),
    "skewed": lambda rng, n: rng.lognormal(0, 1.5, n),
    "heavy tails": lambda rng, n: rng.standard_t(2, n),
    "no mean": lambda rng, n: rng.standard_cauchy(n),
    "two clusters": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.normal(size=n), rng.normal(30, 0.01, n)
    ),
    "spike and tail": lambda rng, n: np.where(rng.random(n) < 0.7, 0.0, rng.gamma(2, 1, n)),
    "counts": lambda rng, n: rng.poisson(3, n).astype(float),
    "rounded": lambda rng, n: np.round(rng.normal(size=n), 3),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [TABULATED_FROM, 20_000])
def test_tables_agree_with_sums_over_all_samples(shape, n):
    rng = np.random.default_rng(n)
    samples = np.sort(SHAPES[shape](rng, n))
    h = bandwidths_of(samples[:, None], np.array([0, n]), "silverman")[0, 0]
    check(samples, h, points_around(samples, h, rng))


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(1, 4000), min_size=1, max_size=5),
    gaps=st.lists(st.floats(0.5, 12), min_size=5, max_size=5),
    widths=st.lists(st.sampled_from([0.0, 0.01, 1.0, 10.0, 60.0]), min_size=5, max_size=5),
)
def test_clusters_and_gaps_of_any_size_are_as_exact(seed, sizes, gaps, widths):
    """Weights from 1 to 4,000 at gaps around the table's limit of 4 bandwidths; h is 1."""
    rng = np.random.default_rng(seed)
    at, parts = 0.0, []
    for size, gap, width in zip(sizes, gaps, widths, strict=False):
        parts.append(at + width * rng.random(size))
        at += width + gap
    samples = np.concatenate(parts)
    points = np.linspace(samples.min() - 12, samples.max() + 12, 1500)
    check(samples, 1.0, points)


def test_a_table_needs_less_memory_than_the_samples_of_which_most_are_dropped():
    rng = np.random.default_rng(0)
    samples = np.sort(rng.normal(size=100_000))
    density = tabulate(samples, 0.08)
    kept = sum(part.nbytes for part in density if isinstance(part, np.ndarray))
    assert kept < samples.nbytes / 10


@pytest.mark.parametrize("min_bandwidth", [0.0, 0.4])
def test_classifiers_with_tables_agree_with_exact_ones(min_bandwidth):
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c"], [3000, 2000, 50])
    X = rng.normal(size=(5050, 3)) + 0.5 * (y == "b")[:, None]
    X[:, 1] = np.where(y == "a", 0.25, X[:, 1])
    points = np.vstack([X[::20], rng.normal(scale=20, size=(50, 3))])
    for make in (
        lambda exact: FlexibleNB(min_bandwidth=min_bandwidth, exact=exact),
        lambda exact: XNB(min_bandwidth=min_bandwidth, min_distance=0.0, exact=exact),
        lambda exact: HybridNB(
            [("all", Kernel(min_bandwidth=min_bandwidth, exact=exact), slice(None))]
        ),
    ):
        ours, theirs = make(False).fit(X, y), make(True).fit(X, y)
        np.testing.assert_allclose(
            ours.predict_joint_log_proba(points),
            theirs.predict_joint_log_proba(points),
            atol=3 * WITHIN,
            rtol=1e-9,
        )


def test_only_large_classes_of_gaussian_kernels_are_tabulated():
    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1], [TABULATED_FROM, TABULATED_FROM - 1])
    features = rng.normal(size=(2, len(codes)))
    family = Kernel().fit(features, codes, 2)
    assert (family.samples_[0] is None, family.tables_[1] is None) == (True, True)
    assert len(family.tables_[0]) == 2
    np.testing.assert_array_equal(family.samples_[1], np.sort(features[:, codes == 1], axis=1))
    for other in (Kernel(exact=True), Kernel(kernel="cosine")):
        assert other.fit(features, codes, 2).tables_ == [None, None]


def test_features_are_ranked_by_tabulated_densities_as_by_exact_ones():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 3)) + np.outer(y, [0.2, 1.0, 0.5])
    groups = [[("all", Kernel(exact=exact), slice(None))] for exact in (False, True)]
    found, expected = (SelectiveNB(HybridNB(each), cv=3).fit(X, y).ranking_ for each in groups)
    np.testing.assert_allclose(
        found["mutual_information"], expected["mutual_information"], rtol=1e-6
    )
