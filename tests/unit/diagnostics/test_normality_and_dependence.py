"""Normality and dependence within classes: SciPy and plain NumPy are the oracles."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.diagnostics import (
    conditional_dependence,
    correlation,
    normalised_residuals,
    shapiro_wilk,
    shapiro_wilk_within,
    top_partners,
)
from xnbflow.diagnostics.diagnostic_tables import diagnose


def assert_as_scipy(X):
    W, p = shapiro_wilk(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.array([stats.shapiro(column) for column in np.transpose(X)])
    np.testing.assert_allclose(W, expected[:, 0], rtol=0, atol=1e-6)
    # with 3 samples p touches 0 with a finite slope: there the last digit of W is all of p
    np.testing.assert_allclose(p, expected[:, 1], rtol=1e-5, atol=1e-15 if len(X) == 3 else 1e-305)


def samples_of_many_shapes(n, seed=0):
    rng = np.random.default_rng(seed)
    spike = np.zeros(n)
    spike[n // 2] = 1.0
    return np.column_stack(
        [
            rng.normal(size=n),
            1e6 + rng.normal(size=n),
            1e-12 * rng.normal(size=n),
            rng.uniform(size=n),
            rng.exponential(size=n),
            rng.lognormal(0, 3, size=n),
            rng.standard_t(2, size=n),
            rng.standard_cauchy(size=n),
            np.r_[0, rng.integers(1, 4, size=n - 1)],
            np.r_[0, rng.poisson(3, size=n - 1) + 1],
            np.arange(n),
            np.arange(n)[::-1] ** 3,
            spike,
        ]
    )


@pytest.mark.parametrize("n", [*range(3, 25), 64, 65, 151, 1999, 5000])
def test_agrees_with_scipy(n):
    assert_as_scipy(samples_of_many_shapes(n))


def test_beyond_5000_samples_p_is_marked_as_extrapolated():
    X = np.random.default_rng(7).normal(size=(5001, 1))
    with pytest.warns(UserWarning, match="extrapolated beyond 5000 samples: 5001"):
        shapiro_wilk(X)


def test_the_unit_does_not_matter_and_constant_features_are_named_once():
    X = np.asfortranarray(np.random.default_rng(4).gamma(2.0, size=(40, 5)))
    X[:, [1, 3]] = 0.1
    before = X.copy()
    with pytest.warns(UserWarning, match="2 constant features .*column 1") as caught:
        W, p = shapiro_wilk(X)
    assert len(caught) == 1
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal([W[[1, 3]], p[[1, 3]]], 1)
    for scale in (1e-250, 1e150):
        varying = scale * X[:, ::2]
        np.testing.assert_allclose(shapiro_wilk(varying), [W[::2], p[::2]], rtol=1e-9)


NOISE = np.random.default_rng(6).normal(size=(10, 3))


@pytest.mark.parametrize(
    ("X", "named"),
    [
        (np.where(NOISE[4, 1] == NOISE, np.nan, NOISE), "column 1 .* row 4"),
        (np.where(NOISE[4, 1] == NOISE, -np.inf, NOISE), "column 1 .* row 4"),
        (np.array([[-1e308], [0.0], [1e308]]), "column 0"),
        (np.ones((2, 5)), "2 samples"),
        (np.ones(5), "shape"),
        (np.ones((5, 0)), "shape"),
        (np.array([["1"], ["2"], ["high"]]), "'high'"),
        (pd.DataFrame({"b": pd.array([0.5, None, 1.0], dtype="Float64")}), "'b' .* row 1"),
        (pd.DataFrame({"b": ["0.5", "1", "high"]}, index=list("uvw")), "'b' .* row 'w'"),
    ],
)
def test_what_cannot_be_tested_is_named(X, named):
    with pytest.raises(InputError, match=named):
        shapiro_wilk(X)
    if len(X) > 2:  # classes of fewer samples are left out with a warning
        with pytest.raises(InputError, match=named):
            shapiro_wilk_within(X, ["x"] * len(X))


def test_within_classes_is_the_test_of_each_class():
    X = np.random.default_rng(8).normal(size=(48, 70))
    y = np.r_[np.array(["normal", "tumour", "cyst"])[np.arange(45) % 3], ["one", "pair", "pair"]]
    with pytest.warns(UserWarning, match="fewer than 3 samples: one, pair"):
        W, p = shapiro_wilk_within(X, y)
    assert W.shape == p.shape == (5, 70)
    for row, label in ((0, "cyst"), (1, "normal"), (4, "tumour")):
        np.testing.assert_array_equal((W[row], p[row]), shapiro_wilk(X[y == label]))
    assert np.isnan(np.array([W, p])[:, 2:4]).all()


def correlations_by_numpy(X, y):
    R = np.array(X, dtype=np.float64)
    for label in np.unique(y):
        R[y == label] -= R[y == label].mean(axis=0)
    length = np.linalg.norm(R, axis=0)
    varies = length > 1e-9
    R = np.where(varies, R, 0) / np.where(varies, length, 1)
    r = R.T @ R
    np.fill_diagonal(r, 0)
    return r


def correlated_series(n_samples, n_features, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_samples) % n_classes)
    factors = rng.normal(size=(n_samples, 8))
    loadings = rng.uniform(0, 2.5, size=n_features)
    X = rng.normal(size=(n_samples, n_features))
    X += factors[:, rng.integers(0, 8, n_features)] * loadings
    return X + 10 * y[:, None] * rng.normal(size=n_features), y


@pytest.fixture
def small_tiles(monkeypatch):
    """Many tiles from few features."""
    monkeypatch.setattr(correlation, "_TILE", 16)


@pytest.mark.parametrize(("n_features", "n_samples"), [(1100, 24), (511, 60), (513, 9)])
def test_agrees_with_a_float64_product(n_features, n_samples):
    X, y = correlated_series(n_samples, n_features, 2)
    result = conditional_dependence(X, y)
    r = correlations_by_numpy(X, y)
    assert result.n_pairs == np.sum(np.abs(r) > result.cut) // 2
    np.testing.assert_array_equal(result.dependent, (np.abs(r) > result.cut).any(axis=1))
    np.testing.assert_array_equal(result.partner, np.abs(r).argmax(axis=1))
    np.testing.assert_allclose(result.max_abs_r, np.abs(r).max(axis=1), atol=1e-14)
    np.testing.assert_allclose(result.r, r[np.arange(n_features), result.partner], atol=1e-14)
    assert result.ratio == result.dependent.mean()


def test_values_near_the_cut_are_decided_in_float64(rng, small_tiles):
    # Features at a chosen correlation with feature 0. In float32 0.7 and 0.7 + 3e-9 are equal;
    # 0.7 + 1e-12 is the cut but for the rounding of some processor.
    basis = np.linalg.qr(np.column_stack([np.ones(60), rng.normal(size=(60, 41))]))[0][:, 1:]
    offsets = np.tile([-1e-7, -3e-9, -1e-12, 1e-12, 3e-9, 1e-7], 6)
    r = 0.7 + offsets
    X = np.column_stack([basis[:, 0], basis[:, :1] * r + basis[:, 1:37] * np.sqrt(1 - r**2)])
    X = 3 + 5 * X * np.sign(rng.normal(size=37))
    result = conditional_dependence(X, np.zeros(60), alpha=1.0)
    np.testing.assert_array_equal(result.dependent[1:], offsets > 1e-9)
    assert result.n_pairs == 12
    np.testing.assert_allclose(result.max_abs_r[1:], r, atol=1e-15)


def test_the_cut_is_where_p_equals_alpha():
    X, y = correlated_series(20, 30, 2)
    paper = conditional_dependence(X, y, min_abs_r=0.0, alpha=1e-4)
    exact = conditional_dependence(X, y, min_abs_r=0.0, alpha=1e-4, dof="exact")
    for result, dof in ((paper, 18), (exact, 17)):
        assert result.dof == dof
        t = result.cut * np.sqrt(dof / (1 - result.cut**2))
        np.testing.assert_allclose(2 * stats.t.sf(t, dof), 1e-4, rtol=1e-9)
        t = result.max_abs_r * np.sqrt(dof / (1 - result.r**2))
        np.testing.assert_allclose(result.p, 2 * stats.t.sf(t, dof), rtol=1e-9)
        np.testing.assert_array_equal(result.dependent, result.p < 1e-4)
    assert exact.cut > paper.cut
    assert conditional_dependence(X, y, min_abs_r=0.9, alpha=1e-4).cut == 0.9
    assert conditional_dependence(X[:7], y[:7], alpha=1e-300).cut == 1.0


@pytest.mark.parametrize("n_partners", [1, 3, 40, 80])
def test_top_partners_are_those_of_a_full_sort(small_tiles, n_partners):
    """A feature that is constant within classes is nobody's partner, and has none."""
    X, y = correlated_series(25, 75, 2)
    X[:, 5] = y
    partner, r = top_partners(normalised_residuals(X, y), n_partners)
    expected = correlations_by_numpy(X, y)
    order = np.argsort(-np.abs(expected), axis=1, kind="stable")[:, :n_partners]
    values = np.take_along_axis(expected, order, axis=1)
    order = np.pad(
        np.where(values, order, -1), ((0, 0), (0, n_partners - order.shape[1])), constant_values=-1
    )
    np.testing.assert_array_equal(partner, order)
    np.testing.assert_allclose(r[:, :75], values, atol=1e-14)


def test_the_histogram_counts_every_pair_of_a_small_series_and_some_of_a_large_one(
    small_tiles, monkeypatch
):
    X, y = correlated_series(30, 200, 2)
    r = np.abs(correlations_by_numpy(X, y))
    # with at most 3,000 pairs every seventh feature with all later ones
    for stride, most_pairs in ((1, 2**24), (1 + 200**2 // 6000, 3000)):
        monkeypatch.setattr(correlation, "_HISTOGRAM_PAIRS", most_pairs)
        rows = np.arange(0, 200, stride)
        expected = sum(np.histogram(r[i, i + 1 :], bins=50, range=(0, 1))[0] for i in rows)
        actual = conditional_dependence(X, y).histogram
        np.testing.assert_array_equal(actual, expected)


def test_a_correlation_at_the_limit_of_bins_is_counted_above_it():
    X = np.random.default_rng(0).integers(0, 4, size=(9, 60)).astype(float)
    y = np.arange(9) % 2
    r = np.abs(correlations_by_numpy(X, y))[np.triu_indices(60, 1)]
    assert np.sum(np.abs(r * 50 - np.rint(r * 50)) < 1e-9) > 50  # ratios of small integers
    expected = np.histogram(r + 1e-9, bins=50, range=(0, 1 + 1e-9))[0]
    np.testing.assert_array_equal(conditional_dependence(X, y).histogram, expected)


def test_input_without_correlation_is_refused_and_one_feature_has_no_partner():
    result = conditional_dependence(np.random.default_rng(8).normal(size=(9, 1)), np.zeros(9))
    assert (result.ratio, result.n_pairs, result.partner[0]) == (0, 0, -1)
    X = np.random.default_rng(9).normal(size=(4, 3))
    with pytest.raises(InputError, match="4 samples in 3 classes leave no correlation"):
        conditional_dependence(X, [0, 0, 1, 2])
    with pytest.raises(InputError, match="n_partners is 0; it must be at least 1"):
        top_partners(normalised_residuals(X, [0, 0, 1, 1]), 0)
    X[2, 1] = np.nan
    with pytest.raises(InputError, match=r"column 1 .* row 2"):
        conditional_dependence(X, [0, 0, 1, 1])


def test_features_with_missing_values_are_left_out(rng):
    values, labels = rng.normal(size=(6, 20)), np.repeat(["a", "b"], 10)
    values[1] = values[4] + 0.01 * rng.normal(size=20)
    names = np.array([f"g{i}" for i in range(6)])
    tests = {"min_abs_r": 0.7, "alpha": 1e-6, "dof": "exact"}
    lacking = values.copy()
    lacking[2, 5] = np.nan
    without_gaps = [0, 1, 3, 4, 5]
    actual = diagnose(dataset(lacking, labels, missing=True), tests)
    complete = dataset(values[without_gaps], labels, features=names[without_gaps])
    expected = diagnose(complete, tests)
    for name in ("normality", "dependence", "dependence_test", "histograms"):
        pd.testing.assert_frame_equal(actual[name], expected[name])
    assert actual["dependence_test"]["tested"].item() == 5
    lacking[:5, 0] = np.nan  # one feature is left
    sparse = dataset(lacking, labels, missing=True)
    for series, settings in ((sparse, tests), (complete, None)):
        empty = diagnose(series, settings)
        assert [len(empty[name]) for name in ("normality", "dependence_test")] == [0, 0]
