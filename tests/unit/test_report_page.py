"""The page and the index: blocks become HTML in which every value is escaped."""

import json
import os
import re
import signal
import typing
import xml.etree.ElementTree as ET
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from html import escape, unescape
from html.parser import HTMLParser
from importlib import resources

import numpy as np
import pandas as pd
import pytest
from report_study import write_study

from xnbflow.data.contract import STUDY_TABLES
from xnbflow.data.tables import write_parquet
from xnbflow.report.drawings.histograms import draw_class_sizes
from xnbflow.report.index import write_index
from xnbflow.report.outline import figure_labels
from xnbflow.report.page.blocks import (
    Block,
    Card,
    Cards,
    Code,
    Evidence,
    Facts,
    Figure,
    Gallery,
    Group,
    Item,
    Line,
    Links,
    Prose,
    Section,
    Table,
    figures_of,
)
from xnbflow.report.page.page import write_page, write_pictures
from xnbflow.report.study import write_report

SCRIPT = "<script>alert(1)</script>"


class Elements(HTMLParser):
    """Every element with its attributes, and the text of the page outside scripts and styles."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text, self.scripts = [], [], []
        self._raw = None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in {"script", "style"}:
            self._raw = []

    def handle_endtag(self, tag):
        if tag == "script":
            self.scripts.append("".join(self._raw))
        if tag in {"script", "style"}:
            self._raw = None

    def handle_data(self, data):
        (self.text if self._raw is None else self._raw).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def figure(name):
    return Figure(name, draw_class_sizes, {"classes": [SCRIPT], "sizes": [3]}, "how", f'"{SCRIPT}"')


def write(folder, *blocks, threads=1):
    sections = [Section("first", f"One {SCRIPT}", f"Read {SCRIPT}", list(blocks))]
    path = folder / "report.html"
    write_page(path, f"Title {SCRIPT}", f"Lead {SCRIPT}", sections, folder / "figures", threads)
    return path.read_text(encoding="utf-8")


def test_values_of_every_kind_of_block_appear_as_text_only(tmp_path):
    table = pd.DataFrame({SCRIPT: [SCRIPT], "n": [1.5]})
    model = {"name": SCRIPT, "classes": [SCRIPT], "features": [SCRIPT], "fits": [], "samples": []}
    item = Item(SCRIPT, SCRIPT, SCRIPT, SCRIPT)
    line = Line(SCRIPT, SCRIPT, 0.5, 0.4, 0.6, [item], SCRIPT, SCRIPT)
    card = Card(SCRIPT, SCRIPT, SCRIPT, "good", {SCRIPT: SCRIPT}, [line])
    html = write(
        tmp_path,
        Prose(SCRIPT, "headline"),
        Facts({SCRIPT: SCRIPT}),
        Code(SCRIPT, SCRIPT),
        Links([(SCRIPT, SCRIPT, ["a.tsv"])]),
        Table(table, SCRIPT),
        figure("a"),
        Gallery([figure("b")], SCRIPT),
        Group(SCRIPT, [Prose(SCRIPT)], SCRIPT),
        Cards([card], SCRIPT, SCRIPT, [SCRIPT]),
        Evidence([model], SCRIPT),
    )
    page = Elements(html)
    assert len(page.all("script")) == 2  # our own program and the data of the waterfall
    # Page 3, section 3, prose 1, facts 2, code 2, links 2, table 3, gallery 1, group 3, evidence 1,
    # cards: caption 1, source 1, bar 1, card 3, fact 2, line 4, item 4
    assert "".join(page.text).count(SCRIPT) == 37
    assert json.loads(page.scripts[0]) == [model]


def test_nothing_on_the_page_comes_from_elsewhere(tmp_path):
    page = Elements(write(tmp_path, Prose("text"), figure("a")))
    for tag, attributes in page.elements:
        for key in ("src", "href", "xlink:href", "data", "action"):
            value = attributes.get(key, "")
            assert not re.match(r"(?!data:,)[a-z]+:|//", value), (tag, value)
    assert not re.search(r"@import|url\((?!#)", (tmp_path / "report.html").read_text())


def test_numbers_are_formatted_missing_values_are_empty_and_the_best_is_said(tmp_path):
    frame = pd.DataFrame({"data set": ["wine", "digits"], "accuracy": [0.98765, np.nan]})
    html = write(tmp_path, Table(frame, "c", {"accuracy": ".3f"}, frozenset({(0, "accuracy")})))
    rows = re.findall(r"<tr>(.*)", html)
    assert rows[1:] == [
        '<th scope="row">wine<td class="best n">0.988<span class="hidden"> best</span>',
        '<th scope="row">digits<td class="n">',
    ]


def test_tables_have_headers_with_scope_and_a_caption(tmp_path):
    frame = pd.DataFrame({"data set": ["wine"], "accuracy": [0.9]})
    page = Elements(write(tmp_path, Table(frame, "How to read it")))
    assert [a["scope"] for a in page.all("th")] == ["col", "col", "row"]
    assert len(page.all("caption")) == 1
    assert "How to read it" in page.text


def test_figures_have_an_alternative_text_and_a_file_of_their_own(tmp_path):
    page = Elements(write(tmp_path, Group("g", [Gallery([figure("a"), figure("b")], "c")])))
    images = [a for a in page.all("div") if a.get("role") == "img"]
    assert [a["aria-label"] for a in images] == [f'"{SCRIPT}"'] * 2
    links = [a["href"] for a in page.all("a") if "download" in a]
    assert links == ["figures/first/a.svg", "figures/first/b.svg"]
    for link in links:
        root = ET.parse(tmp_path / link).getroot()
        assert "prefers-color-scheme" in root[0].text


def test_headings_go_down_one_level_at_a_time(tmp_path):
    inner = Group("inner", [Prose("text")])
    page = Elements(write(tmp_path, Group("outer", [inner]), Evidence([], "how")))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert levels == [1, 2, 3, 4, 3]


def test_two_figures_of_one_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="two figures are called 'a'"):
        write(tmp_path, figure("a"), Gallery([figure("a")], ""))
    assert not (tmp_path / "report.html").exists()


@pytest.mark.slow
def test_processes_draw_what_one_process_draws(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = write(tmp_path / "one", figure("a"), figure("b"))
    assert write(tmp_path / "two", figure("a"), figure("b"), threads=2) == one


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def failed():
    raise ZeroDivisionError


@pytest.mark.slow
@pytest.mark.parametrize("write", [write_page, write_pictures])
@pytest.mark.parametrize(
    ("draw", "error"), [(killed, BrokenProcessPool), (failed, ZeroDivisionError)]
)
def test_a_figure_that_fails_ends_the_job(tmp_path, write, draw, error):
    sections = [Section("one", "One", "", [Figure("a", draw, {}, "", "")])]
    page = tmp_path / "page.html"
    arguments = [page, "t", "l", sections] if write is write_page else [sections]
    with pytest.raises(error):
        write(*arguments, tmp_path / "figures", threads=2)
    assert not page.exists()


def test_figures_are_found_in_groups_and_galleries():
    blocks = [figure("a"), Group("g", [Gallery([figure("b")], ""), Group("h", [figure("c")])])]
    assert [f.name for f in figures_of(blocks)] == ["a", "b", "c"]


def test_a_block_that_the_page_does_not_know_is_refused(tmp_path):
    @dataclass(frozen=True)
    class Poem:
        text: str

    with pytest.raises(TypeError, match="knows no block of type Poem"):
        write(tmp_path, Group("g", [Poem("roses")]))
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("kind", typing.get_args(Block), ids=lambda kind: kind.__name__)
def test_the_page_knows_every_kind_of_block(kind):
    text = resources.files("xnbflow.report.page").joinpath("templates/blocks.html").read_text()
    assert f'name == "{kind.__name__}"' in text


def test_a_figure_grows_and_shrinks_only_while_its_text_is_legible(tmp_path):
    html = write(tmp_path, figure("a"))
    width, least = map(int, re.search(r"--width:(\d+)px;--least:(\d+)px", html).groups())
    svg = re.search(r"<svg.*?</svg>", html, flags=re.DOTALL)[0]
    points = float(re.search(r'width="([\d.]+)pt"', svg)[1])
    smallest = min(map(float, re.findall(r"font-size:([\d.]+)px", svg)))
    assert width == round(points * 96 / 72)
    assert smallest * 96 / 72 * least / width == pytest.approx(10, abs=0.1)


def test_tables_and_figures_name_the_files_that_hold_their_numbers(tmp_path):
    table = Table(pd.DataFrame({"a": [1]}), "c", sources=["summary.tsv"])
    drawn = Gallery([figure("a")], "c", ["recall.tsv"])
    page = Elements(write(tmp_path, table, drawn))
    links = [a["href"] for a in page.all("a") if a["href"].endswith(".tsv")]
    assert links == ["summary.tsv", "recall.tsv"]


def finding(results):
    """What the study found, as its table says."""
    return results.tables["headline"]["text"].iloc[0]


def test_studies_with_a_report_are_linked_and_the_others_say_how_to_run_them(tmp_path):
    finished = write_study(tmp_path)
    (finished.folder / "report.html").write_text("<html></html>")
    study = replace(finished.study, id="other", title="Not <yet>", classifiers=(), folds=())
    write_index([replace(finished, study=study), finished], tmp_path / "results/index.html")
    html = (tmp_path / "results/index.html").read_text()
    assert '<a href="studies/small/report.html">A small study &lt;of&gt; nothing</a>' in html
    assert escape(finding(finished)) in html
    assert "Not &lt;yet&gt;" in html
    assert "<code>snakemake other --cores all</code>" in html
    assert html.index("small/report.html") < html.index("Not &lt;yet&gt;")


def test_the_command_of_a_study_is_that_of_the_call(tmp_path):
    results = write_study(tmp_path)
    options = ["--cores", "all", "--configfile", "my own.yaml"]
    write_index([results], tmp_path / "results/index.html", options)
    html = unescape((tmp_path / "results/index.html").read_text())
    assert "snakemake small --cores all --configfile 'my own.yaml'" in html


@pytest.mark.slow
def test_reports_of_studies_that_are_not_configured_are_listed_after_those_that_are(tmp_path):
    results = write_study(tmp_path)
    write_report(results, results.folder / "report.html", tmp_path / "figures", threads=1)
    another = tmp_path / "results/studies/another"
    another.mkdir()
    (another / "report.html").touch()
    headline = STUDY_TABLES["headline"]
    write_parquet(results.tables["headline"], another / "headline.parquet", headline)
    bare = tmp_path / "results/studies/bare/report.html"
    bare.parent.mkdir()
    sections = [Section("one", "One", "How to read it.", [Prose("Text")])]
    write_page(bare, "Bare", "", sections, tmp_path / "figures")
    write_index([results], tmp_path / "results/index.html")
    html = (tmp_path / "results/index.html").read_text()
    small, another, alone = re.findall(r"<section.*?</section>", html, flags=re.DOTALL)
    assert "studies/small/report.html" in small
    for said in (results.study.title, results.study.summary, finding(results)):
        assert escape(said) in small
        assert escape(said) in another
    assert '<a href="studies/another/report.html">' in another
    assert re.findall("<p>(.*?)</p>", alone) == [""]  # of a report without tables no more is known
    assert '<a href="studies/bare/report.html">bare</a>' in alone
    assert "Not run yet" not in html


def test_what_the_index_says_comes_from_the_table_and_not_from_the_page(tmp_path):
    results = write_study(tmp_path)
    (results.folder / "report.html").write_text('<p class="headline">A page says much</p>')
    write_index([], tmp_path / "results/index.html")
    html = (tmp_path / "results/index.html").read_text()
    assert escape(finding(results)) in html
    assert "A page says much" not in html


STUDY = (["breast", "breast-cancer", "nb", "density"], ["10-fold", "10x10-fold"], ["nb", "csnb"])


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        ("accuracy", ("all data sets", "accuracy", "", "", "")),
        ("ranks-10-fold", ("all data sets", "ranks", "10-fold", "", "")),
        ("class-sizes-breast-cancer", ("breast-cancer", "class-sizes", "", "", "")),
        ("class-sizes-breast", ("breast", "class-sizes", "", "", "")),
        ("calibration-nb-10-fold", ("nb", "calibration", "10-fold", "", "")),
        ("confusion-nb-10x10-fold-nb", ("nb", "confusion", "10x10-fold", "nb", "")),
        ("density-density-10-fold-csnb-12", ("density", "density", "10-fold", "csnb", "12")),
        ("angle-breast-cancer-3", ("breast-cancer", "angle", "", "", "3")),
    ],
)
def test_a_figure_is_shown_by_the_longest_data_set_that_its_name_has(figure, expected):
    assert tuple(figure_labels(figure, *STUDY).values()) == expected
