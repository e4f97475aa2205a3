"""Files of figures: fit to stand on a page and in print, whatever the names in them are."""

import re
import xml.etree.ElementTree as ET
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

from xnbflow.jobs.draw import draw_study
from xnbflow.report.drawings.densities import draw_cohorts
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.figure_files import draw_figures, write_figures
from xnbflow.report.page import blocks as kinds
from xnbflow.report.page.blocks import figures_of
from xnbflow.report.page.style import shorten
from xnbflow.report.static import image_files
from xnbflow.report.static.artists import INK_COLOUR
from xnbflow.report.static.chart_figure import draw_chart
from xnbflow.report.study_page import write_report

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}href"
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


@pytest.mark.parametrize("name", [*KINDS, "ranks"])
def test_a_figure_is_an_element_of_its_own_in_which_names_are_text(name, charts):
    chart = charts[f"draw_{name}"]
    text = image_files.render(name, chart)
    assert image_files.render(name, chart) == text
    root = ET.fromstring(text)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    other = image_files.render("other", chart)
    assert not any(f'id="{i}"' in other for i in ids)
    referred = [e.get(XLINK)[1:] for e in root.iter() if e.get(XLINK)]
    referred += [e.get("clip-path")[5:-1] for e in root.iter() if e.get("clip-path")]
    assert set(referred) == set(ids)
    assert len(ids) == len(set(ids))
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "path", "text", "use", "defs", "clipPath", "rect"}
    assert "<!--" not in text
    if name == "lines":
        shown = " ".join(element.text or "" for element in root.iter(f"{SVG}text"))
        assert all(shorten(label, 11)[:-1] in shown for label in NAMES[:2])
    assert "currentColor" in text  # the ink is that of the page, and the paper is transparent
    assert INK_COLOUR not in text
    first = next(root.iter(f"{SVG}path"), None)
    assert first is None or "#ffffff" not in first.get("style", "")


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
        with image_files.for_print(chart, width, "name") as figure:
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
    with image_files.for_print(charts[f"draw_{name}"], width, name) as figure:
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
    draw_figures(sections, tmp_path / "figures")
    written = [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*.svg"))]
    assert written == ["figures/one/a.svg", "figures/two/b.svg"]
    root = ET.parse(tmp_path / written[0]).getroot()
    assert "prefers-color-scheme" in root[0].text


def test_the_job_draws_every_figure_that_the_pages_link_to(tmp_path):
    results = write_study(tmp_path)
    draw_study(
        results.study,
        labels=results.labels,
        configuration=results.configuration,
        root=results.root,
        threads=1,
    )
    write_report(results, results.folder / "report.html")
    pages = [(results.folder / name).read_text() for name in ("report.html", "details.html")]
    linked = re.findall(r'href="(figures/[^"]*)"', "".join(pages))
    written = [
        path.relative_to(results.folder) for path in (results.folder / "figures").rglob("*.svg")
    ]
    assert set(linked) == {path.as_posix() for path in written}
    assert len(written) > 10


def test_a_study_without_figures_has_the_folder(tmp_path):
    draw_figures([], tmp_path / "figures")
    assert list((tmp_path / "figures").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "function", "error"),
    [(draw_figures, killed, BrokenProcessPool), (write_figures, failed, ZeroDivisionError)],
)
def test_a_figure_that_fails_ends_the_job(tmp_path, write, function, error):
    blank = kinds.Figure("a", function, arguments={}, caption="", alt="")
    parts = [kinds.Section("one", "One", "", [blank])]
    folder, others = tmp_path / "figures", {*Process().children()}
    arguments = [parts, folder] if write is draw_figures else [parts, folder, 85, str]
    with pytest.raises(error):
        write(*arguments, threads=2)
    assert not list(folder.rglob("*.svg"))
    assert "popen_loky" not in str([p.cmdline() for p in {*Process().children()} - others])
