"""Sequential permutation tests: p is valid wherever a test stops."""

import numpy as np
import pytest

from xnbflow.inference.sequential import _stopping_points


@pytest.mark.parametrize("most", [19, 150, 999])
def test_p_is_at_most_uniform_wherever_a_test_stops(most):
    """Exactly: all tests end, and points up to each p have that probability where p is uniform."""
    points = _stopping_points(0.025, most)
    paths = {(0, 0): 1.0}  # probability of each state of a Polya urn
    ends = {}
    for n in range(most):
        going: dict = {}
        for (_, k), mass in paths.items():
            for rise, share in ((1, (k + 1) / (n + 2)), (0, 1 - (k + 1) / (n + 2))):
                place = ends if (n + 1, k + rise) in points else going
                place[n + 1, k + rise] = place.get((n + 1, k + rise), 0.0) + mass * share
        paths = going
    assert not paths
    assert sum(ends.values()) == pytest.approx(1.0)
    ordered = sorted(ends, key=points.get)
    assert np.cumsum([ends[point] for point in ordered]) == pytest.approx(
        [points[point] for point in ordered], abs=1e-9
    )
    if most < 99:
        assert points == pytest.approx({(19, k): (k + 1) / 20 for k in range(20)})
