"""Shapiro-Wilk: SciPy is the oracle, and the example of Shapiro and Wilk's own paper."""

import warnings

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from xnbflow.data.errors import InputError
from xnbflow.diagnostics import benjamini_hochberg, shapiro_wilk, shapiro_wilk_within


def scipy_shapiro(X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [stats.shapiro(column) for column in np.transpose(X)]
    return np.array([r.statistic for r in results]), np.array([r.pvalue for r in results])


def assert_as_scipy(X):
    W, p = shapiro_wilk(X)
    expected_W, expected_p = scipy_shapiro(X)
    np.testing.assert_allclose(W, expected_W, rtol=0, atol=1e-6)
    # with 3 samples p touches 0 with a finite slope: there the last digit of W is all of p
    np.testing.assert_allclose(p, expected_p, rtol=1e-5, atol=1e-15 if len(X) == 3 else 1e-305)


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


@pytest.mark.parametrize("n", [*range(3, 40), 63, 64, 65, 130, 151, 500, 1999, 5000])
def test_agrees_with_scipy(n):
    assert_as_scipy(samples_of_many_shapes(n))


@pytest.mark.slow
def test_agrees_with_scipy_on_a_microarray(shared_data):
    table = pd.read_csv(shared_data / "microarray" / "Leukemia_Golub1999.csv.gz")
    assert_as_scipy(table.iloc[:, 2:].to_numpy(np.float64))


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, st.tuples(st.integers(3, 24), st.just(5)), elements=st.integers(-4, 4)))
def test_agrees_with_scipy_on_ties(X):
    X[0] = 5  # so that no column is constant
    assert_as_scipy(X)


def test_the_example_of_shapiro_and_wilk_1965():
    # Biometrika 52, 591-611: the weights of eleven men have W = 0.79, below the 1 % point
    weights = np.array([[148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236.0]]).T
    W, p = shapiro_wilk(weights)
    assert round(W[0], 2) == 0.79
    assert p[0] < 0.01


def test_tiny_p_values_do_not_vanish():
    spike = np.zeros((2000, 1))
    spike[7] = 1.0
    _, p = shapiro_wilk(spike)
    assert 0 < p[0] < 1e-60
    np.testing.assert_allclose(p, scipy_shapiro(spike)[1], rtol=1e-5)


@pytest.mark.parametrize("n_features", [1, 31, 32, 33, 4097])
def test_a_feature_does_not_depend_on_its_neighbours(n_features):
    X = np.random.default_rng(1).normal(size=(11, n_features))
    W, p = shapiro_wilk(X)
    alone = shapiro_wilk(X[:, -1:])
    assert (W[-1], p[-1]) == (alone[0][0], alone[1][0])
    assert len(W) == len(p) == n_features


def test_chunks_threads_and_layout_give_the_same():
    X = np.random.default_rng(2).normal(size=(50, 9000))
    whole = shapiro_wilk(X)
    chunks = [shapiro_wilk(X[:, i : i + 1000]) for i in range(0, 9000, 1000)]
    np.testing.assert_array_equal(whole, np.concatenate(chunks, axis=1))
    np.testing.assert_array_equal(whole, shapiro_wilk(np.asfortranarray(X)))
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        np.testing.assert_array_equal(whole, shapiro_wilk(X))
    finally:
        numba.set_num_threads(threads)


@pytest.mark.parametrize("scale", [1e-250, 1e-30, 1e150])
def test_w_does_not_depend_on_the_unit(scale):
    X = np.random.default_rng(4).gamma(2.0, size=(40, 3))
    np.testing.assert_allclose(shapiro_wilk(scale * X), shapiro_wilk(X), rtol=1e-9)


def test_constant_features_get_one_and_one_warning():
    X = np.random.default_rng(5).normal(size=(20, 4))
    X[:, [1, 3]] = 0.1
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    with pytest.warns(UserWarning, match=r"2 constant features \(first: feature 'b'\)") as caught:
        W, p = shapiro_wilk(frame)
    assert len(caught) == 1
    assert (W[1], p[1], W[3], p[3]) == (1, 1, 1, 1)
    assert W[0] < 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("others", ["constant", "normal"])
def test_a_value_that_is_not_finite_is_named(value, others):
    X = np.random.default_rng(6).normal(size=(10, 3))
    X[:, 1] = 1.0 if others == "constant" else X[:, 1]
    X[4, 1] = value
    with pytest.raises(InputError, match=rf"column 1 is {value} in row 4"):
        shapiro_wilk(X)
    frame = pd.DataFrame(X, columns=["a", "1007_s_at", "c"])
    with pytest.raises(InputError, match=rf"feature '1007_s_at' is {value} in row 4"):
        shapiro_wilk_within(frame, ["x"] * 10)


def test_a_range_beyond_float64_is_named():
    with pytest.raises(InputError, match=r"column 0 ranges from -1e\+308 to 1e\+308: too wide"):
        shapiro_wilk(np.array([[-1e308], [0.0], [1e308]]))


def test_too_few_samples_and_wrong_shapes_are_refused():
    with pytest.raises(InputError, match="X has 2 samples"):
        shapiro_wilk(np.ones((2, 5)))
    with pytest.raises(InputError, match=r"X has shape \(5,\)"):
        shapiro_wilk(np.ones(5))
    with pytest.raises(InputError, match=r"X has shape \(5, 0\)"):
        shapiro_wilk(np.ones((5, 0)))
    with pytest.raises(InputError, match="one class label for each of 5 samples"):
        shapiro_wilk_within(np.ones((5, 2)), ["a"] * 4)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.array([0.5, None, 1.0, 2.0], dtype="Float64"), "column 'b' holds <NA> in row 's1'"),
        (["0.5", "1", "high", "2"], "column 'b' holds 'high' in row 's2'"),
    ],
)
def test_what_is_no_number_is_named(column, message):
    X = pd.DataFrame({"a": np.arange(4.0), "b": column}, index=["s0", "s1", "s2", "s3"])
    with pytest.raises(InputError, match=message):
        shapiro_wilk(X)
    with pytest.raises(InputError, match=message):
        shapiro_wilk_within(X, ["x"] * 4)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, 1.0, np.nan, 1.0], r"no label in row 2 \(1 sample has none\)"),
        (["a", "b", "a", np.nan], "no label in row 3"),
        (["a", None, None, "b"], r"no label in row 1 \(2 samples have none\)"),
        (pd.array(["a", pd.NA, "b", "b"], dtype="string"), "no label in row 1"),
        (pd.Series(["a", 1, "b", 2]), "mixes labels of different types"),
    ],
)
def test_labels_that_name_no_class_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        shapiro_wilk_within(np.arange(4.0)[:, None], y)


def test_beyond_5000_samples_p_is_marked_as_extrapolated():
    X = np.random.default_rng(7).normal(size=(5001, 1))
    with pytest.warns(UserWarning, match="extrapolated beyond 5000 samples: 5001"):
        W, p = shapiro_wilk(X)
    np.testing.assert_allclose((W, p), scipy_shapiro(X), rtol=1e-5)


def test_within_classes_is_the_test_of_each_class():
    X = np.random.default_rng(8).normal(size=(45, 70))
    y = np.array(["normal", "tumour", "cyst"])[np.arange(45) % 3]
    W, p = shapiro_wilk_within(X, y)
    assert W.shape == p.shape == (3, 70)
    for row, label in enumerate(["cyst", "normal", "tumour"]):
        np.testing.assert_array_equal((W[row], p[row]), shapiro_wilk(X[y == label]))


def test_within_a_class_too_small_to_test_is_nan_and_named():
    X = np.random.default_rng(9).normal(size=(9, 2))
    y = ["big"] * 6 + ["pair"] * 2 + ["one"]
    with pytest.warns(UserWarning, match="fewer than 3 samples: one, pair"):
        W, p = shapiro_wilk_within(X, y)
    assert np.isnan(W[1:]).all()
    assert np.isnan(p[1:]).all()
    assert np.isfinite(W[0]).all()


def test_benjamini_hochberg():
    # by hand: 4 * .01 / 1, min(4 * .03 / 2, 4 * .04 / 3) = .16 / 3, 4 * .04 / 3, 4 * .5 / 4
    expected = [0.04, 0.16 / 3, 0.16 / 3, 0.5]
    np.testing.assert_allclose(benjamini_hochberg(np.array([0.01, 0.03, 0.04, 0.5])), expected)
    both = benjamini_hochberg(np.array([[0.5, 0.01, 0.04, 0.03], [np.nan] * 4]))
    np.testing.assert_allclose(both[0], [0.5, 0.04, 0.16 / 3, 0.16 / 3])
    assert np.isnan(both[1]).all()
