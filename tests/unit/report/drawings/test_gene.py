"""Box plots of a gene: the lines that join the samples of a group."""

import numpy as np

from xnbflow.report.drawings.gene import draw_gene
from xnbflow.report.page.style import GREY


def group_lines(figure):
    """Return the values of the samples that each thin grey line joins."""
    lines = figure.axes[0].lines
    joined = [line for line in lines if line.get_color() == GREY and line.get_linewidth() == 0.6]
    return [line.get_ydata().tolist() for line in joined]


def test_lines_of_groups_are_drawn_in_the_order_of_their_names():
    names = [f"patient {i}" for i in range(8)]
    values = np.arange(16.0)

    figure = draw_gene(
        "g1", values, ["a"] * 8 + ["b"] * 8, groups=names * 2, batches=[""] * 16, ylabel="value"
    )

    # a set of texts has another order in each process, so that 8 lines are seldom in this one
    assert group_lines(figure) == [[i, i + 8.0] for i in range(8)]


def test_a_group_of_one_class_has_no_line():
    values = np.arange(4.0)

    figure = draw_gene(
        "g1", values, ["a", "a", "b", "b"], groups=["p", "p", "", ""], batches=[""] * 4, ylabel=""
    )

    assert group_lines(figure) == []


def test_samples_without_a_batch_are_grey_beside_those_of_batches():
    figure = draw_gene(
        "g1",
        np.arange(4.0),
        ["a", "a", "b", "b"],
        groups=[""] * 4,
        batches=["", "plate 1", "plate 2", ""],
        ylabel="",
    )
    grey = [line for line in figure.axes[0].lines if line.get_color() == GREY]
    dots = [line.get_ydata().tolist() for line in grey if line.get_marker() == "."]
    assert dots == [[0.0, 3.0]]
