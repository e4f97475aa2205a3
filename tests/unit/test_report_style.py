"""Figures as SVG: fit to be in a page beside others, whatever the names in them are."""

import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from xnbflow.report.drawings.calibration import draw_calibration
from xnbflow.report.drawings.densities import draw_cohorts, draw_densities
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.drawings.histograms import draw_correlations, draw_p_values
from xnbflow.report.drawings.lines import Line, draw_lines, draw_trade_off
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.style import COLOURS, INK, render, shorten

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}href"
NAMES = ["<script>alert(1)</script>", "$x_1$ & \\alpha", '"quoted" -->']
VALUES = np.array([[0.9, 0.1, np.nan], [0.0, 1.0, 0.5]])
BINS = [np.array([0.1, 0.9])] * 3
WITH_INTERVAL = Points(NAMES[0], [0.1, 0.2, np.nan], [0, 0.1, np.nan], [0.2, 0.3, np.nan], 0)
HOLLOW = Points(NAMES[1], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3], 0, beside=0)
DENSITIES = {"feature": NAMES[0], "grid": np.linspace(0, 1, 9), "densities": np.ones((3, 9))}
DENSITIES |= {"samples": [np.array([0.1, 0.2]), np.array([0.5]), np.array([])], "classes": NAMES}
DENSITIES |= {"chosen": [1], "focus": 1, "notes": ["0.52", "", "0.99"]}

DRAWINGS = {
    "p-values": (draw_p_values, {"shares": np.full(20, 0.05), "alpha": 0.05}),
    "correlations": (
        draw_correlations,
        {"edges": np.linspace(0, 1, 51), "pairs": np.arange(50), "cut": 0.7},
    ),
    "points": (
        draw_points,
        {"rows": NAMES, "groups": [WITH_INTERVAL, HOLLOW], "xlabel": "accuracy"},
    ),
    "trade-off": (
        draw_trade_off,
        {
            "rows": NAMES[:2],
            "classifiers": NAMES,
            "features": np.array([[3.0, 30, 30], [5, 50, np.nan]]),
            "accuracy": np.array([[0.9, 0.8, 0.7], [0.6, 0.5, np.nan]]),
        },
    ),
    "lines": (
        draw_lines,
        {
            "lines": [Line(name, np.array([1.0, 900.0]), np.array([0.5, 0.9])) for name in NAMES],
            "xlabel": "features",
            "ylabel": "accuracy",
            "title": NAMES[0],
            "ring": ("chosen", 1000.0, 0.8),
            "levels": [("all features", 0.7)],
        },
    ),
    "matrix": (
        draw_matrix,
        {
            "values": VALUES,
            "rows": NAMES[:2],
            "columns": NAMES,
            "title": NAMES[0],
            "texts": [["9", "", "1"], ["2", "3", "4"]],
            "marks": ["a", ""],
            "outlined": [(0, 1)],
            "xlabel": "predicted",
            "ylabel": "true",
        },
    ),
    "densities": (draw_densities, DENSITIES),
    "calibration": (
        draw_calibration,
        dict.fromkeys(("predicted", "observed", "counts", "lower", "upper"), BINS)
        | {"classifiers": NAMES},
    ),
    "ranks": (
        draw_ranks,
        {"classifiers": NAMES, "ranks": [1.2, 1.9, 2.9], "bars": [(0, 1)], "difference": 1.05},
    ),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_figure_is_an_element_of_its_own_in_which_names_are_text(name):
    text = render(name, *DRAWINGS[name])
    assert render(name, *DRAWINGS[name]) == text
    root = ET.fromstring(text)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    other = render("other", *DRAWINGS[name])
    assert not any(f'id="{i}"' in other for i in ids)
    referred = [e.get(XLINK)[1:] for e in root.iter() if e.get(XLINK)]
    referred += [e.get("clip-path")[5:-1] for e in root.iter() if e.get("clip-path")]
    assert set(referred) == set(ids)
    assert len(ids) == len(set(ids))
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "path", "text", "use", "defs", "clipPath", "rect"}
    assert "<!--" not in text
    if name not in {"p-values", "correlations"}:
        shown = " ".join(element.text or "" for element in root.iter(f"{SVG}text"))
        assert all(shorten(label, 11)[:-1] in shown for label in NAMES[:2])
    assert "currentColor" in text  # the ink is that of the page, and the paper is transparent
    assert INK not in text
    first = next(root.iter(f"{SVG}path"), None)
    assert first is None or "#ffffff" not in first.get("style", "")


def test_colours_differ_from_a_light_and_from_a_dark_page():
    """Contrast of graphics against both papers is at least 2 (WCAG's formula)."""

    def luminance(colour):
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    for colour in COLOURS:
        for paper in ("#ffffff", "#16191d"):
            low, high = sorted([luminance(colour), luminance(paper)])
            assert (high + 0.05) / (low + 0.05) > 2, (colour, paper)


LONG = ["ClassSpecificNB (CV)", "XNB", "ClassSpecificNB (3 features)"]
NARROW = np.array([[0.9712, 0.97, 0.97], [0.97, 0.97, 0.9712]])
NEARLY_ONE = {"feature": "213612_x_at", "grid": np.linspace(0.99990, 0.99992, 9)}


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        DRAWINGS["lines"],
        (draw_trade_off, DRAWINGS["trade-off"][1] | {"accuracy": NARROW}),
        (draw_heatmap, {"z": np.eye(3), "rows": list("abc"), "classes": ["x", "x", "y"]}),
        (draw_cohorts, NEARLY_ONE | {"curves": {"tumour": (np.ones(9), np.ones(9))}}),
        (draw_ranks, DRAWINGS["ranks"][1] | {"classifiers": LONG}),
    ],
    ids=["lines", "many decimals", "few samples", "values that are nearly one", "long names"],
)
def test_no_text_of_a_figure_is_cut(draw, arguments):
    with mpl.rc_context({"font.size": 9, "text.parse_math": False}):
        figure = draw(**arguments)
        box = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())  # of what is drawn
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01
