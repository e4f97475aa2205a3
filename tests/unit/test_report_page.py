"""The page and the index: blocks become HTML in which every value is escaped."""

import json
import os
import re
import signal
import xml.etree.ElementTree as ET
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest
from report_study import write_study

from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.index import write_index
from xnbflow.report.page import blocks as kinds
from xnbflow.report.page.page import write_figures, write_page

SCRIPT = "<script>alert(1)</script>"


def figure(name):
    arguments = {"classifiers": [SCRIPT, "b"], "ranks": [1.0, 2.0], "bars": [], "difference": 0.5}
    return kinds.Figure(name, draw_ranks, arguments, "how", f'"{SCRIPT}"')


def write(folder, *blocks, threads=1):
    sections = [kinds.Section("first", f"One {SCRIPT}", f"Read {SCRIPT}", list(blocks))]
    path = folder / "report.html"
    write_page(path, f"Title {SCRIPT}", f"Lead {SCRIPT}", sections, folder / "figures", threads)
    return path.read_text(encoding="utf-8")


def test_values_of_every_kind_of_block_appear_as_text_only(tmp_path):
    table = pd.DataFrame({SCRIPT: [SCRIPT], "n": [1.5]})
    model = {"name": SCRIPT, "classes": [SCRIPT], "features": [SCRIPT], "fits": [], "samples": []}
    item = kinds.Item(SCRIPT, SCRIPT, SCRIPT, SCRIPT)
    line = kinds.Line(SCRIPT, SCRIPT, 0.5, 0.4, 0.6, [item], SCRIPT, SCRIPT)
    card = kinds.Card(SCRIPT, SCRIPT, SCRIPT, "good", {SCRIPT: SCRIPT}, [line])
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
    # Page 3, section 3, prose 1, facts 2, code 2, links 2, table 3, gallery 1, group 3, evidence 1,
    # cards: caption 1, source 1, card 3, fact 2, line 4, item 4
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", "", html, flags=re.DOTALL)
    assert unescape(text).count(SCRIPT) == 36
    assert json.loads(scripts[0]) == [model]


def test_numbers_are_formatted_missing_values_are_empty_and_the_best_is_said(tmp_path):
    frame = pd.DataFrame({"data set": ["wine", "digits"], "accuracy": [0.98765, np.nan]})
    html = write(
        tmp_path, kinds.Table(frame, "c", {"accuracy": ".3f"}, frozenset({(0, "accuracy")}))
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
    sections = [kinds.Section("one", "One", "", [kinds.Figure("a", draw, {}, "", "")])]
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
