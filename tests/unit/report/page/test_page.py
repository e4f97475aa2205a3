"""The page: blocks become text only, whatever the names in them are, and figures charts."""

import itertools
import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest
from report_study import SCRIPT, write_study

from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.index import write_index
from xnbflow.report.page import blocks as kinds
from xnbflow.report.page import page
from xnbflow.report.page.page import write_page
from xnbflow.report.sections.signature import heatmap_figure
from xnbflow.report.sentences import headline_sentence
from xnbflow.report.study_page import write_record


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
    strips = " Strips: class, age; empty where unknown."
    assert (
        figure.caption
        == "Caption."
        + " 4 of 5 samples are shown, in proportion to the class sizes." * (n_samples > 4)
        + strips
    )
    assert figure.arguments["tracks"] == {"age": ["41 to 50", "", "7", "60"]}
    incomplete = heatmap_figure(
        name="name", cells=drawn, caption="", sources=["file"], n_samples=n_samples,
        phenotype=phenotype[:3],
    )  # fmt: skip
    assert incomplete.arguments["tracks"] == {}  # of 1,000 samples and more some have no phenotype


def figure(name):
    arguments = {"classifiers": [SCRIPT, "b"], "ranks": [1.0, 2.0], "bars": [], "difference": 0.5}
    return kinds.Figure(name, draw_ranks, arguments=arguments, caption="how", alt=f'"{SCRIPT}"')


def write(folder, *blocks):
    sections = [kinds.Section("first", f"One {SCRIPT}", f"Read {SCRIPT}", list(blocks))]
    path = folder / "report.html"
    write_page(
        path,
        f"Title {SCRIPT}",
        lead=f"Lead {SCRIPT}",
        sections=sections,
    )
    return path.read_text(encoding="utf-8")


def test_values_of_every_kind_of_block_appear_as_text_only(tmp_path):
    table = pd.DataFrame({SCRIPT: [SCRIPT], "n": [1.5]})
    model = {"name": SCRIPT, "classes": [SCRIPT], "features": [SCRIPT], "samples": []}
    line = kinds.ClassLine(
        name=SCRIPT, note=SCRIPT, share=0.5, lower=0.4, upper=0.6, rest=SCRIPT, warning=SCRIPT
    )
    tile = kinds.Tile(label=SCRIPT, text=SCRIPT, note=SCRIPT)
    row = kinds.GeneRow(name=SCRIPT, feature_id=SCRIPT, label=SCRIPT, mark=SCRIPT, meaning=SCRIPT)
    card = kinds.Card(
        title=SCRIPT,
        note=SCRIPT,
        verdict=SCRIPT,
        level="good",
        facts={SCRIPT: SCRIPT},
        lines=[line],
        details={SCRIPT: SCRIPT},
        features_heading=SCRIPT,
        badge=SCRIPT,
        short_reason=SCRIPT,
        tiles=[tile],
        feature_rows=[row],
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
    # two charts, the data of the waterfall, the drawing library, our own program
    assert len(scripts) == html.count("<script") == 5
    # Page 3, section 3, prose 1, facts 2, code 2, links 2, table 2, gallery 1, group 3, evidence 1,
    # figures: 2 links with their descriptions; cards: caption 1, source 1; card: title, note,
    # badge, short, verdict, warning and next step 7, fact 2, detail 2, line 3, tile 3, heading of
    # the rows 1, row 5
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", "", html, flags=re.DOTALL)
    assert unescape(text).count(SCRIPT) == 46  # equal explanations are one
    assert json.loads(scripts[2]) == [model]
    assert SCRIPT[:12] in str(json.loads(scripts[0]))  # a name of the chart


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


def test_figures_have_a_chart_and_a_text_where_there_is_none(tmp_path):
    html = write(tmp_path, kinds.Group("g", [kinds.Gallery([figure("a"), figure("b")], "c")]))
    groups = re.findall(r'<div class="chart" role="group" aria-label="([^"]*)"></div>', html)
    assert [unescape(label) for label in groups] == [f'"{SCRIPT}"'] * 2
    # without a chart, for example without JavaScript, there are the same words
    static = re.findall(r'<p class="static">Figure (\w): (.*?)</p>', html)
    assert [(name, unescape(words)) for name, words in static] == [
        (name, f'"{SCRIPT}"') for name in "ab"
    ]
    assert re.findall(r'class="files" data-figure="(\w)"', html) == ["a", "b"]


def test_two_figures_of_one_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="two figures are called 'a'"):
        write(tmp_path, figure("a"), kinds.Gallery([figure("a")], ""))
    assert not (tmp_path / "report.html").exists()


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
    assert page._axis_percent(kinds.Tile(label="l", text="t"), value) == place


def test_the_axis_of_a_tile_may_begin_elsewhere():
    tile = kinds.Tile(label="l", text="t", low=-1.0, high=3.0)
    assert page._axis_percent(tile, 0.0) == 25.0


def test_a_cell_is_marked_where_the_table_says_so():
    frame = pd.DataFrame({"name": ["x", "y"], "a": [1.0, 2.0]})
    table = kinds.Table(
        frame, "", {"a": ".1f"}, best=frozenset({(1, "a")}), links={"name": ["u", ""]}
    )
    assert page._table_cells(table) == [
        [("x", False, False, "u"), ("1.0", True, False, "")],
        [("y", False, False, ""), ("2.0", True, True, "")],
    ]


def test_a_legend_has_what_a_figure_shows_and_how_it_is_read():
    one, other = figure("a"), figure("b")
    gallery = kinds.Gallery([one], "Around.")
    legends = [legend for _, legend in kinds.with_legends([gallery, kinds.Group("g", [other])])]
    assert legends == [f'"{SCRIPT}" how Around.', f'"{SCRIPT}" how']
