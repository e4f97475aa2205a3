"""The page and its figures: fit to stand beside others, whatever the names in them are."""

import itertools
import json
import re
import xml.etree.ElementTree as ET
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from html import unescape

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from psutil import Process
from report_blocks import MODULES
from report_study import SCRIPT, write_study
from toys import failed, killed

from xnbflow.report.drawings.densities import draw_cohorts
from xnbflow.report.drawings.gene import draw_gene
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.drawings.lines import Line, draw_lines
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.index import write_index
from xnbflow.report.page import blocks as kinds
from xnbflow.report.page import page, style
from xnbflow.report.page.blocks import figures_of
from xnbflow.report.page.page import write_figures, write_page
from xnbflow.report.sections.signature import heatmap_figure
from xnbflow.report.sentences import headline_sentence
from xnbflow.report.study_page import write_record

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}href"
NAMES = ["<script>alert(1)</script>", "$x_1$ & \\alpha", '"quoted" -->']
LINES = {"lines": [Line(name, np.array([1.0, 900.0]), np.array([0.5, 0.9])) for name in NAMES]}
LINES |= {"xlabel": "features", "ylabel": "accuracy", "title": NAMES[0]}
LINES |= {"ring": ("chosen", 1000.0, 0.8), "levels": [("all features", 0.7)]}


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    """A figure of each kind on the page of a study whose names are markup, and one of lines."""
    results = write_study(tmp_path_factory.mktemp("study"))
    actual = [f for module in MODULES for f in figures_of(module.section(results).blocks)]
    return {figure.draw.__name__: (figure.draw, figure.arguments) for figure in actual}


KINDS = ("correlations", "p_values", "points", "matrix", "densities", "calibration")


@pytest.mark.parametrize("name", [*KINDS, "ranks", "lines"])
def test_a_figure_is_an_element_of_its_own_in_which_names_are_text(name, figures):
    drawing = (draw_lines, LINES) if name == "lines" else figures[f"draw_{name}"]
    text = style.render(name, *drawing)
    assert style.render(name, *drawing) == text
    root = ET.fromstring(text)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    other = style.render("other", *drawing)
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
        assert all(style.shorten(label, 11)[:-1] in shown for label in NAMES[:2])
    assert "currentColor" in text  # the ink is that of the page, and the paper is transparent
    assert style.INK not in text
    first = next(root.iter(f"{SVG}path"), None)
    assert first is None or "#ffffff" not in first.get("style", "")


LONG = ["ClassSpecificNB (CV)", "XNB", "ClassSpecificNB (3 features)"]
LONG_NAME = "site of the collection of the sample"
WIDE = ["WILMS TUMOUR, STAGE IV", "x", "HER2-ENRICHED LUMINAL"]
FEW = {"z": np.eye(3), "rows": list("abc"), "classes": WIDE}
NEARLY_ONE = {"feature": "213612_x_at", "grid": np.linspace(0.99990, 0.99992, 9)}


@pytest.mark.parametrize(
    ("draw", "arguments"),
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
def test_no_text_of_a_figure_is_cut(draw, arguments):
    with mpl.rc_context({"font.size": 9, "text.parse_math": False}):
        figure = draw(**arguments)
        box = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())  # of what is drawn
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01


@pytest.mark.parametrize("n_samples", [4, 5])
def test_a_heat_map_states_how_many_samples_are_omitted(n_samples):
    cells = list(itertools.product(range(2), range(4)))
    drawn = pd.DataFrame(cells, columns=["row", "column"]).assign(symbol="", z=0.5)
    drawn = drawn.assign(feature=[f"g{row}" for row, _ in cells], **{"class": "a"})
    drawn["sample"] = [f"s{column}" for _, column in cells]
    phenotype = {"phenotype.age": ["60", "7", "", "41 to 50"], "phenotype.empty": [""] * 4}
    phenotype = pd.DataFrame({"sample": ["s3", "s2", "s1", "s0"], **phenotype})
    figure = heatmap_figure(
        name="name", cells=drawn, caption="Caption.", sources=["file"], n_samples=n_samples,
        phenotype=phenotype,
    )  # fmt: skip
    omitted = " 4 of 5 samples are shown, of each class its share."
    strips = " Strips: class, age; empty where unknown."
    assert figure.caption == "Caption." + omitted * (n_samples > 4) + strips
    assert figure.arguments["tracks"] == {"age": ["41 to 50", "", "7", "60"]}
    incomplete = heatmap_figure(
        name="name", cells=drawn, caption="", sources=["file"], n_samples=n_samples,
        phenotype=phenotype[:3],
    )  # fmt: skip
    assert incomplete.arguments["tracks"] == {}  # of 1,000 samples and more some have no phenotype


def test_strips_name_numbers_in_their_order_and_categories():
    ages, sexes = ["60 to 71", "7 to 60", "", "100 to 200"], ["M", "F", "F", ""]
    tracks = {"age": ages, "sex": sexes}
    figure = draw_heatmap(np.eye(4), list("abcd"), ["x", "x", "y", "y"], tracks)
    words = [text.get_text() for text in figure.texts]
    assert words == ["age", "7 to 60", "60 to 71", "100 to 200", "sex", "F", "M"]


def test_boxes_are_the_quartiles_of_each_class_and_leave_missing_values_out():
    values = np.array([1.0, 2, 3, 4, 5, np.nan, 10, 20, 30])
    figure = draw_gene(
        "g",
        values,
        classes=["a"] * 6 + ["b"] * 3,
        groups=[""] * 9,
        batches=[""] * 9,
        ylabel="value",
    )
    lines = [line.get_xydata() for line in figure.axes[0].get_lines()]
    boxes = [line[:, 1] for line in lines if len(line) == 5]
    assert [(box.min(), box.max()) for box in boxes] == [(2, 4), (15, 25)]
    medians = {(*line[:, 0].round(2), *line[:, 1]) for line in lines if len(line) == 2}
    assert {(-0.33, 0.33, 3, 3), (0.67, 1.33, 20, 20)} <= medians


@pytest.mark.parametrize("width", [60, 85])
@pytest.mark.parametrize("letter", ["A", "a"])
def test_names_of_300_letters_leave_room_for_the_drawing_in_print(letter, width):
    name = letter * 300
    one = Points("CSNB", [0.9], lower=[0.8], upper=[0.95], style=0)
    drawings = [
        (draw_heatmap, {"z": np.eye(2), "rows": [name, "b"], "classes": ["a", "b"]}),
        (draw_points, {"rows": [name], "groups": [one], "xlabel": "accuracy", "length": 40}),
    ]
    for draw, arguments in drawings:
        with style.for_print(draw, arguments, width, "name") as figure:
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
            box = figure.get_tightbbox(canvas.get_renderer())
            axes = figure.axes[0]
            assert axes.get_position().width * width / 25.4 >= 0.5
            assert box.x0 >= -0.02
            (shown,) = (text for text in figure.findobj(Text) if letter * 3 in text.get_text())
            assert shown.get_text().endswith("…")


@pytest.mark.parametrize("width", [85, 180])
@pytest.mark.parametrize("name", [*KINDS, "ranks", "lines", "components"])
def test_a_printed_figure_holds_everything_and_its_text_has_7_points_or_more(name, width, figures):
    drawing = (draw_lines, LINES) if name == "lines" else figures[f"draw_{name}"]
    with style.for_print(*drawing, width, name) as figure:
        FigureCanvasAgg(figure).draw()
        bounds, inches = figure.get_tightbbox(), figure.get_size_inches()
        assert min(text.get_fontsize() for text in figure.findobj(Text)) >= 7
    assert inches[0] == pytest.approx(width / 25.4) or (name, width) == ("ranks", 85)  # long names
    assert inches[0] >= width / 25.4 - 1e-9
    assert min(bounds.x0, bounds.y0) > -0.02
    assert (np.array([bounds.x1, bounds.y1]) < inches + 0.02).all()


def test_fonts_are_embedded_or_outlined(figures, tmp_path):
    style.print_figure(*figures["draw_ranks"], tmp_path / "a", 180)
    pdf, svg = (tmp_path / "a.pdf").read_bytes(), (tmp_path / "a.svg").read_text()
    assert b"/FontFile2" in pdf  # TrueType, as fonttype 42 writes
    assert b"/Type3" not in pdf
    assert "<text" not in svg
    assert "currentColor" not in svg


def figure(name):
    arguments = {"classifiers": [SCRIPT, "b"], "ranks": [1.0, 2.0], "bars": [], "difference": 0.5}
    return kinds.Figure(name, draw_ranks, arguments=arguments, caption="how", alt=f'"{SCRIPT}"')


def write(folder, *blocks, threads=1):
    sections = [kinds.Section("first", f"One {SCRIPT}", f"Read {SCRIPT}", list(blocks))]
    path = folder / "report.html"
    write_page(
        path,
        f"Title {SCRIPT}",
        lead=f"Lead {SCRIPT}",
        sections=sections,
        figures=folder / "figures",
        threads=threads,
    )
    return path.read_text(encoding="utf-8")


def test_values_of_every_kind_of_block_appear_as_text_only(tmp_path):
    table = pd.DataFrame({SCRIPT: [SCRIPT], "n": [1.5]})
    model = {"name": SCRIPT, "classes": [SCRIPT], "features": [SCRIPT], "samples": []}
    line = kinds.Line(
        name=SCRIPT, note=SCRIPT, share=0.5, lower=0.4, upper=0.6, rest=SCRIPT, warning=SCRIPT
    )
    tile = kinds.Tile(label=SCRIPT, text=SCRIPT, note=SCRIPT)
    row = kinds.GeneRow(name=SCRIPT, beside=SCRIPT, label=SCRIPT, mark=SCRIPT, meaning=SCRIPT)
    card = kinds.Card(
        title=SCRIPT,
        note=SCRIPT,
        verdict=SCRIPT,
        level="good",
        facts={SCRIPT: SCRIPT},
        lines=[line],
        details={SCRIPT: SCRIPT},
        of=SCRIPT,
        badge=SCRIPT,
        short=SCRIPT,
        tiles=[tile],
        rows=[row],
        warnings=[SCRIPT],
        next_step=SCRIPT,
    )
    html = write(
        tmp_path,
        kinds.Prose(SCRIPT, "headline"),
        kinds.Facts({SCRIPT: SCRIPT}),
        kinds.Code(SCRIPT, SCRIPT),
        kinds.Links([(SCRIPT, SCRIPT, ["a.tsv"])]),
        kinds.Table(table, SCRIPT),
        figure("a"),
        kinds.Gallery([figure("b")], SCRIPT),
        kinds.Group(SCRIPT, [kinds.Prose(SCRIPT)], SCRIPT),
        kinds.Cards([card], SCRIPT, [SCRIPT]),
        kinds.Evidence([model], SCRIPT),
    )
    scripts = re.findall(r"<script\b[^>]*>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == html.count("<script") == 2  # our own program, the data of the waterfall
    # Page 3, section 3, prose 1, facts 2, code 2, links 2, table 2, gallery 1, group 3, evidence 1,
    # cards: caption 1, source 1; card: title, note, badge, short, verdict, warning and next step 7,
    # fact 2, detail 2, line 3, tile 3, heading of the rows 1, row 5
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", "", html, flags=re.DOTALL)
    assert unescape(text).count(SCRIPT) == 45
    assert json.loads(scripts[0]) == [model]


def test_numbers_are_formatted_missing_values_are_empty_and_the_best_is_said(tmp_path):
    frame = pd.DataFrame({"data set": ["wine", "digits"], "accuracy": [0.98765, np.nan]})
    html = write(
        tmp_path, kinds.Table(frame, "c", {"accuracy": ".3f"}, best=frozenset({(0, "accuracy")}))
    )
    rows = re.findall(r"<tr>(.*)", html)
    assert rows[1:] == [
        '<th scope="row">wine<td class="best n">0.988<span class="hidden"> best</span>',
        '<th scope="row">digits<td class="n">',
    ]


def test_figures_have_an_alternative_text_and_a_file_of_their_own(tmp_path):
    html = write(tmp_path, kinds.Group("g", [kinds.Gallery([figure("a"), figure("b")], "c")]))
    images = re.findall(r'<div\b[^>]*role="img"[^>]*aria-label="([^"]*)"', html)
    assert [unescape(label) for label in images] == [f'"{SCRIPT}"'] * 2
    links = re.findall(r'<a\b[^>]*href="([^"]*)"[^>]* download', html)
    assert links == ["figures/first/a.svg", "figures/first/b.svg"]
    for link in links:
        root = ET.parse(tmp_path / link).getroot()
        assert "prefers-color-scheme" in root[0].text


def test_two_figures_of_one_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="two figures are called 'a'"):
        write(tmp_path, figure("a"), kinds.Gallery([figure("a")], ""))
    assert not (tmp_path / "report.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "draw", "error"),
    [(write_page, killed, BrokenProcessPool), (write_figures, failed, ZeroDivisionError)],
)
def test_a_figure_that_fails_ends_the_job(tmp_path, write, draw, error):
    parts = [
        kinds.Section("one", "One", "", [kinds.Figure("a", draw, arguments={}, caption="", alt="")])
    ]
    page, folder, others = tmp_path / "page.html", tmp_path / "figures", {*Process().children()}
    arguments = [page, "t", "l", parts, folder] if write is write_page else [parts, folder, 85, str]
    with pytest.raises(error):
        write(*arguments, threads=2)
    assert not page.exists()
    assert "popen_loky" not in str([p.cmdline() for p in {*Process().children()} - others])


def test_the_index_links_reports_and_gives_the_command_of_studies_that_were_not_run(tmp_path):
    finished = write_study(tmp_path)
    (finished.folder / "report.html").write_text('<p class="headline">A page says much</p>')
    write_record(finished, finished.folder / "run.json")
    study = replace(finished.study, id="other", title="Not <yet>", classifiers=(), folds=())
    index = tmp_path / "results/index.html"
    write_index([study, finished.study], index)
    html = unescape(index.read_text())
    finding = headline_sentence(finished)
    assert '<a href="studies/small/report.html">A small study <of> nothing</a>' in html
    assert finding in html  # what was found comes from the record, not from the page
    assert 'href="studies/small/report.html#rule">Rule</a>' in html
    assert "A page says much" not in html
    assert "<code>xnbflow run other</code>" in html
    assert "Not &lt;yet&gt;" in index.read_text()
    assert html.index("small/report.html") < html.index("Not <yet>")


@pytest.mark.parametrize(("value", "place"), [(-0.2, 0.0), (0.25, 25.0), (1.3, 100.0)])
def test_a_value_beyond_the_axis_of_a_tile_is_at_its_end(value, place):
    assert page._percent(kinds.Tile(label="l", text="t"), value) == place


def test_the_axis_of_a_tile_may_begin_elsewhere():
    tile = kinds.Tile(label="l", text="t", low=-1.0, high=3.0)
    assert page._percent(tile, 0.0) == 25.0


def test_a_cell_is_marked_where_the_table_says_so():
    frame = pd.DataFrame({"name": ["x", "y"], "a": [1.0, 2.0]})
    table = kinds.Table(
        frame, "", {"a": ".1f"}, best=frozenset({(1, "a")}), links={"name": ["u", ""]}
    )
    assert page._cells(table) == [
        [("x", False, False, "u"), ("1.0", True, False, "")],
        [("y", False, False, ""), ("2.0", True, True, "")],
    ]


def test_a_legend_has_what_a_figure_shows_and_how_it_is_read():
    one, other = figure("a"), figure("b")
    gallery = kinds.Gallery([one], "Around.")
    legends = [legend for _, legend in kinds.with_legends([gallery, kinds.Group("g", [other])])]
    assert legends == [f'"{SCRIPT}" how Around.', f'"{SCRIPT}" how']
