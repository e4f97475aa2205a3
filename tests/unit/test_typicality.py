"""Typicality: the share of held-out training samples that are less typical than a new one."""

import numpy as np
import pytest
from scipy.stats import norm

from xnbflow.models.typicality import ATYPICAL, Typicality, features_to_look_at


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def two_classes(rng, n=60, n_features=30):
    codes = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n_features, n)) + 3.0 * codes, codes


def test_new_samples_of_the_same_source_are_flagged_one_time_in_a_hundred():
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        features, codes = two_classes(rng)
        new, _ = two_classes(rng, n=1000)
        found.append(Typicality.fit(features, codes).typicality(new))
    assert (np.array(found) < ATYPICAL).mean() == pytest.approx(0.012, abs=0.006)
    assert np.quantile(found, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.07)


def test_a_training_sample_is_scored_without_itself(rng):
    features, codes = two_classes(rng, n=12, n_features=1)
    model = Typicality.fit(features, codes)
    own = []
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        width = model.bandwidths[0, rest]
        density = norm.pdf(features[0, i], features[0, rest], width).mean()
        own.append(np.log(density * features[0].std()))
    np.testing.assert_allclose(model.held_out, np.sort(own))


@pytest.mark.parametrize(("scale", "shift"), [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e3)])
def test_units_do_not_matter(rng, scale, shift):
    features, codes = two_classes(rng)
    new, _ = two_classes(rng, n=10)
    plain = Typicality.fit(features, codes).typicality(new)
    other = Typicality.fit(scale * features + shift, codes).typicality(scale * new + shift)
    np.testing.assert_allclose(other, plain, rtol=1e-6)


def test_constant_features_say_nothing(rng):
    features, codes = two_classes(rng)
    with_constant = np.vstack([features, np.full(60, 7.0)])
    new = np.vstack([features[:, :3], np.full(3, 9.0)])
    plain = Typicality.fit(features, codes).typicality(features[:, :3])
    np.testing.assert_allclose(Typicality.fit(with_constant, codes).typicality(new), plain)


def test_what_lies_far_off_in_every_feature_is_atypical(rng):
    features, codes = two_classes(rng)
    assert Typicality.fit(features, codes).typicality(np.full((30, 1), 30.0))[0] < 1e-6


def test_of_some_features_the_held_out_scores_are_those_of_these_features(rng):
    features, codes = two_classes(rng)
    some = Typicality.fit(features, codes).restricted(np.arange(5))
    alone = Typicality.fit(features[:5], codes)
    np.testing.assert_allclose(some.held_out, alone.held_out)
    assert len(some.centres) == 5


def test_of_many_features_evenly_spaced_ones_are_looked_at():
    chosen = features_to_look_at(np.arange(10_000))
    assert len(chosen) == 2000
    assert chosen[0] == 0
    assert chosen[-1] == 9999
    assert len(features_to_look_at(np.arange(7))) == 7
