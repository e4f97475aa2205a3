"""Names in a volcano plot."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from xnbflow.report.drawings.volcano import _write_names


@pytest.mark.parametrize(
    ("height", "written"),
    [
        (9.51, ["first"]),  # nearer than a twentieth of the span, 0.5: they would overlap
        (9.5, ["first", "second"]),
    ],
)
def test_a_name_that_would_overlap_an_earlier_one_is_left_out(height, written):
    axes = Figure().add_subplot()
    y = np.array([10.0, height, 0.0])
    _write_names(axes, np.array([-1.0, 1.0, 0.0]), y, {"first": 0, "second": 1})
    assert [text.get_text() for text in axes.texts] == written


def test_names_are_written_towards_the_middle():
    axes = Figure().add_subplot()
    axes.set_xlim(-2, 2)
    _write_names(axes, np.array([-1.0, 1.0]), np.array([0.0, 1.0]), {"left": 0, "right": 1})
    alignments = {text.get_text(): text.get_ha() for text in axes.texts}
    assert alignments == {"left": "left", "right": "right"}
