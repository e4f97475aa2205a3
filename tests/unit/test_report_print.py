"""Figures for print: at the widths of a journal no text is cut or small, in grey nor in colour."""

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from report_study import write_study
from unit.test_report_sections import MODULES

from xnbflow.report.page.blocks import figures_of
from xnbflow.report.page.style import COLOURS, DASHES, MARKERS, print_figure


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    """A figure of each kind on the page of a study whose names are markup."""
    results = write_study(tmp_path_factory.mktemp("study"))
    found = [f for module in MODULES for f in figures_of(module.section(results).blocks)]
    return {each.draw.__name__: (each.draw, each.arguments) for each in found}


@pytest.fixture(scope="module", params=[85, 180])
def printed(request, figures, tmp_path_factory):
    """Every figure drawn for print: bounds and size in inches, points of its text, files."""
    width, folder = request.param, tmp_path_factory.mktemp("print")
    found = {}
    for name, (draw, arguments) in figures.items():

        def measured(name=name, draw=draw, *, width, **given):
            figure = draw(**given, width=width)
            FigureCanvasAgg(figure).draw()
            written = [t for t in figure.findobj(Text) if t.get_text().strip()]
            sizes = [text.get_fontsize() for text in written if text.get_visible()]
            found[name] = (figure.get_tightbbox(), figure.get_size_inches(), min(sizes))
            return figure

        drawn = print_figure(measured, arguments, folder / name, width)
        assert drawn >= width - 1e-9
        assert drawn == pytest.approx(width) or name == "draw_ranks"  # names either side
    return folder, found


def test_everything_is_within_a_printed_figure_and_text_has_7_points_or_more(printed):
    for name, (bounds, (width, height), points) in printed[1].items():
        assert points >= 7, name
        assert min(bounds.x0, bounds.y0) > -0.02, (name, bounds)
        assert bounds.x1 < width + 0.02, (name, bounds, width)
        assert bounds.y1 < height + 0.02, (name, bounds, height)


def test_fonts_are_embedded_or_outlined(printed):
    folder, found = printed
    for name in found:
        pdf = (folder / f"{name}.pdf").read_bytes()
        assert b"/FontFile2" in pdf  # TrueType, as fonttype 42 writes
        assert b"/Type3" not in pdf
        svg = (folder / f"{name}.svg").read_text()
        assert "<text" not in svg
        assert "currentColor" not in svg


def _seen(colour, blindness=None):
    """Return linear RGB as a person with full dichromacy sees it (Machado and others 2009)."""
    matrices = {
        "protan": [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        "deutan": [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    }
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear if blindness is None else np.clip(matrices[blindness] @ linear, 0, 1)


def _lab(linear):
    """Return CIELAB of linear sRGB, white D65."""
    xyz = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
        @ linear
        / [0.9505, 1.0, 1.089]
    )
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("blindness", [None, "protan", "deutan"])
def test_the_first_six_colours_differ_whoever_looks(blindness):
    """No pair is nearer than 10 in CIE76, about four just noticeable differences."""
    seen = [_lab(_seen(colour, blindness)) for colour in COLOURS[:6]]
    for i, j in itertools.combinations(range(6), 2):
        assert np.linalg.norm(seen[i] - seen[j]) > 10, (COLOURS[i], COLOURS[j])


def test_in_grey_marks_and_dashes_replace_the_colours():
    """Lightness alone is not enough: it is why each colour has a mark and a dash of its own."""
    lightness = [_lab(_seen(colour))[0] for colour in COLOURS]
    assert min(abs(a - b) for a, b in itertools.combinations(lightness, 2)) < 5
    assert len(set(MARKERS)) == len(COLOURS)
    assert len(set(DASHES)) == 6  # as many classes as have colours in a drawing of densities
    assert all(30 < value < 80 for value in lightness)  # of white paper and black ink
