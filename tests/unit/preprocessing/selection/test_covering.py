"""The smallest covers of small programs, which can be enumerated."""

import itertools

import numpy as np
import pytest

from xnbflow.preprocessing.selection.class_features import (
    PairSelection,
    _smallest_cover_of,
    ranked_prefix,
)
from xnbflow.preprocessing.selection.covering import smallest_cover


def enumerated(strengths):
    """Return the size of the smallest sets that cover all rows, and the best set of this size."""
    n = strengths.shape[1]
    for size in range(n + 1):
        sets = [
            chosen
            for chosen in itertools.combinations(range(n), size)
            if (strengths[:, chosen].sum(axis=1) >= 1 - 1e-9).all()
        ]
        if sets:
            return max(sets, key=lambda chosen: strengths[:, chosen].sum())
    return None


@pytest.mark.parametrize("seed", range(8))
def test_covers_are_the_smallest_and_of_these_the_strongest(seed):
    strengths = np.random.default_rng(seed).uniform(0, 0.6, (3, 9))
    chosen, gap = smallest_cover(strengths)
    assert chosen.tolist() == list(enumerated(strengths))
    assert gap == 0


def test_a_row_that_cannot_be_covered_takes_all_that_help():
    chosen, gap = smallest_cover(np.array([[0.2, 0.0, 0.3, 0.0], [0.0, 1.0, 0.0, 0.9]]))
    assert chosen.tolist() == [0, 1, 2]
    assert gap == 0


def test_features_beyond_the_candidates_bound_the_excess():
    """With n_top of 2 a further feature may have the strength .5 of the second candidate."""
    strengths = np.array([[0.6, 0.5, 0.3, 0.2]])
    assert smallest_cover(strengths, 2)[1] == 0
    weak = np.array([[0.3, 0.3, 0.3, 0.3, 0.3]])
    chosen, gap = smallest_cover(weak, 5)
    assert (len(chosen), gap) == (4, 0)
    two_rows = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    chosen, gap = smallest_cover(two_rows, 2)  # features of .5 in both rows would be two
    assert (len(chosen), gap) == (4, 2)


def test_a_distance_at_the_threshold_reaches_it_and_one_at_the_cut_is_not_selected():
    names = np.array(["a", "b"])
    assert ranked_prefix(np.array([0.75, 0.5]), names, 0.75).tolist() == [0]
    selection = PairSelection(
        np.array([[0.75, 0.5]]), names, n_classes=2, threshold=0.99, min_distance=0.5
    )
    assert selection.ranked(0)[0].tolist() == [0]


def test_a_feature_for_all_pairs_is_selected_though_others_are_better_for_each_pair():
    """Forty features have .9 for one of two pairs, one has .89 for both: it alone reaches .8."""
    distances = np.zeros((2, 81))
    distances[0, :40] = 0.9
    distances[1, 40:80] = 0.9
    distances[:, 80] = 0.89
    selected, excess = _smallest_cover_of(distances, np.arange(81), 0.8)
    assert selected.tolist() == [80]
    assert excess == 0
