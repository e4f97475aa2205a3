"""Adjusted p-values: their definitions by brute force, and the order of the procedures."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from xnbflow.data.errors import InputError
from xnbflow.evaluation.comparison import adjust_pairwise
from xnbflow.evaluation.multiple_testing import MOST_CLASSIFIERS_EXHAUSTIVE


@st.composite
def pairwise_p_values(draw, largest=5):
    k = draw(st.integers(2, largest))
    n_pairs = k * (k - 1) // 2
    grid = st.integers(0, 40).map(lambda x: x / 40)  # coarse, so that ties occur
    return k, np.array(draw(st.lists(grid, min_size=n_pairs, max_size=n_pairs)))


def exhaustive_sets(k):
    """All sets of pairs that hold every consequence of their transitivity, by trying every set."""
    pairs = list(itertools.combinations(range(k), 2))
    for chosen in itertools.product([False, True], repeat=len(pairs)):
        group = list(range(k))
        for (i, j), equal in zip(pairs, chosen, strict=True):
            if equal:
                group = [group[i] if g == group[j] else g for g in group]
        if chosen == tuple(group[i] == group[j] for i, j in pairs):
            yield np.flatnonzero(chosen)


def monotone(p, adjusted):
    return np.array([min(1, max(adjusted[p <= own])) for own in p])


def holm_or_shaffer(p, largest_true):
    """Step-down as the papers tell it: sort, multiply, never fall."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    for rank, index in enumerate(order):
        adjusted[index] = p[index] * largest_true(len(p) - rank)
    return monotone(p, adjusted)


@settings(deadline=None, max_examples=60)
@given(pairwise_p_values())
@example((4, np.array([0.175, 0.15, 0.15, 0.1, 0.2, 0.05])))  # ties of unequal bounds
def test_procedures_follow_their_definitions_over_all_sets_of_hypotheses(case):
    k, p = case
    sets = list(exhaustive_sets(k))
    sizes = {len(chosen) for chosen in sets}
    bergmann_hommel = np.array(
        [max(len(s) * p[s].min() for s in sets if pair in s) for pair in range(len(p))]
    )
    adjusted = adjust_pairwise(p, k)
    np.testing.assert_allclose(adjusted["bergmann_hommel"], monotone(p, bergmann_hommel))
    np.testing.assert_allclose(adjusted["bergmann_hommel_plain"], np.minimum(1, bergmann_hommel))
    np.testing.assert_allclose(
        adjusted["shaffer"],
        holm_or_shaffer(p, lambda most: max(size for size in sizes if size <= most)),
    )
    np.testing.assert_allclose(adjusted["holm"], holm_or_shaffer(p, lambda most: most))
    np.testing.assert_allclose(adjusted["nemenyi"], np.minimum(1, len(p) * p))


@settings(deadline=None, max_examples=60)
@given(pairwise_p_values(largest=7))
def test_each_procedure_finds_at_least_as_much_as_the_simpler_one(case):
    k, p = case
    adjusted = adjust_pairwise(p, k).to_numpy()
    assert (np.diff(adjusted, axis=1) <= 1e-12).all()
    assert (adjusted >= p[:, None] - 1e-12).all()


def test_the_plain_adjustment_may_fall_where_the_p_value_rises():
    """Of four classifiers: 0.15 times 3 for the pair (1, 2), but 0.175 times 2 for (0, 1)."""
    adjusted = adjust_pairwise([0.175, 0.15, 0.15, 0.1, 0.2, 0.05], 4)
    plain = adjusted["bergmann_hommel_plain"].to_numpy()
    raised = adjusted["bergmann_hommel"].to_numpy()
    assert (raised >= plain).all()
    assert (raised > plain).any()


def test_too_many_classifiers_leave_out_bergmann_hommel_with_a_warning():
    k = MOST_CLASSIFIERS_EXHAUSTIVE + 1
    with pytest.warns(UserWarning, match=f"every partition of {k} classifiers"):
        adjusted = adjust_pairwise(np.full(k * (k - 1) // 2, 0.01), k)
    assert adjusted["bergmann_hommel"].isna().all()
    assert adjusted["shaffer"].notna().all()


def test_as_many_classifiers_as_are_feasible_are_adjusted():
    k = MOST_CLASSIFIERS_EXHAUSTIVE
    n_pairs = k * (k - 1) // 2
    adjusted = adjust_pairwise(np.full(n_pairs, 0.001), k)
    np.testing.assert_allclose(adjusted, 0.001 * n_pairs)  # all equal is one of the partitions


@pytest.mark.parametrize("p", [[0.1, 0.2], [0.1, 0.2, 1.2], [0.1, np.nan, 0.3]])
def test_p_values_that_are_none_are_refused(p):
    with pytest.raises(InputError, match="3 classifiers need 3 p-values"):
        adjust_pairwise(p, 3)
