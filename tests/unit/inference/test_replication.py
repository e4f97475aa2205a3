"""Whether listed features differ in other samples: SciPy's tests, chance, equally good features."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from xnbflow.inference.replication import class_differences, replication


def test_differences_are_those_of_scipy_with_missing_values(rng):
    values = rng.normal(5, 2, size=(30, 18))
    values[rng.random(values.shape) < 0.1] = np.nan
    codes = np.repeat([0, 1, 2], 6)
    t, df = class_differences(values, codes, 3)
    for code in range(3):
        members = codes == code
        expected = ttest_ind(
            values[:, members], values[:, ~members], axis=1, equal_var=False, nan_policy="omit"
        )
        np.testing.assert_allclose(t[code], expected.statistic, rtol=1e-9)
        np.testing.assert_allclose(df[code], expected.df, rtol=1e-9)


def test_differences_of_single_and_equal_values_are_missing():
    values = np.array([[1.0, 2.0, np.nan, 4.0], [3.0, 3.0, 3.0, 3.0]])
    t, df = class_differences(values, np.array([0, 0, 1, 1]), 2)
    assert np.isnan(t).all()
    assert np.isnan(df).all()


def test_the_share_that_replicates_is_corrected_for_that_of_all_features_of_its_direction():
    """Upwards four of eight features replicate; of the three that are listed two do."""
    first = np.array([1.0] * 8 + [-1.0] * 4)
    second = np.array([5.0, 5.0, 0.0, 0.0, 5.0, 5.0, 0.0, -9.0] + [0.0] * 4)
    df = np.full(12, 30.0)
    assert replication([0, 1, 2], first, (second, df)) == pytest.approx((2 / 3 - 0.5) / (1 - 0.5))
    # one that changes its direction does not replicate, and one with p above .05 does not
    assert replication([7], first, (second, df)) == pytest.approx((0 - 0.5) / 0.5)
    assert replication([8], first, (np.append(second[:8], [-1.6, 0, 0, 0]), df)) == 0.0
    assert replication([8], first, (np.append(second[:8], [-1.7, 0, 0, 0]), df)) == 1.0
    assert np.isnan(replication([], first, (second, df)))


def halves_of(rng, shift, n_shifted, n_features=1000):
    """Return the first ten features of one half by |t|, its t, and the tests of the other half."""
    codes = np.repeat([0, 1], 20)
    tests = []
    for _ in range(2):
        values = rng.normal(size=(n_features, 40))
        values[:n_shifted] += shift * codes
        t, df = class_differences(values, codes, 2)
        tests.append((t[1], df[1]))
    first = tests[0][0]
    return np.argsort(-np.abs(first))[:10], first, tests[1]


def test_lists_of_noise_replicate_by_chance_alone(rng):
    """The correction for chance makes the mean 0; its standard error over 300 lists is .004."""
    indices = [replication(*halves_of(rng, 0.0, 0)) for _ in range(300)]
    assert np.mean(indices) == pytest.approx(0.0, abs=0.016)


def test_equally_good_features_replicate_although_lists_differ(rng):
    """Of 250 equally good features the first ten are a random choice."""
    lists = [halves_of(rng, 1.5, 250) for _ in range(10)]
    assert np.mean([replication(*one) for one in lists]) > 0.9
    shared = len({*lists[0][0].tolist()} & {*lists[1][0].tolist()})
    assert shared < 5
