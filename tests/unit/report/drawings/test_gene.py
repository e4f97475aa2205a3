"""Box plots of a gene: samples by batch, and the lines that join the samples of a group."""

import numpy as np

from xnbflow.report.drawings.gene import draw_gene
from xnbflow.report.drawings.marks import Boxes, Line, Points
from xnbflow.report.page.style import GREY


def of_kind(chart, kind):
    return [mark for mark in chart.panels[0].marks if isinstance(mark, kind)]


def group_lines(chart):
    """Return the values of the samples that each line of a group joins."""
    lines = []
    for line in of_kind(chart, Line):
        parts = np.split(line.y, np.flatnonzero(np.isnan(line.y)))
        lines += [part[~np.isnan(part)].tolist() for part in parts]
    return lines


def test_lines_of_groups_are_drawn_in_the_order_of_their_names():
    names = [f"patient {i}" for i in range(8)]
    values = np.arange(16.0)
    chart = draw_gene(
        "g1", values, ["a"] * 8 + ["b"] * 8, groups=names * 2, batches=[""] * 16, ylabel="value"
    )
    # a set of texts has another order in each process, so that 8 lines are seldom in this one
    assert group_lines(chart) == [[i, i + 8.0] for i in range(8)]


def test_a_group_of_one_class_has_no_line():
    chart = draw_gene(
        "g1",
        np.arange(4.0),
        ["a", "a", "b", "b"],
        groups=["p", "p", "", ""],
        batches=[""] * 4,
        ylabel="",
    )
    assert group_lines(chart) == []


def test_samples_without_a_batch_are_grey_beside_those_of_batches():
    chart = draw_gene(
        "g1",
        np.arange(4.0),
        ["a", "a", "b", "b"],
        groups=[""] * 4,
        batches=["", "plate 1", "plate 2", ""],
        ylabel="",
    )
    drawn = {points.label: points for points in of_kind(chart, Points)}
    assert drawn[""].colour == GREY
    assert drawn[""].y.tolist() == [0.0, 3.0]
    assert (drawn["plate 1"].colour, drawn["plate 2"].colour) == (0, 1)


def test_without_batches_the_classes_have_the_colours_and_missing_values_no_point():
    values = np.array([1.0, np.nan, 3.0])
    chart = draw_gene(
        "TP53", values, ["b", "a", "a"], [""] * 3, [""] * 3, "log value", samples=["s1", "s2", "s3"]
    )
    a, b = of_kind(chart, Points)
    assert (a.colour, a.y.tolist(), a.tips["sample"]) == (0, [3.0], ["s3"])
    assert (b.colour, b.y.tolist(), b.tips["class"]) == (1, [1.0], ["b"])
    assert not a.label  # the axis names the classes
    (boxes,) = of_kind(chart, Boxes)
    np.testing.assert_array_equal(boxes.values, values)
    assert boxes.codes.tolist() == [1, 0, 0]
    assert chart.panels[0].x.names == ["a", "b"]
