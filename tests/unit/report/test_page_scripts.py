"""The programs of a page are joined to one, and draw classes as the static figures do."""

import re
from importlib.resources import files

from xnbflow.report.page.page import SCRIPT
from xnbflow.report.page.style import _MARKERS, BLUE, COLOURS, N_DASHES, ORANGE, style_of
from xnbflow.report.static.artists import _DARK, DASHES

_CHARTS = files("xnbflow.report.page").joinpath("templates/charts.js").read_text(encoding="utf-8")


def list_of(name: str) -> list[str]:
    """Return the texts of a list of charts.js."""
    (inside,) = re.findall(rf"^const {name} = \[(.*)\];$", _CHARTS, re.MULTILINE)
    return [text.strip().strip('"') for text in inside.split(",")]


def test_no_name_is_declared_twice():
    """In a joined program a second function would replace the first one without an error."""
    declared = re.findall(
        r"^(?:async )?(?:function|const|let|class) (\w+)", SCRIPT, flags=re.MULTILINE
    )
    assert len(declared) > 50
    assert sorted(declared) == sorted(set(declared))


def test_charts_have_the_colours_of_the_static_figures():
    shades = re.findall(r'const \[BLUE, ORANGE\] = \["(#\w+)", "(#\w+)"\]', _CHARTS)[0]
    assert shades == (BLUE, ORANGE)
    assert list_of("PALETTE") == list(COLOURS)


def test_charts_have_the_marks_of_the_static_figures():
    of_matplotlib = {
        "circle": "o", "square": "s", "triangle": "^", "diamond": "D",
        "inverted_triangle": "v", "plus": "P", "x": "X", "star": "*",
    }  # fmt: skip
    assert [of_matplotlib[name] for name in list_of("MARKERS")] == list(_MARKERS)
    assert len(list_of("SIGNS")) == len(_MARKERS)


def test_lines_have_as_many_dashes_in_the_browser_as_in_files():
    (table,) = re.findall(r"^const DASHES = \[(.*)\];$", _CHARTS, re.MULTILINE)
    patterns = re.findall(r'"\w+"|\[[\d, ]+\]', table)
    assert len(patterns) == len(set(patterns)) == len(DASHES) == N_DASHES
    assert patterns[0] == '"solid"'


def test_texts_of_cells_are_white_from_the_same_shade_on():
    (shade,) = re.findall(r"^const DARK_CELL = ([\d.]+);$", _CHARTS, re.MULTILINE)
    assert float(shade) == _DARK


def test_no_two_of_64_classes_are_drawn_alike():
    styles = [style_of(i) for i in range(64)]
    assert len(set(styles)) == 64
    assert styles[0] == ("#009E73", "o")
    assert styles[8] == ("#009E73", "s")


def test_neighbouring_classes_differ_in_colour_and_in_mark():
    for i in range(63):
        colour, marker = style_of(i)
        next_colour, next_marker = style_of(i + 1)
        assert colour != next_colour
        assert marker != next_marker
