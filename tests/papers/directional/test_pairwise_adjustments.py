"""Shaffer's and Bergmann and Hommel's adjustments: published numbers and their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xnbflow.core.errors import InputError
from xnbflow.inference.rank_tests import pairwise_rank_tests
from xnbflow.papers.directional.pairwise_adjustments import (
    MOST_CLASSIFIERS,
    bergmann_hommel,
    shaffer,
)

#: García and Herrera (2008): average ranks of five classifiers over thirty data sets.
GARCIA_HERRERA = {
    "C4.5": 63 / 30,
    "1-NN": 97.5 / 30,
    "NaiveBayes": 66 / 30,
    "Kernel": 130 / 30,
    "CN2": 93.5 / 30,
}

#: Bergmann-Hommel less Shaffer for this example, printed to nine digits in the vignette of the R
#: package scmamp; 0 for the other pairs.
SCMAMP_DIFFERENCE = {
    frozenset(("1-NN", "NaiveBayes")): -0.015926978,
    frozenset(("1-NN", "Kernel")): -0.015926978,
    frozenset(("CN2", "C4.5")): -0.012763008,
    frozenset(("CN2", "NaiveBayes")): -0.035944994,
    frozenset(("CN2", "Kernel")): -0.005760969,
}


def test_both_agree_with_the_r_package_scmamp():
    tests = pairwise_rank_tests(GARCIA_HERRERA, 30)
    p, first, second = tests["p"], tests["first"], tests["second"]
    difference = bergmann_hommel(p, first, second) - shaffer(p, 5)
    for one, other, value in zip(first, second, difference, strict=True):
        expected = SCMAMP_DIFFERENCE.get(frozenset((one, other)), 0.0)
        assert value == pytest.approx(expected, abs=1e-9), (one, other)


def all_pairs(n_classifiers):
    """Return the first and the second classifier of every pair."""
    pairs = list(itertools.combinations(range(n_classifiers), 2))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def exhaustive_sets(n_classifiers):
    """Return the sets of pairs that contain all consequences of transitivity, trying each set."""
    pairs = list(itertools.combinations(range(n_classifiers), 2))
    actual = []
    for chosen in itertools.product([False, True], repeat=len(pairs)):
        group = list(range(n_classifiers))
        for (i, j), is_equal in zip(pairs, chosen, strict=True):
            if is_equal:
                group = [group[i] if g == group[j] else g for g in group]
        if chosen == tuple(group[i] == group[j] for i, j in pairs):
            actual.append(np.flatnonzero(chosen))
    return actual


def never_fall(p, adjusted):
    return [min(1.0, max(adjusted[p <= value])) for value in p]


@st.composite
def p_values_of_pairs(draw):
    n_classifiers = draw(st.integers(2, 5))
    n_pairs = n_classifiers * (n_classifiers - 1) // 2
    p_value = st.integers(0, 40).map(lambda x: x / 40)  # coarse, so that ties occur
    return n_classifiers, np.array(draw(st.lists(p_value, min_size=n_pairs, max_size=n_pairs)))


@settings(deadline=None, max_examples=60)
@given(p_values_of_pairs())
@example((4, np.array([0.175, 0.15, 0.15, 0.1, 0.2, 0.05])))  # ties with different bounds
def test_both_follow_their_definitions_over_all_sets_of_hypotheses(case):
    n_classifiers, p = case
    sets = exhaustive_sets(n_classifiers)

    largest = np.zeros(len(p))  # over the exhaustive sets with a pair
    for hypotheses in sets:
        if not len(hypotheses):
            continue
        product = len(hypotheses) * p[hypotheses].min()
        for pair in hypotheses:
            largest[pair] = max(largest[pair], product)
    adjusted = bergmann_hommel(p, *all_pairs(n_classifiers))
    np.testing.assert_allclose(adjusted, never_fall(p, largest))

    sizes = {len(s) for s in sets}
    products = np.empty(len(p))
    for rank, pair in enumerate(np.argsort(p, kind="stable")):
        n_remaining = len(p) - rank
        products[pair] = p[pair] * max(size for size in sizes if size <= n_remaining)
    np.testing.assert_allclose(shaffer(p, n_classifiers), never_fall(p, products))


def test_the_order_of_pairs_and_of_their_names_does_not_matter(rng):
    first, second = all_pairs(4)
    p = rng.uniform(0, 0.3, 6)
    order = rng.permutation(6)
    shuffled = bergmann_hommel(p[order], [second[i] for i in order], [first[i] for i in order])
    np.testing.assert_array_equal(shuffled, bergmann_hommel(p, first, second)[order])
    np.testing.assert_array_equal(shaffer(p[order], 4), shaffer(p, 4)[order])


@pytest.mark.parametrize(
    "p_values", [[0.1, 0.2], [0.1, 0.2, 1.1], [0.1, -0.2, 0.3], [0.1, np.nan, 1]]
)
def test_one_p_value_per_pair_is_required(p_values):
    with pytest.raises(InputError, match="3 classifiers need 3 p-values between 0 and 1"):
        shaffer(p_values, 3)
    if len(p_values) == 3:
        with pytest.raises(InputError, match="3 classifiers need 3 p-values between 0 and 1"):
            bergmann_hommel(p_values, *all_pairs(3))


def test_a_repeated_pair_is_refused():
    with pytest.raises(InputError, match="a pair is repeated or missing"):
        bergmann_hommel([0.1, 0.2, 0.3], ["a", "b", "a"], ["b", "a", "c"])


def test_too_many_classifiers_are_refused_before_the_partitions_are_made():
    first, second = all_pairs(MOST_CLASSIFIERS + 1)
    with pytest.raises(InputError, match=r"every partition of 12 classifiers.*use Shaffer's"):
        bergmann_hommel(np.full(len(first), 0.01), first, second)
    assert shaffer(np.full(len(first), 0.01), MOST_CLASSIFIERS + 1).max() < 1
