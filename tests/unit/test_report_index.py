"""The index: every study, those that have a report with a link and their headline."""

import re
from dataclasses import replace
from html import escape, unescape

import pytest
from report_study import write_study

from xnbflow.data.contract import STUDY_TABLES
from xnbflow.data.tables import write_parquet
from xnbflow.report.index import write_index
from xnbflow.report.page.blocks import Prose, Section
from xnbflow.report.page.page import write_page
from xnbflow.report.study import write_report


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
