"""Concordance within levels: brute force, and exchange of units."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from xnbflow.inference import concordance as concordance_module
from xnbflow.inference.concordance import StratifiedPairs, concordance
from xnbflow.inference.label_exchange import label_exchange


def brute_force(scores, codes, levels, weights):
    """Every pair of samples of two classes and one level, one by one."""
    areas, total = [], 0.0
    for one, other in itertools.combinations(range(scores.shape[1]), 2):
        difference, wins, pairs = scores[:, one] - scores[:, other], 0.0, 0.0
        for i, j in itertools.product(np.flatnonzero(codes == one), np.flatnonzero(codes == other)):
            if levels[i] == levels[j]:
                weight = weights[i] * weights[j]
                wins += weight * (
                    (difference[i] > difference[j]) + (difference[i] == difference[j]) / 2
                )
                pairs += weight
        if pairs:
            areas.append(wins / pairs)
            total += pairs
    return np.mean(areas), total


@pytest.mark.parametrize("n_classes", [2, 4])
def test_areas_are_those_of_all_pairs_one_by_one(rng, n_classes):
    for _ in range(5):
        scores = rng.integers(0, 4, (30, n_classes)).astype(float)  # many ties
        codes, levels = rng.integers(0, n_classes, 30), rng.integers(0, 3, 30)
        codes[:n_classes] = range(n_classes)
        for weights in (np.ones(30), rng.integers(0, 3, 30).astype(float)):
            (area,), (pairs,) = StratifiedPairs(scores, levels).areas(codes[None], weights[None])
            assert (area, pairs) == pytest.approx(brute_force(scores, codes, levels, weights))


def test_a_batch_is_seen_through_and_a_class_is_not(rng):
    batch = np.repeat([0, 1], 30)
    codes = np.where(rng.random(60) < 0.15, 1 - batch, batch)
    noise = rng.normal(size=60)
    of_batch = concordance(np.stack([-4.0 * batch, noise], axis=1), codes, batch)
    assert of_batch.overall > 0.75
    assert of_batch.p > 0.05
    assert of_batch.lower < 0.5 < of_batch.upper
    of_class = concordance(np.stack([-2.0 * codes, noise], axis=1), codes, batch)
    assert of_class.p <= 0.05
    assert of_class.lower > 0.5
    alone = concordance(np.stack([-2.0 * codes, noise], axis=1), codes, codes)
    assert (alone.pairs, np.isnan(alone.within)) == (0, True)


@pytest.mark.parametrize("nested", [True, False])
def test_patients_are_exchanged_as_units(nested):
    """Five samples of a patient score alike: as samples, half of such null studies are rejected."""
    rng = np.random.default_rng(5)
    rejected = 0
    rejected_by_sample = 0
    n_studies = 60
    patients = np.repeat(np.arange(12), 5)
    for _ in range(n_studies):
        of_patient = rng.permutation(np.repeat([0, 1], 6)) if nested else np.zeros(12, dtype=int)
        codes = of_patient[patients] if nested else np.tile([0, 0, 0, 1, 1], 12)
        score = (rng.normal(size=12) + 0 * of_patient)[patients] + 0.1 * rng.normal(size=60)
        scores = np.stack([score, 0 * score], axis=1)
        levels = patients % 2
        rejected += concordance(scores, codes, levels, patients).p <= 0.05
        if nested:
            rejected_by_sample += concordance(scores, codes, levels).p <= 0.05
    most_by_chance = binom.ppf(0.999, n_studies, 0.05)
    assert rejected <= most_by_chance
    if nested:
        assert rejected_by_sample > most_by_chance


def test_patients_with_different_numbers_of_samples_exchange_their_labels():
    patients = np.repeat(np.arange(16), np.arange(16) % 4 + 1)
    codes = (np.arange(16) // 2 % 2)[patients]
    actual = concordance(
        np.stack([-1.0 * codes, 0.0 * codes], axis=1), codes, patients % 2, patients
    )
    assert actual.within == 1
    assert actual.p < 0.01


def test_one_patient_of_both_classes_does_not_bind_the_labels_of_the_others():
    """40 patients, of whom one gave samples of both classes; all are ranked correctly."""
    patients = np.append(np.arange(40), 0)
    codes = np.append(np.arange(40) % 2, 1)
    scores = np.stack([-1.0 * codes, 0.0 * codes], axis=1)
    assert concordance(scores, codes, np.zeros(41, dtype=int), patients).p < 0.02


def test_p_is_decided_at_a_twentieth():
    """At .05 a test without a permutation that reaches the labels stops after 145 of them."""
    codes = np.repeat([0, 1], 20)
    scores = np.stack([-1.0 * codes, 0.0 * codes], axis=1)
    actual = concordance(scores, codes, np.zeros(40, dtype=int))
    assert actual.permutations == 145


def test_the_interval_is_that_of_a_bootstrap_of_samples_or_patients(rng):
    codes, levels = np.tile([0, 1], 40), np.repeat([0, 1], 40)
    score = 1.2 * codes + rng.normal(size=80)
    areas = []
    for _ in range(1500):
        wins, pairs = 0.0, 0
        for level in (0, 1):
            drawn = rng.choice(np.flatnonzero(levels == level), 40)
            first = score[drawn[codes[drawn] == 0]]
            second = score[drawn[codes[drawn] == 1]]
            wins += np.sum(second[:, None] > first) + np.sum(second[:, None] == first) / 2
            pairs += len(first) * len(second)
        areas.append(wins / pairs)
    scores = np.stack([-score, 0 * score], axis=1)
    alone = concordance(scores, codes, levels)
    assert (alone.upper - alone.lower) == pytest.approx(2 * 1.96 * np.std(areas), rel=0.1)
    twice = [np.repeat(values, 2, axis=0) for values in (scores, codes, levels, np.arange(80))]
    of_patients, of_samples = concordance(*twice), concordance(*twice[:3])
    width = of_patients.upper - of_patients.lower
    assert width == pytest.approx(alone.upper - alone.lower, rel=0.1)
    assert width > 1.2 * (of_samples.upper - of_samples.lower)


@pytest.mark.parametrize("sign", [1, -1])
def test_pairs_of_one_order_have_no_interval(sign):
    """Each resample has the same order; with 13 pairs, the p is .06."""
    codes = np.repeat([0, 1], [13, 1])
    evidence = sign * (codes - 0.5)
    areas = concordance(np.stack([-evidence, evidence], axis=1), codes, np.zeros(14, dtype=int))
    assert areas.within == (sign > 0)
    assert areas.pairs == 13
    assert np.isnan([areas.lower, areas.upper]).all()
    assert areas.p > 0.05


def test_impossible_classes_have_the_least_score_and_other_scores_keep_their_order():
    scores = np.array([[-100.0, 0.0], [-50.0, 0.0], [-np.inf, 0.0], [0.0, -np.inf]])
    pairs = StratifiedPairs(scores, np.zeros(4, dtype=int))
    areas = pairs.areas(np.array([[1, 0, 1, 0], [0, 1, 1, 0]]))[0]
    assert areas.tolist() == [1.0, 0.75]


def test_999_resamples_make_an_interval():
    codes, levels = np.tile([0, 1], 10), np.zeros(20, dtype=int)
    scores = np.stack([np.arange(20.0), np.zeros(20)], axis=1)
    resampled = concordance_module._resampled_areas(
        StratifiedPairs(scores, levels),
        codes,
        levels=levels,
        groups=None,
        rng=np.random.default_rng(0),
    )
    assert resampled.shape == (999,)


def test_labels_are_exchanged_within_levels_and_by_patients(monkeypatch):
    codes, levels = np.tile([0, 1], 10), np.repeat([0, 1], 10)
    patients = np.arange(20) // 2
    arguments = []

    def record(*received):
        arguments.append(received)
        return label_exchange(*received)

    monkeypatch.setattr(concordance_module, "label_exchange", record)
    concordance(np.stack([-1.0 * codes, 0.0 * codes], axis=1), codes, levels, patients)
    ((labels, groups, strata),) = arguments
    assert (labels is codes, groups is patients, strata is levels) == (True, True, True)
