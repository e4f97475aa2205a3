"""Typicality of new samples relative to held-out training samples."""

import numpy as np
import pytest
from scipy.stats import norm

from xnbflow.models.typicality import ATYPICAL, Typicality, typicality_features


def two_classes(rng, n=60, n_features=30):
    codes = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n_features, n)) + 3.0 * codes, codes


def test_new_samples_of_the_same_source_are_flagged_one_time_in_a_hundred():
    actual = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        features, codes = two_classes(rng)
        new, _ = two_classes(rng, n=1000)
        actual.append(Typicality.fit(features, codes).typicality(new))
    assert (np.array(actual) < ATYPICAL).mean() == pytest.approx(0.012, abs=0.006)
    assert np.quantile(actual, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.07)


def test_a_training_sample_is_scored_without_itself_of_some_features_by_these(rng):
    features, codes = two_classes(rng, n=12, n_features=1)
    model = Typicality.fit(features, codes)
    scores = []
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        width = model.bandwidths[0, rest]
        density = norm.pdf(features[0, i], features[0, rest], width).mean()
        scores.append(np.log(density * features[0].std()))
    np.testing.assert_allclose(model.held_out, np.sort(scores))
    features, codes = two_classes(rng)
    some = Typicality.fit(features, codes).restricted(np.arange(5))
    alone = Typicality.fit(features[:5], codes)
    np.testing.assert_allclose(some.held_out, alone.held_out)
    assert len(some.centres) == 5


def test_bandwidths_are_normal_reference_within_classes_and_not_below_the_floor():
    """1.06 s n^-1/5 (Scott 1992), at least 0.3 n^-1/5 times the spread of all samples."""
    values = np.array([0.0, 1, 2, 3, 10, 10, 10, 10])
    codes = np.repeat([0, 1], 4)
    bandwidths = Typicality.fit(values[None], codes).bandwidths[0]
    within = np.sqrt(5 / 3)
    overall = values.std(ddof=1)
    assert 1.06 * within > 0.3 * overall * 0.9
    expected = max(1.06 * within, 0.3 * overall) * 4**-0.2
    assert bandwidths[:4].tolist() == pytest.approx([expected] * 4)
    assert bandwidths[4:].tolist() == pytest.approx([0.3 * overall * 4**-0.2] * 4)
    wide = Typicality.fit(np.array([[0.0, 1, 2, 3, 2, 3, 4, 5]]), codes)
    assert wide.bandwidths[0].tolist() == pytest.approx([1.06 * within * 4**-0.2] * 8)


def test_scores_are_smoothed_twice_as_wide_as_by_silverman():
    """A sample with the score s has the share mean(Phi((s - s_i) / h)), h = 1.8 sd n^-1/5."""
    rng = np.random.default_rng(0)
    model = Typicality.fit(rng.normal(size=(3, 12)), np.repeat([0, 1], 6))
    new = rng.normal(size=(3, 2))
    width = 1.8 * model.held_out.std(ddof=1) * 12**-0.2
    distances = (model.scores(new)[:, None] - model.held_out) / width
    assert model.typicality(new) == pytest.approx(norm.cdf(distances).mean(axis=1))


def test_up_to_two_thousand_features_and_then_evenly_spaced_ones_are_used():
    assert typicality_features(np.arange(2000)).tolist() == list(range(2000))
    positions = typicality_features(np.arange(4001))
    assert len(positions) == 2000
    assert (positions[0], positions[-1]) == (0, 4000)
    assert set(np.diff(positions).tolist()) == {2, 3}


def test_constant_features_are_left_out_whatever_the_rounding_of_their_mean(rng):
    """Counts without reads and intensities at the floor are constant; log2(100) is not exact."""
    features = rng.normal(size=(5, 40))
    codes = np.repeat([0, 1], 20)
    with_constant = np.vstack([features, np.full((3, 40), np.log2(100))])
    model = Typicality.fit(with_constant, codes)
    assert model.held_out.tolist() == Typicality.fit(features, codes).held_out.tolist()
    far = np.append(np.full(5, 20.0), np.full(3, np.log2(100)))[:, None]
    assert model.typicality(far)[0] < ATYPICAL
