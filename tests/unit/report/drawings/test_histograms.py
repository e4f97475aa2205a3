"""Histograms of p-values and correlations: their bins, and those that are marked."""

import numpy as np
import pytest

from xnbflow.report.drawings.histograms import draw_correlations, draw_p_values
from xnbflow.report.drawings.marks import Level, Rectangles, Texts


def of_kind(chart, kind):
    return [mark for mark in chart.panels[0].marks if isinstance(mark, kind)]


def test_bins_of_p_values_below_the_level_are_marked_and_counted():
    shares = np.array([0.5, 0.2, 0.2, 0.1])
    chart = draw_p_values(shares, alpha=0.25, share_below=0.5)
    (bars,) = of_kind(chart, Rectangles)
    assert bars.y1.tolist() == shares.tolist()
    assert bars.colours == [1, 0, 0, 0]
    assert bars.x0 == pytest.approx([0, 0.25, 0.5, 0.75])
    (level,) = of_kind(chart, Level)
    assert level.at == 0.25  # each of four bins, if all were normal
    assert "p < 0.25: 50%" in [text for texts in of_kind(chart, Texts) for text in texts.texts]
    # a level within a bin marks the bins below it
    within = draw_p_values(shares, alpha=0.1, share_below=0.31)
    assert "p < 0.1: 31%" in [text for texts in of_kind(within, Texts) for text in texts.texts]
    assert of_kind(within, Rectangles)[0].colours == [0, 0, 0, 0]


def test_pairs_beyond_the_cut_are_marked_on_an_axis_of_logarithms():
    edges = np.linspace(0, 1, 5)
    chart = draw_correlations(edges, np.array([100, 10, 0, 2]), 0.75)
    (bars,) = of_kind(chart, Rectangles)
    assert bars.colours == [0, 0, 0, 1]
    assert chart.panels[0].y.log
    assert (bars.y1 >= bars.y0).all()  # an empty bin has no height
    assert bars.y0.min() > 0
    assert bars.tips["pairs"] == ["100", "10", "0", "2"]
    (cut,) = of_kind(chart, Level)
    assert (cut.at, cut.upright) == (0.75, True)
