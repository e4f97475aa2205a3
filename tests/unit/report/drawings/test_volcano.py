"""Volcano plots: features by direction, and names that do not overlap."""

import numpy as np
import pytest

from xnbflow.report.drawings.marks import Points, Texts
from xnbflow.report.drawings.volcano import draw_volcano
from xnbflow.report.page.style import BLUE, GREY, ORANGE


def of_kind(chart, kind):
    return [mark for mark in chart.panels[0].marks if isinstance(mark, kind)]


def test_features_below_the_cut_have_the_colour_of_their_direction():
    change = np.array([-1.0, 2.0, 0.5, -0.5])
    p = np.array([0.001, 0.01, 0.5, 0.02])
    chart = draw_volcano("tumour", change, p, cut=0.01, names={}, xlabel="fold")
    drawn = {points.colour: points for points in of_kind(chart, Points)}
    assert drawn[BLUE].x.tolist() == [-1.0]
    assert drawn[ORANGE].x.tolist() == [2.0]
    assert drawn[GREY].x.tolist() == [0.5, -0.5]
    assert drawn[BLUE].y == pytest.approx([3.0])  # -log10 of .001


@pytest.mark.parametrize(
    ("height", "written"),
    [
        (9.51, ["first"]),  # nearer than a twentieth of the span, 0.5: they would overlap
        (9.5, ["first", "second"]),
    ],
)
def test_a_name_that_would_overlap_an_earlier_one_is_left_out(height, written):
    p = 10.0 ** -np.array([10.0, height, 0.0])
    chart = draw_volcano(
        "t", np.array([-1.0, 1.0, 0.0]), p, 1.0, names={"first": 0, "second": 1}, xlabel="x"
    )
    assert [text for texts in of_kind(chart, Texts) for text in texts.texts] == written


def test_names_are_written_towards_the_middle():
    chart = draw_volcano(
        "t", np.array([-1.0, 1.0]), np.array([1.0, 0.1]), 1.0, {"left": 0, "right": 1}, "x"
    )
    alignments = {text: texts.align for texts in of_kind(chart, Texts) for text in texts.texts}
    assert alignments == {"left": "left", "right": "right"}
