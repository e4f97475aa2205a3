"""The page and the index: blocks become HTML in which every value is escaped."""

import json
import os
import re
import signal
import xml.etree.ElementTree as ET
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from report_study import write_study

from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.index import write_index
from xnbflow.report.page.blocks import (
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
)
from xnbflow.report.page.page import write_figures, write_page

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
    arguments = {"classifiers": [SCRIPT, "b"], "ranks": [1.0, 2.0], "bars": [], "difference": 0.5}
    return Figure(name, draw_ranks, arguments, "how", f'"{SCRIPT}"')


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
        Cards([card], SCRIPT, [SCRIPT]),
        Evidence([model], SCRIPT),
    )
    page = Elements(html)
    assert len(page.all("script")) == 2  # our own program and the data of the waterfall
    # Page 3, section 3, prose 1, facts 2, code 2, links 2, table 3, gallery 1, group 3, evidence 1,
    # cards: caption 1, source 1, card 3, fact 2, line 4, item 4
    assert "".join(page.text).count(SCRIPT) == 36
    assert json.loads(page.scripts[0]) == [model]


def test_numbers_are_formatted_missing_values_are_empty_and_the_best_is_said(tmp_path):
    frame = pd.DataFrame({"data set": ["wine", "digits"], "accuracy": [0.98765, np.nan]})
    html = write(tmp_path, Table(frame, "c", {"accuracy": ".3f"}, frozenset({(0, "accuracy")})))
    rows = re.findall(r"<tr>(.*)", html)
    assert rows[1:] == [
        '<th scope="row">wine<td class="best n">0.988<span class="hidden"> best</span>',
        '<th scope="row">digits<td class="n">',
    ]


def test_figures_have_an_alternative_text_and_a_file_of_their_own(tmp_path):
    page = Elements(write(tmp_path, Group("g", [Gallery([figure("a"), figure("b")], "c")])))
    images = [a for a in page.all("div") if a.get("role") == "img"]
    assert [a["aria-label"] for a in images] == [f'"{SCRIPT}"'] * 2
    links = [a["href"] for a in page.all("a") if "download" in a]
    assert links == ["figures/first/a.svg", "figures/first/b.svg"]
    for link in links:
        root = ET.parse(tmp_path / link).getroot()
        assert "prefers-color-scheme" in root[0].text


def test_two_figures_of_one_name_are_refused(tmp_path):
    with pytest.raises(ValueError, match="two figures are called 'a'"):
        write(tmp_path, figure("a"), Gallery([figure("a")], ""))
    assert not (tmp_path / "report.html").exists()


def killed(**_):
    os.kill(os.getpid(), signal.SIGKILL)


def failed(**_):
    raise ZeroDivisionError


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "draw", "error"),
    [(write_page, killed, BrokenProcessPool), (write_figures, failed, ZeroDivisionError)],
)
def test_a_figure_that_fails_ends_the_job(tmp_path, write, draw, error):
    sections = [Section("one", "One", "", [Figure("a", draw, {}, "", "")])]
    page = tmp_path / "page.html"
    folder = tmp_path / "figures"
    printed = [sections, folder, 85, str]
    arguments = [page, "t", "l", sections, folder] if write is write_page else printed
    with pytest.raises(error):
        write(*arguments, threads=2)
    assert not page.exists()


def test_the_index_links_reports_and_gives_the_command_of_studies_that_were_not_run(tmp_path):
    finished = write_study(tmp_path)
    (finished.folder / "report.html").write_text('<p class="headline">A page says much</p>')
    study = replace(finished.study, id="other", title="Not <yet>", classifiers=(), folds=())
    options = ["--cores", "all", "--configfile", "my own.yaml"]
    index = tmp_path / "results/index.html"
    write_index([replace(finished, study=study), finished], index, options)
    html = unescape(index.read_text())
    finding = finished.tables["headline"]["text"].iloc[0]
    assert '<a href="studies/small/report.html">A small study <of> nothing</a>' in html
    assert finding in html  # what was found comes from the table, not from the page
    assert 'href="studies/small/report.html#rule">Rule</a>' in html
    assert "A page says much" not in html
    assert "<code>snakemake other --cores all --configfile 'my own.yaml'</code>" in html
    assert "Not &lt;yet&gt;" in index.read_text()
    assert html.index("small/report.html") < html.index("Not <yet>")
