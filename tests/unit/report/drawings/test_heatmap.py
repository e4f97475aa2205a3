"""The colours of a heat map: how far a value from the mean has the full colour."""

import numpy as np
from matplotlib.colors import to_rgba

from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.page.style import BLUE, ORANGE


def test_a_cell_has_the_full_colour_from_two_and_a_half_standard_deviations_on():
    z = np.array([[0.0, 1.25, 2.5, 4.0, -1.25, np.nan]])
    figure = draw_heatmap(z, ["TP53"], list("aaabbb"))
    (image,) = figure.axes[0].images
    cells = np.asarray(image.get_array())[0]
    np.testing.assert_allclose(cells[:, 3], [0, 0.5, 1, 1, 0.5, 0])  # opacity
    np.testing.assert_allclose(cells[1, :3], to_rgba(ORANGE)[:3])
    np.testing.assert_allclose(cells[4, :3], to_rgba(BLUE)[:3])


def test_the_scale_of_colours_ends_at_two_and_a_half_standard_deviations():
    figure = draw_heatmap(np.zeros((1, 2)), ["TP53"], ["a", "b"])
    texts = {text.get_text() for axes in figure.axes for text in axes.get_xticklabels()}
    texts |= {text.get_text() for axes in figure.axes for text in axes.texts}
    texts |= {text.get_text() for text in figure.texts}
    assert any("2.5" in text for text in texts), texts
