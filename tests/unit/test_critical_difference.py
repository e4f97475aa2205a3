"""Critical-difference diagrams: Demšar's table and conclusions, and bars from p-values."""

import numpy as np
import pytest

from xnbflow.evaluation.comparison import (
    critical_difference,
    critical_difference_diagram,
)

#: Demšar (2006), Table 6: average ranks over fourteen data sets.
DEMSAR = {"C4.5": 44 / 14, "C4.5+m": 28 / 14, "C4.5+cf": 40.5 / 14, "C4.5+m+cf": 27.5 / 14}


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_those_of_demsar_s_table_5(alpha, printed):
    k = np.arange(2, 11)
    ours = [critical_difference(n, 1, alpha) / np.sqrt(n * (n + 1) / 6) for n in k]
    np.testing.assert_allclose(ours, printed, atol=0.0012)


def test_demsar_s_conclusions_at_both_levels():
    strict = critical_difference_diagram(DEMSAR, 14, alpha=0.05)
    assert round(strict.critical_difference, 2) == 1.25
    assert strict.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    # "We can identify two groups ... We cannot tell which group C4.5+cf belongs to."
    loose = critical_difference_diagram(DEMSAR, 14, alpha=0.10)
    assert round(loose.critical_difference, 2) == 1.12
    assert loose.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert list(loose.ranks.index) == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]


def test_classifiers_that_all_differ_have_no_bar():
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert critical_difference_diagram(ranks, 1000).cliques == ()
