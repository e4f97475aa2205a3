"""The room that labels and legends of a figure need."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from xnbflow.report.page.style import label_width, legend_columns, legend_room


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
    ("labels", "width", "columns"),
    [
        (["abc"] * 5, 3.0, 4),  # each takes 0.45 for its mark and 0.2349 inches: 4.38 fit
        (["abc"] * 2, 3.0, 2),  # no more columns than labels
        (["a" * 300] * 5, 3.0, 1),  # one column, however long its label is
    ],
)
def test_a_legend_has_the_columns_that_fit(labels, width, columns):
    assert legend_columns(labels, width) == columns


@pytest.mark.parametrize(("n_labels", "inches"), [(4, 0.2), (5, 0.4), (8, 0.4), (9, 0.6)])
def test_a_legend_has_a_fifth_of_an_inch_for_each_row_of_four(n_labels, inches):
    columns, height = legend_room(["abc"] * n_labels, 3.0)
    assert columns == 4
    assert height == pytest.approx(inches)
