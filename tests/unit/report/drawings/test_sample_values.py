"""Pictures of samples: boxes by class, bars of reads, the map of correlations."""

import numpy as np
import pytest

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.sample_values import (
    draw_distributions,
    draw_library_sizes,
    draw_sample_correlations,
)
from xnbflow.report.page.style import COLOURS

CLASSES = ["normal", "normal", "tumour"]
SAMPLES = ["s1", "s2", "s3"]


def of_kind(panel, kind):
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def test_each_sample_has_a_box_of_its_quartiles_in_the_colour_of_its_class():
    quantiles = np.array([[1.0, 2, 3, 4, 5], [2, 3, 4, 5, 6], [0, 1, 2, 3, 4]])
    chart = draw_distributions({"before": quantiles - 1, "after": quantiles}, CLASSES, SAMPLES)
    before, after = chart.panels
    (boxes,) = of_kind(after, marks.Rectangles)
    assert (boxes.y0.tolist(), boxes.y1.tolist()) == ([2, 3, 1], [4, 5, 3])
    assert boxes.colours == [0, 0, 1]
    assert boxes.tips["sample"] == SAMPLES
    whiskers, medians = of_kind(after, marks.Segments)
    assert (whiskers.y0.tolist(), whiskers.y1.tolist()) == ([1, 2, 0], [5, 6, 4])
    assert medians.y0.tolist() == [3, 4, 2]
    assert (before.y.label, after.y.label) == ("before", "after")
    assert (after.x.names, after.x.at) == (["normal", "tumour"], [0.5, 2.0])


def test_bars_are_millions_of_reads():
    (panel,) = draw_library_sizes(np.array([2e6, 3e6, 25e5]), CLASSES, SAMPLES).panels
    (bars,) = of_kind(panel, marks.Rectangles)
    assert bars.y1.tolist() == [2, 3, 2.5]
    assert bars.tips["reads"] == ["2,000,000", "3,000,000", "2,500,000"]


def test_the_map_reaches_from_the_lowest_correlation_to_one():
    correlations = np.array([[1.0, 0.9, 0.8], [0.9, 1.0, 0.85], [0.8, 0.85, 1.0]])
    in_order = ["tumour", "normal", "normal"]
    chart = draw_sample_correlations(correlations, in_order, SAMPLES, ["normal", "tumour"])
    (cells,) = of_kind(chart.panels[0], marks.Cells)
    assert cells.shares[0].tolist() == pytest.approx([1, 0.5, 0])
    (strip,) = of_kind(chart.panels[0], marks.Strip)
    # the class of each column has the colour that it has in other figures
    assert [strip.colours[code] for code in strip.codes] == [COLOURS[1], COLOURS[0], COLOURS[0]]
    assert [key.text for key in chart.keys][:2] == ["normal", "tumour"]


def test_equal_samples_have_the_full_colour():
    chart = draw_sample_correlations(np.ones((2, 2)), ["a", "b"], ["s", "t"], ["a", "b"])
    (cells,) = of_kind(chart.panels[0], marks.Cells)
    assert cells.shares.tolist() == [[1, 1], [1, 1]]
