"""The figures of Pavlenko and von Rosen as data: curves, their dashes, and the gains."""

import numpy as np

from xnbflow.papers.separation.drawings import draw_paper_figure, draw_weights
from xnbflow.report.drawings.marks import Band, Level, Line, Rectangles


def of_kind(panel, kind):
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def test_a_figure_of_the_paper_has_three_panels():
    scale = np.array([1.0, 2.0, 4.0])
    separation = np.array([[1.0, 2.0, 3.0], [1.0, 1.5, 2.0]])
    risk = np.array([[0.3, 0.2, 0.1], [0.4, 0.3, 0.2]])
    edges = np.array([-0.01, 0.0, 0.01])
    chart = draw_paper_figure("t", scale, separation, risk, edges, np.array([3, 5]), "block")
    above, middle, below = chart.panels
    solid, dashed = of_kind(above, Line)
    assert (solid.dash, dashed.dash) == (0, 1)
    assert (solid.y.tolist(), dashed.y.tolist()) == (separation[0].tolist(), [1.0, 1.5, 2.0])
    assert [line.label for line in (solid, dashed)] == ["all blocks", "selected by Eq. 22"]
    assert of_kind(middle, Line)[1].y.tolist() == risk[1].tolist()
    assert middle.y.log
    assert above.x.end == middle.x.end == 4.0  # one axis
    (bars,) = of_kind(below, Rectangles)
    assert bars.x0.tolist() == [-1, 0]  # per cent
    assert bars.y1.tolist() == [3, 5]
    (zero,) = of_kind(below, Level)
    assert (zero.at, zero.upright) == (0, True)


def test_weights_have_their_quantiles_and_the_threshold():
    scores = np.array([0.0, 1.0, 2.0])
    estimated = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.3, 0.4, 1.5]])
    chart = draw_weights("t", scores, np.array([5.0, 1.2, 0.5]), estimated, threshold=0.5)
    (panel,) = chart.panels
    (band,) = of_kind(panel, Band)
    assert (band.lower.tolist(), band.upper.tolist()) == ([0.1, 0.2, 0.3], [0.3, 0.4, 1.5])
    median, known = of_kind(panel, Line)
    assert (median.dash, known.dash) == (1, 0)
    (threshold,) = of_kind(panel, Level)
    assert threshold.at == 0.5
    assert panel.y.end == 1.05 * 1.2  # the greatest known weight of a score that is kept
