"""Concordance within levels: brute force, and exchange of units."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from xnbflow.inference.concordance import StratifiedPairs, concordance


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
    rng, rejected, alone = np.random.default_rng(5), 0, 0
    n_studies, patients = 60, np.repeat(np.arange(12), 5)
    for _ in range(n_studies):
        of_patient = rng.permutation(np.repeat([0, 1], 6)) if nested else np.zeros(12, dtype=int)
        codes = of_patient[patients] if nested else np.tile([0, 0, 0, 1, 1], 12)
        score = (rng.normal(size=12) + 0 * of_patient)[patients] + 0.1 * rng.normal(size=60)
        scores = np.stack([score, 0 * score], axis=1)
        levels = patients % 2
        rejected += concordance(scores, codes, levels, patients).p <= 0.05
        alone += nested and concordance(scores, codes, levels).p <= 0.05
    assert rejected <= binom.ppf(0.999, n_studies, 0.05)
    assert not nested or alone > binom.ppf(0.999, n_studies, 0.05)


def test_patients_with_different_numbers_of_samples_exchange_their_labels():
    patients = np.repeat(np.arange(16), np.arange(16) % 4 + 1)
    codes = (np.arange(16) // 2 % 2)[patients]
    found = concordance(
        np.stack([-1.0 * codes, 0.0 * codes], axis=1), codes, patients % 2, patients
    )
    assert found.within == 1
    assert found.p < 0.01


def test_one_patient_of_both_classes_does_not_bind_the_labels_of_the_others():
    """40 patients, of whom one gave samples of both classes; all are ranked correctly."""
    patients = np.append(np.arange(40), 0)
    codes = np.append(np.arange(40) % 2, 1)
    scores = np.stack([-1.0 * codes, 0.0 * codes], axis=1)
    assert concordance(scores, codes, np.zeros(41, dtype=int), patients).p < 0.02
