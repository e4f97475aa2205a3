"""The index: every study, those that have a report with a link and their headline."""

from dataclasses import replace
from html import escape

from report_study import write_study

from xnbflow.report.index import write_index
from xnbflow.report.sections.overview import headline


def test_studies_with_a_report_are_linked_and_the_others_say_how_to_run_them(tmp_path):
    finished = write_study(tmp_path)
    (finished.folder / "report.html").write_text("<html></html>")
    study = replace(finished.study, id="other", title="Not <yet>", classifiers=(), folds=())
    write_index([replace(finished, study=study), finished], tmp_path / "results/index.html")
    html = (tmp_path / "results/index.html").read_text()
    assert '<a href="studies/small/report.html">A small study &lt;of&gt; nothing</a>' in html
    assert escape(headline(finished)) in html
    assert "Not &lt;yet&gt;" in html
    assert "snakemake --cores all other" in html
    assert html.index("small/report.html") < html.index("Not &lt;yet&gt;")
