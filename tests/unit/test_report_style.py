"""Figures as SVG: fit to stand in a page beside others, whatever the names in them are."""

import re
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
from xnbflow.report.drawings.rows import Points, draw_points, draw_shares
from xnbflow.report.page.style import COLOURS, INK, render, shorten

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}href"
NAMES = ["<script>alert(1)</script>", "$x_1$ & \\alpha", '"quoted" -->']
VALUES = np.array([[0.9, 0.1, np.nan], [0.0, 1.0, 0.5]])

DRAWINGS = {
    "p-values": (draw_p_values, {"shares": np.full(20, 0.05), "alpha": 0.05}),
    "correlations": (
        draw_correlations,
        {"edges": np.linspace(0, 1, 51), "pairs": np.arange(50), "cut": 0.7},
    ),
    "points": (
        draw_points,
        {
            "rows": NAMES,
            "groups": [
                Points(NAMES[0], [0.1, 0.2, np.nan], [0, 0.1, np.nan], [0.2, 0.3, np.nan], 0),
                Points(NAMES[1], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3], 0, beside=0),
            ],
            "xlabel": "accuracy",
        },
    ),
    "shares": (
        draw_shares,
        {"rows": NAMES, "parts": ["a", "b"], "shares": np.full((3, 2), 0.5), "xlabel": "per cent"},
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
    "densities": (
        draw_densities,
        {
            "feature": NAMES[0],
            "grid": np.linspace(0, 1, 9),
            "densities": np.ones((3, 9)),
            "samples": [np.array([0.1, 0.2]), np.array([0.5]), np.array([])],
            "classes": NAMES,
            "chosen": [1],
            "focus": 1,
            "notes": ["0.52", "", "0.99"],
        },
    ),
    "calibration": (
        draw_calibration,
        {
            "classifiers": NAMES,
            "predicted": [np.array([0.1, 0.9])] * 3,
            "observed": [np.array([0.2, 0.8])] * 3,
            "counts": [np.array([1, 9])] * 3,
            "lower": [np.array([0.1, 0.6])] * 3,
            "upper": [np.array([0.4, 0.9])] * 3,
        },
    ),
    "ranks": (
        draw_ranks,
        {"classifiers": NAMES, "ranks": [1.2, 1.9, 2.9], "bars": [(0, 1)], "difference": 1.05},
    ),
}


@pytest.fixture(scope="module", params=DRAWINGS)
def drawn(request):
    return request.param, render(request.param, *DRAWINGS[request.param])


def test_no_other_figure_has_its_ids_and_every_reference_finds_its_id(drawn):
    name, text = drawn
    root = ET.fromstring(text)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    other = render("other", *DRAWINGS[name])
    assert not any(f'id="{i}"' in other for i in ids)
    referred = [e.get(XLINK)[1:] for e in root.iter() if e.get(XLINK)]
    referred += [e.get("clip-path")[5:-1] for e in root.iter() if e.get("clip-path")]
    assert set(referred) == set(ids)


def test_names_are_text_and_never_markup_or_formulas(drawn):
    figure, text = drawn
    root = ET.fromstring(text)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "path", "text", "use", "defs", "clipPath", "rect"}
    assert "<!--" not in text
    if figure not in {"p-values", "correlations"}:
        shown = " ".join(element.text or "" for element in root.iter(f"{SVG}text"))
        assert all(shorten(name, 11)[:-1] in shown for name in NAMES[:2])


def test_ink_is_the_colour_of_the_page_and_the_paper_stays_transparent(drawn):
    _, text = drawn
    assert "currentColor" in text
    assert INK not in text
    first = next(ET.fromstring(text).iter(f"{SVG}path"), None)
    assert first is None or "#ffffff" not in first.get("style", "")


def test_the_same_figure_gives_the_same_text(drawn):
    name, text = drawn
    assert render(name, *DRAWINGS[name]) == text


def test_coordinates_are_rounded_and_labels_are_not():
    _, arguments = DRAWINGS["matrix"]
    label = "0.123456789"
    text = render("m", draw_matrix, {**arguments, "rows": [label, "b"]})
    assert f">{label}<" in text
    paths = "".join(element.get("d") for element in ET.fromstring(text).iter(f"{SVG}path"))
    assert re.search(r"\.\d\d", paths)
    assert not re.search(r"\.\d\d\d", paths)


def test_colours_are_told_apart_on_a_light_and_on_a_dark_page():
    """Contrast of graphics against both papers is at least 2 (WCAG's formula)."""

    def luminance(colour):
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    for colour in COLOURS:
        for paper in ("#ffffff", "#16191d"):
            low, high = sorted([luminance(colour), luminance(paper)])
            assert (high + 0.05) / (low + 0.05) > 2, (colour, paper)


@pytest.mark.parametrize(
    ("low", "high"), [(0.1, 1), (0.9, 0.98), (0.9, 0.912), (0.97, 0.9712)], ids=str
)
def test_the_name_of_the_accuracy_axis_is_not_cut_whatever_the_decimals(low, high):
    _, arguments = DRAWINGS["trade-off"]
    accuracy = np.array([[high, low, low], [low, low, high]])
    with mpl.rc_context({"font.size": 9}):
        figure = draw_trade_off(**arguments | {"accuracy": accuracy})
        figure.draw_without_rendering()
        (axes,) = figure.axes
        numbers = [label.get_window_extent() for label in axes.get_yticklabels()]
        name = axes.yaxis.label.get_window_extent()
    assert name.x0 >= 0
    assert name.x1 <= min(box.x0 for box in numbers)


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        DRAWINGS["lines"],
        (draw_heatmap, {"z": np.eye(3), "rows": list("abc"), "classes": ["x", "x", "y"]}),
        (
            draw_cohorts,
            {
                "feature": "213612_x_at",
                "grid": np.linspace(0.99990, 0.99992, 9),
                "curves": {"tumour": (np.ones(9), np.ones(9))},
            },
        ),
        (
            draw_ranks,
            {
                "classifiers": ["ClassSpecificNB (CV)", "XNB", "ClassSpecificNB (3 features)"],
                "ranks": [1.5, 2.0, 2.5],
                "bars": [(0, 2)],
                "difference": 1.0,
            },
        ),
    ],
    ids=["lines", "few samples", "values that are nearly one", "long names"],
)
def test_no_text_of_a_figure_is_cut(draw, arguments):
    with mpl.rc_context({"font.size": 9, "text.parse_math": False}):
        figure = draw(**arguments)
        box = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())  # of what is drawn
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01
