"""Files of figures: fit to stand on a page and in print, whatever the names in them are."""

from concurrent.futures.process import BrokenProcessPool

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from psutil import Process
from report_blocks import MODULES
from report_study import write_study
from toys import failed, killed

from xnbflow.report.drawings.densities import draw_cohorts
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.figure_files import _write_figures
from xnbflow.report.page import blocks as kinds
from xnbflow.report.page.blocks import figures_of
from xnbflow.report.static import image_files
from xnbflow.report.static.chart_figure import draw_chart

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["<script>alert(1)</script>", "$x_1$ & \\alpha", '"quoted" -->']
LINES = {"lines": [NamedLine(name, np.array([1.0, 900.0]), np.array([0.5, 0.9])) for name in NAMES]}
LINES |= {"xlabel": "features", "ylabel": "accuracy", "title": NAMES[0]}
LINES |= {"levels": [("all features", 0.7)]}


@pytest.fixture(scope="module")
def charts(tmp_path_factory):
    """A chart of each kind on the page of a study whose names are markup, and one of lines."""
    results = write_study(tmp_path_factory.mktemp("study"))
    actual = [f for module in MODULES for f in figures_of(module.section(results).blocks)]
    return {figure.draw.__name__: figure.chart() for figure in actual} | {
        "draw_lines": draw_lines(**LINES)
    }


KINDS = ("correlations", "p_values", "points", "matrix", "densities", "calibration", "lines")


LONG = ["ClassSpecificNB (CV)", "XNB", "ClassSpecificNB (3 features)"]
LONG_NAME = "site of the collection of the sample"
WIDE = ["WILMS TUMOUR, STAGE IV", "x", "HER2-ENRICHED LUMINAL"]
FEW = {"z": np.eye(3), "rows": list("abc"), "classes": WIDE}
NEARLY_ONE = {"feature": "213612_x_at", "grid": np.linspace(0.99990, 0.99992, 9)}


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (draw_lines, LINES),
        (draw_heatmap, FEW),
        (draw_heatmap, FEW | {"tracks": {LONG_NAME: WIDE}}),
        (draw_cohorts, NEARLY_ONE | {"curves": {"tumour": (np.ones(9), np.ones(9))}}),
        (
            draw_ranks,
            {"classifiers": LONG, "ranks": [1.2, 1.9, 2.9], "bars": [(0, 1)], "difference": 1.05},
        ),
    ],
    ids=["lines", "few samples", "strips", "values that are nearly one", "long names"],
)
def test_no_text_of_a_figure_is_cut(function, arguments):
    with mpl.rc_context({"font.size": 9, "text.parse_math": False}):
        figure = draw_chart(function(**arguments))
        box = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())  # of what is drawn
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01


@pytest.mark.parametrize("width", [60, 85])
@pytest.mark.parametrize("letter", ["A", "a"])
def test_names_of_300_letters_leave_room_for_the_drawing_in_print(letter, width):
    name = letter * 300
    one = RowPoints("CSNB", [0.9], lower=[0.8], upper=[0.95], style=0)
    drawings = [
        draw_heatmap(np.eye(2), [name, "b"], ["a", "b"]),
        draw_points([name], [one], "accuracy", length=40),
    ]
    for chart in drawings:
        with image_files._for_print(chart, width, "name") as figure:
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
            box = figure.get_tightbbox(canvas.get_renderer())
            axes = figure.axes[0]
            assert axes.get_position().width * width / 25.4 >= 0.5
            assert box.x0 >= -0.02
            (shown,) = (text for text in figure.findobj(Text) if letter * 3 in text.get_text())
            assert shown.get_text().endswith("…")


@pytest.mark.parametrize("width", [85, 180])
@pytest.mark.parametrize("name", [*KINDS, "ranks", "components"])
def test_a_printed_figure_holds_everything_and_its_text_has_7_points_or_more(name, width, charts):
    with image_files._for_print(charts[f"draw_{name}"], width, name) as figure:
        FigureCanvasAgg(figure).draw()
        bounds, inches = figure.get_tightbbox(), figure.get_size_inches()
        assert min(text.get_fontsize() for text in figure.findobj(Text)) >= 7
    assert inches[0] == pytest.approx(width / 25.4) or (name, width) == ("ranks", 85)  # long names
    assert inches[0] >= width / 25.4 - 1e-9
    assert min(bounds.x0, bounds.y0) > -0.02
    assert (np.array([bounds.x1, bounds.y1]) < inches + 0.02).all()


def test_fonts_are_embedded_or_outlined(charts, tmp_path):
    image_files.print_figure(charts["draw_ranks"], tmp_path / "a", 180)
    pdf, svg = (tmp_path / "a.pdf").read_bytes(), (tmp_path / "a.svg").read_text()
    assert b"/FontFile2" in pdf  # TrueType, as fonttype 42 writes
    assert b"/Type3" not in pdf
    assert "<text" not in svg
    assert "currentColor" not in svg


def test_every_figure_of_a_study_is_a_file_of_its_section(tmp_path):
    blank = {"draw": draw_lines, "arguments": LINES, "caption": "", "alt": ""}
    sections = [
        kinds.Section("one", "One", "", [kinds.Figure("a", **blank)]),
        kinds.Section("two", "Two", "", [kinds.Gallery([kinds.Figure("b", **blank)], "")]),
    ]
    _write_figures(sections, tmp_path / "figures", width=85, subject=str)
    written = [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*.svg"))]
    assert written == ["figures/one/a.svg", "figures/two/b.svg"]


def test_a_study_without_figures_has_the_folder(tmp_path):
    _write_figures([], tmp_path / "figures", width=85, subject=str)
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["legends.md"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "error"), [(killed, BrokenProcessPool), (failed, ZeroDivisionError)]
)
def test_a_figure_that_fails_ends_the_job(tmp_path, function, error):
    blank = kinds.Figure("a", function, arguments={}, caption="", alt="")
    parts = [kinds.Section("one", "One", "", [blank])]
    folder, others = tmp_path / "figures", {*Process().children()}
    with pytest.raises(error):
        _write_figures(parts, folder, 85, str, threads=2)
    assert not list(folder.rglob("*.svg"))
    assert "popen_loky" not in str([p.cmdline() for p in {*Process().children()} - others])
