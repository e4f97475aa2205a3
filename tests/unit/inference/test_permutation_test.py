"""The limits of p, and the random generators of permutations."""

import numpy as np

from xnbflow.inference.permutation_test import limits_of_p, permutation_test


def test_a_test_that_stopped_with_certainty_has_its_limits_on_one_side_of_the_level():
    """Of 999 permutations 25, 40 and 10 reach the score: only the first is undecided."""
    lower, upper = limits_of_p([1.0] * 25 + [0.0] * 974, 0.5)
    assert lower <= 0.025 < upper
    lower, upper = limits_of_p([1.0] * 40 + [0.0] * 959, 0.5)
    assert lower > 0.025
    lower, upper = limits_of_p([1.0] * 10 + [0.0] * 989, 0.5)
    assert upper <= 0.025


def test_each_permutation_has_a_generator_of_its_own():
    """A score that draws from none of them, or from several, changes no other permutation."""
    labels_of_seed = {}

    def score(labels, seed):
        labels_of_seed[seed] = labels.copy()
        return 1.0

    labels = np.repeat([0, 1], 20)
    test = permutation_test(
        score, labels, lambda rng: rng.permutation(labels), n_permutations=5, seed=7
    )
    assert (test.at_least, test.p_value) == (5, 1.0)
    for seed in range(8, 13):
        expected = np.random.default_rng(seed).permutation(labels)
        assert (labels_of_seed[seed] == expected).all()
