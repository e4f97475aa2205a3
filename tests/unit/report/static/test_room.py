"""The room that labels and legends of a figure need."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from xnbflow.report.static.room import every_name, fit_across, label_width, legend_positions


@pytest.mark.parametrize(
    ("labels", "size", "inches"),
    [
        (["ab"], 9.0, 0.1566),  # two small letters of 0.0087 x 9 inches
        (["a", "ab"], 9.0, 0.1566),  # the widest counts
        (["ab"], 18.0, 0.3132),
        (["W"], 9.0, 0.10179),  # a capital letter has 1.3 times the width of a small one
        (["中"], 9.0, 0.12528),  # a CJK character 1.6 times
        ([], 9.0, 0.0),
    ],
)
def test_the_width_of_labels_is_that_of_their_letters(labels, size, inches):
    assert label_width(labels, size) == pytest.approx(inches)


@pytest.mark.parametrize(
    "label", ["abcdef", "probe_03", "TP53", "ClassSpecificNB", "HER2-ENRICHED LUMINAL"]
)
def test_a_label_is_drawn_within_its_width(label):
    """Measured by Matplotlib in its own font, which is wider than those of most pages."""
    figure = Figure()
    renderer = FigureCanvasAgg(figure).get_renderer()
    text = figure.text(0, 0, label, fontsize=9, family="DejaVu Sans")
    drawn = text.get_window_extent(renderer).width / figure.dpi
    assert drawn < label_width([label]) < 1.3 * drawn


@pytest.mark.parametrize(
    ("labels", "width", "rows"),
    [
        # each takes .42 for its sign and .2088 inches: 4 of .6288 fit in 3
        (["abc"] * 5, 3.0, [0, 0, 0, 0, 1]),
        (["abc"] * 2, 3.0, [0, 0]),
        (["a" * 300] * 3, 3.0, [0, 1, 2]),  # one in a row, however long it is
        ([], 3.0, []),
    ],
)
def test_a_legend_has_the_labels_in_a_row_that_fit(labels, width, rows):
    positions = legend_positions(labels, width)
    assert [row for _, row in positions] == rows
    assert [x for x, row in positions if row == 0][:2] == pytest.approx(
        [0, 0.6288][: rows.count(0)]
    )


@pytest.mark.parametrize(
    # an upright line takes .13 inches
    ("gap", "every"),
    [(0.14, 1), (0.13, 1), (0.129, 2), (0.03, 5)],
)
def test_of_many_upright_names_every_second_or_third_is_written(gap, every):
    assert every_name(gap) == every


def test_names_are_across_where_the_widest_fits():
    assert fit_across(["ab", "a"], 0.16)
    assert not fit_across(["ab", "a"], 0.15)
