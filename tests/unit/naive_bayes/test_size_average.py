"""The average over sizes: its weights, the last factor, and the priors."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from xnbflow.naive_bayes.size_average import (
    _average_weights,
    average_sizes,
    shares_predict_better,
    with_equal_priors,
)
from xnbflow.naive_bayes.size_path import InnerPredictions


def predictions(rng, n=30, **changes):
    codes = rng.integers(3, size=n)
    signal = codes[:, np.newaxis] == np.arange(3)
    sums = np.array([size * signal + rng.normal(size=(n, 3)) for size in (0.5, 1.0, 2.0)])
    parts = {
        "sums": sums,
        "log_prior": np.log(np.tile([0.2, 0.3, 0.5], (n, 1))),
        "codes": codes,
        "folds": np.arange(n) % 3,
        "counts": np.array([1.0, 2.0, 4.0]),
        "weights": np.ones(n),
    }
    return InnerPredictions(**parts | changes)


def cross_entropy(path, sums):
    n_of_class = np.bincount(path.codes)[path.codes]
    smoothed = (n_of_class + 1.0) / (n_of_class + 2.0)
    prior = np.exp(path.log_prior)
    true_class = path.codes[:, np.newaxis] == np.arange(3)
    others = np.where(true_class, 0.0, prior)
    others *= ((1.0 - smoothed) / others.sum(axis=1))[:, np.newaxis]
    targets = np.where(true_class, smoothed[:, np.newaxis], others)
    return -(targets * log_softmax(sums + path.log_prior, axis=1)).sum(axis=1).mean()


def best_factor(path, sums):
    actual = minimize_scalar(
        lambda log_a: cross_entropy(path, sums * np.exp(log_a)),
        bounds=(-5.0, 5.0),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return np.exp(actual.x), actual.fun


def test_the_average_is_that_of_another_optimiser(rng):
    path = predictions(rng)
    factors, losses = np.array([best_factor(path, sums) for sums in path.sums]).T
    shares = np.exp(-5 * (losses - losses.min()))
    shares /= shares.sum()
    average = np.tensordot(shares * factors, path.sums, 1)
    last, _ = best_factor(path, average)
    actual = average_sizes(path, n_units=5)
    np.testing.assert_allclose(actual.sharpness, factors, rtol=1e-5)
    np.testing.assert_allclose(actual.shares, shares, rtol=1e-5)
    np.testing.assert_allclose(actual.weights, shares * factors * last, rtol=1e-5)
    np.testing.assert_allclose(actual.sums, average * last, rtol=1e-5)
    table = actual.path_rows(path)
    np.testing.assert_allclose([row["temperature"] for row in table], 1.0 / factors, rtol=1e-5)
    np.testing.assert_allclose([row["weight"] for row in table], shares, rtol=1e-5)
    expected = path.score(path.sums[1] * actual.sharpness[1])
    assert table[1]["log_loss"] == expected["log_loss"]


def test_samples_of_an_absent_class_have_no_part_in_it(rng):
    path = predictions(rng)
    log_prior = path.log_prior.copy()
    log_prior[path.codes == 2, 2] = -np.inf
    lacking = predictions(np.random.default_rng(3), log_prior=log_prior)
    actual = average_sizes(lacking, 10)
    usable = path.codes != 2
    parts = {
        name: getattr(path, name)[usable] for name in ("log_prior", "codes", "folds", "weights")
    }
    rest = predictions(np.random.default_rng(3), sums=path.sums[:, usable], **parts)
    np.testing.assert_allclose(actual.weights, average_sizes(rest, 10).weights)
    nobody = predictions(rng, log_prior=np.full((30, 3), -np.inf))
    np.testing.assert_allclose(average_sizes(nobody, 10).weights, 1 / 3)
    np.testing.assert_allclose(average_sizes(nobody, 10).sums, nobody.sums.mean(axis=0))


def test_sizes_below_a_thousandth_of_the_best_have_no_weight():
    losses = np.log([1.0, 999.0, 1001.0])
    actual = _average_weights(losses, 1)
    np.testing.assert_allclose(actual, [999 / 1000, 1 / 1000, 0.0])
    np.testing.assert_allclose(_average_weights(np.array([0.3, 0.4]), 7)[1], 1 / (1 + np.exp(0.7)))


def test_the_last_size_is_the_largest_with_a_weight(rng):
    path = predictions(rng)
    path.sums[2] = -20.0 * path.sums[2]  # the largest size is wrong
    actual = average_sizes(path, 200)
    assert actual.shares[2] == 0.0
    assert actual.last_row == np.flatnonzero(actual.shares)[-1] < 2


def test_equal_priors_are_those_of_the_classes_that_training_had(rng):
    path = predictions(rng)
    path.log_prior[4] = [-np.inf, np.log(0.4), np.log(0.6)]
    equal = np.exp(with_equal_priors(path).log_prior)
    np.testing.assert_allclose(equal[4], [0.0, 0.5, 0.5])
    np.testing.assert_allclose(np.delete(equal, 4, axis=0), 1 / 3)


@pytest.mark.parametrize(("n", "better"), [(50, False), (800, True)])
def test_shares_are_priors_if_they_gain_more_than_a_standard_error(n, better):
    """Six of ten samples are of the second class, and the evidence is 0."""
    codes = np.tile([0, 1, 1, 0, 1, 1, 0, 1, 1, 0], n // 10)
    shares = predictions(
        np.random.default_rng(0),
        n=n,
        codes=codes,
        sums=np.zeros((1, n, 3)),
        log_prior=np.log(np.tile([0.4, 0.6, 1e-9], (n, 1))),
        counts=np.ones(1),
    )
    equal = predictions(
        np.random.default_rng(0),
        n=n,
        codes=codes,
        sums=shares.sums,
        log_prior=np.log(np.tile([0.5, 0.5, 1e-9], (n, 1))),
        counts=np.ones(1),
    )
    average = average_sizes(shares, n)
    gains = np.log(np.where(codes == 1, 0.6, 0.4) / 0.5)
    assert gains.mean() > 0.0
    assert (gains.mean() > gains.std() / np.sqrt(n)) == better
    assert shares_predict_better((shares, average), (equal, average)) == better
